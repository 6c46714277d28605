/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded queue of pointers between threads, with the counters that say which side waits. */
#ifndef DLS_BASE_QUEUE_H
#define DLS_BASE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct dls_queue;

struct dls_queue_stats {
    uint64_t items, put_wait_ns, get_wait_ns;
    size_t length, capacity;
};

int dls_queue_create(size_t capacity, struct dls_queue **ret_queue);
/* Blocks while full. 0, or -ESHUTDOWN after dls_queue_close(). */
int dls_queue_put(struct dls_queue *queue, void *item);
/* Blocks while empty, to `deadline` (dls_now() based; 0 = not at all; UINT64_MAX = for ever). 0, -ETIMEDOUT, or
 * -ESHUTDOWN once closed and empty. */
int dls_queue_get(struct dls_queue *queue, uint64_t deadline, void **ret_item);
/* Wakes everyone; what is in the queue can still be taken out. */
void dls_queue_close(struct dls_queue *queue);
void dls_queue_get_stats(struct dls_queue *queue, struct dls_queue_stats *ret_stats);
void dls_queue_free(struct dls_queue **queue);

#endif
