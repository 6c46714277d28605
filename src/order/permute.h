/* SPDX-License-Identifier: Apache-2.0 */
/* A keyed permutation of [0, count) in O(1) memory: a balanced Feistel network over the next even number of bits,
 * walked along its cycle until the value lies below count. */
#ifndef DLS_ORDER_PERMUTE_H
#define DLS_ORDER_PERMUTE_H

#include <stdint.h>

struct dls_permute {
    uint64_t count;
    uint64_t keys[6]; /* a round each */
    unsigned half_bits;
};

/* count ≥ 1. */
void dls_permute_init(struct dls_permute *permute, uint64_t count, uint64_t key_a, uint64_t key_b);
uint64_t dls_permute_at(const struct dls_permute *permute, uint64_t index);
/* The index at which `value` stands. */
uint64_t dls_permute_find(const struct dls_permute *permute, uint64_t value);

#endif
