/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/examine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_sums(uint64_t pixels, uint32_t seed, int constant)
{
    uint8_t *rgb = malloc(pixels * 3 + 1);
    struct pixel_sums got = {0};
    uint64_t sum[3] = {0}, square[3] = {0};

    for (uint64_t i = 0; i < pixels * 3; i++) {
        seed = seed * 1664525u + 1013904223u;
        rgb[i] = constant >= 0 ? (uint8_t)constant : (uint8_t)(seed >> 24);
        sum[i % 3] += rgb[i];
        square[i % 3] += (uint64_t)rgb[i] * rgb[i];
    }
    pixel_sums_add(&got, rgb, pixels);
    cr_expect_eq(got.pixels, pixels);
    for (unsigned c = 0; c < 3; c++) {
        cr_expect_eq(got.sum[c], sum[c], "%llu pixels", (unsigned long long)pixels);
        cr_expect_eq(got.square[c], square[c], "%llu pixels", (unsigned long long)pixels);
    }
    free(rgb);
}

Test(examine, sums_are_exact_at_every_length)
{
    for (uint64_t pixels = 0; pixels < 70; pixels++)
        expect_sums(pixels, (uint32_t)pixels, -1);
    expect_sums(100003, 5, -1);
}

Test(examine, sums_do_not_overflow_on_a_large_white_picture)
{
    expect_sums(16 * 70000 + 7, 0, 255);
}

Test(examine, sums_add_to_what_is_there)
{
    struct pixel_sums sums = {0};
    const uint8_t rgb[6] = {1, 2, 3, 4, 5, 6};

    pixel_sums_add(&sums, rgb, 1);
    pixel_sums_add(&sums, rgb + 3, 1);
    cr_expect_eq(sums.pixels, 2);
    cr_expect_eq(sums.sum[0], 5);
    cr_expect_eq(sums.sum[2], 9);
    cr_expect_eq(sums.square[1], 29);
}
