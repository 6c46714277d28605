/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/verify.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "shard/cell.h"
#include "shard/file.h"
#include "shard/set.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct job {
    struct dls_dataset *set;
    const struct dls_verify *verify;
    const struct dls_manifest_shard *listed;
    uint32_t number;
    const char *path;
    int fd;
    uint64_t faults;
    struct dls_shard shard;   /* header, trailer and tables of this pass; `loaded` if all of them are right */
    struct dls_hasher *hasher; /* over the file, in order */
    uint64_t hashed;
    uint8_t *data; /* one block */
    struct dls_block_view view;
    struct dls_cell_scratch scratch;
    uint8_t page[DLS_PAGE_BYTES]; /* of the record table */
    uint64_t page_number;
    int page_state; /* 0: none loaded, 1: right, -1: damaged (reported) */
};

static void report(struct job *job, struct dls_fault fault)
{
    fault.file = job->path;
    fault.shard = job->number;
    fault.text = dls_err_text();
    job->faults++;
    job->verify->fault(job->verify->user, &fault);
}

static void report_shard(struct job *job, const char *kind, int code)
{
    report(job, (struct dls_fault){.kind = kind, .block = -1, .record = -1, .offset = -1, .code = code});
}

static void report_block(struct job *job, uint32_t block, int code)
{
    report(job, (struct dls_fault){.kind = "block",
                                   .block = block,
                                   .record = -1,
                                   .offset = (int64_t)dls_table_get(job->shard.marks, block).offset,
                                   .code = code});
}

static void report_record(struct job *job, uint32_t block, uint32_t index, const char *kind, uint64_t offset, int code)
{
    const struct dls_schema *schema = &job->set->manifest.schema;
    struct dls_fault fault = {.kind = kind,
                              .block = block,
                              .record = (int64_t)(job->listed->first_record + job->view.first_record + index),
                              .offset = (int64_t)offset,
                              .code = code};
    if (schema->key >= 0)
        fault.key = (const char *)dls_block_inline(&job->view, (uint32_t)schema->key, index, &fault.key_length);
    report(job, fault);
}

/* The row of the record table must say what the block's directory says. */
static void check_row(struct job *job, uint32_t block, uint32_t index)
{
    const struct dls_trailer *trailer = &job->shard.trailer;
    const struct dls_schema *schema = &job->set->manifest.schema;
    uint64_t record = (uint64_t)job->view.first_record + index;

    if (trailer->rows_a_page == 0)
        return;
    uint64_t number = record / trailer->rows_a_page;
    uint64_t page_at = trailer->rows_offset + number * DLS_PAGE_BYTES;
    if (job->page_state == 0 || job->page_number != number) {
        int r = dls_file_read(job->fd, job->path, job->page, DLS_PAGE_BYTES, page_at);
        if (r == 0)
            r = dls_row_page_check(trailer, job->page, number);
        if (r < 0)
            report(job, (struct dls_fault){
                            .kind = "table", .block = -1, .record = -1, .offset = (int64_t)page_at, .code = r});
        job->page_number = number;
        job->page_state = r < 0 ? -1 : 1;
    }
    if (job->page_state < 0)
        return;
    const uint8_t *at = job->page + 8 + record % trailer->rows_a_page * trailer->row_bytes;
    for (uint32_t f = 0; f < schema->count; f++) {
        uint32_t bytes = dls_field_row_bytes(&schema->fields[f]);
        uint8_t expected[DLS_CELL_BYTES];
        const uint8_t *value = expected;
        struct dls_cell cell;
        size_t length;

        if (bytes == 0)
            continue;
        if (dls_field_has_cell(&schema->fields[f])) {
            dls_block_cell(&job->view, f, index, &cell);
            cell.offset += dls_table_get(job->shard.marks, block).offset;
            dls_cell_put(&cell, expected);
        } else {
            value = dls_block_inline(&job->view, f, index, &length);
        }
        if (memcmp(value, at, bytes) != 0) {
            dls_err(EBADMSG, "field '%s' of the record table is not what the block's directory says",
                    schema->fields[f].name);
            report_record(job, block, index, "table", page_at, -EBADMSG);
        }
        at += bytes;
    }
}

/* One value of one record. *end: where the values before it end in the block; padding up to it must be zero. */
static void check_cell(struct job *job, uint32_t block, uint32_t index, uint32_t field, uint64_t *end)
{
    const struct dls_schema_field *schema = &job->set->manifest.schema.fields[field];
    struct dls_cell cell;
    const uint8_t *data;

    dls_block_cell(&job->view, field, index, &cell);
    uint64_t offset = dls_table_get(job->shard.marks, block).offset + cell.offset;
    if (cell.offset != dls_align_up(*end, DLS_DATA_ALIGN)) {
        dls_err(EBADMSG, "field '%s' is not where the value before it ends", schema->name);
        report_record(job, block, index, "record", offset, -EBADMSG);
    } else if (!dls_all_zero(job->data + *end, cell.offset - *end)) {
        dls_err(EBADMSG, "padding before field '%s' is not zero", schema->name);
        report_record(job, block, index, "record", offset, -EBADMSG);
    }
    *end = cell.offset + cell.stored;
    int r = dls_cell_open(&cell, job->data + cell.offset, 1, &job->scratch, &data);
    if (r < 0)
        dls_err_context(r, "field '%s'", schema->name);
    else if (schema->type == DLS_FIELD_IMAGE && cell.codec != DLS_CODEC_NONE && job->verify->picture)
        r = job->verify->picture(job->verify->user, &cell, data);
    if (r < 0)
        report_record(job, block, index, "record", offset, r);
}

static void check_records(struct job *job, uint32_t block)
{
    const struct dls_schema *schema = &job->set->manifest.schema;
    uint64_t directory = DLS_BLOCK_HEADER_BYTES + (uint64_t)dls_get32(job->data + 28);
    uint64_t end = job->view.data_offset;

    if (!dls_all_zero(job->data + directory, job->view.data_offset - directory)) {
        dls_err(EBADMSG, "padding behind the directory is not zero");
        report_block(job, block, -EBADMSG);
    }
    for (uint32_t i = 0; i < job->view.records; i++) {
        for (uint32_t f = 0; f < schema->count; f++)
            if (dls_field_has_cell(&schema->fields[f]))
                check_cell(job, block, i, f, &end);
        check_row(job, block, i);
    }
    if (dls_align_up(end, DLS_ALIGN) != job->view.length) {
        dls_err(EBADMSG, "the block has %" PRIu64 " bytes, its values end at %" PRIu64, job->view.length, end);
        report_block(job, block, -EBADMSG);
    } else if (!dls_all_zero(job->data + end, job->view.length - end)) {
        dls_err(EBADMSG, "padding at the end of the block is not zero");
        report_block(job, block, -EBADMSG);
    }
}

/* Adds the file's bytes up to `end` to its checksum, those behind what was hashed so far. */
static int hash_to(struct job *job, uint64_t end)
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

static int check_block(struct job *job, uint32_t block)
{
    const struct dls_table_block at = dls_table_get(job->shard.marks, block);
    int r = hash_to(job, at.offset);

    if (r == 0)
        r = dls_file_read(job->fd, job->path, job->data, at.length, at.offset);
    if (r < 0) {
        report_block(job, block, r);
        return 0;
    }
    dls_hasher_add(job->hasher, job->data, at.length);
    job->hashed = at.offset + at.length;
    r = dls_block_view_open(&job->view, job->data, at.length);
    if (r == 0)
        r = dls_set_check_block(job->set, &job->shard, block, &job->view);
    if (r == -ENOMEM)
        return r;
    if (r < 0)
        report_block(job, block, r);
    else
        check_records(job, block);
    if (job->verify->progress && job->verify->progress(job->verify->user, at.length))
        return dls_err(ECANCELED, "stopped");
    return 0;
}

static int check_blocks(struct job *job)
{
    uint64_t largest = 0;
    int r = dls_block_view_init(&job->view, &job->set->manifest.schema, 0);

    for (uint32_t b = 0; b < job->shard.trailer.blocks; b++)
        largest = dls_max64(largest, dls_table_get(job->shard.marks, b).length);
    if (largest > job->set->manifest.largest_block) {
        dls_err(EBADMSG, "a block of %" PRIu64 " bytes, the manifest says at most %" PRIu64, largest,
                job->set->manifest.largest_block);
        report_shard(job, "shard", -EBADMSG);
    }
    job->data = dls_alloc_aligned(DLS_MEM_SHARD, DLS_ALIGN, largest);
    if (!job->data)
        return -ENOMEM;
    for (uint32_t b = 0; r == 0 && b < job->shard.trailer.blocks; b++)
        r = check_block(job, b);
    return r;
}

/* The checksum of the whole file, and the padding between block table and trailer, which only it covers. */
static void check_file(struct job *job, uint64_t size)
{
    int r = hash_to(job, size);

    if (r < 0) {
        report_shard(job, "shard", r);
        return;
    }
    uint64_t found = dls_hasher_64(job->hasher);
    if (found != job->listed->checksum) {
        dls_err(EBADMSG, "the file's checksum is %016" PRIx64 ", the manifest says %016" PRIx64, found,
                job->listed->checksum);
        report_shard(job, "checksum", -EBADMSG);
    }
}

static int run(struct job *job)
{
    struct stat st;
    int r = dls_file_open(job->path, &job->fd);

    if (r < 0) {
        report_shard(job, "shard", r);
        return 0;
    }
    r = dls_hasher_create(&job->hasher);
    if (r < 0)
        return r;
    dls_hasher_reset(job->hasher);
    job->shard.path = (char *)(uintptr_t)job->path;
    r = dls_shard_load(&job->shard, &job->set->manifest, job->number);
    if (r == -ENOMEM)
        return r;
    if (r < 0)
        report_shard(job, "shard", r);
    else if ((r = check_blocks(job)) < 0)
        return r;
    if (fstat(job->fd, &st) < 0) {
        dls_err_sys(errno, "'%s'", job->path);
        report_shard(job, "shard", -errno);
        return 0;
    }
    check_file(job, (uint64_t)st.st_size);
    return 0;
}

int dls_verify_shard(struct dls_dataset *dataset, uint32_t number, const struct dls_verify *verify,
                     uint64_t *ret_faults)
{
    struct job *job = dls_alloc(DLS_MEM_SHARD, sizeof(*job));
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
