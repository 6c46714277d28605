/* SPDX-License-Identifier: Apache-2.0 */
#include "support/faulty_io.h"

#include "base/clock.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FAILED_MAX 4096

struct faulty {
    const struct dls_io_ops *ops;
    struct faulty_io *plan;
    struct dls_rng rng;
    int wake_fd;
    uint32_t depth, count;
    struct dls_io_request **pending; /* in the order of their submission */
    uint64_t failed[FAILED_MAX];     /* offsets that have met -EIO */
    uint32_t failed_count;
    uint64_t last_offset[1024]; /* highest first read, by fd */
};

struct faulty_io *faulty_io_next;

static bool one_in(struct faulty *io, uint32_t n)
{
    bool hit = n > 0 && dls_rng_below(&io->rng, n) == 0;

    io->plan->faults += hit;
    return hit;
}

static int faulty_open(const struct dls_io_config *config, struct dls_io **ret_io)
{
    struct faulty *io = calloc(1, sizeof(*io));

    if (io == NULL || faulty_io_next == NULL)
        abort();
    io->ops = &faulty_io_ops;
    io->plan = faulty_io_next;
    dls_rng_init(&io->rng, io->plan->seed, 0, 0);
    io->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    io->depth = config->depth;
    io->pending = calloc(config->depth, sizeof(struct dls_io_request *));
    snprintf(config->detail, DLS_IO_DETAIL, "faults by seed");
    *ret_io = (struct dls_io *)io;
    return 0;
}

static int faulty_set_file(struct dls_io *io, int slot, int fd)
{
    (void)io, (void)slot, (void)fd;
    return 0;
}

static int faulty_submit(struct dls_io *io_at, struct dls_io_request *list)
{
    struct faulty *io = (struct faulty *)io_at;

    for (; list != NULL; list = list->next) {
        if (io->count == io->depth)
            abort();
        list->submitted_ns = dls_now();
        io->pending[io->count++] = list;
        if (list->length > io->plan->longest)
            io->plan->longest = list->length;
        if (list->offset < io->last_offset[list->fd % 1024])
            io->plan->order_breaks++;
        else
            io->last_offset[list->fd % 1024] = list->offset;
    }
    io->plan->in_flight = io->count;
    if (io->count > io->plan->most_in_flight)
        io->plan->most_in_flight = io->count;
    return 0;
}

static bool failed_before(struct faulty *io, uint64_t offset)
{
    for (uint32_t i = 0; i < io->failed_count; i++)
        if (io->failed[i] == offset)
            return true;
    if (io->failed_count == FAILED_MAX)
        return true;
    io->failed[io->failed_count++] = offset;
    return false;
}

/* 0, or the error this request is to meet. */
static int fault(struct faulty *io, const struct dls_io_request *request)
{
    const struct faulty_io *plan = io->plan;

    if (plan->bad_to > request->offset && plan->bad_from < request->offset + request->length)
        return EIO;
    if (plan->refuse_after > 0 && plan->requests > plan->refuse_after &&
        (fcntl(request->fd, F_GETFL) & O_DIRECT))
        return EINVAL;
    if (one_in(io, plan->interrupt_in))
        return EINTR;
    if (one_in(io, plan->again_in))
        return EAGAIN;
    if (one_in(io, plan->io_error_in) && !failed_before(io, request->offset))
        return EIO;
    return 0;
}

/* The kernel refuses a direct read that does not start at a page and in one, and so does this engine. */
static void carry_out(struct faulty *io, struct dls_io_request *request)
{
    uint32_t length = request->length;
    int error = fault(io, request);
    ssize_t n;

    io->plan->requests++;
    if (error == 0 && request->slot < 0)
        error = EBADF;
    if (error == 0) {
        n = pread(request->fd, request->buffer, length, (off_t)request->offset);
        if (n < 0) {
            error = errno;
        } else {
            request->result = n;
            if (n > 1 && one_in(io, io->plan->short_in)) {
                request->result = 1 + (int64_t)dls_rng_below(&io->rng, (uint64_t)n - 1);
                /* What a short read did not bring is not there. */
                memset(request->buffer + request->result, 0xdd, (size_t)(n - request->result));
            }
        }
    }
    if (error != 0)
        request->result = -error;
    request->completed_ns = dls_now();
    request->next = NULL;
}

static bool sleep_until_woken(struct faulty *io, int64_t timeout_ns)
{
    struct pollfd wait = {.fd = io->wake_fd, .events = POLLIN};
    uint64_t value;

    if (poll(&wait, 1, timeout_ns < 0 ? -1 : (int)((timeout_ns + 999999) / 1000000)) > 0)
        return read(io->wake_fd, &value, sizeof(value)) == sizeof(value);
    return false;
}

static int faulty_wait(struct dls_io *io_at, int64_t timeout_ns, struct dls_io_request **ret_done)
{
    struct faulty *io = (struct faulty *)io_at;
    struct dls_io_request **end = ret_done;
    uint32_t deliver = io->count;

    *ret_done = NULL;
    if (one_in(io, io->plan->spurious_in))
        return 0;
    if (io->count == 0) {
        sleep_until_woken(io, timeout_ns);
        return 0;
    }
    if (io->plan->late)
        deliver = (uint32_t)dls_rng_below(&io->rng, io->count + 1);
    while (deliver-- > 0) {
        uint32_t at = io->plan->late ? (uint32_t)dls_rng_below(&io->rng, io->count) : 0;
        struct dls_io_request *request = io->pending[at];
        memmove(io->pending + at, io->pending + at + 1, (--io->count - at) * sizeof(*io->pending));
        carry_out(io, request);
        *end = request;
        end = &request->next;
    }
    io->plan->in_flight = io->count;
    return 0;
}

static void faulty_wake(struct dls_io *io_at)
{
    struct faulty *io = (struct faulty *)io_at;
    uint64_t one = 1;

    if (write(io->wake_fd, &one, sizeof(one)) < 0)
        abort();
}

static void faulty_close(struct dls_io **io_at)
{
    struct faulty *io = (struct faulty *)*io_at;

    for (uint32_t i = 0; i < io->count; i++)
        carry_out(io, io->pending[i]);
    io->plan->in_flight = 0;
    close(io->wake_fd);
    free(io->pending);
    free(io);
    *io_at = NULL;
}

const struct dls_io_ops faulty_io_ops = {
    .name = "faulty",
    .open = faulty_open,
    .set_file = faulty_set_file,
    .submit = faulty_submit,
    .wait = faulty_wait,
    .wake = faulty_wake,
    .close = faulty_close,
};
