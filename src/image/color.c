/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color.h"

#include "base/rng.h"
#include "image/color_kernel.h"

static const struct dls_color_kernel *forced; /* for tests */

void dls_color_use(const struct dls_color_kernel *kernel)
{
    forced = kernel;
}

static const struct dls_color_kernel *kernel(void)
{
    unsigned best = 0;
    if (forced != NULL)
        return forced;
    while (!dls_color_kernels[best]->usable())
        best++;
    return dls_color_kernels[best];
}

static uint8_t *row_of(const struct dls_pixels *pixels, uint32_t y)
{
    return pixels->data + y * pixels->stride;
}

static void blend_all(const struct dls_pixels *pixels, uint8_t base, float factor)
{
    const struct dls_color_kernel *best = kernel();
    for (uint32_t y = 0; y < pixels->height; y++)
        best->blend(row_of(pixels, y), 3 * (size_t)pixels->width, base, factor);
}

void dls_color_brightness(const struct dls_pixels *pixels, float factor)
{
    if (factor != 1.0f)
        blend_all(pixels, 0, factor);
}

void dls_color_contrast(const struct dls_pixels *pixels, float factor)
{
    const struct dls_color_kernel *best = kernel();
    uint64_t sum = 0;
    if (factor == 1.0f)
        return;
    for (uint32_t y = 0; y < pixels->height; y++)
        sum += best->luma_sum(row_of(pixels, y), pixels->width);
    blend_all(pixels, (uint8_t)((double)sum / ((double)pixels->width * pixels->height) + 0.5), factor);
}

void dls_color_saturation(const struct dls_pixels *pixels, float factor)
{
    const struct dls_color_kernel *best = kernel();
    if (factor == 1.0f)
        return;
    for (uint32_t y = 0; y < pixels->height; y++)
        best->saturate(row_of(pixels, y), pixels->width, factor);
}

void dls_color_hue(const struct dls_pixels *pixels, double turn)
{
    const struct dls_color_kernel *best = kernel();
    for (uint32_t y = 0; y < pixels->height; y++)
        best->turn(row_of(pixels, y), pixels->width, (uint8_t)(int)(turn * 255));
}

void dls_color_grey(const struct dls_pixels *pixels)
{
    const struct dls_color_kernel *best = kernel();
    for (uint32_t y = 0; y < pixels->height; y++)
        best->grey(row_of(pixels, y), pixels->width);
}

void dls_color_ranges_init(double brightness, double contrast, double saturation, double hue,
                           struct dls_color_ranges *ret_ranges)
{
    const double spread[DLS_COLOR_STEPS] = {brightness, contrast, saturation, hue};
    for (int step = 0; step < DLS_COLOR_STEPS; step++) {
        double middle = step == DLS_COLOR_HUE ? 0 : 1;
        ret_ranges->low[step] = middle - spread[step];
        ret_ranges->high[step] = middle + spread[step];
        if (step != DLS_COLOR_HUE && ret_ranges->low[step] < 0)
            ret_ranges->low[step] = 0;
    }
}

void dls_color_choose(const struct dls_color_ranges *ranges, struct dls_rng *rng,
                      struct dls_color_jitter *ret_jitter)
{
    struct dls_color_jitter jitter;
    for (int i = 0; i < DLS_COLOR_STEPS; i++) {
        int j = (int)dls_rng_below(rng, (uint64_t)i + 1);
        jitter.order[i] = jitter.order[j];
        jitter.order[j] = (enum dls_color_step)i;
    }
    for (int step = 0; step < DLS_COLOR_STEPS; step++) {
        double low = ranges->low[step], high = ranges->high[step], neutral = step == DLS_COLOR_HUE ? 0 : 1;
        jitter.use[step] = low != neutral || high != neutral;
        jitter.factor[step] = jitter.use[step] ? low + (high - low) * dls_rng_double(rng) : neutral;
    }
    *ret_jitter = jitter;
}

void dls_color_apply(const struct dls_color_jitter *jitter, const struct dls_pixels *pixels)
{
    for (int i = 0; i < DLS_COLOR_STEPS; i++) {
        enum dls_color_step step = jitter->order[i];
        double factor = jitter->factor[step];
        if (!jitter->use[step])
            continue;
        if (step == DLS_COLOR_BRIGHTNESS)
            dls_color_brightness(pixels, (float)factor);
        else if (step == DLS_COLOR_CONTRAST)
            dls_color_contrast(pixels, (float)factor);
        else if (step == DLS_COLOR_SATURATION)
            dls_color_saturation(pixels, (float)factor);
        else
            dls_color_hue(pixels, factor);
    }
}
