/* SPDX-License-Identifier: Apache-2.0 */
#include "image/nearest.h"

#include <criterion/criterion.h>

/* Checksums of the lines that Pillow 13 makes of 0, 1, 2, … by NEAREST. */
Test(nearest, as_pillow)
{
    static const struct {
        uint32_t in, to, sum;
    } cases[] = {
        {5, 3, 66u},           {3, 5, 1025u},          {7, 7, 30569571u},        {500, 224, 706098552u},
        {375, 224, 2876804732u}, {224, 500, 1688546064u}, {1000, 333, 2926174484u}, {49, 98, 4127511296u},
        {13, 1, 6u},           {1, 13, 0u},            {97, 61, 4233611312u},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint32_t index[500], sum = 0;
        dls_nearest(cases[i].in, cases[i].to, 0, cases[i].to, index);
        for (uint32_t x = 0; x < cases[i].to; x++)
            sum = sum * 31 + index[x];
        cr_expect_eq(sum, cases[i].sum, "%u to %u", cases[i].in, cases[i].to);
    }
}

Test(nearest, a_part_is_what_it_is_in_the_whole)
{
    uint32_t whole[300], part[300];

    for (uint32_t in = 1; in < 400; in += 7)
        for (uint32_t to = 1; to < 300; to += 13) {
            uint32_t first = to / 3, count = to - first;
            dls_nearest(in, to, 0, to, whole);
            dls_nearest(in, to, first, count, part);
            cr_assert_arr_eq(part, whole + first, count * sizeof(*part));
        }
}

Test(nearest, every_index_lies_in_the_line_however_long)
{
    uint32_t index[3];

    dls_nearest(7, 1u << 30, (1u << 30) - 3, 3, index);
    cr_assert(index[0] == 6 && index[1] == 6 && index[2] == 6);
    dls_nearest(178956970, 3, 0, 3, index);
    cr_assert(index[0] == 29826161 && index[2] == 149130808);
}
