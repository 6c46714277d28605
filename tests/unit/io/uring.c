/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* Ends the test as skipped where there is no io_uring. */
static void need_uring(void)
{
    char detail[DLS_IO_DETAIL] = "";
    struct dls_io *io = NULL;
    uint8_t *page = pattern_memory(4096);
    struct dls_io_config config = {
        .depth = 1, .memory = page, .memory_bytes = 4096, .test_fd = -1, .detail = detail};

    int r = dls_io_uring.open(&config, &io);
    if (r == 0)
        dls_io_uring.close(&io);
    free(page);
    if (r != 0)
        cr_skip_test("%s", detail);
}

Test(uring, reads_every_byte_buffered)
{
    need_uring();
    engine_case_reads(&dls_io_uring, false);
}

Test(uring, reads_every_byte_directly)
{
    need_uring();
    engine_case_reads(&dls_io_uring, true);
}

Test(uring, tells_ends_and_errors)
{
    need_uring();
    engine_case_ends_and_errors(&dls_io_uring);
}

Test(uring, follows_a_change_of_files)
{
    need_uring();
    engine_case_slots_change_files(&dls_io_uring);
}

Test(uring, waits_end_by_time_and_by_wake)
{
    need_uring();
    engine_case_waits_end(&dls_io_uring);
}

Test(uring, wakes_from_another_thread)
{
    need_uring();
    engine_case_wake(&dls_io_uring);
}

Test(uring, close_waits_for_reads_in_flight)
{
    need_uring();
    engine_case_close_in_flight(&dls_io_uring);
}

Test(uring, may_be_used_by_another_thread_than_opened_it)
{
    need_uring();
    engine_case_other_thread(&dls_io_uring);
}

Test(uring, close_takes_null)
{
    need_uring();
    engine_case_closes_null(&dls_io_uring);
}

/* A request that lies in two registered pieces, or half outside, is read as a plain one. */
Test(uring, reads_across_pieces_of_the_memory)
{
    uint64_t bytes = DLS_IO_CHUNK + PIECE;
    struct engine engine;

    need_uring();
    if (sysconf(_SC_AVPHYS_PAGES) < (long)(4 * (DLS_IO_CHUNK >> 12)))
        cr_skip_test("needs 4 GiB of free memory");
    engine_open(&engine, &dls_io_uring, true);
    dls_io_uring.close(&engine.io);
    uint8_t *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert(memory != MAP_FAILED);
    madvise(memory, bytes, MADV_HUGEPAGE);
    struct dls_io_config config = {
        .depth = 4, .memory = memory, .memory_bytes = bytes, .test_fd = engine.fd, .detail = engine.detail};
    cr_assert(dls_io_uring.open(&config, &engine.io) == 0);
    static const uint64_t offsets[] = {0, DLS_IO_CHUNK - PIECE, DLS_IO_CHUNK - 4096, DLS_IO_CHUNK};
    struct dls_io_request *list = NULL;
    for (uint32_t i = 0; i < 4; i++) {
        struct dls_io_request *request = engine_request(&engine, i, (uint64_t)i * PIECE, -1);
        request->buffer = memory + offsets[i];
        request->length = i == 1 ? PIECE - 4096 : i == 2 ? 8192 : PIECE - 4096;
        if (i == 3)
            request->buffer += 4096;
        request->next = list;
        list = request;
    }
    cr_assert(dls_io_uring.submit(engine.io, list) == 0);
    engine_collect(&engine, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect(engine.requests[i].result == engine.requests[i].length);
        cr_expect(pattern_check(7, (uint64_t)i * PIECE, engine.requests[i].buffer,
                                engine.requests[i].length) == -1);
    }
    engine_end(&engine);
    munmap(memory, bytes);
}

/* Makes a system call answer with an error, for this process. */
static bool forbid(long call, int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void expect_refusal(const char *reason)
{
    char detail[DLS_IO_DETAIL] = "";
    struct dls_io *io = NULL;
    uint8_t *page = pattern_memory(4096);
    struct dls_io_config config = {
        .depth = 8, .files = 1, .memory = page, .memory_bytes = 4096, .test_fd = -1, .detail = detail};

    cr_expect(dls_io_uring.open(&config, &io) == -ENOTSUP);
    cr_expect(io == NULL);
    cr_expect(strstr(detail, reason) != NULL, "%s", detail);
    free(page);
}

Test(uring, says_that_a_filter_forbids_it)
{
    need_uring();
    if (!forbid(SYS_io_uring_setup, EPERM))
        cr_skip_test("no seccomp");
    expect_refusal("forbidden here (seccomp filter or security policy)");
}

Test(uring, says_that_the_kernel_has_none)
{
    need_uring();
    if (!forbid(SYS_io_uring_setup, ENOSYS))
        cr_skip_test("no seccomp");
    expect_refusal("this kernel has no io_uring");
}

/* Without registration everything is read as a plain file into plain memory, and the detail says why. */
Test(uring, works_where_registering_is_forbidden)
{
    struct engine engine;

    need_uring();
    if (!forbid(SYS_io_uring_register, EACCES))
        cr_skip_test("no seccomp");
    engine_open(&engine, &dls_io_uring, true);
    cr_expect_str_eq(engine.detail,
                     "plain buffers (registering them: Permission denied), plain files (registering "
                     "them: Permission denied)");
    cr_expect(engine.ops->set_file(engine.io, 0, engine.fd) < 0);
    engine_reads(&engine, -1);
    engine_end(&engine);
}

Test(uring, reads_plainly_where_little_memory_may_be_locked)
{
    struct engine engine;

    need_uring();
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        cr_skip_test("cannot become another user");
    if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){65536, 65536}) != 0)
        cr_skip_test("setrlimit");
    engine_open(&engine, &dls_io_uring, true);
    cr_expect_str_eq(engine.detail,
                     "plain buffers (RLIMIT_MEMLOCK 64 KiB is below the 1 MiB of read memory), fixed files");
    engine_reads(&engine, -1);
    engine_end(&engine);
}

/* Locked memory counts against the user until the kernel gives it back, and does so at the close. */
Test(uring, locks_the_same_memory_again_and_again)
{
    struct engine engine;

    need_uring();
    if (geteuid() == 0 && (setgid(65533) != 0 || setuid(65533) != 0))
        cr_skip_test("cannot become another user");
    if (setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){3 << 19, 3 << 19}) != 0)
        cr_skip_test("setrlimit");
    for (int i = 0; i < 30; i++) {
        engine_open(&engine, &dls_io_uring, true);
        engine_reads(&engine, -1);
        if (i == 0 && strncmp(engine.detail, "fixed buffers", 13) != 0)
            cr_skip_test("another process of this user locks memory");
        cr_expect_str_eq(engine.detail, "fixed buffers, fixed files");
        engine_end(&engine);
    }
}

/* A thread may close an engine that another has used and left idle, and keep its own. */
Test(uring, closes_what_another_thread_has_used)
{
    struct engine mine, other;
    pthread_t thread;

    need_uring();
    engine_open(&mine, &dls_io_uring, true);
    engine_reads(&mine, -1);
    engine_open(&other, &dls_io_uring, true);
    cr_assert(pthread_create(&thread, NULL, engine_read_there, &other) == 0);
    pthread_join(thread, NULL);
    engine_end(&other);
    engine_reads(&mine, -1);
    engine_end(&mine);
}
