/* SPDX-License-Identifier: Apache-2.0 */
#include "io/reader.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/choose.h"
#include "io/files.h"
#include "shard/layout.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What failed, where it is not a system call. */
static const char past_end[] = "read past the end";

/* How often a read is repeated that is interrupted, put off or stuck in the same page. */
#define TRIES_MAX 64
#define DETAIL_ROOM (4 * DLS_IO_DETAIL)

/* A request and what the reader must know when it comes back. */
struct read_op {
    struct dls_io_request io; /* first, so that a request's address is its op's */
    struct dls_extent *extent;
    uint32_t slot;  /* of the file, held */
    uint16_t tries; /* repeats without a new page */
    bool failed;    /* has met EIO once */
};

struct dls_reader {
    struct dls_reader_config config;
    const struct dls_io_ops *ops;
    struct dls_io *io;
    struct dls_files *files;
    struct read_op *ops_memory;
    struct dls_io_request *free_ops, *again,
        **again_end; /* idle ones; those to submit once more, oldest first */
    uint32_t free_count;
    struct dls_extent *queue, **queue_end; /* extents with bytes not yet asked for */
    struct dls_extent *finished, **finished_end;
    atomic_bool woken; /* set by any thread, cleared by the owner */

    /* Written by the owner, read by any thread. */
    _Atomic uint64_t reads, bytes, retries, wait_ns, depths[DLS_IO_DEPTHS];
    const char *_Atomic detail; /* one of the two below: the second once a file has gone buffered late */
    char details[2][DETAIL_ROOM];
    struct dls_hist latency;
};

static void count(_Atomic uint64_t *counter, uint64_t value)
{
    /* One writer, so no locked instruction is needed. */
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + value,
                          memory_order_relaxed);
}

/* Opening */

static int choose_engine(struct dls_reader *reader)
{
    char detail[DLS_IO_CHOICE];
    struct dls_io_config config = {
        .depth = reader->config.depth,
        .files = reader->config.open_files,
        .memory = reader->config.memory,
        .memory_bytes = reader->config.memory_bytes,
        .detail = detail,
    };
    uint32_t slot;
    int r = dls_files_hold(reader->files, 0, &slot);

    if (r != 0)
        return r;
    config.test_fd = dls_files_fd(reader->files, slot);
    r = dls_io_choose(&config, reader->config.engine, reader->config.ops, &reader->ops, &reader->io);
    dls_files_release(reader->files, slot);
    if (r != 0)
        return r;
    snprintf(reader->details[0], DETAIL_ROOM, "%s, %s", dls_files_detail(reader->files), detail);
    atomic_store(&reader->detail, reader->details[0]);
    dls_files_attach(reader->files, reader->ops, reader->io);
    return 0;
}

static int check_config(struct dls_reader_config *config)
{
    if (config->depth == 0)
        config->depth = 32;
    if (config->request_bytes == 0)
        config->request_bytes = 1u << 20;
    if (config->open_files == 0)
        config->open_files = 256;
    if (config->open_files > config->files)
        config->open_files = config->files;
    if (config->path == NULL || config->files == 0 || config->request_bytes % DLS_ALIGN != 0 ||
        config->request_bytes > DLS_IO_CHUNK || config->depth > 65536 || config->memory == NULL ||
        (uintptr_t)config->memory % DLS_ALIGN != 0 || config->memory_bytes < DLS_ALIGN)
        return dls_err(EINVAL, "reader: a parameter is out of range");
    return 0;
}

int dls_reader_open(const struct dls_reader_config *config, struct dls_reader **ret_reader)
{
    struct dls_reader *reader = dls_alloc(DLS_MEM_IO, sizeof(*reader));
    int r = -ENOMEM;

    if (reader == NULL)
        return -ENOMEM;
    reader->config = *config;
    reader->again_end = &reader->again;
    reader->queue_end = &reader->queue;
    reader->finished_end = &reader->finished;
    r = check_config(&reader->config);
    if (r != 0)
        goto fail;
    r = -ENOMEM;
    reader->ops_memory = dls_alloc_array(DLS_MEM_IO, reader->config.depth, sizeof(*reader->ops_memory));
    if (reader->ops_memory == NULL)
        goto fail;
    for (uint32_t i = reader->config.depth; i-- > 0;) {
        reader->ops_memory[i].io.next = reader->free_ops;
        reader->free_ops = &reader->ops_memory[i].io;
    }
    reader->free_count = reader->config.depth;
    r = dls_files_create(
        &(struct dls_files_config){
            .path = reader->config.path,
            .path_user = reader->config.path_user,
            .count = reader->config.files,
            .slots = reader->config.open_files,
            .direct = reader->config.direct,
        },
        reader->config.memory, &reader->files);
    if (r == 0)
        r = choose_engine(reader);
    if (r != 0)
        goto fail;
    dls_log(DLS_LOG_INFO, "reader: %s: %s", reader->ops->name, reader->details[0]);
    *ret_reader = reader;
    return 0;

fail:
    dls_reader_close(&reader);
    return r;
}

void dls_reader_close(struct dls_reader **reader_at)
{
    struct dls_reader *reader = *reader_at;

    if (reader == NULL)
        return;
    if (reader->io != NULL)
        reader->ops->close(&reader->io);
    dls_files_free(&reader->files);
    dls_free(reader->ops_memory);
    dls_free(reader);
    *reader_at = NULL;
}

/* Extents in */

static void finish(struct dls_reader *reader, struct dls_extent *extent)
{
    extent->next = NULL;
    *reader->finished_end = extent;
    reader->finished_end = &extent->next;
}

static void fail_extent(struct dls_extent *extent, int error, uint64_t at, const char *what)
{
    if (extent->result == 0) { /* the first failure is the one told of */
        extent->result = error;
        extent->error_at = at;
        extent->error_what = what;
    }
}

void dls_reader_push(struct dls_reader *reader, struct dls_extent *extent)
{
    extent->result = 0;
    extent->error_at = 0;
    extent->error_what = NULL;
    extent->asked = extent->done = 0;
    extent->in_flight = 0;
    if (extent->file >= reader->config.files || (extent->offset | extent->length) % DLS_ALIGN != 0 ||
        (uintptr_t)extent->memory % DLS_ALIGN != 0 || extent->offset > INT64_MAX - extent->length)
        fail_extent(extent, -EINVAL, extent->offset, "bad extent");
    if (extent->result != 0 || extent->length == 0) {
        finish(reader, extent);
        return;
    }
    extent->next = NULL;
    *reader->queue_end = extent;
    reader->queue_end = &extent->next;
}

static void queue_drop(struct dls_reader *reader)
{
    reader->queue = reader->queue->next;
    if (reader->queue == NULL)
        reader->queue_end = &reader->queue;
}

/* The next piece of the first extent in the queue, or NULL when there is none to be had now. */
static struct read_op *cut(struct dls_reader *reader)
{
    struct dls_extent *extent;
    struct read_op *op;
    uint64_t length, place;
    uint32_t slot;
    int r;

    for (;;) {
        extent = reader->queue;
        if (extent == NULL)
            return NULL;
        r = extent->result != 0 ? extent->result : dls_files_hold(reader->files, extent->file, &slot);
        if (r == 0)
            break;
        if (r > 0)
            return NULL; /* its file is opened once another one can be closed */
        fail_extent(extent, r, extent->offset, "open");
        queue_drop(reader);
        if (extent->in_flight == 0)
            finish(reader, extent);
    }
    place = (uint64_t)(extent->memory + extent->asked - reader->config.memory) % DLS_IO_CHUNK;
    length = dls_min64(extent->length - extent->asked, reader->config.request_bytes);
    length = dls_min64(length, DLS_IO_CHUNK - place);

    op = (struct read_op *)reader->free_ops;
    reader->free_ops = op->io.next;
    reader->free_count--;
    *op = (struct read_op){
        .io = {.buffer = extent->memory + extent->asked,
               .length = (uint32_t)length,
               .offset = extent->offset + extent->asked,
               .user = op},
        .extent = extent,
        .slot = slot,
    };
    extent->asked += length;
    extent->in_flight++;
    if (extent->asked == extent->length)
        queue_drop(reader);
    return op;
}

/* Each request of the list comes on top of those before it and of those in flight. */
static void count_depths(struct dls_reader *reader, const struct dls_io_request *list)
{
    uint32_t depth = reader->config.depth - reader->free_count;

    for (const struct dls_io_request *request = list; request != NULL; request = request->next)
        depth--;
    for (const struct dls_io_request *request = list; request != NULL; request = request->next) {
        unsigned bits = 31 - (unsigned)__builtin_clz(++depth);
        count(&reader->depths[bits < DLS_IO_DEPTHS ? bits : DLS_IO_DEPTHS - 1], 1);
    }
}

/* Everything that can start now, in order: repeats first. */
static struct dls_io_request *gather(struct dls_reader *reader)
{
    struct dls_io_request *list = reader->again, **end = reader->again != NULL ? reader->again_end : &list;
    struct read_op *op;

    reader->again = NULL;
    reader->again_end = &reader->again;
    while (reader->free_ops != NULL && (op = cut(reader)) != NULL) {
        *end = &op->io;
        end = &op->io.next;
    }
    *end = NULL;
    count_depths(reader, list);
    for (struct dls_io_request *request = list; request != NULL; request = request->next) {
        op = (struct read_op *)request;
        op->io.fd = dls_files_fd(reader->files, op->slot);
        op->io.slot = dls_files_engine_slot(reader->files, op->slot);
        op->io.buffered = !dls_files_direct(reader->files, op->slot);
    }
    return list;
}

/* Requests out */

static void op_done(struct dls_reader *reader, struct read_op *op)
{
    struct dls_extent *extent = op->extent;

    dls_files_release(reader->files, op->slot);
    op->io.next = reader->free_ops;
    reader->free_ops = &op->io;
    reader->free_count++;
    if (--extent->in_flight > 0)
        return;
    /* A failed extent that is still in the queue is finished when cut() meets it. */
    if (extent->done == extent->length || (extent->result != 0 && extent != reader->queue))
        finish(reader, extent);
}

static void op_again(struct dls_reader *reader, struct read_op *op)
{
    count(&reader->retries, 1);
    op->io.next = NULL;
    *reader->again_end = &op->io;
    reader->again_end = &op->io.next;
}

/* Says once, in the detail, that a file took O_DIRECT at open and refused it later. */
static void note_late_refusal(struct dls_reader *reader, const struct read_op *op)
{
    const char *path = reader->config.path(reader->config.path_user, op->extent->file);

    if (atomic_load_explicit(&reader->detail, memory_order_relaxed) != reader->details[0])
        return;
    snprintf(reader->details[1], DETAIL_ROOM,
             "%.600s; some files buffered ('%.300s' refused a direct read at offset %" PRIu64 ")",
             reader->details[0], path, op->io.offset);
    atomic_store_explicit(&reader->detail, reader->details[1], memory_order_release);
    dls_log(DLS_LOG_WARNING,
            "reader: '%s' refused a direct read at offset %" PRIu64 "; it is read buffered from now on", path,
            op->io.offset);
}

/* True if the failed read is worth another try. */
static bool try_again(struct dls_reader *reader, struct read_op *op, int error)
{
    switch (error) {
    case EINTR:
    case EAGAIN:
        return op->tries++ < TRIES_MAX;
    case EIO:
        if (op->failed)
            return false;
        op->failed = true;
        return true;
    case EINVAL:
    case EOPNOTSUPP:
        if (op->io.buffered || !dls_files_make_buffered(reader->files, op->slot))
            return false;
        note_late_refusal(reader, op);
        return true;
    default:
        return false;
    }
}

/* True if the file goes on behind `offset`: if a read brought too little, this tells the end from a whim. */
static bool goes_on(const struct dls_reader *reader, const struct read_op *op, uint64_t offset,
                    uint64_t *ret_size)
{
    struct stat facts;

    if (fstat(dls_files_fd(reader->files, op->slot), &facts) != 0)
        return false;
    *ret_size = (uint64_t)facts.st_size;
    return *ret_size > offset;
}

/* A read that brought fewer bytes than asked for goes on behind the last whole page, since a direct read has
 * to start at one. True if there is to be another read. */
static bool short_read(struct dls_reader *reader, struct read_op *op, uint32_t got)
{
    uint32_t whole = got - got % DLS_ALIGN;
    uint64_t size = op->io.offset + got;

    if (!goes_on(reader, op, op->io.offset + got, &size)) {
        fail_extent(op->extent, -EBADMSG, size, past_end);
        return false;
    }
    if (whole == 0 && op->tries >= TRIES_MAX) {
        fail_extent(op->extent, -EIO, op->io.offset + got, "read (always too short)");
        return false;
    }
    if (whole > 0) { /* a new place, with its own tries */
        op->tries = 0;
        op->failed = false;
    } else {
        op->tries++;
    }
    op->io.buffer += whole;
    op->io.offset += whole;
    op->io.length -= whole;
    op->extent->done += whole;
    count(&reader->bytes, whole);
    return true;
}

static void arrived(struct dls_reader *reader, struct read_op *op)
{
    struct dls_extent *extent = op->extent;
    int64_t result = op->io.result;

    count(&reader->reads, 1);
    dls_hist_add(&reader->latency, op->io.completed_ns - op->io.submitted_ns);
    if (result == op->io.length) {
        extent->done += op->io.length;
        count(&reader->bytes, op->io.length);
        op_done(reader, op);
        return;
    }
    /* Nothing more is asked for once a part of the extent has failed. */
    if (extent->result == 0) {
        if (result < 0 ? try_again(reader, op, (int)-result) : short_read(reader, op, (uint32_t)result)) {
            op_again(reader, op);
            return;
        }
        if (result < 0)
            fail_extent(extent, (int)result, op->io.offset, "read");
    }
    op_done(reader, op);
}

int dls_reader_wait(struct dls_reader *reader, int64_t timeout_ns, struct dls_extent **ret_done)
{
    uint64_t deadline = timeout_ns > 0 ? dls_now() + (uint64_t)timeout_ns : 0;
    int r = 0;

    for (;;) {
        struct dls_io_request *list = gather(reader), *next;
        uint64_t before, after;

        if (list != NULL)
            r = reader->ops->submit(reader->io, list);
        if (r != 0)
            return r;
        before = dls_now();
        r = reader->ops->wait(reader->io, reader->finished != NULL ? 0 : timeout_ns, &list);
        if (r != 0)
            return r;
        after = dls_now();
        count(&reader->wait_ns, after - before);
        for (; list != NULL; list = next) {
            next = list->next;
            arrived(reader, (struct read_op *)list);
        }
        if (reader->finished != NULL || atomic_exchange(&reader->woken, false) || timeout_ns == 0)
            break;
        if (timeout_ns > 0) {
            if (after >= deadline)
                break;
            timeout_ns = (int64_t)(deadline - after);
        }
    }
    *ret_done = reader->finished;
    reader->finished = NULL;
    reader->finished_end = &reader->finished;
    return 0;
}

int dls_reader_explain(const struct dls_reader *reader, const struct dls_extent *extent)
{
    const char *path = "?";

    if (extent->result == 0)
        return 0;
    if (extent->file < reader->config.files)
        path = reader->config.path(reader->config.path_user, extent->file);
    if (extent->error_what == past_end)
        return dls_err(EBADMSG,
                       "read: '%s': the file ends at offset %" PRIu64 ", before the end of the %" PRIu64
                       " bytes at offset %" PRIu64,
                       path, extent->error_at, extent->length, extent->offset);
    return dls_err_sys(-extent->result, "%s: '%s', offset %" PRIu64, extent->error_what, path,
                       extent->error_at);
}

bool dls_reader_idle(const struct dls_reader *reader)
{
    return reader->queue == NULL && reader->free_count == reader->config.depth && reader->finished == NULL;
}

void dls_reader_wake(struct dls_reader *reader)
{
    atomic_store(&reader->woken, true);
    reader->ops->wake(reader->io);
}

void dls_reader_get_stats(const struct dls_reader *reader, struct dls_reader_stats *ret_stats)
{
    *ret_stats = (struct dls_reader_stats){
        .reads = atomic_load_explicit(&reader->reads, memory_order_relaxed),
        .bytes = atomic_load_explicit(&reader->bytes, memory_order_relaxed),
        .retries = atomic_load_explicit(&reader->retries, memory_order_relaxed),
        .wait_ns = atomic_load_explicit(&reader->wait_ns, memory_order_relaxed),
        .engine = reader->ops->name,
        .detail = atomic_load_explicit(&reader->detail, memory_order_acquire),
        .latency = &reader->latency,
    };
    for (int i = 0; i < DLS_IO_DEPTHS; i++)
        ret_stats->depths[i] = atomic_load_explicit(&reader->depths[i], memory_order_relaxed);
}
