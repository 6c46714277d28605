/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/room.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"

#include <assert.h>
#include <stdbool.h>
#include <sys/mman.h>

#define PAGE 4096ull

int dls_room_create(uint32_t count, uint64_t largest, uint64_t limit, struct dls_room **ret_room)
{
    uint64_t reserved = dls_align_up(dls_max64(dls_min64(largest, limit), 1), PAGE);
    struct dls_room *room = dls_alloc(DLS_MEM_LOADER, sizeof(*room));
    int r = -ENOMEM;

    if (room == NULL)
        return -ENOMEM;
    room->limit = limit;
    pthread_mutex_init(&room->lock, NULL);
    r = dls_cond_init(&room->freed);
    if (r < 0) {
        pthread_mutex_destroy(&room->lock);
        dls_free(room);
        return r;
    }
    r = -ENOMEM;
    room->regions = dls_alloc_array(DLS_MEM_LOADER, count, sizeof(*room->regions));
    if (room->regions == NULL)
        goto fail;
    for (; room->count < count; room->count++) {
        struct dls_room_region *region = &room->regions[room->count];
        void *memory =
            mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            r = dls_err_sys(errno, "memory: %llu bytes for a picture cannot be mapped",
                            (unsigned long long)reserved);
            goto fail;
        }
        region->memory = memory;
        region->reserved = reserved;
    }
    *ret_room = room;
    return 0;

fail:
    dls_room_free(&room);
    return r;
}

void dls_room_free(struct dls_room **room_at)
{
    struct dls_room *room = *room_at;

    if (room == NULL)
        return;
    for (uint32_t i = 0; i < room->count; i++)
        munmap(room->regions[i].memory, room->regions[i].reserved);
    dls_free(room->regions);
    pthread_cond_destroy(&room->freed);
    pthread_mutex_destroy(&room->lock);
    dls_free(room);
    *room_at = NULL;
}

/* Gives a region's pages back to the kernel. The lock is held and the region is not in use. */
static void trim(struct dls_room *room, struct dls_room_region *region)
{
    uint64_t held = atomic_load(&region->held);

    if (held == 0)
        return;
    madvise(region->memory, held, MADV_DONTNEED);
    room->held -= held;
    atomic_store(&region->held, 0);
}

static void trim_idle(struct dls_room *room)
{
    for (uint32_t i = 0; i < room->count; i++) {
        struct dls_room_region *region = &room->regions[i];
        uint32_t idle = DLS_ROOM_IDLE;
        if (!atomic_compare_exchange_strong(&region->state, &idle, DLS_ROOM_TRIMMED))
            continue;
        trim(room, region);
        atomic_store(&region->state, DLS_ROOM_IDLE);
    }
}

/* Makes the region BUSY. It fails only for the moment in which another thread trims it, under the lock. */
static void occupy(struct dls_room *room, struct dls_room_region *region)
{
    uint32_t idle = DLS_ROOM_IDLE;

    if (atomic_compare_exchange_strong(&region->state, &idle, DLS_ROOM_BUSY))
        return;
    pthread_mutex_lock(&room->lock);
    atomic_store(&region->state, DLS_ROOM_BUSY);
    pthread_mutex_unlock(&room->lock);
}

static bool grant(struct dls_room *room, struct dls_room_region *region, uint64_t bytes)
{
    uint64_t held = atomic_load(&region->held);

    if (bytes > held && room->limit - room->held < bytes - held)
        return false;
    if (bytes > held) {
        room->held += bytes - held;
        atomic_store(&region->held, bytes);
    }
    return true;
}

uint8_t *dls_room_take(struct dls_room *room, uint32_t index, uint64_t bytes)
{
    struct dls_room_region *region = &room->regions[index];
    uint64_t ticket;

    assert(bytes <= region->reserved && bytes <= room->limit);
    occupy(room, region);
    if (bytes <= atomic_load(&region->held))
        return region->memory;

    pthread_mutex_lock(&room->lock);
    ticket = room->next++;
    atomic_fetch_add(&room->waiting, 1);
    /* What this thread has is not in use while it waits: without it the head of the queue could wait for
     * ever. It may be all that the head waits for. */
    if (ticket != room->serving && atomic_load(&region->held) > 0) {
        trim(room, region);
        pthread_cond_broadcast(&room->freed);
    }
    while (ticket != room->serving || !grant(room, region, bytes)) {
        if (ticket == room->serving) {
            trim_idle(room);
            if (grant(room, region, bytes))
                break;
        }
        dls_cond_wait(&room->freed, &room->lock, UINT64_MAX);
    }
    room->serving++;
    if (atomic_fetch_sub(&room->waiting, 1) > 1)
        pthread_cond_broadcast(&room->freed);
    pthread_mutex_unlock(&room->lock);
    return region->memory;
}

void dls_room_give(struct dls_room *room, uint32_t index)
{
    struct dls_room_region *region = &room->regions[index];

    /* Either the thread that waits sees this region as idle, or we see that it waits: both are sequentially
     * consistent. */
    atomic_store(&region->state, DLS_ROOM_IDLE);
    if (atomic_load(&room->waiting) == 0)
        return;
    pthread_mutex_lock(&room->lock);
    trim_idle(room);
    pthread_cond_broadcast(&room->freed);
    pthread_mutex_unlock(&room->lock);
}

uint64_t dls_room_held(struct dls_room *room)
{
    uint64_t held;

    pthread_mutex_lock(&room->lock);
    held = room->held;
    pthread_mutex_unlock(&room->lock);
    return held;
}
