/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels with packed weights have in common: taps are taken in groups of four, all results having
 * as many groups. Results with fewer taps get weights of zero in front or behind; those in front keep the
 * last results from looking far behind the row's end. */
#ifndef DLS_IMAGE_RESIZE_PACK_H
#define DLS_IMAGE_RESIZE_PACK_H

#include "image/resize_axis.h"

#define DLS_GROUP 4

static inline uint32_t dls_groups(const struct dls_axis *axis)
{
    return (axis->taps + DLS_GROUP - 1) / DLS_GROUP;
}

/* The end of the last span: pixels before it are there to be read. */
static inline uint32_t dls_reach(const struct dls_axis *axis)
{
    const struct dls_span *first = &axis->spans[0], *last = &axis->spans[axis->key.count - 1];
    uint32_t a = first->start + first->length, b = last->start + last->length;
    return a > b ? a : b;
}

/* Where the groups of result i begin: all of them end before `reach`, or begin at 0. */
static inline uint32_t dls_group_start(const struct dls_axis *axis, uint32_t i, uint32_t reach)
{
    uint32_t size = dls_groups(axis) * DLS_GROUP, latest = reach > size ? reach - size : 0;
    return axis->spans[i].start < latest ? axis->spans[i].start : latest;
}

/* The weight of source pixel x for result i. */
static inline int32_t dls_weight(const struct dls_axis *axis, uint32_t i, uint32_t x)
{
    const struct dls_span *span = &axis->spans[i];
    return x - span->start < span->length ? axis->weights[(size_t)i * axis->pitch + (x - span->start)] : 0;
}

/* Two 16-bit numbers for a multiply-and-add of pairs: a weight is high × 2^11 + low, 0 ≤ low < 2^11. */
#define DLS_LOW_BITS 11

static inline int32_t dls_pair(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)(a & 0xFFFF) | (uint32_t)b << 16);
}

static inline int32_t dls_high_pair(int32_t a, int32_t b)
{
    return dls_pair(a >> DLS_LOW_BITS, b >> DLS_LOW_BITS);
}

static inline int32_t dls_low_pair(int32_t a, int32_t b)
{
    return dls_pair(a & ((1 << DLS_LOW_BITS) - 1), b & ((1 << DLS_LOW_BITS) - 1));
}

/* The layout for kernels that work on pairs, `lanes` lanes of 16 bytes in a vector: blocks of 4 × lanes
 * pixels, pixel v + 4 × lane in lane `lane` of vector v. First all blocks' starts in bytes; then, for each
 * block, vector and group, four vectors: the high and low parts of taps 0 and 1, then of taps 2 and 3, each
 * pair four times in its lane. */
size_t dls_pairs_size(const struct dls_axis *axis, uint32_t lanes);
void dls_pairs_pack(const struct dls_axis *axis, uint32_t lanes, void *packed);

/* Down a column: for each result and each two of its taps, high pair and low pair. */
size_t dls_columns_size(const struct dls_axis *axis);
void dls_columns_pack(const struct dls_axis *axis, void *packed);

static inline size_t dls_pairs_starts_size(const struct dls_axis *axis, uint32_t lanes)
{
    size_t blocks = (axis->key.count + 4 * lanes - 1) / (4 * lanes);
    return (blocks * 4 * lanes * sizeof(uint32_t) + 63) & ~(size_t)63;
}

static inline uint32_t dls_column_pairs(const struct dls_axis *axis)
{
    return (axis->taps + 1) / 2;
}

#endif
