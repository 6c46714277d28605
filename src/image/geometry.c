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

void dls_crop_spec_init(const dls_loader_params *params, struct dls_crop_spec *ret_spec)
{
    const double *scale = params->crop_scale, *ratio = params->crop_ratio;
    *ret_spec = (struct dls_crop_spec){.crop = params->crop,
                                       .random = default_crop,
                                       .resize = params->resize,
                                       .width = params->width,
                                       .height = params->height,
                                       .may_flip = params->flip != 0};
    if (scale[0] > 0) {
        ret_spec->random.scale_min = scale[0];
        ret_spec->random.scale_max = scale[1];
    }
    if (ratio[0] > 0) {
        ret_spec->random.ratio_min = ratio[0];
        ret_spec->random.ratio_max = ratio[1];
    }
}

/* Resize(short): the longer side is cut off to a whole number of pixels. */
static uint32_t longer_side(uint32_t wanted, uint32_t shorter, uint32_t longer)
{
    uint64_t side = (uint64_t)((double)((uint64_t)wanted * longer) / shorter);
    return side > DLS_RESIZED_MAX ? DLS_RESIZED_MAX : (uint32_t)side;
}

/* What lies before a centred line of `inner` pixels in one of `outer`, halves to even, as Python rounds. */
static int32_t before_center(uint32_t outer, uint32_t inner)
{
    return (int32_t)nearbyint(((double)outer - (double)inner) / 2.0);
}

/* Resize(resize) of all of it, and CenterCrop. */
static void resized_center(const struct dls_crop_spec *spec, struct dls_view *view)
{
    uint32_t width = view->box.width, height = view->box.height;
    view->resized_width = width <= height ? spec->resize : longer_side(spec->resize, height, width);
    view->resized_height = width <= height ? longer_side(spec->resize, width, height) : spec->resize;
    view->left = -before_center(view->resized_width, spec->width);
    view->top = -before_center(view->resized_height, spec->height);
}

/* ImageOps.pad(): the largest size of the picture's aspect ratio that fits, centred. */
static void contained(const struct dls_crop_spec *spec, struct dls_view *view)
{
    double width = view->box.width, height = view->box.height;
    double ratio = width / height, wanted = (double)spec->width / spec->height;
    if (ratio > wanted)
        view->resized_height = clamp_side(round_even(height / width * spec->width), spec->height);
    else if (ratio < wanted)
        view->resized_width = clamp_side(round_even(width / height * spec->height), spec->width);
    if (view->resized_width != spec->width)
        view->left = before_center(spec->width, view->resized_width);
    else
        view->top = before_center(spec->height, view->resized_height);
}

void dls_view_choose(const struct dls_crop_spec *spec, uint32_t width, uint32_t height, struct dls_rng *rng,
                     struct dls_view *ret_view)
{
    struct dls_view view = {.box = {0, 0, width, height},
                            .resized_width = spec->width,
                            .resized_height = spec->height};
    if (spec->crop == DLS_CROP_RANDOM)
        dls_box_random(&spec->random, width, height, rng, &view.box);
    else if (spec->crop == DLS_CROP_PAD)
        contained(spec, &view);
    else if (spec->crop != DLS_CROP_SQUASH && spec->resize > 0)
        resized_center(spec, &view);
    else if (spec->crop == DLS_CROP_CENTER)
        dls_box_center(width, height, spec->width, spec->height, &view.box);
    if (spec->may_flip)
        view.flip = dls_rng_u32(rng) >> 31;
    *ret_view = view;
}

uint32_t dls_crop_views(dls_crop crop)
{
    return crop == DLS_CROP_FIVE ? 5 : crop == DLS_CROP_TEN ? 10 : 1;
}

void dls_view_turn(const struct dls_crop_spec *spec, uint32_t index, struct dls_view *view)
{
    int32_t right = (int32_t)view->resized_width - (int32_t)spec->width;
    int32_t bottom = (int32_t)view->resized_height - (int32_t)spec->height;
    bool mirrored = index >= 5;
    uint32_t corner = index % 5;
    /* Counted in the picture as it is mirrored; the view's is before that. */
    int32_t left = corner == 4 ? -view->left : corner % 2 ? right : 0;
    if (corner != 4)
        view->top = corner / 2 ? -bottom : 0;
    view->left = mirrored ? left - right : -left;
    view->flip = mirrored;
}

/* One direction of dls_view_part(). */
static bool part_of_line(int32_t begin, uint32_t resized, uint32_t target, uint32_t *ret_first,
                         uint32_t *ret_count, uint32_t *ret_at)
{
    int64_t end = (int64_t)begin + resized;
    if (begin >= (int64_t)target || end <= 0)
        return false;
    *ret_first = begin < 0 ? (uint32_t)-(int64_t)begin : 0;
    *ret_at = begin < 0 ? 0 : (uint32_t)begin;
    *ret_count = (uint32_t)(end < target ? end : target) - *ret_at;
    return true;
}

bool dls_view_part(const struct dls_view *view, uint32_t width, uint32_t height, struct dls_box *ret_part,
                   uint32_t *ret_left, uint32_t *ret_top)
{
    return part_of_line(view->left, view->resized_width, width, &ret_part->x, &ret_part->width, ret_left) &&
           part_of_line(view->top, view->resized_height, height, &ret_part->y, &ret_part->height, ret_top);
}
