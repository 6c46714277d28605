/* SPDX-License-Identifier: Apache-2.0 */
/* Which record next: a pure function of (dataset uuid, seed, epoch, mode, window), never of time or threads.
 */
#ifndef DLS_ORDER_ORDER_H
#define DLS_ORDER_ORDER_H

#include <dlshards/loader.h>
#include <stdint.h>

struct dls_order_config {
    uint8_t uuid[16];
    uint64_t seed;
    dls_order mode;
    uint64_t blocks; /* of the dataset */
    uint32_t window; /* blocks in a group */
};

/* Groups in an epoch; the last may be smaller. */
uint64_t dls_order_groups(const struct dls_order_config *config);
/* Blocks in group `group`. */
uint32_t dls_order_group_blocks(const struct dls_order_config *config, uint64_t group);
/* The dataset's block that stands at place `index` (0 …) of group `group`. */
uint64_t dls_order_block(const struct dls_order_config *config, uint64_t epoch, uint64_t group,
                         uint32_t index);
/* A permutation of the group's records: place `position` of `total` → a number in [0, total), which counts
 * through the group's blocks in the order of dls_order_block(). Identity in mode NONE. */
uint64_t dls_order_sample(const struct dls_order_config *config, uint64_t epoch, uint64_t group,
                          uint64_t total, uint64_t position);

#endif
