/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/png_convert.h"

#include "base/bytes.h"

static void grey(uint8_t *to, uint8_t value)
{
    to[0] = to[1] = to[2] = value;
}

/* Sample x of a row of 1-, 2- or 4-bit samples, the first in the highest bits. */
static unsigned packed(const uint8_t *row, uint32_t x, unsigned depth)
{
    size_t bit = (size_t)x * depth;
    return row[bit / 8] >> (8 - depth - bit % 8) & ((1u << depth) - 1);
}

#define PACKED_GREY(depth, scale)                                                                            \
    static void grey##depth(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette,          \
                            uint8_t *to)                                                                     \
    {                                                                                                        \
        (void)palette;                                                                                       \
        for (uint32_t i = 0; i < width; i++)                                                                 \
            grey(to + 3 * (size_t)i, (uint8_t)(packed(row, x + i, depth) * scale));                          \
    }
PACKED_GREY(1, 255)
PACKED_GREY(2, 85)
PACKED_GREY(4, 17)

static void grey8(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    for (uint32_t i = 0; i < width; i++)
        grey(to + 3 * (size_t)i, row[(size_t)x + i]);
}

/* Pillow does not scale 16-bit grey, it clips: what is above 255 is white. */
static void grey16(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    for (uint32_t i = 0; i < width; i++) {
        uint16_t value = dls_get16(row + 2 * ((size_t)x + i));
        grey(to + 3 * (size_t)i, value > 255 ? 255 : (uint8_t)value);
    }
}

static void grey_alpha8(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    for (uint32_t i = 0; i < width; i++)
        grey(to + 3 * (size_t)i, row[2 * ((size_t)x + i)]);
}

/* With alpha, or in colour, 16 bits become their upper 8. */
static void grey_alpha16(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    for (uint32_t i = 0; i < width; i++)
        grey(to + 3 * (size_t)i, row[4 * ((size_t)x + i) + 1]);
}

static void rgb8(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    memcpy(to, row + 3 * (size_t)x, 3 * (size_t)width);
}

static void rgb16(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    const uint8_t *from = row + 6 * (size_t)x;
    for (size_t i = 0; i < 3 * (size_t)width; i++)
        to[i] = from[2 * i + 1];
}

static void rgba8(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    const uint8_t *from = row + 4 * (size_t)x;
    for (uint32_t i = 0; i < width; i++, from += 4, to += 3)
        memcpy(to, from, 3);
}

static void rgba16(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    (void)palette;
    const uint8_t *from = row + 8 * (size_t)x;
    for (uint32_t i = 0; i < width; i++, from += 8, to += 3) {
        to[0] = from[1];
        to[1] = from[3];
        to[2] = from[5];
    }
}

#define PACKED_INDEX(depth)                                                                                  \
    static void index##depth(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette,         \
                             uint8_t *to)                                                                    \
    {                                                                                                        \
        for (uint32_t i = 0; i < width; i++)                                                                 \
            memcpy(to + 3 * (size_t)i, palette + 3 * packed(row, x + i, depth), 3);                          \
    }
PACKED_INDEX(1)
PACKED_INDEX(2)
PACKED_INDEX(4)

static void index8(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette, uint8_t *to)
{
    for (uint32_t i = 0; i < width; i++)
        memcpy(to + 3 * (size_t)i, palette + 3 * row[(size_t)x + i], 3);
}

dls_png_convert *dls_png_converter(uint8_t colour, uint8_t depth)
{
    static const struct {
        uint8_t colour, depth;
        dls_png_convert *convert;
    } table[] = {
        {0, 1, grey1},  {0, 2, grey2},       {0, 4, grey4},         {0, 8, grey8},  {0, 16, grey16},
        {2, 8, rgb8},   {2, 16, rgb16},      {3, 1, index1},        {3, 2, index2}, {3, 4, index4},
        {3, 8, index8}, {4, 8, grey_alpha8}, {4, 16, grey_alpha16}, {6, 8, rgba8},  {6, 16, rgba16},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        if (table[i].colour == colour && table[i].depth == depth)
            return table[i].convert;
    }
    return NULL;
}
