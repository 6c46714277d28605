/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to what a network takes, in one pass: ToTensor() and Normalize(mean, std) of torchvision, to the last
 * bit: (x / 255 - mean) / std with each step rounded to float32, then (for the 16-bit types) to nearest, ties
 * to even. */
#ifndef DLS_IMAGE_NORMALIZE_H
#define DLS_IMAGE_NORMALIZE_H

#include "decode/decode.h"

#include <dlshards/batch.h>
#include <stdbool.h>

enum dls_element { DLS_ELEMENT_FLOAT32 = 0, DLS_ELEMENT_FLOAT16 = 1, DLS_ELEMENT_BFLOAT16 = 2 };

struct dls_normalize_kernel;

/* Filled by dls_normalize_init(), then only read: threads may share it. */
struct dls_normalizer {
    enum dls_element element;
    enum dls_layout layout;
    float mean[3], std[3], inverse[3]; /* inverse: 1 / std */
    bool short_cut;     /* products with 1 / 255 and 1 / std, corrected once each, give the exact quotients */
    float wide[3][256]; /* every possible result */
    uint16_t narrow[3][256]; /* the same in a 16-bit type */
    const struct dls_normalize_kernel *kernel;
};

/* mean, std: of red, green, blue, in units of the full scale. -EINVAL: one is not finite, or a std is not
 * above 0. */
int dls_normalize_init(struct dls_normalizer *normalizer, enum dls_element element, enum dls_layout layout,
                       const float mean[3], const float std[3]);
size_t dls_element_size(enum dls_element element);
/* Writes 3 × width × height elements without gaps, aligned to their size, to ret_elements. */
void dls_normalize(const struct dls_normalizer *normalizer, const struct dls_pixels *from,
                   void *ret_elements);
/* The bytes themselves as three planes without gaps. */
void dls_planes(const struct dls_pixels *from, uint8_t *ret_planes);

/* A row of `width` pixels; to[]: where red, green and blue go if there are planes, else to[0] alone. */
struct dls_normalize_kernel {
    const char *name;
    bool (*usable)(void);
    void (*row)(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                void *const to[3]);
};

/* From the fastest to the plainest, ending with NULL; the last works everywhere and for all numbers, the
 * others only with `short_cut`. */
extern const struct dls_normalize_kernel *const dls_normalize_kernels[];
extern const struct dls_normalize_kernel dls_normalize_portable;
extern const struct dls_normalize_kernel dls_normalize_avx2, dls_normalize_avx512; /* on x86-64 only */

#endif
