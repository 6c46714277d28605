/* SPDX-License-Identifier: Apache-2.0 */
/* The io_uring engine. Where the kernel can, the ring is bound to one thread and runs completions only when
 * that thread asks for them; it is made disabled, so that the binding falls on the thread that uses it.
 * Starting requests and waiting for others is one io_uring_enter(). wake() writes to an eventfd that a read
 * request in the ring waits on, and only when the owner sleeps. */
#include "io/io.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/uring_probe.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CHUNKS_MAX 1024u

struct dls_io {
    const struct dls_io_ops *ops;
    struct io_uring ring;
    unsigned flags; /* the ring's */
    bool bound;     /* enabled, and its number registered, by `owner` */
    pthread_t owner;
    bool fixed_buffers; /* `memory` is registered */
    bool fixed_files;
    uint8_t *memory;
    uint64_t memory_bytes;
    uint32_t in_flight; /* taken by submit(), not yet given out */

    int wake_fd;
    bool wake_armed;     /* the ring holds a read of wake_fd */
    uint64_t wake_count; /* where that read goes */
    /* wake() sets `woken`, then looks at `sleeping`; the owner sets `sleeping`, then looks at `woken`.
     * Sequentially consistent, so at least one of them sees the other. */
    atomic_bool woken, sleeping;
};

static int register_buffers(struct dls_io *io)
{
    struct iovec chunks[CHUNKS_MAX];
    uint64_t count = (io->memory_bytes + DLS_IO_CHUNK - 1) / DLS_IO_CHUNK;

    if (count > CHUNKS_MAX)
        return -E2BIG;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = i * DLS_IO_CHUNK, left = io->memory_bytes - at;
        chunks[i].iov_base = io->memory + at;
        chunks[i].iov_len = left < DLS_IO_CHUNK ? left : DLS_IO_CHUNK;
    }
    return io_uring_register_buffers(&io->ring, chunks, (unsigned)count);
}

static int register_files(struct dls_io *io, uint32_t files)
{
    int r = io_uring_register_files_sparse(&io->ring, files);

    if (r != -EINVAL)
        return r;
    /* Before 5.19 an empty table is a table of -1. */
    int *none = dls_alloc_array(DLS_MEM_IO, files, sizeof(*none));
    if (none == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < files; i++)
        none[i] = -1;
    r = io_uring_register_files(&io->ring, none, files);
    dls_free(none);
    return r;
}

/* Registers what may be registered, and says in `detail` what is and why the rest is not. */
static void register_all(struct dls_io *io, const struct dls_io_config *config)
{
    char buffers[DLS_IO_DETAIL / 2] = "fixed buffers", files[DLS_IO_DETAIL / 2] = "fixed files", why[100];
    int r;

    if (config->memory_bytes > 0) {
        r = register_buffers(io);
        io->fixed_buffers = r == 0;
        if (r != 0) {
            dls_uring_why_plain(-r, config->memory_bytes, why, sizeof(why));
            snprintf(buffers, sizeof(buffers), "plain buffers (%s)", why);
        }
    }
    if (config->files > 0) {
        r = register_files(io, config->files);
        io->fixed_files = r == 0;
        if (r != 0)
            snprintf(files, sizeof(files), "plain files (registering them: %s)", strerror(-r));
    }
    snprintf(config->detail, DLS_IO_DETAIL, "%s%s%s", config->memory_bytes > 0 ? buffers : "plain buffers",
             config->files > 0 ? ", " : "", config->files > 0 ? files : "");
}

static int uring_open(const struct dls_io_config *config, struct dls_io **ret_io)
{
    struct dls_io *io;
    int r;

    if (config->test_fd >= 0 && config->memory_bytes >= 4096) {
        r = dls_uring_test(config->test_fd, config->memory, config->detail);
        if (r != 0)
            return r;
    }
    io = dls_alloc(DLS_MEM_IO, sizeof(*io));
    if (io == NULL)
        return -ENOMEM;
    io->ops = &dls_io_uring;
    io->memory = config->memory;
    io->memory_bytes = config->memory_bytes;
    io->wake_fd = eventfd(0, EFD_CLOEXEC);
    if (io->wake_fd < 0) {
        r = -errno;
        snprintf(config->detail, DLS_IO_DETAIL, "eventfd: %s", strerror(-r));
        goto fail;
    }
    r = dls_uring_start(&io->ring, config->depth + 1, true, &io->flags, config->detail); /* 1: the wake's */
    if (r != 0)
        goto fail_fd;
    register_all(io, config);
    *ret_io = io;
    return 0;

fail_fd:
    close(io->wake_fd);
fail:
    dls_free(io);
    return r;
}

/* At the owner's first call. */
static int bind_ring(struct dls_io *io)
{
    /* By hand: liburing 2.3 declares io_uring_enable_rings() but does not export it. */
    if ((io->flags & IORING_SETUP_R_DISABLED) &&
        syscall(SYS_io_uring_register, io->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) != 0)
        return -errno;
    /* Saves looking the ring up among the open files at each call; nothing is lost if it fails. */
    (void)io_uring_register_ring_fd(&io->ring);
    io->bound = true;
    io->owner = pthread_self();
    return 0;
}

static int uring_set_file(struct dls_io *io, int slot, int fd)
{
    int r;

    if (!io->fixed_files)
        return -ENOTSUP;
    r = io_uring_register_files_update(&io->ring, (unsigned)slot, &fd, 1);
    return r < 0 ? r : 0;
}

static void prepare(struct dls_io *io, struct io_uring_sqe *sqe, struct dls_io_request *request)
{
    uint64_t at = (uint64_t)(request->buffer - io->memory), last = at + request->length - 1;
    bool slot = io->fixed_files && request->slot >= 0;
    int fd = slot ? request->slot : request->fd;

    if (io->fixed_buffers && request->buffer >= io->memory && last < io->memory_bytes &&
        at / DLS_IO_CHUNK == last / DLS_IO_CHUNK)
        io_uring_prep_read_fixed(sqe, fd, request->buffer, request->length, request->offset,
                                 (int)(at / DLS_IO_CHUNK));
    else
        io_uring_prep_read(sqe, fd, request->buffer, request->length, request->offset);
    /* A buffered read would copy, and often wait for the disk, in io_uring_enter(): one after the other. The
     * kernel's workers do that side by side. */
    io_uring_sqe_set_flags(sqe, (slot ? IOSQE_FIXED_FILE : 0) | (request->buffered ? IOSQE_ASYNC : 0));
    io_uring_sqe_set_data(sqe, request);
}

static int uring_submit(struct dls_io *io, struct dls_io_request *list)
{
    uint64_t now = dls_now();

    while (list != NULL) {
        struct dls_io_request *next = list->next;
        struct io_uring_sqe *sqe = io_uring_get_sqe(&io->ring);
        if (sqe == NULL)
            return -ENOBUFS; /* more than `depth`: the submitter's fault */
        prepare(io, sqe, list);
        list->submitted_ns = now;
        io->in_flight++;
        list = next;
    }
    return 0;
}

static void arm_wake(struct dls_io *io)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&io->ring);

    if (sqe == NULL)
        return; /* cannot be: one entry is kept for it */
    io_uring_prep_read(sqe, io->wake_fd, &io->wake_count, sizeof(io->wake_count), 0);
    io_uring_sqe_set_data(sqe, NULL);
    io->wake_armed = true;
}

/* One io_uring_enter(): starts what submit() took, and waits. */
static int enter(struct dls_io *io, int64_t timeout_ns)
{
    struct io_uring_cqe *cqe;
    struct __kernel_timespec limit;

    if (timeout_ns == 0)
        return io_uring_submit_and_get_events(&io->ring);
    if (timeout_ns < 0)
        return io_uring_submit_and_wait(&io->ring, 1);
    limit.tv_sec = timeout_ns / 1000000000;
    limit.tv_nsec = timeout_ns % 1000000000;
    return io_uring_submit_and_wait_timeout(&io->ring, &cqe, 1, &limit, NULL);
}

static struct dls_io_request *collect(struct dls_io *io)
{
    struct dls_io_request *first = NULL, **end = &first;
    struct io_uring_cqe *cqe;
    uint64_t now = dls_now();
    unsigned head, count = 0;

    io_uring_for_each_cqe(&io->ring, head, cqe)
    {
        struct dls_io_request *request = io_uring_cqe_get_data(cqe);
        count++;
        if (request == NULL) {
            io->wake_armed = false;
            continue;
        }
        request->result = cqe->res;
        request->completed_ns = now;
        request->next = NULL;
        *end = request;
        end = &request->next;
        io->in_flight--;
    }
    io_uring_cq_advance(&io->ring, count);
    return first;
}

static int uring_wait(struct dls_io *io, int64_t timeout_ns, struct dls_io_request **ret_done)
{
    int r = io->bound ? 0 : bind_ring(io);

    if (r < 0)
        return dls_err_sys(-r, "io_uring: cannot start the ring");
    if (timeout_ns != 0) {
        if (!io->wake_armed)
            arm_wake(io);
        atomic_store(&io->sleeping, true);
        if (atomic_exchange(&io->woken, false))
            timeout_ns = 0;
    }
    r = enter(io, timeout_ns);
    atomic_store(&io->sleeping, false);
    atomic_store(&io->woken, false);
    *ret_done = collect(io);
    switch (r < 0 ? -r : 0) {
    case 0:
    case ETIME:
    case EINTR:
        return 0;
    case EAGAIN:
    case EBUSY: /* the kernel is short of memory, or of room for completions: what is not started stays queued
                 */
        if (*ret_done == NULL && timeout_ns != 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        return 0;
    default:
        return dls_err_sys(-r, "io_uring_enter");
    }
}

static void uring_wake(struct dls_io *io)
{
    uint64_t one = 1;

    if (atomic_exchange(&io->woken, true))
        return;
    if (atomic_load(&io->sleeping) && write(io->wake_fd, &one, sizeof(one)) < 0)
        return; /* cannot be: it only fails at 2^64 - 1 */
}

/* The kernel writes to the requests' memory until they are done, and to wake_count until that read is. */
static void finish_all(struct dls_io *io)
{
    uint64_t one = 1;
    int r = io->bound || io->in_flight == 0 ? 0 : bind_ring(io);

    if (io->wake_armed && write(io->wake_fd, &one, sizeof(one)) < 0)
        io->wake_armed = false;
    while ((io->in_flight > 0 || io->wake_armed) && (r >= 0 || r == -EINTR || r == -EAGAIN || r == -EBUSY)) {
        r = enter(io, -1);
        (void)collect(io);
    }
}

static void uring_close(struct dls_io **io_at)
{
    struct dls_io *io = *io_at;

    if (io == NULL)
        return;
    if (io->bound && !pthread_equal(io->owner, pthread_self())) {
        /* Only the owner can wait for reads. The one of wake_fd ends with the ring, without a write to
         * memory. */
        assert(io->in_flight == 0);
        io->ring.enter_ring_fd =
            -1; /* a number in the owner's table, which may mean another ring in this thread's */
    } else {
        finish_all(io);
        /* Explicitly, because the kernel otherwise gives memory and files back some time after the close. */
        if (io->fixed_buffers)
            (void)io_uring_unregister_buffers(&io->ring);
        if (io->fixed_files)
            (void)io_uring_unregister_files(&io->ring);
    }
    io_uring_queue_exit(&io->ring);
    close(io->wake_fd);
    dls_free(io);
    *io_at = NULL;
}

const struct dls_io_ops dls_io_uring = {
    .name = "io_uring",
    .open = uring_open,
    .set_file = uring_set_file,
    .submit = uring_submit,
    .wait = uring_wait,
    .wake = uring_wake,
    .close = uring_close,
};
