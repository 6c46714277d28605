/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"
#include "image/geometry.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* 3 × 2 pixels a b c / d e f, upright by each orientation as Pillow's exif_transpose() gives them. */
Test(orient, each_orientation_of_a_small_picture)
{
    static const char *const upright[9] = {"abcdef", "abcdef", "cbafed", "fedcba", "defabc",
                                           "adbecf", "daebfc", "fcebda", "cfbead"};
    uint8_t stored[18], turned[18];
    for (unsigned i = 0; i < 6; i++)
        memset(stored + 3 * i, 'a' + (int)i, 3);
    for (uint8_t orientation = 0; orientation <= 8; orientation++) {
        bool swaps = dls_orientation_swaps(orientation);
        cr_assert_eq(swaps, orientation >= 5);
        const struct dls_pixels from = {stored, 3, 2, 9};
        const struct dls_pixels to = {turned, swaps ? 2 : 3, swaps ? 3 : 2, swaps ? 6 : 9};
        dls_orient(&from, orientation, &to);
        for (unsigned i = 0; i < 18; i++)
            cr_assert_eq(turned[i], upright[orientation][i / 3], "orientation %u byte %u", orientation, i);
    }
}

static struct dls_pixels make_pixels(uint32_t width, uint32_t height, size_t gap)
{
    struct dls_pixels pixels = {NULL, width, height, 3 * (size_t)width + gap};
    pixels.data = malloc(pixels.stride * (height - 1) + 3 * (size_t)width);
    cr_assert_not_null(pixels.data);
    return pixels;
}

/* Where upright pixel (x, y) is stored, told pixel by pixel. */
static const uint8_t *stored_pixel(const struct dls_pixels *stored, uint8_t orientation, uint32_t x,
                                   uint32_t y)
{
    uint32_t w = stored->width - 1, h = stored->height - 1;
    const uint32_t places[9][2] = {{x, y}, {x, y},     {w - x, y},     {w - x, h - y}, {x, h - y},
                                   {y, x}, {y, h - x}, {w - y, h - x}, {w - y, x}};
    return stored->data + places[orientation][1] * stored->stride + 3 * (size_t)places[orientation][0];
}

Test(orient, random_sizes)
{
    struct dls_rng rng;
    dls_rng_init(&rng, 1, 0, 0);
    for (int i = 0; i < 400; i++) {
        uint8_t orientation = (uint8_t)(1 + i % 8);
        uint32_t limit = i % 3 ? 20 : 150;
        uint32_t width = 1 + (uint32_t)dls_rng_below(&rng, limit),
                 height = 1 + (uint32_t)dls_rng_below(&rng, limit);
        bool swaps = dls_orientation_swaps(orientation);
        struct dls_pixels from = make_pixels(width, height, dls_rng_below(&rng, 3) * 5);
        struct dls_pixels to =
            make_pixels(swaps ? height : width, swaps ? width : height, dls_rng_below(&rng, 3) * 7);
        for (size_t b = 0; b < from.stride * (height - 1) + 3 * (size_t)width; b++)
            from.data[b] = (uint8_t)dls_rng_u32(&rng);
        memset(to.data, 0xA5, to.stride * (to.height - 1) + 3 * (size_t)to.width);
        dls_orient(&from, orientation, &to);
        for (uint32_t y = 0; y < to.height; y++) {
            const uint8_t *row = to.data + y * to.stride;
            for (uint32_t x = 0; x < to.width; x++)
                cr_assert_arr_eq(row + 3 * (size_t)x, stored_pixel(&from, orientation, x, y), 3);
            if (y + 1 < to.height)
                for (size_t b = 3 * (size_t)to.width; b < to.stride; b++)
                    cr_assert_eq(row[b], 0xA5);
        }
        free(from.data);
        free(to.data);
    }
}

/* Cutting the stored box and turning it is the same as turning the whole and cutting the upright box. */
Test(orient, box_to_stored)
{
    struct dls_rng rng;
    dls_rng_init(&rng, 2, 0, 0);
    for (int i = 0; i < 800; i++) {
        uint8_t orientation = (uint8_t)(i % 9);
        uint32_t width = 1 + (uint32_t)dls_rng_below(&rng, 30),
                 height = 1 + (uint32_t)dls_rng_below(&rng, 30);
        bool swaps = dls_orientation_swaps(orientation);
        struct dls_pixels from = make_pixels(width, height, 0);
        for (size_t b = 0; b < from.stride * height; b++)
            from.data[b] = (uint8_t)dls_rng_u32(&rng);
        uint32_t up_width = swaps ? height : width, up_height = swaps ? width : height;
        struct dls_box box, stored;
        box.x = (uint32_t)dls_rng_below(&rng, up_width);
        box.y = (uint32_t)dls_rng_below(&rng, up_height);
        box.width = 1 + (uint32_t)dls_rng_below(&rng, up_width - box.x);
        box.height = 1 + (uint32_t)dls_rng_below(&rng, up_height - box.y);
        dls_box_to_stored(&box, orientation, width, height, &stored);
        cr_assert_leq(stored.x + stored.width, width);
        cr_assert_leq(stored.y + stored.height, height);
        const struct dls_pixels part = {from.data + stored.y * from.stride + 3 * (size_t)stored.x,
                                        stored.width, stored.height, from.stride};
        struct dls_pixels turned = make_pixels(box.width, box.height, 0);
        dls_orient(&part, orientation, &turned);
        for (uint32_t y = 0; y < box.height; y++)
            for (uint32_t x = 0; x < box.width; x++)
                cr_assert_arr_eq(turned.data + y * turned.stride + 3 * (size_t)x,
                                 stored_pixel(&from, orientation, box.x + x, box.y + y), 3);
        free(from.data);
        free(turned.data);
    }
}
