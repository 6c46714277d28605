/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color.h"

#include "base/rng.h"

#include <string.h>

/* Between `base` and `value`, or beyond: Pillow's blend, in single precision, cut off to whole numbers. */
static inline uint8_t blend(int base, int value, float factor)
{
    float mixed = (float)base + factor * (float)(value - base);
    mixed = mixed > 0.0f ? mixed : 0.0f;
    mixed = mixed < 255.0f ? mixed : 255.0f;
    return (uint8_t)(int)mixed;
}

/* ITU-R 601 in 16-bit fixed point, rounded. */
static inline uint8_t luma(const uint8_t *rgb)
{
    return (uint8_t)((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
}

static uint8_t *row_of(const struct dls_pixels *pixels, uint32_t y)
{
    return pixels->data + y * pixels->stride;
}

/* Every byte is blended with the same base. */
static void blend_all(const struct dls_pixels *pixels, int base, float factor)
{
    uint8_t table[256];
    for (int value = 0; value < 256; value++)
        table[value] = blend(base, value, factor);
    for (uint32_t y = 0; y < pixels->height; y++) {
        uint8_t *row = row_of(pixels, y);
        for (size_t i = 0; i < 3 * (size_t)pixels->width; i++)
            row[i] = table[row[i]];
    }
}

void dls_color_brightness(const struct dls_pixels *pixels, float factor)
{
    if (factor != 1.0f)
        blend_all(pixels, 0, factor);
}

static uint8_t mean_luma(const struct dls_pixels *pixels)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < pixels->height; y++) {
        const uint8_t *row = row_of(pixels, y);
        for (uint32_t x = 0; x < pixels->width; x++)
            sum += luma(row + 3 * (size_t)x);
    }
    return (uint8_t)((double)sum / ((double)pixels->width * pixels->height) + 0.5);
}

void dls_color_contrast(const struct dls_pixels *pixels, float factor)
{
    if (factor != 1.0f)
        blend_all(pixels, mean_luma(pixels), factor);
}

/* Runs of a fixed length, which a compiler turns into vector code. */
#define RUN 64

static void saturate_run(uint8_t *pixels, float factor)
{
    uint8_t base[3 * RUN];
    for (size_t i = 0; i < RUN; i++)
        base[3 * i] = base[3 * i + 1] = base[3 * i + 2] = luma(pixels + 3 * i);
    for (size_t i = 0; i < sizeof(base); i++)
        pixels[i] = blend(base[i], pixels[i], factor);
}

void dls_color_saturation(const struct dls_pixels *pixels, float factor)
{
    if (factor == 1.0f)
        return;
    for (uint32_t y = 0; y < pixels->height; y++) {
        uint8_t *row = row_of(pixels, y), rest[3 * RUN] = {0};
        size_t x = 0;
        for (; x + RUN <= pixels->width; x += RUN)
            saturate_run(row + 3 * x, factor);
        if (x == pixels->width)
            continue;
        memcpy(rest, row + 3 * x, 3 * (pixels->width - x));
        saturate_run(rest, factor);
        memcpy(row + 3 * x, rest, 3 * (pixels->width - x));
    }
}

void dls_color_grey(const struct dls_pixels *pixels)
{
    for (uint32_t y = 0; y < pixels->height; y++) {
        uint8_t *row = row_of(pixels, y);
        for (uint32_t x = 0; x < pixels->width; x++, row += 3)
            row[0] = row[1] = row[2] = luma(row);
    }
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
