/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/png_convert.h"

#include <criterion/criterion.h>
#include <string.h>

/* Pixels 1 and 2 of a row of four, as Pillow converts them. 16-bit samples in this machine's order. */
static const struct {
    uint8_t colour, depth;
    const uint8_t row[40];
    const uint8_t rgb[6];
} cases[] = {
    {0, 1, {0xa0}, {0, 0, 0, 255, 255, 255}},             /* 1010 */
    {0, 2, {0x1b}, {85, 85, 85, 170, 170, 170}},          /* 0 1 2 3 */
    {0, 4, {0x0f, 0x70}, {255, 255, 255, 119, 119, 119}}, /* 0 15 7 0 */
    {0, 8, {1, 2, 3, 4}, {2, 2, 2, 3, 3, 3}},
    {0, 16, {0, 0, 200, 0, 0, 1, 9, 9}, {200, 200, 200, 255, 255, 255}}, /* 200 stays, 256 is clipped */
    {2, 8, {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7}, {1, 2, 3, 4, 5, 6}},
    {2, 16, {9, 9, 9, 9, 9, 9, 0, 1, 255, 2, 0, 3, 0, 4, 0, 5, 128, 6}, {1, 2, 3, 4, 5, 6}},
    {3, 1, {0x40}, {3, 4, 5, 0, 1, 2}}, /* 0 1 0 0 */
    {3, 2, {0x1b}, {3, 4, 5, 6, 7, 8}},
    {3, 4, {0x01, 0x20}, {3, 4, 5, 6, 7, 8}}, /* 0 1 2 0 */
    {3, 8, {0, 2, 1, 0}, {6, 7, 8, 3, 4, 5}},
    {4, 8, {9, 9, 1, 0, 2, 255}, {1, 1, 1, 2, 2, 2}},
    {4, 16, {9, 9, 9, 9, 0, 1, 7, 7, 0, 2, 7, 7}, {1, 1, 1, 2, 2, 2}},
    {6, 8, {9, 9, 9, 9, 1, 2, 3, 0, 4, 5, 6, 255}, {1, 2, 3, 4, 5, 6}},
    {6, 16, {9, 9, 9, 9, 9, 9, 9, 9, 0, 1, 0, 2, 0, 3, 0, 0, 0, 4, 0, 5, 0, 6, 0, 0}, {1, 2, 3, 4, 5, 6}},
};

Test(png_convert, every_kind)
{
    const uint8_t palette[768] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint8_t rgb[7] = {0};
        rgb[6] = 0xa5;
        dls_png_convert *convert = dls_png_converter(cases[i].colour, cases[i].depth);
        cr_assert_not_null(convert);
        convert(cases[i].row, 1, 2, palette, rgb);
        cr_expect(memcmp(rgb, cases[i].rgb, 6) == 0, "colour %u depth %u: %u %u %u %u %u %u", cases[i].colour,
                  cases[i].depth, rgb[0], rgb[1], rgb[2], rgb[3], rgb[4], rgb[5]);
        cr_expect_eq(rgb[6], 0xa5);
    }
}

Test(png_convert, kinds_that_do_not_exist)
{
    unsigned known = 0;
    for (unsigned colour = 0; colour < 256; colour++) {
        for (unsigned depth = 0; depth < 256; depth++)
            known += dls_png_converter((uint8_t)colour, (uint8_t)depth) != NULL;
    }
    cr_assert_eq(known, sizeof(cases) / sizeof(*cases));
}
