/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a picture becomes the sample. Boxes are in upright coordinates unless a name says stored. */
#ifndef DLS_IMAGE_GEOMETRY_H
#define DLS_IMAGE_GEOMETRY_H

#include "decode/decode.h"
#include <dlshards/loader.h>
#include <stdbool.h>

struct dls_rng;

struct dls_view {
    struct dls_box box; /* upright coordinates */
    bool flip;          /* mirror left to right after resizing */
};

/* width, height: of the upright picture. The random numbers come from `rng`, in torchvision's order of use and with
 * its distributions (RandomResizedCrop.get_params: ten tries, then the central fallback; then the flip). */
void dls_view_choose(dls_crop crop, bool may_flip, uint32_t width, uint32_t height, uint32_t target_width,
                     uint32_t target_height, struct dls_rng *rng, struct dls_view *ret_view);

/* True if the orientation exchanges width and height (5–8). */
bool dls_orientation_swaps(uint8_t orientation);
/* The stored box that becomes upright box `box` of a picture of stored size width × height. */
void dls_box_to_stored(const struct dls_box *box, uint8_t orientation, uint32_t width, uint32_t height,
                       struct dls_box *ret_stored);
/* Turns stored pixels upright: *to has the turned size. Both in memory, not overlapping. */
void dls_orient(const struct dls_pixels *from, uint8_t orientation, const struct dls_pixels *to);

#endif
