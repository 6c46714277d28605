/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a picture becomes the sample. Boxes are in upright coordinates unless a name says stored. */
#ifndef DLS_IMAGE_GEOMETRY_H
#define DLS_IMAGE_GEOMETRY_H

#include "decode/decode.h"
#include <dlshards/loader.h>
#include <stdbool.h>

struct dls_rng;

/* A resized side is never longer: the most that numbers of the resizer hold. */
#define DLS_RESIZED_MAX (1u << 30)

/* The box is resized and placed in the image with its corner at (left, top): what lies outside is cut off, what
 * it leaves free is padding. The image is mirrored as a whole. */
struct dls_view {
    struct dls_box box; /* upright coordinates */
    uint32_t resized_width, resized_height;
    int32_t left, top;
    bool flip;        /* mirror left to right */
    bool upside_down; /* mirror top to bottom; dls_view_choose() never does */
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

/* How pictures become images of width × height. */
struct dls_crop_spec {
    dls_crop crop;
    struct dls_random_crop random;
    uint32_t resize; /* the shorter side, before the crop; 0: none */
    uint32_t width, height;
    bool may_flip;
};
/* What `params`, which are resolved, ask for. */
void dls_crop_spec_init(const dls_loader_params *params, struct dls_crop_spec *ret_spec);

/* width, height: of the upright picture. The random numbers come from `rng`: first the box's, if it is
 * random, then the flip's (even odds), if it may be. With FIVE and TEN: the central view. */
void dls_view_choose(const struct dls_crop_spec *spec, uint32_t width, uint32_t height, struct dls_rng *rng,
                     struct dls_view *ret_view);
/* Images of each sample. */
uint32_t dls_crop_views(dls_crop crop);
/* View `index` of those of FIVE and TEN, made of the central one. */
void dls_view_turn(const struct dls_crop_spec *spec, uint32_t index, struct dls_view *view);
/* The part of the resized box that the image of width × height shows, and where it begins in the unmirrored image.
 * False if there is none. */
bool dls_view_part(const struct dls_view *view, uint32_t width, uint32_t height, struct dls_box *ret_part,
                   uint32_t *ret_left, uint32_t *ret_top);

/* True if the orientation exchanges width and height (5–8). */
bool dls_orientation_swaps(uint8_t orientation);
/* Whether it mirrors the picture, once width and height are exchanged, left to right and top to bottom. */
void dls_orientation_mirrors(uint8_t orientation, bool *ret_x, bool *ret_y);
/* The stored box that becomes upright box `box` of a picture of stored size width × height. */
void dls_box_to_stored(const struct dls_box *box, uint8_t orientation, uint32_t width, uint32_t height,
                       struct dls_box *ret_stored);
/* Turns stored pixels upright: *to has the turned size. Both in memory, not overlapping. */
void dls_orient(const struct dls_pixels *from, uint8_t orientation, const struct dls_pixels *to);

#endif
