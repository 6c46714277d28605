/* SPDX-License-Identifier: Apache-2.0 */
/* Weights as the AVX-512 kernel wants them. A weight is three signed bytes, a × 2^16 + b × 2^8 + c: one
 * instruction (VNNI) multiplies four pixels by four such digits and adds them to a 32-bit sum, and the pixels
 * need not be widened. */
#ifndef DLS_IMAGE_RESIZE_AVX512_H
#define DLS_IMAGE_RESIZE_AVX512_H

#include "image/resize_axis.h"

#include <stddef.h>

#define DLS_AVX512 target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vnni")

/* How the horizontal pass fetches pixels. NARROW: 16 bytes of the result in turn (red, green, blue, red …)
 * are the lanes of a vector, all made from one load of 64 bytes. WIDE, when the picture shrinks so much that
 * 64 bytes do not hold what 16 results need: four pixels in turn, from a load of 16 bytes each. */
enum { DLS_NARROW_BYTES = 16, DLS_WIDE_PIXELS = 4 };

struct dls_across_header {
    uint32_t wide, blocks, groups, unused[13];
};

/* A block of either kind. Behind it, for each group, come three vectors of 16 lanes: the digits a, b and c.
 * The number of narrow blocks is a multiple of four. */
struct dls_across_block {
    uint32_t starts[DLS_WIDE_PIXELS], unused[12]; /* in bytes; NARROW has one */
    uint8_t index[64]; /* NARROW: which byte of the load is which tap of which lane */
};

static inline size_t dls_across_block_size(uint32_t groups)
{
    return sizeof(struct dls_across_block) + (size_t)groups * 3 * 64;
}

size_t dls_across_size(const struct dls_axis *axis);
void dls_across_pack(const struct dls_axis *axis, void *packed);

/* Down a column: four groups at a time, their digits a, then b, then c. */
struct dls_digits4 {
    uint32_t a[4], b[4], c[4];
};
size_t dls_down_size(const struct dls_axis *axis);
void dls_down_pack(const struct dls_axis *axis, void *packed);

#endif
