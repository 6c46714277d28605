/* SPDX-License-Identifier: Apache-2.0 */
#include "reader_set.h"

#include "base/hist.h"
#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

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
