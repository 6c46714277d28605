/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two sets of measurements differ by more than their own noise. */
#ifndef DLS_BENCH_DIFFERENCE_H
#define DLS_BENCH_DIFFERENCE_H

#include <stddef.h>

struct bench_spread {
    size_t count;
    double least, median, most;
};

struct bench_difference {
    double ratio;     /* of the medians: second : first */
    double low, high; /* 95 % of the ratios of medians that resampling both sets gives lie between these */
    int certain;      /* 1 or -1: the second is larger or smaller, and that is no noise; 0: cannot be told */
};

/* Sorts values. count ≥ 1. */
void bench_spread_of(double *values, size_t count, struct bench_spread *ret_spread);

/* Percentile bootstrap of the ratio of medians: 4000 resamples, always the same ones. Both sets are sorted.
 * With fewer than three values on a side nothing is certain, and low and high are those of all pairs. */
void bench_difference_of(const double *first, size_t first_count, const double *second, size_t second_count,
                         struct bench_difference *ret_difference);

#endif
