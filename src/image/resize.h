/* SPDX-License-Identifier: Apache-2.0 */
/* Pillow's resize to the bit: antialiased, fixed-point (22 bits), horizontal pass first, then vertical. */
#ifndef DLS_IMAGE_RESIZE_H
#define DLS_IMAGE_RESIZE_H

#include "decode/decode.h"
#include <stdbool.h>

enum dls_filter { DLS_FILTER_BILINEAR = 0, DLS_FILTER_BICUBIC = 1 };

/* Scratch reused for picture after picture by one thread; grows only when a picture needs more. */
struct dls_resizer;
int dls_resizer_create(struct dls_resizer **ret_resizer);
void dls_resizer_free(struct dls_resizer **resizer);
/* Resizes all of `from` to all of `to` (equal to Image.resize(size, filter) of the cropped picture), mirrored left to
 * right if `flip`. -ENOMEM. */
int dls_resize(struct dls_resizer *resizer, enum dls_filter filter, const struct dls_pixels *from, bool flip,
               const struct dls_pixels *to);

#endif
