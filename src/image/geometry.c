/* SPDX-License-Identifier: Apache-2.0 */
#include "image/geometry.h"

#include "base/rng.h"

#include <assert.h>
#include <math.h>

#define TRIES 10
/* RandomResizedCrop's defaults. */
static const struct dls_random_crop default_crop = {0.08, 1.0, 3.0 / 4.0, 4.0 / 3.0};

/* Half to even, as Python rounds. */
static uint32_t round_even(double value)
{
    return value >= UINT32_MAX ? UINT32_MAX : (uint32_t)nearbyint(value);
}

static void center_box(uint32_t width, uint32_t height, uint32_t box_width, uint32_t box_height,
                       struct dls_box *ret_box)
{
    ret_box->x = (width - box_width) / 2;
    ret_box->y = (height - box_height) / 2;
    ret_box->width = box_width;
    ret_box->height = box_height;
}

static uint32_t clamp_side(uint32_t side, uint32_t limit)
{
    return side < 1 ? 1 : side > limit ? limit : side;
}

void dls_box_center(uint32_t width, uint32_t height, uint32_t aspect_width, uint32_t aspect_height,
                    struct dls_box *ret_box)
{
    uint64_t a = (uint64_t)width * aspect_height, b = (uint64_t)height * aspect_width;
    uint32_t box_width = width, box_height = height;
    if (a > b)
        box_width = clamp_side(round_even((double)b / aspect_height), width);
    else if (a < b)
        box_height = clamp_side(round_even((double)a / aspect_width), height);
    center_box(width, height, box_width, box_height, ret_box);
}

/* When no try fits: the whole picture, or its middle if it is longer than the ratios allow. */
static void fallback_box(const struct dls_random_crop *crop, uint32_t width, uint32_t height,
                         struct dls_box *ret_box)
{
    double ratio = (double)width / (double)height;
    uint32_t box_width = width, box_height = height;
    if (ratio < crop->ratio_min)
        box_height = clamp_side(round_even(width / crop->ratio_min), height);
    else if (ratio > crop->ratio_max)
        box_width = clamp_side(round_even(height * crop->ratio_max), width);
    center_box(width, height, box_width, box_height, ret_box);
}

static double uniform(struct dls_rng *rng, double from, double to)
{
    return from + (to - from) * dls_rng_double(rng);
}

void dls_box_random(const struct dls_random_crop *crop, uint32_t width, uint32_t height, struct dls_rng *rng,
                    struct dls_box *ret_box)
{
    assert(width >= 1 && height >= 1);
    if (!crop)
        crop = &default_crop;
    double area = (double)width * height, log_min = log(crop->ratio_min), log_max = log(crop->ratio_max);
    for (int i = 0; i < TRIES; i++) {
        double target = area * uniform(rng, crop->scale_min, crop->scale_max);
        double ratio = exp(uniform(rng, log_min, log_max));
        uint32_t box_width = round_even(sqrt(target * ratio)), box_height = round_even(sqrt(target / ratio));
        if (box_width < 1 || box_width > width || box_height < 1 || box_height > height)
            continue;
        ret_box->y = (uint32_t)dls_rng_below(rng, (uint64_t)height - box_height + 1);
        ret_box->x = (uint32_t)dls_rng_below(rng, (uint64_t)width - box_width + 1);
        ret_box->width = box_width;
        ret_box->height = box_height;
        return;
    }
    fallback_box(crop, width, height, ret_box);
}

void dls_view_choose(dls_crop crop, bool may_flip, uint32_t width, uint32_t height, uint32_t target_width,
                     uint32_t target_height, struct dls_rng *rng, struct dls_view *ret_view)
{
    struct dls_view view = {.box = {0, 0, width, height}};
    if (crop == DLS_CROP_RANDOM)
        dls_box_random(NULL, width, height, rng, &view.box);
    else if (crop == DLS_CROP_CENTER)
        dls_box_center(width, height, target_width, target_height, &view.box);
    if (may_flip)
        view.flip = dls_rng_u32(rng) >> 31;
    *ret_view = view;
}
