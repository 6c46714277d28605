/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct bench_samples samples;

static dls_stats at(uint64_t images)
{
    dls_stats stats = {0};
    stats.read.bytes = images * 1000;
    stats.decode.busy_ns = images * 3;
    stats.decode.wait_in_ns = images;
    return stats;
}

Test(samples, hold_what_happened_since_the_one_before)
{
    dls_stats stats = at(0);

    bench_samples_start(&samples, 100, 5000, &stats);
    cr_assert_not(bench_samples_due(&samples, 5099));
    cr_assert(bench_samples_due(&samples, 5100));
    stats = at(10);
    bench_samples_take(&samples, 5120, 10, &stats);
    cr_assert_not(bench_samples_due(&samples, 5219));
    stats = at(25);
    bench_samples_take(&samples, 5220, 25, &stats);
    cr_assert_eq(samples.count, 2);
    cr_assert(samples.list[0].ns == 120 && samples.list[0].images == 10 &&
              samples.list[0].read_bytes == 10000);
    cr_assert(samples.list[1].ns == 100 && samples.list[1].images == 15 && samples.list[1].busy_ns[1] == 45);

    json_t *json = bench_samples_json(&samples);
    const json_t *second = json_array_get(json, 1);
    cr_assert_float_eq(json_number_value(json_object_get(second, "end")), 220e-9, 1e-12);
    cr_assert_float_eq(json_number_value(json_object_get(second, "images_per_second")), 15 / 100e-9, 1);
    cr_assert_float_eq(json_number_value(json_array_get(json_object_get(second, "decode"), 0)), 0.75, 1e-9);
    json_decref(json);
}

Test(samples, of_a_long_run_are_put_together)
{
    dls_stats stats = at(0);
    uint64_t ns = 0, images = 0;

    bench_samples_start(&samples, 10, 0, &stats);
    for (uint64_t i = 1; i <= BENCH_SAMPLES_MOST + 5; i++) {
        stats = at(i);
        bench_samples_take(&samples, i * 10, i, &stats);
    }
    cr_assert_eq(samples.count, BENCH_SAMPLES_MOST / 2 + 5);
    cr_assert_eq(samples.interval_ns, 20);
    for (size_t i = 0; i < samples.count; i++) {
        ns += samples.list[i].ns;
        images += samples.list[i].images;
    }
    cr_assert_eq(ns, (BENCH_SAMPLES_MOST + 5) * 10);
    cr_assert_eq(images, BENCH_SAMPLES_MOST + 5);
}
