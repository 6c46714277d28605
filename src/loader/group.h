/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of blocks: the pieces of the order whose records are permuted together, one after the other through
 * epoch after epoch. */
#ifndef DLS_LOADER_GROUP_H
#define DLS_LOADER_GROUP_H

#include "loader/plan.h"
#include "loader/window.h"

struct dls_group_block {
    struct dls_block_at at;
    uint64_t before; /* records in the group's blocks before it */
    uint32_t needed; /* of its records, those that are drawn: the tail of an epoch may be dropped */
    struct dls_window_block *held; /* once it has memory [lock]; NULL before, and if none of it is needed */
};

struct dls_group {
    uint64_t epoch, number;         /* the number within the epoch */
    uint64_t first;                 /* its first sample's place in the epoch */
    uint64_t total;                 /* records */
    uint64_t samples;               /* of these, drawn */
    uint32_t count;                 /* blocks */
    uint32_t pushed;                /* entries of reads[] given memory or passed over; the I/O thread's own */
    uint32_t unloaded;              /* blocks that are needed and not loaded [lock] */
    uint32_t undone;                /* blocks that are needed and not yet done with [lock] */
    struct dls_group_block *blocks; /* in the order of the permutation; room for plan->order.window */
    uint32_t *reads;                /* indexes of blocks[] as they lie on the disk, which is how they are read */
    struct dls_error
        error; /* its blocks could not be looked up: it has no samples, and none come behind it */
};

/* Where the next group is. */
struct dls_walk {
    const struct dls_plan *plan;
    uint64_t groups; /* in an epoch */
    uint64_t epoch, group, position;
};

int dls_group_init(struct dls_group *group, uint32_t window);
void dls_group_free(struct dls_group *group);

void dls_walk_init(struct dls_walk *walk, const struct dls_plan *plan);
/* True when the last epoch's last group has been laid out. */
bool dls_walk_ended(const struct dls_walk *walk);
/* Lays the next group out in *group; may read block tables. Failures stand in group->error. */
void dls_walk_next(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group);

/* Where the sample at `position` of the group comes from: index of the block in the group, and record in the
 * block. */
uint32_t dls_group_find(const struct dls_group *group, const struct dls_plan *plan, uint64_t position,
                        uint32_t *ret_record);

#endif
