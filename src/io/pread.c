/* SPDX-License-Identifier: Apache-2.0 */
/* The engine that works everywhere: a pool of threads, each in pread(). */
#include "io/io.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"

#include <stdio.h>
#include <unistd.h>

#define THREADS_MAX 32

struct list {
    struct dls_io_request *first, **end;
};

struct dls_io {
    const struct dls_io_ops *ops;
    pthread_mutex_t lock; /* guards all below but the threads */
    pthread_cond_t work,
        done; /* work: `queue` has something or `stop`; done: `finished` has something or `woken` */
    struct list queue, finished;
    uint32_t in_flight; /* taken by submit() and not yet given out by wait() */
    uint32_t idle;      /* threads waiting for work */
    bool waiting;       /* the owner is in wait() */
    bool woken, stop;
    uint32_t thread_count;
    struct dls_thread threads[THREADS_MAX];
};

static void list_clear(struct list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void list_add(struct list *list, struct dls_io_request *request)
{
    request->next = NULL;
    *list->end = request;
    list->end = &request->next;
}

static struct dls_io_request *list_take(struct list *list)
{
    struct dls_io_request *request = list->first;

    list->first = request->next;
    if (list->first == NULL)
        list->end = &list->first;
    return request;
}

static void *reading(void *arg)
{
    struct dls_io *io = arg;

    pthread_mutex_lock(&io->lock);
    for (;;) {
        while (io->queue.first == NULL && !io->stop) {
            io->idle++;
            pthread_cond_wait(&io->work, &io->lock);
            io->idle--;
        }
        if (io->queue.first == NULL)
            break;
        struct dls_io_request *request = list_take(&io->queue);
        pthread_mutex_unlock(&io->lock);

        ssize_t n = pread(request->fd, request->buffer, request->length, (off_t)request->offset);
        request->result = n < 0 ? -errno : n;
        request->completed_ns = dls_now();

        pthread_mutex_lock(&io->lock);
        list_add(&io->finished, request);
        if (io->waiting)
            pthread_cond_signal(&io->done);
    }
    pthread_mutex_unlock(&io->lock);
    return NULL;
}

static void pread_close(struct dls_io **io_at)
{
    struct dls_io *io = *io_at;

    if (io == NULL)
        return;
    pthread_mutex_lock(&io->lock);
    io->stop = true; /* the threads finish the queue first */
    pthread_cond_broadcast(&io->work);
    pthread_mutex_unlock(&io->lock);
    for (uint32_t i = 0; i < io->thread_count; i++)
        dls_thread_join(&io->threads[i]);
    pthread_cond_destroy(&io->work);
    pthread_cond_destroy(&io->done);
    pthread_mutex_destroy(&io->lock);
    dls_free(io);
    *io_at = NULL;
}

/* As many threads as start; none is a failure. */
static int start_threads(struct dls_io *io, uint32_t wanted)
{
    int r = 0;

    while (io->thread_count < wanted && r == 0) {
        r = dls_thread_start(&io->threads[io->thread_count], "dls-read", reading, io);
        if (r == 0)
            io->thread_count++;
    }
    return io->thread_count > 0 ? 0 : r;
}

static int pread_open(const struct dls_io_config *config, struct dls_io **ret_io)
{
    uint32_t wanted = config->depth < THREADS_MAX ? config->depth : THREADS_MAX;
    struct dls_io *io = dls_alloc(DLS_MEM_IO, sizeof(*io));
    int r;

    if (io == NULL)
        return -ENOMEM;
    io->ops = &dls_io_pread;
    list_clear(&io->queue);
    list_clear(&io->finished);
    pthread_mutex_init(&io->lock, NULL);
    pthread_cond_init(&io->work, NULL);
    r = dls_cond_init(&io->done);
    if (r == 0)
        r = start_threads(io, wanted);
    if (r != 0) {
        snprintf(config->detail, DLS_IO_DETAIL, "%s", dls_err_text());
        pread_close(&io);
        return r;
    }
    snprintf(config->detail, DLS_IO_DETAIL, "%u thread%s%s", io->thread_count,
             io->thread_count == 1 ? "" : "s", io->thread_count < wanted ? " (no more could start)" : "");
    *ret_io = io;
    return 0;
}

static int pread_set_file(struct dls_io *io, int slot, int fd)
{
    (void)io, (void)slot, (void)fd;
    return 0;
}

static int pread_submit(struct dls_io *io, struct dls_io_request *list)
{
    uint64_t now = dls_now();
    uint32_t count = 0;

    pthread_mutex_lock(&io->lock);
    while (list != NULL) {
        struct dls_io_request *next = list->next;
        list->submitted_ns = now;
        list_add(&io->queue, list);
        list = next;
        count++;
    }
    io->in_flight += count;
    for (uint32_t i = 0; i < count && i < io->idle; i++)
        pthread_cond_signal(&io->work);
    pthread_mutex_unlock(&io->lock);
    return 0;
}

static int pread_wait(struct dls_io *io, int64_t timeout_ns, struct dls_io_request **ret_done)
{
    uint64_t deadline = timeout_ns < 0 ? UINT64_MAX : timeout_ns == 0 ? 0 : dls_now() + (uint64_t)timeout_ns;

    pthread_mutex_lock(&io->lock);
    io->waiting = true;
    while (io->finished.first == NULL && !io->woken && deadline != 0)
        if (!dls_cond_wait(&io->done, &io->lock, deadline))
            break;
    io->waiting = false;
    io->woken = false;
    *ret_done = io->finished.first;
    list_clear(&io->finished);
    for (struct dls_io_request *request = *ret_done; request != NULL; request = request->next)
        io->in_flight--;
    pthread_mutex_unlock(&io->lock);
    return 0;
}

static void pread_wake(struct dls_io *io)
{
    pthread_mutex_lock(&io->lock);
    io->woken = true;
    pthread_cond_signal(&io->done);
    pthread_mutex_unlock(&io->lock);
}

const struct dls_io_ops dls_io_pread = {
    .name = "pread",
    .open = pread_open,
    .set_file = pread_set_file,
    .submit = pread_submit,
    .wait = pread_wait,
    .wake = pread_wake,
    .close = pread_close,
};
