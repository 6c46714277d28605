/* SPDX-License-Identifier: Apache-2.0 */
/* What every engine must do; uring.c and pread.c run all of it. */
#include "base/clock.h"
#include "base/err.h"
#include "io/io.h"
#include "support/pattern.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE 65536u
#define DEPTH 16u
#define PIECES 64u

struct engine {
    const struct dls_io_ops *ops;
    struct dls_io *io;
    uint8_t *memory; /* DEPTH pieces */
    char detail[DLS_IO_DETAIL];
    const char *path;
    int fd;
    bool direct;
    struct dls_io_request requests[DEPTH];
};

/* An engine over a file of PIECES pieces and 1000 bytes. */
static void engine_open(struct engine *engine, const struct dls_io_ops *ops, bool direct)
{
    memset(engine, 0, sizeof(*engine));
    engine->ops = ops;
    engine->memory = pattern_memory(DEPTH * PIECE);
    engine->path = support_path(pattern_dir(), "file");
    pattern_write(engine->path, 7, PIECES * PIECE + 1000);
    direct = direct && pattern_direct_works(engine->path);
    engine->direct = direct;
    engine->fd = open(engine->path, O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
    cr_assert(engine->fd >= 0);
    struct dls_io_config config = {
        .depth = DEPTH,
        .files = 4,
        .memory = engine->memory,
        .memory_bytes = DEPTH * PIECE,
        .test_fd = engine->fd,
        .detail = engine->detail,
    };
    int r = ops->open(&config, &engine->io);
    cr_assert(r == 0, "%s: %s", ops->name, engine->detail);
}

static void engine_end(struct engine *engine)
{
    engine->ops->close(&engine->io);
    cr_expect(engine->io == NULL);
    close(engine->fd);
    free(engine->memory);
}

static struct dls_io_request *engine_request(struct engine *engine, uint32_t i, uint64_t offset, int slot)
{
    engine->requests[i] = (struct dls_io_request){
        .fd = engine->fd,
        .slot = slot,
        .buffered = !engine->direct,
        .buffer = engine->memory + (size_t)i * PIECE,
        .length = PIECE,
        .offset = offset,
        .user = &engine->requests[i],
        .result = -12345,
    };
    return &engine->requests[i];
}

/* Waits until `count` requests are back. */
static void engine_collect(struct engine *engine, unsigned wanted)
{
    struct dls_io_request *done;

    while (wanted > 0) {
        cr_assert(engine->ops->wait(engine->io, -1, &done) == 0);
        for (; done != NULL; done = done->next, wanted--) {
            cr_assert(wanted > 0);
            cr_expect(done->user == done);
            cr_expect(done->submitted_ns > 0 && done->completed_ns >= done->submitted_ns);
        }
    }
}

/* Reads the whole file, DEPTH pieces at a time, and compares every byte. */
static void engine_reads(struct engine *engine, int slot)
{
    for (uint32_t piece = 0; piece < PIECES; piece += DEPTH) {
        struct dls_io_request *list = NULL;
        memset(engine->memory, 0xee, DEPTH * PIECE);
        for (uint32_t i = DEPTH; i-- > 0;) {
            struct dls_io_request *request = engine_request(engine, i, (uint64_t)(piece + i) * PIECE, slot);
            request->next = list;
            list = request;
        }
        cr_assert(engine->ops->submit(engine->io, list) == 0);
        engine_collect(engine, DEPTH);
        for (uint32_t i = 0; i < DEPTH; i++)
            cr_expect(engine->requests[i].result == PIECE);
        cr_expect(pattern_check(7, (uint64_t)piece * PIECE, engine->memory, DEPTH * PIECE) == -1);
    }
}

static void engine_case_reads(const struct dls_io_ops *ops, bool direct)
{
    struct engine engine;

    engine_open(&engine, ops, direct);
    engine_reads(&engine, -1);
    bool slots = ops->set_file(engine.io, 2, engine.fd) == 0;
    engine_reads(&engine, slots ? 2 : -1);
    if (slots)
        cr_expect(ops->set_file(engine.io, 2, -1) == 0);
    engine_end(&engine);
}

static void engine_case_ends_and_errors(const struct dls_io_ops *ops)
{
    struct engine engine;

    engine_open(&engine, ops, false);
    struct dls_io_request *tail = engine_request(&engine, 0, (uint64_t)PIECES * PIECE, -1);
    struct dls_io_request *beyond = engine_request(&engine, 1, (uint64_t)(PIECES + 1) * PIECE, -1);
    struct dls_io_request *bad = engine_request(&engine, 2, 0, -1);
    bad->fd = -1;
    tail->next = beyond;
    beyond->next = bad;
    cr_assert(ops->submit(engine.io, tail) == 0);
    engine_collect(&engine, 3);
    cr_expect(tail->result == 1000);
    cr_expect(beyond->result == 0);
    cr_expect(bad->result == -EBADF);

    /* Memory that is not the registered one. */
    uint8_t *other = pattern_memory(PIECE);
    struct dls_io_request *request = engine_request(&engine, 0, 4096, -1);
    request->buffer = other;
    cr_assert(ops->submit(engine.io, request) == 0);
    engine_collect(&engine, 1);
    cr_expect(request->result == PIECE);
    cr_expect(pattern_check(7, 4096, other, PIECE) == -1);
    engine_end(&engine);
    free(other);
}

static void engine_case_slots_change_files(const struct dls_io_ops *ops)
{
    struct engine engine;
    const char *path = support_path(pattern_dir(), "other");

    engine_open(&engine, ops, false);
    pattern_write(path, 8, PIECE);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0);
    for (int turn = 0; turn < 3; turn++) {
        uint32_t number = turn == 1 ? 8 : 7;
        int slot = ops->set_file(engine.io, 1, number == 8 ? fd : engine.fd) == 0 ? 1 : -1;
        struct dls_io_request *request = engine_request(&engine, 0, 0, slot);
        request->fd = number == 8 ? fd : engine.fd;
        cr_assert(ops->submit(engine.io, request) == 0);
        engine_collect(&engine, 1);
        cr_expect(request->result == PIECE);
        cr_expect(pattern_check(number, 0, engine.memory, PIECE) == -1);
    }
    close(fd);
    engine_end(&engine);
}

static void engine_case_waits_end(const struct dls_io_ops *ops)
{
    struct engine engine;
    struct dls_io_request *done = (void *)&engine;

    engine_open(&engine, ops, false);
    cr_expect(ops->wait(engine.io, 0, &done) == 0 && done == NULL);
    uint64_t before = dls_now();
    do
        cr_expect(ops->wait(engine.io, 20000000, &done) == 0 && done == NULL);
    while (dls_now() < before + 20000000);
    /* A wake before the wait. */
    ops->wake(engine.io);
    ops->wake(engine.io);
    cr_expect(ops->wait(engine.io, -1, &done) == 0 && done == NULL);
    engine_end(&engine);
}

struct engine_waker {
    struct engine *engine;
    unsigned times;
};

static void *engine_wake_often(void *arg)
{
    struct engine_waker *waker = arg;

    for (unsigned i = 0; i < waker->times; i++) {
        if (i % 16 == 0)
            usleep(100);
        waker->engine->ops->wake(waker->engine->io);
    }
    return NULL;
}

static void engine_case_wake(const struct dls_io_ops *ops)
{
    struct engine engine;
    struct dls_io_request *done;
    pthread_t thread;

    engine_open(&engine, ops, true);
    /* One wake ends one wait for ever. */
    for (int i = 0; i < 100; i++) {
        struct engine_waker waker = {&engine, 1};
        cr_assert(pthread_create(&thread, NULL, engine_wake_often, &waker) == 0);
        cr_expect(ops->wait(engine.io, -1, &done) == 0 && done == NULL);
        pthread_join(thread, NULL);
        (void)ops->wait(engine.io, 0, &done);
    }
    /* Wakes between reads lose and double none. */
    struct engine_waker waker = {&engine, 2000};
    cr_assert(pthread_create(&thread, NULL, engine_wake_often, &waker) == 0);
    for (int i = 0; i < 5; i++)
        engine_reads(&engine, -1);
    pthread_join(thread, NULL);
    engine_end(&engine);
}

/* The memory is the caller's again once close() is back, so nothing may arrive later. */
static void engine_case_close_in_flight(const struct dls_io_ops *ops)
{
    for (int turn = 0; turn < 20; turn++) {
        struct engine engine;
        struct dls_io_request *list = NULL, *done = NULL;
        unsigned back = 0;

        engine_open(&engine, ops, true);
        for (uint32_t i = DEPTH; i-- > 0;) {
            struct dls_io_request *request = engine_request(&engine, i, (uint64_t)i * PIECE, -1);
            request->next = list;
            list = request;
        }
        cr_assert(ops->submit(engine.io, list) == 0);
        if (turn % 2 == 0)
            cr_expect(ops->wait(engine.io, turn % 4 == 0 ? 0 : -1, &done) == 0);
        for (; done != NULL; done = done->next)
            back++;
        cr_expect(back <= DEPTH);
        ops->close(&engine.io);
        cr_expect(pattern_check(7, 0, engine.memory, DEPTH * PIECE) == -1);
        close(engine.fd);
        free(engine.memory);
    }
}

static void *engine_read_there(void *arg)
{
    engine_reads(arg, -1);
    return NULL;
}

/* Opened here, used by another thread, closed here. */
static void engine_case_other_thread(const struct dls_io_ops *ops)
{
    struct engine engine;
    pthread_t thread;

    engine_open(&engine, ops, true);
    cr_expect(ops->set_file(engine.io, 0, engine.fd) == 0);
    cr_assert(pthread_create(&thread, NULL, engine_read_there, &engine) == 0);
    pthread_join(thread, NULL);
    engine_end(&engine);
}

static void engine_case_closes_null(const struct dls_io_ops *ops)
{
    struct dls_io *io = NULL;

    ops->close(&io);
    cr_expect(io == NULL);
}
