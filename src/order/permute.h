/* SPDX-License-Identifier: Apache-2.0 */
/* A keyed permutation of [0, count) in O(1) memory: a Feistel network over exactly the bits that count - 1
 * needs (its halves differ by one bit when their number is odd), walked along its cycle until the value lies
 * below count. On average that takes fewer than two rounds of walking, whatever the count. The result is then
 * rotated by a keyed amount, so that every value is equally likely at every place. Too few bits mix badly: up
 * to 16 values are a shuffled table. */
#ifndef DLS_ORDER_PERMUTE_H
#define DLS_ORDER_PERMUTE_H

#include <stdint.h>

#define DLS_PERMUTE_ROUNDS 6
#define DLS_PERMUTE_TABLE 16

struct dls_permute {
    uint64_t count;
    uint64_t table;    /* count ≤ DLS_PERMUTE_TABLE: the value at place i in bits 4i to 4i + 3 */
    uint64_t rotation; /* in [0, count) */
    uint64_t keys[DLS_PERMUTE_ROUNDS];
    uint64_t high_mask, low_mask; /* of the two halves, each moved down to bit 0 */
    unsigned low_bits;
};

/* count ≥ 1. */
void dls_permute_init(struct dls_permute *permute, uint64_t count, uint64_t key_a, uint64_t key_b);
/* index < count. */
uint64_t dls_permute_at(const struct dls_permute *permute, uint64_t index);
/* The index at which `value` stands; value < count. */
uint64_t dls_permute_find(const struct dls_permute *permute, uint64_t value);

#endif
