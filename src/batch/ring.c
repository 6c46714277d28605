/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/ring.h"

#include "base/err.h"
#include "base/mem.h"

#include <assert.h>

int dls_ring_create(uint32_t count, const struct dls_slot_shape *shape, uint8_t *memory,
                    struct dls_ring **ret_ring)
{
    struct dls_ring *ring = NULL;
    uint64_t bytes;
    int r = dls_slot_bytes(shape, &bytes);

    if (r < 0)
        return r;
    ring = dls_alloc(DLS_MEM_BATCH, sizeof(*ring));
    if (ring == NULL)
        return -ENOMEM;
    ring->queue = dls_alloc_array(DLS_MEM_BATCH, count, sizeof(*ring->queue));
    ring->slots = dls_alloc_array(DLS_MEM_BATCH, count, sizeof(*ring->slots));
    if (ring->queue == NULL || ring->slots == NULL) {
        dls_ring_free(&ring);
        return -ENOMEM;
    }
    ring->count = ring->free = count;
    for (uint32_t i = 0; i < count; i++)
        dls_slot_bind(&ring->slots[i], shape, memory + i * bytes);
    *ret_ring = ring;
    return 0;
}

struct dls_slot *dls_ring_fill(struct dls_ring *ring)
{
    uint32_t i = 0;

    if (ring->free == 0)
        return NULL;
    while (ring->slots[i].state != DLS_SLOT_FREE)
        i++;
    ring->queue[ring->begun++ % ring->count] = i;
    ring->free--;
    ring->slots[i].state = DLS_SLOT_FILLING;
    return &ring->slots[i];
}

void dls_ring_ready(struct dls_slot *slot)
{
    assert(slot->state == DLS_SLOT_FILLING);
    slot->state = DLS_SLOT_READY;
}

struct dls_slot *dls_ring_lend(struct dls_ring *ring)
{
    struct dls_slot *slot;

    if (ring->delivered == ring->begun)
        return NULL;
    slot = &ring->slots[ring->queue[ring->delivered % ring->count]];
    if (slot->state != DLS_SLOT_READY)
        return NULL;
    slot->state = DLS_SLOT_LENT;
    ring->delivered++;
    ring->lent++;
    return slot;
}

bool dls_ring_release(struct dls_ring *ring, const dls_batch *batch)
{
    for (uint32_t i = 0; i < ring->count; i++) {
        if (&ring->slots[i].view == batch && ring->slots[i].state == DLS_SLOT_LENT) {
            ring->slots[i].state = DLS_SLOT_FREE;
            ring->free++;
            ring->lent--;
            return true;
        }
    }
    return false;
}

void dls_ring_free(struct dls_ring **ring)
{
    if (*ring == NULL)
        return;
    dls_free((*ring)->queue);
    dls_free((*ring)->slots);
    dls_free(*ring);
    *ring = NULL;
}
