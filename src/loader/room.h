/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for decoded pictures on their way into a batch. Each thread has a region of its own that grows to
 * the largest picture it met; all regions together keep within a limit. A picture for which there is no room
 * waits until others are done, and these then give their regions back: one huge picture among small ones
 * costs time, not memory. */
#ifndef DLS_LOADER_ROOM_H
#define DLS_LOADER_ROOM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum dls_room_state { DLS_ROOM_IDLE = 0, DLS_ROOM_BUSY, DLS_ROOM_TRIMMED };

struct dls_room {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    uint64_t limit;           /* of all regions together */
    uint64_t held;            /* granted to them [lock] */
    _Atomic uint32_t waiting; /* threads that wait for room; written with the lock held */
    uint64_t next, serving;   /* the waiting threads are served in the order they came [lock] */
    uint32_t count;
    struct dls_room_region {
        uint8_t *memory;
        uint64_t reserved; /* address space */
        /* Granted: the thread's own while BUSY; others may take it away, with the lock held, while IDLE. */
        _Atomic uint64_t held;
        _Atomic uint32_t state;
    } * regions;
};

/* A region for each of `count` threads; a request is never for more than `largest`, nor `limit`. -ENOMEM. */
int dls_room_create(uint32_t count, uint64_t largest, uint64_t limit, struct dls_room **ret_room);
/* Grants `bytes` to region `index`, at least as long as until dls_room_give(). Its content is undefined.
 * Waits for room. Returns the region's memory. */
uint8_t *dls_room_take(struct dls_room *room, uint32_t index, uint64_t bytes);
void dls_room_give(struct dls_room *room, uint32_t index);
/* Bytes granted at this time. */
uint64_t dls_room_held(struct dls_room *room);
void dls_room_free(struct dls_room **room);

#endif
