/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of blocks: the pieces of the order whose records are permuted together, one after the other through
 * epoch after epoch. */
#ifndef DLS_LOADER_GROUP_H
#define DLS_LOADER_GROUP_H

#include "loader/plan.h"
#include "loader/window.h"
#include "shard/rows.h"

struct dls_group_block {
    struct dls_block_at at;
    uint64_t before; /* records in the group's blocks before it */
    uint32_t first;  /* record of the block that is the group's first of it: ranks may share a block */
    uint32_t needed; /* of its records, those that are drawn */
    struct dls_window_block *held; /* once it has memory [lock]; NULL before, and if none of it is needed */
};

/* A record of order FULL. Its row is read first, then its image. */
struct dls_pick {
    uint64_t number; /* in the dataset */
    struct dls_row_at row;
    uint32_t page;  /* of the group's rows */
    uint32_t read;  /* of the group's row_reads: what brings the page */
    uint32_t block; /* of the group's blocks: what brings the image */
    struct dls_cell image;
    int64_t label;
};

struct dls_group {
    uint64_t epoch;
    uint64_t place;    /* of its first record in the epoch (order.h) */
    uint64_t first;    /* its first sample's number among those of the epoch that this loader draws */
    uint64_t of_epoch; /* how many these are */
    uint64_t total;    /* records */
    uint64_t skip;     /* samples of the permuted group that are passed over before the first one drawn */
    uint64_t samples;  /* drawn */
    bool empty_batch;  /* no samples, but a batch without any: see DLS_TAIL_PAD */
    uint32_t count;    /* blocks */
    uint32_t pushed;   /* entries of reads[] given memory or passed over; the I/O thread's own */
    uint32_t unloaded; /* blocks that are needed and not loaded [lock] */
    uint32_t undone;   /* blocks that are needed and not yet done with [lock] */
    struct dls_group_block *blocks; /* in the order of the permutation; room for plan->order.window */
    uint32_t *reads; /* indexes of blocks[] as they lie on the disk, which is how they are read */
    /* Order FULL: blocks[] are reads of one or more records, and known once the rows have been read. */
    bool mapped;            /* blocks[] is filled in [lock]; always true in other orders */
    struct dls_pick *picks; /* room for plan->picks; sample i of the group is picks[i] */
    uint8_t *rows;          /* as many pages */
    struct dls_extent *row_reads;
    uint32_t row_read_count, rows_left; /* the I/O thread's own */
    struct dls_error
        error; /* its blocks could not be looked up: it has no samples, and none come behind it */
};

/* A record whose bytes are in memory. */
struct dls_sample {
    struct dls_cell cell;  /* of its image */
    const uint8_t *stored; /* the image's bytes */
    uint64_t number;       /* in the dataset */
    uint64_t offset;       /* of the image in the shard file */
    int64_t label;         /* -1: none */
    uint32_t shard;
    struct dls_cell mask; /* with plan.mask */
    const uint8_t *mask_stored;
    const uint8_t *boxes; /* with plan.boxes: the field's values */
    const char *key; /* not terminated; "" where there is none; NULL if it would have to be read */
    size_t key_length;
};

/* Where the next group is. */
struct dls_walk {
    const struct dls_plan *plan;
    uint64_t epoch;
    struct dls_share share; /* of the epoch */
    uint32_t piece;         /* of the share */
    uint64_t position;      /* samples laid out in the epoch */
    bool found;             /* the rest says where the piece goes on */
    uint64_t place;         /* the next group's first */
    struct dls_stretch stretch;
    struct dls_permute full; /* order FULL: the epoch's */
    uint64_t block;          /* index in the stretch of the block with `place`, */
    uint32_t in_block;       /* and the record of it */
};

/* rows: memory of plan->picks pages, aligned as a page is; NULL without order FULL. -ENOMEM. */
int dls_group_init(struct dls_group *group, const struct dls_plan *plan, uint8_t *rows);
void dls_group_free(struct dls_group *group);

/* -ENOMEM. */
int dls_walk_init(struct dls_walk *walk, const struct dls_plan *plan);
void dls_walk_free(struct dls_walk *walk);
/* True when the last epoch's last group has been laid out. */
bool dls_walk_ended(const struct dls_walk *walk);
/* Lays the next group out in *group; may read block tables. Failures stand in group->error. */
void dls_walk_next(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group);

/* Where the sample at `position` of those drawn comes from: index of the block in the group, and record in
 * the block. */
uint32_t dls_group_find(const struct dls_group *group, const struct dls_plan *plan, uint64_t position,
                        uint32_t *ret_record);
/* That sample, once its block is loaded. */
void dls_group_sample(const struct dls_group *group, uint32_t block, uint32_t record,
                      struct dls_sample *ret_sample);

#endif
