/* SPDX-License-Identifier: Apache-2.0 */
#include "io/reader.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/mem.h"
#include "base/rng.h"
#include "support/faulty_io.h"
#include "support/pattern.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_MAX 24u
#define BLOCK (512u << 10)

/* Some files, a reader of them, and memory for some blocks. */
struct set {
    uint32_t files;
    uint64_t bytes; /* of each */
    const char *paths[FILES_MAX];
    uint8_t *memory;
    uint32_t blocks; /* that fit in memory */
    struct dls_extent *extents;
    struct dls_reader *reader;
    struct dls_reader_config config;
};

static const char *set_path(void *user, uint32_t file)
{
    const struct set *set = user;

    return set->paths[file];
}

static void set_make(struct set *set, const char *directory, uint32_t files, uint64_t bytes, uint32_t blocks)
{
    memset(set, 0, sizeof(*set));
    set->files = files;
    set->bytes = bytes;
    set->blocks = blocks;
    for (uint32_t i = 0; i < files; i++) {
        char name[32];
        snprintf(name, sizeof(name), "file-%02u", i);
        set->paths[i] = support_path(directory, name);
        pattern_write(set->paths[i], i, bytes);
    }
    set->memory = pattern_memory((size_t)blocks * BLOCK);
    set->extents = calloc(blocks, sizeof(*set->extents));
    set->config = (struct dls_reader_config){
        .path = set_path,
        .path_user = set,
        .files = files,
        .depth = 8,
        .request_bytes = 64 << 10,
        .memory = set->memory,
        .memory_bytes = (uint64_t)blocks * BLOCK,
    };
}

static void set_open(struct set *set)
{
    int r = dls_reader_open(&set->config, &set->reader);

    cr_assert(r == 0, "%s", dls_err_text());
}

static void set_end(struct set *set)
{
    dls_reader_close(&set->reader);
    cr_expect(set->reader == NULL);
    free(set->memory);
    free(set->extents);
}

static struct dls_extent *set_push(struct set *set, uint32_t place, uint32_t file, uint64_t offset,
                                   uint64_t length)
{
    struct dls_extent *extent = &set->extents[place];

    *extent = (struct dls_extent){
        .file = file,
        .offset = offset,
        .length = length,
        .memory = set->memory + (size_t)place * BLOCK,
        .user = set,
    };
    memset(extent->memory, 0xee, length);
    dls_reader_push(set->reader, extent);
    return extent;
}

static void set_check(const struct dls_extent *extent)
{
    cr_assert(extent->result == 0, "result %d at %" PRIu64, extent->result, extent->error_at);
    int64_t at = pattern_check(extent->file, extent->offset, extent->memory, extent->length);
    cr_assert(at == -1, "file %u differs at offset %" PRId64, extent->file, at);
}

/* Waits until all that was pushed is back. Returns how many extents that was. */
static unsigned set_drain(struct set *set)
{
    struct dls_extent *done;
    unsigned count = 0;

    while (!dls_reader_idle(set->reader)) {
        cr_assert(dls_reader_wait(set->reader, -1, &done) == 0, "%s", dls_err_text());
        for (; done != NULL; done = done->next)
            count++;
    }
    return count;
}

/* Reads every block of every file, files interleaved, `blocks` in memory at a time, and compares every byte.
 */
static void set_read_all(struct set *set)
{
    uint64_t per_file = set->bytes / BLOCK, total = per_file * set->files, pushed = 0, back = 0;
    struct dls_extent *done;

    for (uint32_t i = 0; i < set->blocks && pushed < total; i++, pushed++)
        set_push(set, i, (uint32_t)(pushed % set->files), pushed / set->files * BLOCK, BLOCK);
    while (back < total) {
        cr_assert(dls_reader_wait(set->reader, -1, &done) == 0, "%s", dls_err_text());
        while (done != NULL) {
            struct dls_extent *extent = done;
            done = done->next;
            set_check(extent);
            back++;
            if (pushed < total) {
                set_push(set, (uint32_t)(extent - set->extents), (uint32_t)(pushed % set->files),
                         pushed / set->files * BLOCK, BLOCK);
                pushed++;
            }
        }
    }
    cr_expect(dls_reader_idle(set->reader));
}

static void read_all_with(dls_engine engine, dls_direct direct, const char *directory)
{
    struct dls_reader_stats stats;
    struct set set;

    set_make(&set, directory, 3, 8 * BLOCK, 5);
    set.config.engine = engine;
    set.config.direct = direct;
    if (direct == DLS_DIRECT_ON && !pattern_direct_works(set.paths[0]))
        cr_skip_test("no O_DIRECT there");
    int r = dls_reader_open(&set.config, &set.reader);
    if (r == -ENOTSUP && engine == DLS_ENGINE_URING)
        cr_skip_test("%s", dls_err_text());
    cr_assert(r == 0, "%s", dls_err_text());
    set_read_all(&set);
    dls_reader_get_stats(set.reader, &stats);
    cr_expect(stats.bytes == 24ull * BLOCK);
    cr_expect(stats.reads == 24 * 8);
    cr_expect(stats.retries == 0);
    cr_expect(stats.latency->count == stats.reads);
    if (engine != DLS_ENGINE_AUTO)
        cr_expect_str_eq(stats.engine, engine == DLS_ENGINE_URING ? "io_uring" : "pread");
    bool direct_used = strncmp(stats.detail, "O_DIRECT", 8) == 0;
    cr_expect(direct_used == (direct != DLS_DIRECT_OFF && pattern_direct_works(set.paths[0])), "%s",
              stats.detail);
    set_end(&set);
}

Test(reader, reads_by_uring_directly)
{
    read_all_with(DLS_ENGINE_URING, DLS_DIRECT_AUTO, pattern_dir());
}

Test(reader, reads_by_uring_buffered)
{
    read_all_with(DLS_ENGINE_URING, DLS_DIRECT_OFF, pattern_dir());
}

Test(reader, reads_by_pread_directly)
{
    read_all_with(DLS_ENGINE_PREAD, DLS_DIRECT_ON, pattern_dir());
}

Test(reader, reads_by_pread_buffered)
{
    read_all_with(DLS_ENGINE_PREAD, DLS_DIRECT_OFF, pattern_dir());
}

/* The temporary directory, in memory: to be asked for first. */
static const char *memory_dir(void)
{
    if (access("/dev/shm", W_OK) != 0)
        cr_skip_test("no /dev/shm");
    setenv("TMPDIR", "/dev/shm", 1);
    return pattern_dir();
}

Test(reader, reads_tmpfs_by_uring)
{
    read_all_with(DLS_ENGINE_URING, DLS_DIRECT_AUTO, memory_dir());
}

Test(reader, reads_tmpfs_by_pread)
{
    read_all_with(DLS_ENGINE_PREAD, DLS_DIRECT_AUTO, memory_dir());
}

Test(reader, reads_holes_as_zeros)
{
    struct set set;

    set_make(&set, pattern_dir(), 1, BLOCK, 4);
    cr_assert(truncate(set.paths[0], 4 * BLOCK) == 0);
    int fd = open(set.paths[0], O_WRONLY);
    uint8_t page[4096];
    pattern_fill(0, 3 * BLOCK, page, sizeof(page));
    cr_assert(pwrite(fd, page, sizeof(page), 3 * BLOCK) == sizeof(page));
    close(fd);
    set_open(&set);
    for (uint32_t i = 0; i < 4; i++)
        set_push(&set, i, 0, (uint64_t)i * BLOCK, BLOCK);
    cr_expect(set_drain(&set) == 4);
    set_check(&set.extents[0]);
    for (uint32_t i = 1; i < 4; i++) {
        size_t nonzero = 0, from = i == 3 ? 4096 : 0;
        cr_expect(set.extents[i].result == 0);
        for (size_t at = from; at < BLOCK; at++)
            nonzero += set.extents[i].memory[at] != 0;
        cr_expect(nonzero == 0);
    }
    cr_expect(pattern_check(0, 3 * BLOCK, set.extents[3].memory, 4096) == -1);
    set_end(&set);
}

static void expect_end_told(dls_engine engine, dls_direct direct)
{
    struct set set;
    char text[600];

    set_make(&set, pattern_dir(), 1, 2 * BLOCK + 70000, 4);
    set.config.engine = engine;
    set.config.direct = direct;
    set_open(&set);
    for (uint32_t i = 0; i < 4; i++)
        set_push(&set, i, 0, (uint64_t)i * BLOCK, BLOCK);
    cr_expect(set_drain(&set) == 4);
    set_check(&set.extents[0]);
    set_check(&set.extents[1]);
    for (uint32_t i = 2; i < 4; i++) {
        cr_expect(set.extents[i].result == -EBADMSG);
        cr_expect(set.extents[i].error_at == 2 * BLOCK + 70000);
        cr_expect(dls_reader_explain(set.reader, &set.extents[i]) == -EBADMSG);
        snprintf(text, sizeof(text),
                 "read: '%s': the file ends at offset %u, before the end of the %u bytes at offset %u",
                 set.paths[0], 2 * BLOCK + 70000, BLOCK, i * BLOCK);
        cr_expect_str_eq(dls_err_text(), text);
    }
    cr_expect(pattern_check(0, 2 * BLOCK, set.extents[2].memory, 65536) == -1);
    set_end(&set);
}

Test(reader, tells_where_a_file_ends_too_early)
{
    expect_end_told(DLS_ENGINE_AUTO, DLS_DIRECT_AUTO);
    expect_end_told(DLS_ENGINE_AUTO, DLS_DIRECT_OFF);
    expect_end_told(DLS_ENGINE_PREAD, DLS_DIRECT_AUTO);
    expect_end_told(DLS_ENGINE_PREAD, DLS_DIRECT_OFF);
}

/* Open files of this process that lie in `directory`. */
static unsigned open_in(const char *directory)
{
    DIR *fds = opendir("/proc/self/fd");
    struct dirent *entry;
    unsigned count = 0;

    while ((entry = readdir(fds)) != NULL) {
        char target[512];
        ssize_t n = readlinkat(dirfd(fds), entry->d_name, target, sizeof(target) - 1);
        if (n > 0) {
            target[n] = '\0';
            count += strncmp(target, directory, strlen(directory)) == 0;
        }
    }
    closedir(fds);
    return count;
}

static void many_files(dls_engine engine)
{
    struct set set;
    struct dls_extent *done;
    uint32_t back = 0;

    set_make(&set, pattern_dir(), FILES_MAX, BLOCK, FILES_MAX);
    set.config.engine = engine;
    set.config.open_files = 3;
    set_open(&set);
    for (int turn = 0; turn < 3; turn++) {
        for (uint32_t i = 0; i < FILES_MAX; i++)
            set_push(&set, i, (i * 7) % FILES_MAX, 0, BLOCK);
        for (back = 0; back < FILES_MAX;) {
            cr_assert(dls_reader_wait(set.reader, -1, &done) == 0);
            cr_expect(open_in(pattern_dir()) <= 3);
            for (; done != NULL; done = done->next, back++)
                set_check(done);
        }
    }
    set_end(&set);
    cr_expect(open_in(pattern_dir()) == 0);
}

Test(reader, keeps_few_files_open)
{
    many_files(DLS_ENGINE_AUTO);
    many_files(DLS_ENGINE_PREAD);
}

/* The process runs out of descriptors long before open_files: the reader makes do with those it has. */
Test(reader, makes_do_with_few_descriptors)
{
    struct set set;
    struct rlimit limit = {0, 0};

    set_make(&set, pattern_dir(), FILES_MAX, BLOCK, FILES_MAX);
    set_open(&set);
    int next = open("/dev/null", O_RDONLY);
    limit.rlim_cur = limit.rlim_max = (rlim_t)next + 3;
    cr_assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    close(next);
    for (int turn = 0; turn < 3; turn++) {
        for (uint32_t i = 0; i < FILES_MAX; i++)
            set_push(&set, i, (i * 5) % FILES_MAX, 0, BLOCK);
        cr_expect(set_drain(&set) == FILES_MAX);
        for (uint32_t i = 0; i < FILES_MAX; i++)
            set_check(&set.extents[i]);
    }
    set_end(&set);
}

Test(reader, tells_which_file_is_missing)
{
    struct set set;
    char text[600];

    set_make(&set, pattern_dir(), 3, BLOCK, 6);
    cr_assert(unlink(set.paths[1]) == 0);
    set_open(&set);
    for (uint32_t i = 0; i < 6; i++)
        set_push(&set, i, i % 3, 0, BLOCK);
    cr_expect(set_drain(&set) == 6);
    for (uint32_t i = 0; i < 6; i++) {
        if (i % 3 != 1) {
            set_check(&set.extents[i]);
            continue;
        }
        cr_expect(dls_reader_explain(set.reader, &set.extents[i]) == -ENOENT);
        snprintf(text, sizeof(text), "open: '%s', offset 0: No such file or directory", set.paths[1]);
        cr_expect_str_eq(dls_err_text(), text);
    }
    set_end(&set);
}

Test(reader, does_not_open_without_its_first_file)
{
    struct set set;

    set_make(&set, pattern_dir(), 1, BLOCK, 1);
    cr_assert(unlink(set.paths[0]) == 0);
    cr_expect(dls_reader_open(&set.config, &set.reader) == -ENOENT);
    cr_expect(set.reader == NULL);
    cr_expect(strstr(dls_err_text(), set.paths[0]) != NULL, "%s", dls_err_text());
    set_end(&set);
}

Test(reader, refuses_bad_parameters)
{
    struct set set;

    set_make(&set, pattern_dir(), 1, BLOCK, 1);
    struct dls_reader_config good = set.config;
    set.config.files = 0;
    cr_expect(dls_reader_open(&set.config, &set.reader) == -EINVAL);
    set.config = good;
    set.config.memory++;
    cr_expect(dls_reader_open(&set.config, &set.reader) == -EINVAL);
    set.config = good;
    set.config.request_bytes = 5000;
    cr_expect(dls_reader_open(&set.config, &set.reader) == -EINVAL);
    set.config = good;
    cr_expect(set.reader == NULL);

    set_open(&set);
    set_push(&set, 0, 1, 0, BLOCK);
    cr_expect(set_drain(&set) == 1 && set.extents[0].result == -EINVAL);
    set_push(&set, 0, 0, 100, BLOCK);
    cr_expect(set_drain(&set) == 1 && set.extents[0].result == -EINVAL);
    set_push(&set, 0, 0, 0, 100);
    cr_expect(set_drain(&set) == 1 && set.extents[0].result == -EINVAL);
    set_push(&set, 0, 0, 0, 0);
    cr_expect(set_drain(&set) == 1 && set.extents[0].result == 0);
    set_push(&set, 0, 0, 0, BLOCK);
    cr_expect(set_drain(&set) == 1);
    set_check(&set.extents[0]);
    set_end(&set);
}

Test(reader, allocates_nothing_while_it_reads)
{
    struct set set;

    set_make(&set, pattern_dir(), FILES_MAX, 2 * BLOCK, 4);
    set.config.open_files = 2;
    set_open(&set);
    uint64_t before = dls_mem_count(DLS_MEM_TAGS);
    set_read_all(&set);
    cr_expect(dls_mem_count(DLS_MEM_TAGS) == before);
    set_end(&set);
}

Test(reader, survives_failing_allocations)
{
    struct set set;
    unsigned failures = 0;

    set_make(&set, pattern_dir(), 3, BLOCK, 2);
    for (uint64_t seed = 0; seed < 60; seed++) {
        dls_mem_fail(seed, 6);
        int r = dls_reader_open(&set.config, &set.reader);
        dls_mem_fail(0, 0);
        failures += r != 0;
        cr_expect(r == 0 ? set.reader != NULL : set.reader == NULL);
        if (r == 0)
            set_read_all(&set);
        dls_reader_close(&set.reader);
    }
    cr_expect(failures > 0 && failures < 60, "%u", failures);
    set_end(&set);
}

static void close_in_flight(dls_engine engine)
{
    for (int turn = 0; turn < 10; turn++) {
        struct set set;
        struct dls_extent *done;

        set_make(&set, pattern_dir(), 2, 2 * BLOCK, 4);
        set.config.engine = engine;
        set_open(&set);
        for (uint32_t i = 0; i < 4; i++)
            set_push(&set, i, i % 2, i / 2 * BLOCK, BLOCK);
        if (turn > 0)
            cr_expect(dls_reader_wait(set.reader, 0, &done) == 0);
        dls_reader_close(&set.reader);
        /* What is there now stays so: nothing arrives in memory given back. */
        uint8_t *copy = malloc(4 * BLOCK);
        memcpy(copy, set.memory, 4 * BLOCK);
        usleep(2000);
        cr_expect(memcmp(copy, set.memory, 4 * BLOCK) == 0);
        free(copy);
        set_end(&set);
    }
}

Test(reader, close_waits_for_reads_in_flight)
{
    close_in_flight(DLS_ENGINE_AUTO);
    close_in_flight(DLS_ENGINE_PREAD);
}

struct waker {
    struct dls_reader *reader;
    unsigned times;
};

static void *wake_often(void *arg)
{
    struct waker *waker = arg;

    for (unsigned i = 0; i < waker->times; i++) {
        struct dls_reader_stats stats;
        dls_reader_wake(waker->reader);
        dls_reader_get_stats(waker->reader, &stats);
        if (stats.bytes % 4096 != 0)
            abort();
        if (i % 8 == 0)
            usleep(50);
    }
    return NULL;
}

static void wake_with(dls_engine engine)
{
    struct set set;
    struct dls_extent *done;
    pthread_t thread;

    set_make(&set, pattern_dir(), 2, 8 * BLOCK, 4);
    set.config.engine = engine;
    set_open(&set);
    cr_expect(dls_reader_wait(set.reader, 0, &done) == 0 && done == NULL);
    cr_expect(dls_reader_wait(set.reader, 1000000, &done) == 0 && done == NULL);
    for (int i = 0; i < 50; i++) {
        struct waker waker = {set.reader, 1};
        cr_assert(pthread_create(&thread, NULL, wake_often, &waker) == 0);
        cr_expect(dls_reader_wait(set.reader, -1, &done) == 0 && done == NULL);
        pthread_join(thread, NULL);
    }
    struct waker waker = {set.reader, 2000};
    cr_assert(pthread_create(&thread, NULL, wake_often, &waker) == 0);
    for (int i = 0; i < 10; i++)
        set_read_all(&set);
    pthread_join(thread, NULL);
    set_end(&set);
}

Test(reader, wakes_from_another_thread)
{
    wake_with(DLS_ENGINE_AUTO);
    wake_with(DLS_ENGINE_PREAD);
}

/* With the engine that misbehaves */

static void set_faulty(struct set *set, struct faulty_io *plan)
{
    faulty_io_next = plan;
    set->config.ops = &faulty_io_ops;
    set_open(set);
}

Test(reader, keeps_to_the_depth_and_order)
{
    for (uint32_t depth = 1; depth <= 64; depth *= 4) {
        struct faulty_io plan = {.seed = depth, .late = true};
        struct set set;

        set_make(&set, pattern_dir(), 1, 16 * BLOCK, 16);
        set.config.depth = depth;
        set_faulty(&set, &plan);
        set_read_all(&set);
        cr_expect(plan.most_in_flight == depth, "%u of %u", plan.most_in_flight, depth);
        cr_expect(plan.longest == 64 << 10);
        cr_expect(plan.requests == 16 * 8);
        cr_expect(plan.order_breaks == 0);
        set_end(&set);
    }
}

Test(reader, bytes_are_exact_whatever_goes_wrong)
{
    uint64_t retries = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct faulty_io plan = {
            .seed = seed,
            .short_in = 4,
            .interrupt_in = 6,
            .again_in = 6,
            .io_error_in = 8,
            .spurious_in = 5,
            .late = true,
        };
        struct dls_reader_stats stats;
        struct set set;

        set_make(&set, pattern_dir(), 3, 4 * BLOCK, 5);
        set.config.open_files = seed % 2 == 0 ? 1 : 3;
        set.config.depth = 1 + (uint32_t)seed % 13;
        set.config.direct = seed % 3 == 0 ? DLS_DIRECT_OFF : DLS_DIRECT_AUTO;
        set_faulty(&set, &plan);
        set_read_all(&set);
        dls_reader_get_stats(set.reader, &stats);
        cr_expect(stats.bytes == 12ull * BLOCK);
        cr_expect(stats.reads == plan.requests);
        cr_expect(stats.reads == 12 * 8 + stats.retries);
        /* Short reads never lead to a direct read that the file system has to refuse. */
        cr_expect(strstr(stats.detail, "refused") == NULL, "%s", stats.detail);
        retries += stats.retries;
        set_end(&set);
    }
    cr_expect(retries > 1000, "%" PRIu64, retries);
}

Test(reader, a_bad_sector_fails_its_extent_alone)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct faulty_io plan = {
            .seed = seed, .late = true, .short_in = 5, .bad_from = BLOCK + 100000, .bad_to = BLOCK + 100512};
        struct set set;
        char text[600];

        set_make(&set, pattern_dir(), 1, 4 * BLOCK, 4);
        set_faulty(&set, &plan);
        for (int turn = 0; turn < 2; turn++) {
            for (uint32_t i = 0; i < 4; i++)
                set_push(&set, i, 0, (uint64_t)i * BLOCK, BLOCK);
            cr_expect(set_drain(&set) == 4);
            for (uint32_t i = 0; i < 4; i++) {
                if (i != 1) {
                    set_check(&set.extents[i]);
                    continue;
                }
                uint64_t at = set.extents[i].error_at;
                cr_expect(dls_reader_explain(set.reader, &set.extents[i]) == -EIO);
                /* Of the request of 64 KiB that holds the sector. */
                cr_expect(at >= BLOCK + 65536 && at <= BLOCK + 100000, "%" PRIu64, at);
                snprintf(text, sizeof(text), "read: '%s', offset %" PRIu64 ": Input/output error",
                         set.paths[0], at);
                cr_expect_str_eq(dls_err_text(), text);
            }
        }
        set_end(&set);
    }
}

/* EINTR without end is an error, not a hang. */
Test(reader, gives_up_after_endless_interruptions)
{
    struct faulty_io plan = {.seed = 1, .interrupt_in = 1};
    struct set set;

    set_make(&set, pattern_dir(), 1, BLOCK, 1);
    set_faulty(&set, &plan);
    set_push(&set, 0, 0, 0, BLOCK);
    cr_expect(set_drain(&set) == 1);
    cr_expect(set.extents[0].result == -EINTR);
    cr_expect(plan.requests < 8 * 70);
    set_end(&set);
}

Test(reader, goes_buffered_when_a_direct_read_is_refused_late)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct faulty_io plan = {.seed = seed, .late = true, .refuse_after = 20, .short_in = 9};
        struct dls_reader_stats stats;
        struct set set;

        set_make(&set, pattern_dir(), 2, 8 * BLOCK, 4);
        set.config.open_files = 1 + seed % 2;
        if (!pattern_direct_works(set.paths[0]))
            cr_skip_test("no O_DIRECT there");
        set_faulty(&set, &plan);
        set_read_all(&set);
        dls_reader_get_stats(set.reader, &stats);
        cr_expect(strstr(stats.detail, "O_DIRECT, faults by seed; some files buffered ('") == stats.detail,
                  "%s", stats.detail);
        cr_expect(strstr(stats.detail, "refused a direct read at offset") != NULL, "%s", stats.detail);
        set_end(&set);
    }
}

Test(reader, fails_when_direct_reads_are_demanded_and_refused_late)
{
    struct faulty_io plan = {.seed = 1, .refuse_after = 2};
    struct set set;

    set_make(&set, pattern_dir(), 1, BLOCK, 1);
    set.config.direct = DLS_DIRECT_ON;
    if (!pattern_direct_works(set.paths[0]))
        cr_skip_test("no O_DIRECT there");
    set_faulty(&set, &plan);
    set_push(&set, 0, 0, 0, BLOCK);
    cr_expect(set_drain(&set) == 1);
    cr_expect(set.extents[0].result == -EINVAL);
    set_end(&set);
}
