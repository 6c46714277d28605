/* SPDX-License-Identifier: Apache-2.0 */
#include "base/queue.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"

struct dls_queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full;
    /* All below: guarded by mutex, but capacity and places, which do not change. */
    size_t capacity, first, length;
    bool closed;
    uint64_t items, put_wait_ns, get_wait_ns;
    void **places;
};

int dls_queue_create(size_t capacity, struct dls_queue **ret_queue)
{
    struct dls_queue *queue;
    int r;

    if (capacity == 0)
        return dls_err(EINVAL, "queue: capacity 0");
    queue = dls_alloc(DLS_MEM_BASE, sizeof(*queue));
    if (queue == NULL)
        return -ENOMEM;
    queue->capacity = capacity;
    queue->places = dls_alloc_array(DLS_MEM_BASE, capacity, sizeof(*queue->places));
    r = queue->places != NULL ? -pthread_mutex_init(&queue->mutex, NULL) : -ENOMEM;
    if (r < 0)
        goto fail;
    r = dls_cond_init(&queue->not_empty);
    if (r < 0)
        goto fail_mutex;
    r = dls_cond_init(&queue->not_full);
    if (r < 0)
        goto fail_cond;
    *ret_queue = queue;
    return 0;

fail_cond:
    pthread_cond_destroy(&queue->not_empty);
fail_mutex:
    pthread_mutex_destroy(&queue->mutex);
fail:
    dls_free(queue->places);
    dls_free(queue);
    return r;
}

int dls_queue_put(struct dls_queue *queue, void *item)
{
    int r = -ESHUTDOWN;

    pthread_mutex_lock(&queue->mutex);
    if (queue->length == queue->capacity && !queue->closed) {
        uint64_t start = dls_now();
        while (queue->length == queue->capacity && !queue->closed)
            dls_cond_wait(&queue->not_full, &queue->mutex, UINT64_MAX);
        queue->put_wait_ns += dls_now() - start;
    }
    if (!queue->closed) {
        queue->places[(queue->first + queue->length) % queue->capacity] = item;
        queue->length++;
        queue->items++;
        pthread_cond_signal(&queue->not_empty);
        r = 0;
    }
    pthread_mutex_unlock(&queue->mutex);
    return r;
}

int dls_queue_get(struct dls_queue *queue, uint64_t deadline, void **ret_item)
{
    int r = 0;

    pthread_mutex_lock(&queue->mutex);
    if (queue->length == 0 && !queue->closed && deadline != 0) {
        uint64_t start = dls_now();
        while (queue->length == 0 && !queue->closed)
            if (!dls_cond_wait(&queue->not_empty, &queue->mutex, deadline))
                break;
        queue->get_wait_ns += dls_now() - start;
    }
    if (queue->length != 0) {
        *ret_item = queue->places[queue->first];
        queue->first = (queue->first + 1) % queue->capacity;
        queue->length--;
        pthread_cond_signal(&queue->not_full);
    } else {
        r = queue->closed ? -ESHUTDOWN : -ETIMEDOUT;
    }
    pthread_mutex_unlock(&queue->mutex);
    return r;
}

void dls_queue_close(struct dls_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->closed = true;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_cond_broadcast(&queue->not_full);
    pthread_mutex_unlock(&queue->mutex);
}

void dls_queue_get_stats(struct dls_queue *queue, struct dls_queue_stats *ret_stats)
{
    pthread_mutex_lock(&queue->mutex);
    *ret_stats = (struct dls_queue_stats){
        .items = queue->items,
        .put_wait_ns = queue->put_wait_ns,
        .get_wait_ns = queue->get_wait_ns,
        .length = queue->length,
        .capacity = queue->capacity,
    };
    pthread_mutex_unlock(&queue->mutex);
}

void dls_queue_free(struct dls_queue **queue)
{
    if (queue == NULL || *queue == NULL)
        return;
    pthread_cond_destroy(&(*queue)->not_full);
    pthread_cond_destroy(&(*queue)->not_empty);
    pthread_mutex_destroy(&(*queue)->mutex);
    dls_free((*queue)->places);
    dls_free(*queue);
    *queue = NULL;
}
