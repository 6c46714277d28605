/* SPDX-License-Identifier: Apache-2.0 */
/* Colour jitter and greyscale, in place, with the arithmetic of torchvision's functions on Pillow images, to
 * the bit. */
#ifndef DLS_IMAGE_COLOR_H
#define DLS_IMAGE_COLOR_H

#include "decode/decode.h"
#include <stdbool.h>

struct dls_rng;

/* factor ≥ 0; 1 changes nothing. Brightness 0 is black, contrast 0 the mean grey, saturation 0 greyscale. */
void dls_color_brightness(const struct dls_pixels *pixels, float factor);
void dls_color_contrast(const struct dls_pixels *pixels, float factor);
void dls_color_saturation(const struct dls_pixels *pixels, float factor);
/* Turns the hue by `turn` of the full circle, -0.5 to 0.5. Even 0 goes by way of HSV, which rounds. */
void dls_color_hue(const struct dls_pixels *pixels, double turn);
/* All three channels become the luma. */
void dls_color_grey(const struct dls_pixels *pixels);

enum dls_color_step {
    DLS_COLOR_BRIGHTNESS,
    DLS_COLOR_CONTRAST,
    DLS_COLOR_SATURATION,
    DLS_COLOR_HUE,
    DLS_COLOR_STEPS
};

/* ColorJitter's arguments as ranges: lowest and highest factor of each step. A step whose range holds only
 * the factor that changes nothing (1, for hue 0) is left out. */
struct dls_color_ranges {
    double low[DLS_COLOR_STEPS], high[DLS_COLOR_STEPS];
};
/* What one picture gets: the steps in random order, each with its factor. */
struct dls_color_jitter {
    enum dls_color_step order[DLS_COLOR_STEPS];
    bool use[DLS_COLOR_STEPS];
    double factor[DLS_COLOR_STEPS];
};

/* ColorJitter(brightness, contrast, saturation, hue): factors within 1 ± the number (not below 0), a hue
 * within ± it. */
void dls_color_ranges_init(double brightness, double contrast, double saturation, double hue,
                           struct dls_color_ranges *ret_ranges);
/* torchvision's ColorJitter.get_params(): a permutation of the steps, then their factors, uniform in the
 * ranges. */
void dls_color_choose(const struct dls_color_ranges *ranges, struct dls_rng *rng,
                      struct dls_color_jitter *ret_jitter);
void dls_color_apply(const struct dls_color_jitter *jitter, const struct dls_pixels *pixels);

#endif
