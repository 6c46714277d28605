/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of eight results at a time, one implementation a file, all giving the same numbers. The
 * arithmetic is Pillow's, operation by operation in double precision: any other order of the same sums would
 * now and then round a weight differently. */
#ifndef DLS_IMAGE_RESIZE_WEIGH_H
#define DLS_IMAGE_RESIZE_WEIGH_H

#include "image/resize.h"

/* Weights are whole numbers of 2^-22. */
#define DLS_WEIGHT_BITS 22
#define DLS_LANES 8

/* How a line of `in` pixels is filtered. */
struct dls_scale {
    enum dls_filter filter;
    int32_t in;
    double scale;   /* source pixels in a result */
    double support; /* half the filter's width in source pixels */
    double inverse; /* filter units in a source pixel */
    double offset;  /* where in the line the results begin */
};

struct dls_weighed {
    int32_t x[DLS_LANES];      /* given: which results */
    int32_t start[DLS_LANES];  /* the first source pixel of each */
    int32_t length[DLS_LANES]; /* how many */
    double *work;              /* DLS_LANES for each tap, aligned to 64 bytes */
    int32_t
        *weights; /* tap t of lane l at [t × DLS_LANES + l], zero behind a lane's length; aligned likewise */
};

typedef void dls_weigh_fn(const struct dls_scale *scale, struct dls_weighed *weighed);
dls_weigh_fn dls_weigh_portable, dls_weigh_avx2, dls_weigh_avx512;

static inline int32_t dls_longest(const struct dls_weighed *weighed)
{
    int32_t longest = 0;
    for (int l = 0; l < DLS_LANES; l++)
        longest = weighed->length[l] > longest ? weighed->length[l] : longest;
    return longest;
}

#endif
