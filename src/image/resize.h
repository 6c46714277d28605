/* SPDX-License-Identifier: Apache-2.0 */
/* Pillow's resize to the bit, as of its version 13: antialiased, fixed-point (22 bits), in two passes. The
 * horizontal one is first, unless the height shrinks by more than twice as many pixels as the width. */
#ifndef DLS_IMAGE_RESIZE_H
#define DLS_IMAGE_RESIZE_H

#include "decode/decode.h"
#include <dlshards/loader.h>
#include <stdbool.h>

/* Scratch reused for picture after picture by one thread; grows only when a picture needs more. */
struct dls_resizer;
int dls_resizer_create(struct dls_resizer **ret_resizer);
void dls_resizer_free(struct dls_resizer **resizer);

/* Room for pictures of up to width × height, so that resizing these to to_width × to_height allocates
 * nothing. -ENOMEM. */
int dls_resizer_reserve(struct dls_resizer *resizer, enum dls_filter filter, uint32_t width, uint32_t height,
                        uint32_t to_width, uint32_t to_height);
/* Resizes all of `from` to all of `to` (equal to Image.resize(size, filter) of the cropped picture), mirrored
 * left to right if `flip`. -ENOMEM. */
int dls_resize(struct dls_resizer *resizer, enum dls_filter filter, const struct dls_pixels *from, bool flip,
               const struct dls_pixels *to);

/* Resize and then cut: a picture of width × height becomes to_width × to_height, of which only `part` is
 * wanted. */
struct dls_resize_job {
    enum dls_filter filter;
    uint32_t width, height;
    uint32_t to_width, to_height;
    struct dls_box part; /* in the resized picture */
    struct dls_box
        source;          /* which part of the picture `from` holds: at least what dls_resize_source() says */
    double offset_x, offset_y, span_x, span_y; /* not all of the picture becomes to_width × to_height, but so much of it from
                                                  there on; spans of 0: all */
    bool flip_x, flip_y; /* mirror the part, left to right or top to bottom */
};

/* The part of the picture on which job->part depends. */
void dls_resize_source(const struct dls_resize_job *job, struct dls_box *ret_source);
/* from has the size of job->source, to that of job->part. -ENOMEM. */
int dls_resize_part(struct dls_resizer *resizer, const struct dls_resize_job *job,
                    const struct dls_pixels *from, const struct dls_pixels *to);

#endif
