/* SPDX-License-Identifier: Apache-2.0 */
#include "io/uring_probe.h"

#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE 4096u

/* Best first. Completions are run when the thread asks for them (6.1), else without interrupting it (5.19),
 * else as the kernel likes. A failed request never holds back those behind it (5.18). */
static const unsigned steps[] = {
    IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
        IORING_SETUP_COOP_TASKRUN,
    IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
    IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN,
    IORING_SETUP_CLAMP | IORING_SETUP_SUBMIT_ALL,
    IORING_SETUP_CLAMP,
};

/* The value of kernel.io_uring_disabled, 0 where there is no such setting. */
static int disabled_by_sysctl(void)
{
    FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
    int value = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &value) != 1)
        value = 0;
    fclose(file);
    return value;
}

static void print_size(uint64_t bytes, char *ret_text, size_t size)
{
    if (bytes >= 1u << 30 && bytes % (1u << 30) == 0)
        snprintf(ret_text, size, "%" PRIu64 " GiB", bytes >> 30);
    else if (bytes >= 10u << 20 || (bytes >= 1u << 20 && bytes % (1u << 20) == 0))
        snprintf(ret_text, size, "%" PRIu64 " MiB", bytes >> 20);
    else
        snprintf(ret_text, size, "%" PRIu64 " KiB", bytes >> 10);
}

static void why_no_ring(int error, char *why)
{
    int level = error == EPERM ? disabled_by_sysctl() : 0;

    if (error == ENOSYS)
        snprintf(why, DLS_IO_DETAIL, "this kernel has no io_uring or a seccomp filter hides it");
    else if (level > 0)
        snprintf(why, DLS_IO_DETAIL, "kernel.io_uring_disabled is %d", level);
    else if (error == EPERM || error == EACCES)
        snprintf(why, DLS_IO_DETAIL, "io_uring is forbidden here (seccomp filter or security policy)");
    else if (error == ENOMEM)
        snprintf(why, DLS_IO_DETAIL, "io_uring_setup: %s (RLIMIT_MEMLOCK may be too low)", strerror(error));
    else
        snprintf(why, DLS_IO_DETAIL, "io_uring_setup: %s", strerror(error));
}

/* A ring made disabled needs io_uring_register() to be enabled, which a filter may forbid. */
static int can_enable(struct io_uring *ring)
{
    struct io_uring_probe probe;

    memset(&probe, 0, sizeof(probe));
    return io_uring_register_probe(ring, &probe, 0);
}

int dls_uring_start(struct io_uring *ring, uint32_t entries, bool disabled, unsigned *ret_flags, char *why)
{
    struct io_uring_params params;
    int r = -EINVAL;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && r == -EINVAL; i++) {
        bool later = disabled && (steps[i] & IORING_SETUP_SINGLE_ISSUER);
        memset(&params, 0, sizeof(params));
        params.flags = steps[i] | (later ? IORING_SETUP_R_DISABLED : 0);
        r = io_uring_queue_init_params(entries, ring, &params);
        if (r == 0 && later && can_enable(ring) < 0) {
            io_uring_queue_exit(ring);
            r = -EINVAL;
        }
    }
    if (r < 0) {
        why_no_ring(-r, why);
        return -ENOTSUP;
    }
    if (!(params.features & IORING_FEAT_EXT_ARG)) {
        io_uring_queue_exit(ring);
        snprintf(why, DLS_IO_DETAIL, "the io_uring of this kernel is too old (5.11 is needed)");
        return -ENOTSUP;
    }
    *ret_flags = params.flags;
    return 0;
}

int dls_uring_test(int fd, uint8_t *memory, char *why)
{
    struct io_uring ring;
    struct io_uring_cqe *cqe;
    unsigned flags;
    int r = dls_uring_start(&ring, 1, false, &flags, why);

    if (r != 0)
        return r;
    io_uring_prep_read(io_uring_get_sqe(&ring), fd, memory, PAGE, 0);
    r = io_uring_submit_and_wait(&ring, 1);
    if (r >= 0) {
        r = io_uring_wait_cqe(&ring, &cqe);
        if (r == 0) {
            r = cqe->res;
            io_uring_cqe_seen(&ring, cqe);
        }
    }
    io_uring_queue_exit(&ring);
    if (r < 0) {
        snprintf(why, DLS_IO_DETAIL, "its test read failed: %s", strerror(-r));
        return -ENOTSUP;
    }
    return 0;
}

void dls_uring_why_plain(int error, uint64_t bytes, char *ret_text, size_t size)
{
    struct rlimit limit;
    char has[32], wants[32];

    if (error == ENOMEM && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        print_size(limit.rlim_cur, has, sizeof(has));
        print_size(bytes, wants, sizeof(wants));
        /* The limit is the user's, summed over his processes, so it may be too low even when it is the
         * larger. */
        snprintf(ret_text, size,
                 limit.rlim_cur < bytes ? "RLIMIT_MEMLOCK %s is below the %s of read memory"
                                        : "RLIMIT_MEMLOCK %s leaves no room for %s of read memory",
                 has, wants);
    } else {
        snprintf(ret_text, size, "registering them: %s", strerror(error));
    }
}
