/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/verify.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "shard/file.h"
#include "shard/verify_job.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

void dls_verify_report(struct dls_verify_job *job, struct dls_fault fault)
{
    fault.file = job->path;
    fault.shard = job->number;
    fault.text = dls_err_text();
    job->faults++;
    job->verify->fault(job->verify->user, &fault);
}

void dls_verify_report_shard(struct dls_verify_job *job, const char *kind, int64_t offset, int code)
{
    dls_verify_report(
        job, (struct dls_fault){.kind = kind, .block = -1, .record = -1, .offset = offset, .code = code});
}

void dls_verify_report_block(struct dls_verify_job *job, int code)
{
    dls_verify_report(job, (struct dls_fault){.kind = "block",
                                              .block = job->block,
                                              .record = -1,
                                              .offset = (int64_t)job->offset,
                                              .code = code});
}

/* Adds the file's bytes up to `end` to its checksum, those behind what was hashed so far. */
static int hash_to(struct dls_verify_job *job, uint64_t end)
{
    uint8_t piece[16384];

    while (job->hashed < end) {
        uint64_t length = dls_min64(sizeof(piece), end - job->hashed);
        int r = dls_file_read(job->fd, job->path, piece, length, job->hashed);
        if (r < 0)
            return r;
        dls_hasher_add(job->hasher, piece, length);
        job->hashed += length;
    }
    return 0;
}

/* Reads a block of `length` bytes at job->offset into job->data. */
static int read_block(struct dls_verify_job *job, uint64_t length)
{
    int r = hash_to(job, job->offset);

    if (r < 0)
        return r;
    if (length > job->data_room) {
        dls_free(job->data);
        job->data_room = 0;
        job->data = dls_alloc_aligned(DLS_MEM_SHARD, DLS_ALIGN, length);
        if (!job->data)
            return -ENOMEM;
        job->data_room = length;
    }
    r = dls_file_read(job->fd, job->path, job->data, length, job->offset);
    if (r < 0)
        return r;
    if (job->hashed == job->offset) {
        dls_hasher_add(job->hasher, job->data, length);
        job->hashed += length;
    }
    return 0;
}

static int progress(struct dls_verify_job *job, uint64_t bytes)
{
    if (job->verify->progress && job->verify->progress(job->verify->user, bytes))
        return dls_err(ECANCELED, "stopped");
    return 0;
}

/* All blocks, where the block table says that they are. */
static int check_blocks(struct dls_verify_job *job)
{
    int r = 0;

    for (uint32_t b = 0; r == 0 && b < job->shard.trailer.blocks; b++) {
        const struct dls_table_block at = dls_table_get(job->shard.marks, b);
        job->block = b;
        job->offset = at.offset;
        if (at.length > job->set->manifest.largest_block) {
            dls_err(EBADMSG, "it has %" PRIu64 " bytes, the manifest says at most %" PRIu64, at.length,
                    job->set->manifest.largest_block);
            dls_verify_report_block(job, -EBADMSG);
        }
        r = read_block(job, at.length);
        if (r == 0)
            r = dls_block_view_open(&job->view, job->data, at.length);
        if (r == 0)
            r = dls_set_check_block(job->set, &job->shard, b, &at, &job->view);
        if (r == -ENOMEM)
            return r;
        if (r < 0)
            dls_verify_report_block(job, r);
        else
            dls_verify_records(job);
        r = progress(job, at.length);
    }
    return r;
}

static void report_missing(struct dls_verify_job *job, uint64_t from, uint64_t to)
{
    if (from >= to)
        return;
    dls_err(EBADMSG, "no trace of blocks %" PRIu64 " to %" PRIu64, from, to - 1);
    dls_verify_report_shard(job, "shard", (int64_t)job->offset, -EBADMSG);
}

/* Opens the block at job->offset, if there is one. 1: yes. 0: no, or a damaged one (reported). */
static int find_block(struct dls_verify_job *job, uint64_t size)
{
    uint8_t head[DLS_BLOCK_HEADER_BYTES];
    int r = dls_file_read(job->fd, job->path, head, sizeof(head), job->offset);

    if (r < 0) {
        dls_verify_report_shard(job, "shard", (int64_t)job->offset, r);
        return 0;
    }
    uint64_t length = dls_get64(head + 8);
    if (memcmp(head, DLS_MAGIC_BLOCK, 4) != 0)
        return 0;
    job->block = dls_get32(head + 16);
    if (!dls_range_ok(job->offset, length, size) || length > DLS_BLOCK_MAX || length % DLS_ALIGN || length == 0)
        r = dls_err(EBADMSG, "a block of %" PRIu64 " bytes", length);
    if (r == 0)
        r = read_block(job, length);
    if (r == 0)
        r = dls_block_view_open(&job->view, job->data, length);
    if (r < 0)
        dls_verify_report_block(job, r);
    return r < 0 ? (r == -ENOMEM ? r : 0) : 1;
}

/* Without the tables: blocks describe themselves, so those that are left can be found and looked at. */
static int search_blocks(struct dls_verify_job *job, uint64_t size)
{
    uint64_t next = 0;
    int r = 0;

    job->shard.trailer = (struct dls_trailer){0};
    job->offset = DLS_HEADER_BYTES;
    while (r == 0 && dls_range_ok(job->offset, DLS_ALIGN, size)) {
        int found = find_block(job, size);
        if (found < 0)
            return found;
        if (found == 0) {
            job->offset += DLS_ALIGN;
            continue;
        }
        report_missing(job, next, job->block);
        dls_verify_records(job);
        next = job->block + 1ull;
        job->offset += job->view.length;
        r = progress(job, job->view.length);
    }
    report_missing(job, next, job->listed->blocks);
    return r;
}

/* What lies behind the tables: padding before the trailer, and the checksum of the whole file. */
static void check_file(struct dls_verify_job *job, uint64_t size)
{
    const struct dls_trailer *trailer = &job->shard.trailer;
    uint8_t padding[8] = {0};
    int r = 0;

    if (job->shard.loaded) {
        /* At most 7 bytes: the trailer has been compared with this length. */
        uint64_t end = trailer->table_offset + trailer->table.stored;
        r = dls_file_read(job->fd, job->path, padding, job->listed->bytes - DLS_TRAILER_BYTES - end, end);
        if (r == 0 && !dls_all_zero(padding, sizeof(padding))) {
            dls_err(EBADMSG, "padding before the trailer is not zero");
            dls_verify_report_shard(job, "table", (int64_t)end, -EBADMSG);
        }
    }
    if (r == 0)
        r = hash_to(job, size);
    if (r < 0) {
        dls_verify_report_shard(job, "shard", -1, r);
        return;
    }
    uint64_t found = dls_hasher_64(job->hasher);
    if (found != job->listed->checksum) {
        dls_err(EBADMSG, "the file's checksum is %016" PRIx64 ", the manifest says %016" PRIx64, found,
                job->listed->checksum);
        dls_verify_report_shard(job, "checksum", -1, -EBADMSG);
    }
}

static int run(struct dls_verify_job *job)
{
    struct stat st;
    int r = dls_file_open(job->path, &job->fd);

    if (r == 0 && fstat(job->fd, &st) < 0)
        r = dls_err_sys(errno, "'%s'", job->path);
    if (r == 0 && !S_ISREG(st.st_mode))
        r = dls_err(EBADMSG, "'%s' is not a plain file", job->path);
    if (r < 0) {
        dls_verify_report_shard(job, "shard", -1, r);
        return 0;
    }
    r = dls_hasher_create(&job->hasher);
    if (r == 0)
        r = dls_block_view_init(&job->view, &job->set->manifest.schema, 0);
    if (r < 0)
        return r;
    dls_hasher_reset(job->hasher);
    job->shard.path = (char *)(uintptr_t)job->path;
    r = dls_shard_load(&job->shard, &job->set->manifest, job->number);
    if (r == -ENOMEM)
        return r;
    if (r < 0)
        dls_verify_report_shard(job, "shard", -1, r);
    /* A later version may have laid everything out in another way. */
    if (r != -ENOTSUP)
        r = r < 0 ? search_blocks(job, (uint64_t)st.st_size) : check_blocks(job);
    if (r < 0 && r != -ENOTSUP)
        return r;
    check_file(job, (uint64_t)st.st_size);
    return 0;
}

int dls_verify_shard(struct dls_dataset *dataset, uint32_t number, const struct dls_verify *verify,
                     uint64_t *ret_faults)
{
    struct dls_verify_job *job = dls_alloc(DLS_MEM_SHARD, sizeof(*job));
    int r;

    if (!job)
        return -ENOMEM;
    job->set = dataset;
    job->verify = verify;
    job->listed = &dataset->manifest.shards[number];
    job->number = number;
    job->path = dataset->shards[number].path;
    job->fd = -1;
    r = run(job);
    *ret_faults = job->faults;
    if (job->fd >= 0)
        close(job->fd);
    dls_hasher_free(&job->hasher);
    dls_free(job->shard.marks);
    dls_free(job->data);
    dls_block_view_free(&job->view);
    dls_cell_scratch_free(&job->scratch);
    dls_free(job);
    return r;
}
