/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_weigh.h"

#include "base/rng.h"
#include "image/resize_kernel.h"

#include <criterion/criterion.h>
#include <string.h>

#define TAPS 400

struct outcome {
    _Alignas(64) double work[TAPS * DLS_LANES];
    _Alignas(64) int32_t weights[TAPS * DLS_LANES];
    struct dls_weighed weighed;
};

static struct dls_scale scale_of(enum dls_filter filter, int32_t in, int32_t out)
{
    double scale = (double)in / out, stretch = scale < 1 ? 1 : scale;
    return (struct dls_scale){filter, in, scale, (filter == DLS_FILTER_BICUBIC ? 2 : 1) * stretch,
                              1 / stretch, 0};
}

static void weigh(dls_weigh_fn *function, const struct dls_scale *scale, int32_t first, int32_t out,
                  struct outcome *outcome)
{
    memset(outcome, 0x55, sizeof(*outcome));
    outcome->weighed.work = outcome->work;
    outcome->weighed.weights = outcome->weights;
    for (int l = 0; l < DLS_LANES; l++)
        outcome->weighed.x[l] = first + l < out ? first + l : out - 1;
    function(scale, &outcome->weighed);
}

/* Every kernel's weights are those of the plain loops, to the last bit. */
Test(resize_weigh, kernels_agree)
{
    static struct outcome plain, fast;
    struct dls_rng rng;
    dls_rng_init(&rng, 8, 0, 0);
    for (int i = 0; i < 20000; i++) {
        int32_t out = 1 + (int32_t)dls_rng_below(&rng, 500),
                in = 1 + (int32_t)dls_rng_below(&rng, (uint64_t)out * 40);
        struct dls_scale scale = scale_of((enum dls_filter)dls_rng_below(&rng, 2), in, out);
        int32_t first = (int32_t)dls_rng_below(&rng, (uint64_t)out);
        if (i % 4 == 3) { /* a part of the line, from somewhere between two pixels on */
            double span = in * (0.2 + 0.8 * dls_rng_double(&rng));
            scale.offset = (in - span) * dls_rng_double(&rng);
            double step = span / out, stretch = step < 1 ? 1 : step;
            scale.support *= stretch * scale.inverse;
            scale.scale = step;
            scale.inverse = 1 / stretch;
        }
        weigh(dls_weigh_portable, &scale, first, out, &plain);
        int32_t longest = dls_longest(&plain.weighed);
        cr_assert(longest >= 1 && longest <= TAPS);
        for (unsigned k = 0; dls_resize_kernels[k]; k++) {
            if (!dls_resize_kernels[k]->usable())
                continue;
            weigh(dls_resize_kernels[k]->weigh, &scale, first, out, &fast);
            cr_assert_arr_eq(fast.weighed.start, plain.weighed.start, sizeof(plain.weighed.start));
            cr_assert_arr_eq(fast.weighed.length, plain.weighed.length, sizeof(plain.weighed.length));
            cr_assert_arr_eq(fast.weights, plain.weights, (size_t)longest * DLS_LANES * sizeof(int32_t),
                             "%s: %d to %d, filter %d", dls_resize_kernels[k]->name, in, out, scale.filter);
        }
    }
}

/* Doubling: the centre of result 1 lies a quarter of the way from the first pixel's to the second's. */
Test(resize_weigh, known_weights)
{
    static struct outcome outcome;
    struct dls_scale scale = scale_of(DLS_FILTER_BILINEAR, 4, 8);
    weigh(dls_weigh_portable, &scale, 1, 8, &outcome);
    cr_assert_eq(outcome.weighed.start[0], 0);
    cr_assert_eq(outcome.weighed.length[0], 2);
    cr_assert_eq(outcome.weights[0], 3 << 20);
    cr_assert_eq(outcome.weights[DLS_LANES], 1 << 20);
}
