/* SPDX-License-Identifier: Apache-2.0 */
#include "difference.h"

#include <criterion/criterion.h>
#include <math.h>

Test(difference, spread_is_least_median_and_most)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, one[] = {7};
    struct bench_spread spread;

    bench_spread_of(odd, 3, &spread);
    cr_assert(spread.count == 3 && spread.least == 1 && spread.median == 2 && spread.most == 3);
    bench_spread_of(even, 4, &spread);
    cr_assert(spread.least == 1 && spread.median == 2.5 && spread.most == 4);
    bench_spread_of(one, 1, &spread);
    cr_assert(spread.least == 7 && spread.median == 7 && spread.most == 7);
}

Test(difference, a_clear_one_is_certain_either_way)
{
    double low[] = {99, 100, 101, 102, 103}, high[] = {148, 150, 151, 152, 155};
    struct bench_difference difference;

    bench_difference_of(low, 5, high, 5, &difference);
    cr_assert_float_eq(difference.ratio, 151.0 / 101, 1e-12);
    cr_assert_eq(difference.certain, 1);
    cr_assert_geq(difference.low, 148.0 / 103);
    cr_assert_leq(difference.high, 155.0 / 99);
    bench_difference_of(high, 5, low, 5, &difference);
    cr_assert_eq(difference.certain, -1);
}

Test(difference, the_same_values_are_no_difference)
{
    double values[] = {90, 95, 100, 105, 110};
    struct bench_difference difference;

    bench_difference_of(values, 5, values, 5, &difference);
    cr_assert_eq(difference.ratio, 1);
    cr_assert_eq(difference.certain, 0);
    cr_assert_lt(difference.low, 1);
    cr_assert_gt(difference.high, 1);
}

Test(difference, two_values_are_too_few)
{
    double low[] = {1, 2}, high[] = {100, 200};
    struct bench_difference difference;

    bench_difference_of(low, 2, high, 2, &difference);
    cr_assert_eq(difference.certain, 0);
    cr_assert_eq(difference.low, 50);
    cr_assert_eq(difference.high, 200);
}

Test(difference, is_the_same_each_time)
{
    double first[300], second[300];
    struct bench_difference once, again;

    for (int i = 0; i < 300; i++) {
        first[i] = 100 + i * 0.1;
        second[i] = 101 + i * 0.1;
    }
    bench_difference_of(first, 300, second, 300, &once);
    bench_difference_of(first, 300, second, 300, &again);
    cr_assert(once.low == again.low && once.high == again.high && once.low < once.ratio &&
              once.ratio < once.high);
}
