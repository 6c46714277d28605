/* SPDX-License-Identifier: Apache-2.0 */
#include "io/uring_probe.h"

#include "io/io.h"
#include "support/pattern.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Ends the test as skipped where there is no io_uring. */
static void need_uring(void)
{
    struct io_uring ring;
    unsigned flags;
    char why[DLS_IO_DETAIL];

    if (dls_uring_start(&ring, 1, false, &flags, why) != 0)
        cr_skip_test("%s", why);
    io_uring_queue_exit(&ring);
}

Test(uring_probe, test_read_brings_the_first_page)
{
    const char *path = support_path(pattern_dir(), "file");
    uint8_t *memory = pattern_memory(8192);
    char why[DLS_IO_DETAIL] = "";

    need_uring();
    pattern_write(path, 3, 8192);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_expect(dls_uring_test(fd, memory, why) == 0, "%s", why);
    cr_expect(pattern_check(3, 0, memory, 4096) == -1);
    cr_expect(memory[4096] == 0xee, "nothing behind the page is touched");
    close(fd);
    free(memory);
}

Test(uring_probe, an_empty_file_passes)
{
    const char *path = support_path(pattern_dir(), "file");
    uint8_t *memory = pattern_memory(4096);
    char why[DLS_IO_DETAIL] = "";

    need_uring();
    pattern_write(path, 3, 0);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    cr_expect(dls_uring_test(fd, memory, why) == 0, "%s", why);
    close(fd);
    free(memory);
}

Test(uring_probe, a_failed_test_read_says_why)
{
    uint8_t *memory = pattern_memory(4096);
    char why[DLS_IO_DETAIL] = "";

    need_uring();
    int fd = open(pattern_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_expect(dls_uring_test(fd, memory, why) == -ENOTSUP);
    cr_expect_str_eq(why, "its test read failed: Is a directory");
    close(fd);
    free(memory);
}

/* A ring that is bound to a thread must be left for that thread to enable. */
Test(uring_probe, a_bound_ring_starts_disabled)
{
    struct io_uring ring;
    unsigned flags = 0;
    char why[DLS_IO_DETAIL];

    need_uring();
    cr_assert(dls_uring_start(&ring, 5, true, &flags, why) == 0);
    cr_expect(!(flags & IORING_SETUP_SINGLE_ISSUER) == !(flags & IORING_SETUP_R_DISABLED));
    cr_expect(ring.sq.ring_entries >= 5);
    io_uring_queue_exit(&ring);
    cr_assert(dls_uring_start(&ring, 5, false, &flags, why) == 0);
    cr_expect((flags & IORING_SETUP_R_DISABLED) == 0);
    io_uring_queue_exit(&ring);
}

Test(uring_probe, explains_a_low_memory_limit)
{
    char why[128];

    cr_assert(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){65536, RLIM_INFINITY}) == 0 ||
              setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){65536, 65536}) == 0);
    dls_uring_why_plain(ENOMEM, 256u << 20, why, sizeof(why));
    cr_expect_str_eq(why, "RLIMIT_MEMLOCK 64 KiB is below the 256 MiB of read memory");
    dls_uring_why_plain(ENOMEM, 32768, why, sizeof(why));
    cr_expect_str_eq(why, "RLIMIT_MEMLOCK 64 KiB leaves no room for 32 KiB of read memory");
    dls_uring_why_plain(EOPNOTSUPP, 1u << 20, why, sizeof(why));
    cr_expect_str_eq(why, "registering them: Operation not supported");
    dls_uring_why_plain(ENOMEM, 3ull << 30, why, sizeof(why));
    cr_expect_str_eq(why, "RLIMIT_MEMLOCK 64 KiB is below the 3 GiB of read memory");
}
