/* SPDX-License-Identifier: Apache-2.0 */
#include "io/choose.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int broken_open(const struct dls_io_config *config, struct dls_io **ret_io)
{
    (void)ret_io;
    snprintf(config->detail, DLS_IO_DETAIL, "it is broken");
    return -ENOTSUP;
}

static const struct dls_io_ops broken = {.name = "broken", .open = broken_open};

static bool forbid_uring(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = 4, .filter = filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

Test(choose, takes_the_pool_where_uring_is_forbidden_and_says_why)
{
    char detail[DLS_IO_CHOICE];
    struct dls_io_config config = {.depth = 4, .test_fd = -1, .detail = detail};
    const struct dls_io_ops *ops = NULL;
    struct dls_io *io = NULL;

    if (!forbid_uring())
        cr_skip_test("no seccomp");
    cr_assert(dls_io_choose(&config, DLS_ENGINE_AUTO, NULL, &ops, &io) == 0, "%s", dls_err_text());
    cr_expect(ops == &dls_io_pread);
    cr_expect(strncmp(detail, "4 threads; no io_uring: ", 24) == 0 && strlen(detail) > 24, "%s", detail);
    ops->close(&io);

    /* Asked for by name, it is not replaced. */
    ops = NULL;
    cr_expect(dls_io_choose(&config, DLS_ENGINE_URING, NULL, &ops, &io) == -ENOTSUP);
    cr_expect(ops == NULL && io == NULL);
    cr_expect(strncmp(dls_err_text(), "read engine 'io_uring' does not work here: ", 43) == 0, "%s",
              dls_err_text());
}

Test(choose, takes_the_engine_asked_for)
{
    char detail[DLS_IO_CHOICE];
    struct dls_io_config config = {.depth = 2, .test_fd = -1, .detail = detail};
    const struct dls_io_ops *ops = NULL;
    struct dls_io *io = NULL;

    cr_assert(dls_io_choose(&config, DLS_ENGINE_PREAD, NULL, &ops, &io) == 0);
    cr_expect(ops == &dls_io_pread);
    cr_expect_str_eq(detail, "2 threads");
    ops->close(&io);
}

Test(choose, tries_nothing_but_the_one_given)
{
    char detail[DLS_IO_CHOICE];
    struct dls_io_config config = {.depth = 2, .test_fd = -1, .detail = detail};
    const struct dls_io_ops *ops = NULL;
    struct dls_io *io = NULL;

    cr_expect(dls_io_choose(&config, DLS_ENGINE_AUTO, &broken, &ops, &io) == -ENOTSUP);
    cr_expect_str_eq(dls_err_text(), "read engine 'broken' does not work here: it is broken");
    cr_expect(ops == NULL && io == NULL);
}
