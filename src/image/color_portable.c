/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color_kernel.h"

#include <string.h>

static bool usable(void)
{
    return true;
}

/* Between `base` and `value`, or beyond: Pillow's blend, in single precision, cut off to whole numbers. */
static inline uint8_t mix(int base, int value, float factor)
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

static void blend(uint8_t *row, size_t bytes, uint8_t base, float factor)
{
    for (size_t i = 0; i < bytes; i++)
        row[i] = mix(base, row[i], factor);
}

static uint64_t luma_sum(const uint8_t *row, size_t pixels)
{
    uint64_t sum = 0;
    for (size_t x = 0; x < pixels; x++)
        sum += luma(row + 3 * x);
    return sum;
}

/* Runs of a fixed length, which a compiler turns into vector code. */
#define RUN 64

static void saturate_run(uint8_t *pixels, float factor)
{
    uint8_t base[3 * RUN];
    for (size_t i = 0; i < RUN; i++)
        base[3 * i] = base[3 * i + 1] = base[3 * i + 2] = luma(pixels + 3 * i);
    for (size_t i = 0; i < sizeof(base); i++)
        pixels[i] = mix(base[i], pixels[i], factor);
}

static void saturate(uint8_t *row, size_t pixels, float factor)
{
    uint8_t rest[3 * RUN] = {0};
    size_t x = 0;
    for (; x + RUN <= pixels; x += RUN)
        saturate_run(row + 3 * x, factor);
    if (x == pixels)
        return;
    memcpy(rest, row + 3 * x, 3 * (pixels - x));
    saturate_run(rest, factor);
    memcpy(row + 3 * x, rest, 3 * (pixels - x));
}

static void grey(uint8_t *row, size_t pixels)
{
    for (size_t x = 0; x < pixels; x++, row += 3)
        row[0] = row[1] = row[2] = luma(row);
}

const struct dls_color_kernel dls_color_portable = {.name = "portable",
                                                    .usable = usable,
                                                    .blend = blend,
                                                    .luma_sum = luma_sum,
                                                    .saturate = saturate,
                                                    .grey = grey,
                                                    .turn = dls_color_turn_portable};
