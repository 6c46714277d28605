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
    bool upside_down;   /* mirror top to bottom after resizing; dls_view_choose() never does */
};

/* RandomResizedCrop's arguments: the box's share of the area, and its width / height. */
struct dls_random_crop {
    double scale_min, scale_max, ratio_min, ratio_max;
};

/* torchvision's RandomResizedCrop.get_params(), its distributions and its order of draws: ten tries of a
 * uniform area and a uniform logarithm of the ratio, else the central box nearest to those ratios. crop NULL:
 * 0.08, 1, 3/4, 4/3. */
void dls_box_random(const struct dls_random_crop *crop, uint32_t width, uint32_t height, struct dls_rng *rng,
                    struct dls_box *ret_box);
/* The largest centred box of the aspect ratio aspect_width : aspect_height. */
void dls_box_center(uint32_t width, uint32_t height, uint32_t aspect_width, uint32_t aspect_height,
                    struct dls_box *ret_box);

/* width, height: of the upright picture. The random numbers come from `rng`: first the box's, if it is
 * random, then the flip's (even odds), if it may be. */
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
