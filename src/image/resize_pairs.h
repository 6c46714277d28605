/* SPDX-License-Identifier: Apache-2.0 */
/* Weights as the SSE4.1 and AVX2 kernels want them: as pairs of 16-bit numbers, for the instruction that
 * multiplies two by two and adds the products. A weight is high × 2^11 + low, 0 ≤ low < 2^11. */
#ifndef DLS_IMAGE_RESIZE_PAIRS_H
#define DLS_IMAGE_RESIZE_PAIRS_H

#include "image/resize_axis.h"

#include <stddef.h>

#define DLS_LOW_BITS 11

/* Across a row, for vectors of `lanes` lanes of 16 bytes: blocks of 4 × lanes pixels, pixel v + 4 × lane in
 * lane `lane` of vector v. First where each begins, in bytes; then, for each block, vector and group, four
 * vectors: the high and low parts of taps 0 and 1, then of taps 2 and 3, each pair four times in its lane. */
size_t dls_pairs_size(const struct dls_axis *axis, uint32_t lanes);
void dls_pairs_pack(const struct dls_axis *axis, uint32_t lanes, void *packed);

/* Where the vectors begin. */
static inline size_t dls_pairs_starts_size(const struct dls_axis *axis, uint32_t lanes)
{
    size_t blocks = (axis->key.count + 4 * lanes - 1) / (4 * lanes);
    return (blocks * 4 * lanes * sizeof(uint32_t) + 63) & ~(size_t)63;
}

/* Down a column, for each group of each result: the pairs of taps 0 and 1 and of taps 2 and 3, high and low.
 */
struct dls_column_pairs {
    int32_t high01, low01, high23, low23;
};
size_t dls_columns_size(const struct dls_axis *axis);
void dls_columns_pack(const struct dls_axis *axis, void *packed);

#endif
