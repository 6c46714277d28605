/* SPDX-License-Identifier: Apache-2.0 */
#include "difference.h"

#include <stdlib.h>

#include "base/rng.h"

#define RESAMPLES 4000
/* Of a set with more values, as many are drawn; its median is then less certain than it could be, never more.
 */
#define DRAWN_MOST 256

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *sorted, size_t count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

void bench_spread_of(double *values, size_t count, struct bench_spread *ret_spread)
{
    qsort(values, count, sizeof(*values), by_value);
    *ret_spread = (struct bench_spread){count, values[0], median(values, count), values[count - 1]};
}

static double drawn_median(struct dls_rng *rng, const double *values, size_t count)
{
    double drawn[DRAWN_MOST];
    size_t n = count < DRAWN_MOST ? count : DRAWN_MOST;

    for (size_t i = 0; i < n; i++)
        drawn[i] = values[dls_rng_below(rng, count)];
    qsort(drawn, n, sizeof(*drawn), by_value);
    return median(drawn, n);
}

void bench_difference_of(const double *first, size_t first_count, const double *second, size_t second_count,
                         struct bench_difference *ret_difference)
{
    static double ratios[RESAMPLES];
    struct bench_difference difference = {.ratio = median(second, second_count) / median(first, first_count)};
    struct dls_rng rng;

    if (first_count < 3 || second_count < 3) {
        difference.low = second[0] / first[first_count - 1];
        difference.high = second[second_count - 1] / first[0];
        *ret_difference = difference;
        return;
    }
    dls_rng_init(&rng, 0, 0, 0);
    for (size_t i = 0; i < RESAMPLES; i++) {
        double base = drawn_median(&rng, first, first_count);
        ratios[i] = drawn_median(&rng, second, second_count) / base;
    }
    qsort(ratios, RESAMPLES, sizeof(*ratios), by_value);
    difference.low = ratios[RESAMPLES * 25 / 1000];
    difference.high = ratios[RESAMPLES * 975 / 1000 - 1];
    difference.certain = difference.low > 1 ? 1 : difference.high < 1 ? -1 : 0;
    *ret_difference = difference;
}
