/* SPDX-License-Identifier: Apache-2.0 */
#include "mmap_io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"

struct dls_io {
    const struct dls_io_ops *ops;
    struct dls_io_request *first, **last; /* not begun */
    pthread_mutex_t lock;                 /* guards woken */
    pthread_cond_t change;
    bool woken;
};

/* As much of the request as the file holds. (A file that is cut between the look at its size and the copy
 * ends a program that maps it with SIGBUS, whichever that is.) */
static int64_t copy(const struct dls_io_request *request)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = request->offset / page * page;
    struct stat st;

    if (fstat(request->fd, &st) != 0)
        return -errno;
    if (request->offset >= (uint64_t)st.st_size)
        return 0;
    uint64_t length = dls_min64(request->length, (uint64_t)st.st_size - request->offset);
    size_t mapped = (size_t)(request->offset - from + length);
    uint8_t *map = mmap(NULL, mapped, PROT_READ, MAP_SHARED, request->fd, (off_t)from);
    if (map == MAP_FAILED)
        return -errno;
    memcpy(request->buffer, map + (request->offset - from), (size_t)length);
    munmap(map, mapped);
    return (int64_t)length;
}

static int mmap_open(const struct dls_io_config *config, struct dls_io **ret_io)
{
    struct dls_io *io = dls_alloc(DLS_MEM_TOOL, sizeof(*io));

    if (!io)
        return -ENOMEM;
    io->ops = &bench_io_mmap;
    io->last = &io->first;
    pthread_mutex_init(&io->lock, NULL);
    dls_cond_init(&io->change);
    snprintf(config->detail, DLS_IO_DETAIL, "mapped files, one thread that copies, read-ahead by the kernel");
    *ret_io = io;
    return 0;
}

static int mmap_set_file(struct dls_io *io, int slot, int fd)
{
    return 0;
}

static int mmap_submit(struct dls_io *io, struct dls_io_request *list)
{
    uint64_t now = dls_now();

    *io->last = list;
    for (; list; list = list->next) {
        list->submitted_ns = now;
        io->last = &list->next;
    }
    return 0;
}

static int mmap_wait(struct dls_io *io, int64_t timeout_ns, struct dls_io_request **ret_done)
{
    struct dls_io_request *request = io->first;

    *ret_done = NULL;
    if (request) {
        io->first = request->next;
        if (!io->first)
            io->last = &io->first;
        request->next = NULL;
        request->result = copy(request);
        request->completed_ns = dls_now();
        *ret_done = request;
        return 0;
    }
    uint64_t deadline = timeout_ns < 0 ? UINT64_MAX : dls_now() + (uint64_t)timeout_ns;
    pthread_mutex_lock(&io->lock);
    while (!io->woken && dls_cond_wait(&io->change, &io->lock, deadline))
        ;
    io->woken = false;
    pthread_mutex_unlock(&io->lock);
    return 0;
}

static void mmap_wake(struct dls_io *io)
{
    pthread_mutex_lock(&io->lock);
    io->woken = true;
    pthread_cond_signal(&io->change);
    pthread_mutex_unlock(&io->lock);
}

static void mmap_close(struct dls_io **io)
{
    pthread_cond_destroy(&(*io)->change);
    pthread_mutex_destroy(&(*io)->lock);
    dls_free(*io);
    *io = NULL;
}

const struct dls_io_ops bench_io_mmap = {"mmap",    mmap_open, mmap_set_file, mmap_submit,
                                         mmap_wait, mmap_wake, mmap_close};
