/* SPDX-License-Identifier: Apache-2.0 */
/* Which record next: a pure function of (dataset uuid, seed, epoch, mode, window), never of time or threads.
 *
 * Every record of an epoch has a place, 0 to records - 1, and places are what ranks share out (share.h).
 * FULL: places are a permutation of all records. WINDOW: the shards are permuted and cut into stretches of
 * DLS_STRETCH_SHARDS, the blocks of a stretch are permuted, and places count through the records of block
 * after block; samples are then drawn from groups of `window` blocks, permuted within their group. NONE:
 * places are record numbers. Stretches are why any place is found without what came before it: the manifest
 * knows how many records a shard has, and only the block tables of one stretch have to be looked into. */
#ifndef DLS_ORDER_ORDER_H
#define DLS_ORDER_ORDER_H

#include "order/permute.h"
#include "shard/manifest.h"

#include <dlshards/loader.h>
#include <stdbool.h>
#include <stdint.h>

#define DLS_STRETCH_SHARDS 16u

struct dls_order_config {
    uint8_t uuid[16];
    uint64_t seed;
    dls_order mode;  /* not AUTO */
    uint32_t window; /* blocks in a group */
    uint64_t records;
    uint32_t shard_count;
    const struct dls_manifest_shard *shards; /* the manifest's */
};

/* The blocks of some shards. */
struct dls_stretch {
    struct dls_permute order; /* of all shards in the epoch */
    struct dls_permute mix;   /* of the stretch's blocks */
    uint64_t number;          /* in the epoch */
    uint64_t first, records;  /* places */
    uint64_t blocks;
    uint32_t count;
    uint32_t shards[DLS_STRETCH_SHARDS];
};

/* The stretch that holds `place` (< records). Takes a look at each shard before it, in the manifest. */
void dls_stretch_find(const struct dls_order_config *config, uint64_t epoch, uint64_t place,
                      struct dls_stretch *ret_stretch);
/* Stretch `number`, without its `first`, which stays 0. */
void dls_stretch_get(const struct dls_order_config *config, uint64_t epoch, uint64_t number,
                     struct dls_stretch *ret_stretch);
/* Goes on to the next one; false, and nothing is changed, if it was the last. */
bool dls_stretch_next(const struct dls_order_config *config, uint64_t epoch, struct dls_stretch *stretch);
/* The dataset's block that comes at `index` (< blocks) of the stretch. */
uint64_t dls_stretch_block(const struct dls_order_config *config, const struct dls_stretch *stretch,
                           uint64_t index);

/* A permutation of the `total` records of a group, the one whose first place is `first`: position → a number
 * in [0, total), which counts through the group's blocks in their order. Identity in mode NONE. */
uint64_t dls_order_sample(const struct dls_order_config *config, uint64_t epoch, uint64_t first,
                          uint64_t total, uint64_t position);

/* Mode FULL: places to records. */
void dls_order_full(const struct dls_order_config *config, uint64_t epoch, struct dls_permute *ret_permute);

#endif
