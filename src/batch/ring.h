/* SPDX-License-Identifier: Apache-2.0 */
/* The batch buffers of a loader: free → filling → ready → lent → free. Batches are lent in the order in which
 * their filling began, and come back in any order. No locks inside: the owner's lock guards it. */
#ifndef DLS_BATCH_RING_H
#define DLS_BATCH_RING_H

#include "batch/slot.h"

struct dls_ring {
    uint32_t count;
    uint32_t free, lent;       /* slots in these states */
    uint64_t begun, delivered; /* batches whose filling began, and that were lent, since the start */
    uint32_t *queue;           /* slot of batch n, at n % count, for delivered ≤ n < begun */
    struct dls_slot *slots;
};

/* `memory`: count × dls_slot_bytes(shape), aligned to DLS_SLOT_ALIGN; it stays the caller's. -ENOMEM. */
int dls_ring_create(uint32_t count, const struct dls_slot_shape *shape, uint8_t *memory,
                    struct dls_ring **ret_ring);
/* A free slot for the next batch, now filling; NULL if there is none. */
struct dls_slot *dls_ring_fill(struct dls_ring *ring);
void dls_ring_ready(struct dls_slot *slot);
/* The oldest batch, if it is ready: now lent. Else NULL. */
struct dls_slot *dls_ring_lend(struct dls_ring *ring);
/* Takes a lent batch back. False if `batch` is not one of them. */
bool dls_ring_release(struct dls_ring *ring, const dls_batch *batch);
void dls_ring_free(struct dls_ring **ring);

#endif
