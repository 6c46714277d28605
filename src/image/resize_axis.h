/* SPDX-License-Identifier: Apache-2.0 */
/* For one direction of a resize: which pixels of the line, with which weights, make each pixel of the result.
 */
#ifndef DLS_IMAGE_RESIZE_AXIS_H
#define DLS_IMAGE_RESIZE_AXIS_H

#include "image/resize.h"
#include "image/resize_weigh.h"

/* Kernels take taps in groups of four. */
#define DLS_GROUP 4

/* What an axis is made from; two equal keys make equal axes. */
struct dls_axis_key {
    enum dls_filter filter;
    uint32_t in, out;      /* length of the line, before and after; below 2^31 */
    uint32_t first, count; /* the part of the result that is wanted */
    uint32_t origin;       /* where the pixels at hand begin: starts are counted from there */
    double offset, span;   /* the results show the line from `offset` on, so much of it; span 0: all of it */
    bool flip;             /* entries run from the part's last pixel to its first */
    bool gather; /* spans may begin early, with weights of zero, so that none needs groups that reach behind
                    the last span's end, if all groups fit before it */
};

struct dls_span {
    uint32_t start, length;
};

struct dls_axis {
    struct dls_axis_key key;
    uint32_t taps;          /* the most source pixels that a result has */
    uint32_t groups;        /* of DLS_GROUP taps in each result */
    uint32_t pitch;         /* from one result's weights to the next's: groups × DLS_GROUP */
    struct dls_span *spans; /* count entries, and DLS_AXIS_SPARE more that only exist */
    int32_t *weights;       /* count rows, zero behind a span's length, and DLS_AXIS_SPARE more numbers */
    double *work;
    int32_t *raw;
    size_t spans_size, weights_size, work_size, raw_size; /* allocated */
};

/* So that vectors may be loaded from the last entries. */
#define DLS_AXIS_SPARE 32

/* Makes *axis what `key` says; nothing is done (and *ret_changed false) if it is that already. *axis is all
 * zero at first. All weigh functions give the same. -ENOMEM. */
int dls_axis_set(struct dls_axis *axis, const struct dls_axis_key *key, dls_weigh_fn *weigh,
                 bool *ret_changed);
void dls_axis_free(struct dls_axis *axis);
/* The source pixels [*ret_first, *ret_first + *ret_count) that the key's results depend on, whatever its origin. */
void dls_axis_need(const struct dls_axis_key *key, uint32_t *ret_first, uint32_t *ret_count);
/* The same for a whole line: those [*ret_first, *ret_first + *ret_count) that results [first, first + count) depend on. */
void dls_axis_reach(enum dls_filter filter, uint32_t in, uint32_t out, uint32_t first, uint32_t count,
                    uint32_t *ret_first, uint32_t *ret_count);

#endif
