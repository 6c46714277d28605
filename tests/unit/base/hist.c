/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hist.h"
#include "base/mem.h"
#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define SAMPLES 20000

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static const double fractions[] = {0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1};

/* Against the exact percentile: the smallest sample at or below which that part of all lies. */
static void check_distribution(uint64_t (*draw)(struct dls_rng *rng), uint64_t seed)
{
    struct dls_hist *hist = dls_alloc(DLS_MEM_BASE, sizeof(*hist));
    uint64_t *sorted = dls_alloc_array(DLS_MEM_BASE, SAMPLES, sizeof(*sorted));
    struct dls_rng rng;

    dls_rng_init(&rng, seed, 0, 0);
    for (int i = 0; i < SAMPLES; i++) {
        sorted[i] = draw(&rng);
        dls_hist_add(hist, sorted[i]);
    }
    qsort(sorted, SAMPLES, sizeof(*sorted), compare);
    for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) {
        size_t rank = (size_t)ceil(fractions[i] * SAMPLES);
        uint64_t exact = sorted[rank > 0 ? rank - 1 : 0];
        uint64_t found = dls_hist_percentile(hist, fractions[i]);
        double error = fabs((double)found - (double)exact);
        cr_assert(error <= (double)exact / 128, "fraction %g: %llu, exact %llu", fractions[i],
                  (unsigned long long)found, (unsigned long long)exact);
    }
    dls_latency latency;
    dls_hist_latency(hist, &latency);
    cr_assert_eq(latency.count, SAMPLES);
    cr_assert_eq(latency.min, sorted[0]);
    cr_assert_eq(latency.max, sorted[SAMPLES - 1]);
    cr_assert_eq(latency.p50, dls_hist_percentile(hist, 0.5));
    cr_assert_eq(latency.p90, dls_hist_percentile(hist, 0.9));
    cr_assert_eq(latency.p99, dls_hist_percentile(hist, 0.99));
    cr_assert_eq(latency.p999, dls_hist_percentile(hist, 0.999));
    dls_free(hist);
    dls_free(sorted);
}

static uint64_t small(struct dls_rng *rng)
{
    return dls_rng_below(rng, 100);
}

static uint64_t uniform(struct dls_rng *rng)
{
    return 5000 + dls_rng_below(rng, 10000000);
}

static uint64_t exponential(struct dls_rng *rng)
{
    return (uint64_t)(-log(1 - dls_rng_double(rng)) * 120000);
}

/* As many nanoseconds as picoseconds: any magnitude. */
static uint64_t magnitudes(struct dls_rng *rng)
{
    return dls_rng_u64(rng) >> dls_rng_below(rng, 64);
}

/* A cache: most answers are quick, a few a thousand times slower. */
static uint64_t two_humps(struct dls_rng *rng)
{
    return dls_rng_below(rng, 100) < 95 ? 4000 + dls_rng_below(rng, 500) : 8000000 + dls_rng_below(rng, 4000000);
}

Test(hist, small_values_are_exact)
{
    check_distribution(small, 1);
}

Test(hist, uniform)
{
    check_distribution(uniform, 2);
}

Test(hist, exponential)
{
    check_distribution(exponential, 3);
}

Test(hist, all_magnitudes)
{
    check_distribution(magnitudes, 4);
}

Test(hist, two_humps)
{
    check_distribution(two_humps, 5);
}

Test(hist, empty)
{
    static struct dls_hist hist;
    dls_latency latency;

    cr_assert_eq(dls_hist_percentile(&hist, 0.5), 0);
    dls_hist_latency(&hist, &latency);
    cr_assert_eq(latency.count + latency.min + latency.max + latency.p50 + latency.p999, 0);
}

Test(hist, one_value_is_every_percentile)
{
    static const uint64_t values[] = {0, 1, 63, 64, 127, 128, 1000003, UINT64_C(1) << 63, UINT64_MAX - 1};

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct dls_hist *hist = dls_alloc(DLS_MEM_BASE, sizeof(*hist));
        dls_hist_add(hist, values[i]);
        for (size_t f = 0; f < sizeof(fractions) / sizeof(fractions[0]); f++)
            cr_assert_eq(dls_hist_percentile(hist, fractions[f]), values[i], "%llu", (unsigned long long)values[i]);
        dls_free(hist);
    }
}

Test(hist, the_largest_value_has_a_place)
{
    static struct dls_hist hist;
    dls_latency latency;

    dls_hist_add(&hist, UINT64_MAX);
    dls_hist_latency(&hist, &latency);
    cr_assert_eq(latency.count, 1);
    cr_assert_eq(latency.max, UINT64_MAX);
    cr_assert_eq(hist.buckets[DLS_HIST_BUCKETS - 1], 1);
    cr_assert(latency.p50 >= UINT64_MAX - (UINT64_MAX >> 7));
}

Test(hist, merged_is_as_if_added_to_one)
{
    struct dls_hist *one = dls_alloc(DLS_MEM_BASE, sizeof(*one)), *all = dls_alloc(DLS_MEM_BASE, sizeof(*all));
    struct dls_hist *two = dls_alloc(DLS_MEM_BASE, sizeof(*two)), *none = dls_alloc(DLS_MEM_BASE, sizeof(*none));
    struct dls_rng rng;
    dls_latency merged, direct;

    dls_rng_init(&rng, 8, 0, 0);
    for (int i = 0; i < 3000; i++) {
        uint64_t value = exponential(&rng);
        dls_hist_add(i % 3 == 0 ? one : two, value);
        dls_hist_add(all, value);
    }
    dls_hist_merge(one, none);
    dls_hist_merge(none, two);
    dls_hist_merge(one, none);
    dls_hist_latency(one, &merged);
    dls_hist_latency(all, &direct);
    cr_assert_eq(merged.count, 3000);
    cr_assert_arr_eq((uint8_t *)&merged, (uint8_t *)&direct, sizeof(merged));
    cr_assert_arr_eq((uint8_t *)one, (uint8_t *)all, sizeof(*one));
    dls_free(one);
    dls_free(two);
    dls_free(all);
    dls_free(none);
}
