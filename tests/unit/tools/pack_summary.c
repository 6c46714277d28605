/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/pack.h"

#include <criterion/criterion.h>
#include <math.h>

Test(pack_summary, without_pixels_there_is_no_mean)
{
    struct pack pack = {0};
    double mean[3], std[3];

    cr_expect_not(pack_pixel_stats(&pack, mean, std));
}

Test(pack_summary, mean_and_deviation_of_few_pixels)
{
    /* Red: 0 and 255; green: 51 twice; blue: 0 twice. */
    struct pack pack = {.pixels = 2, .sum = {255, 102, 0}, .square = {65025, 5202, 0}};
    double mean[3], std[3];

    cr_assert(pack_pixel_stats(&pack, mean, std));
    cr_expect_float_eq(mean[0], 0.5, 1e-15);
    cr_expect_float_eq(std[0], 0.5, 1e-15);
    cr_expect_float_eq(mean[1], 0.2, 1e-15);
    cr_expect_eq(std[1], 0);
    cr_expect_eq(mean[2], 0);
    cr_expect_eq(std[2], 0);
}

/* Where sums of doubles would have lost everything: a million million pixels of which one differs by one. */
Test(pack_summary, a_small_deviation_of_many_pixels_is_not_lost)
{
    const uint64_t n = UINT64_C(1000000000000);
    unsigned __int128 sum = (unsigned __int128)n * 200 + 1, square = (unsigned __int128)n * 40000 + 401;
    struct pack pack = {.pixels = n, .sum = {sum, sum, sum}, .square = {square, square, square}};
    double mean[3], std[3];

    cr_assert(pack_pixel_stats(&pack, mean, std));
    cr_expect_float_eq(mean[0] * 255, 200, 1e-9);
    cr_expect_float_eq(std[0] * 255 / 1e-6, 1, 1e-6, "%g", std[0] * 255);
}
