/* SPDX-License-Identifier: Apache-2.0 */
/* For one direction of a resize: which pixels of the line, with which weights, make each pixel of the result.
 */
#ifndef DLS_IMAGE_RESIZE_AXIS_H
#define DLS_IMAGE_RESIZE_AXIS_H

#include "image/resize.h"

/* Weights are whole numbers of 2^-22. */
#define DLS_WEIGHT_BITS 22

/* What an axis is made from; two equal keys make equal axes. */
struct dls_axis_key {
    enum dls_filter filter;
    uint32_t in, out;      /* length of the line, before and after */
    uint32_t first, count; /* the part of the result that is wanted */
    uint32_t origin;       /* where the pixels at hand begin: starts are counted from there */
    bool flip;             /* entries run from the part's last pixel to its first */
};

struct dls_span {
    uint32_t start, length;
};

struct dls_axis {
    struct dls_axis_key key;
    uint32_t taps;          /* the most source pixels that a result has */
    uint32_t pitch;         /* from one result's weights to the next's, ≥ taps */
    struct dls_span *spans; /* count entries */
    int32_t *weights;       /* count rows, zero behind a span's length */
    double *work;
    size_t spans_size, weights_size, work_size; /* allocated */
};

/* Makes *axis what `key` says; nothing is done (and *ret_changed false) if it is that already. *axis is all
 * zero at first. -ENOMEM. */
int dls_axis_set(struct dls_axis *axis, const struct dls_axis_key *key, bool *ret_changed);
void dls_axis_free(struct dls_axis *axis);
/* The source pixels [*ret_first, *ret_first + *ret_count) that results [first, first + count) depend on. */
void dls_axis_reach(enum dls_filter filter, uint32_t in, uint32_t out, uint32_t first, uint32_t count,
                    uint32_t *ret_first, uint32_t *ret_count);

#endif
