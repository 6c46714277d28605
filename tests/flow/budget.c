/* SPDX-License-Identifier: Apache-2.0 */
/* The memory budget holds, and says what it takes. */
#include "flow/flow.h"

#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(budget, .timeout = 100);

static uint64_t named_minimum(dls_dataset *dataset, dls_loader_params params)
{
    dls_loader *loader = NULL;
    unsigned long long least = 0;

    params.memory_bytes = 1;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -ENOMEM);
    cr_assert_null(loader);
    cr_assert_eq(sscanf(strstr(dls_last_error(), "at least"), "at least %llu", &least), 1);
    return least;
}

static void expect_works_at(dls_dataset *dataset, dls_loader_params params, uint64_t records)
{
    uint64_t least = named_minimum(dataset, params);
    dls_loader *loader = NULL;
    struct flow_run run;
    dls_stats stats;

    params.memory_bytes = least - 1;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -ENOMEM);
    params.memory_bytes = least;
    loader = flow_start(dataset, &params);
    for (uint64_t epoch = 0; epoch < params.epochs; epoch++) {
        cr_assert_eq(flow_epoch(loader, &params, &run), 0, "%s", dls_last_error());
        flow_expect_all(&run, records);
        flow_run_free(&run);
    }
    dls_loader_get_stats(loader, &stats);
    cr_assert_eq(stats.memory_budget, least);
    cr_assert_leq(stats.memory_bytes, least);
    cr_assert_leq(stats.window_bytes, stats.memory_bytes);
    dls_loader_close(&loader);
}

Test(budget, one_byte_too_small_names_the_least_and_that_least_works)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 130, .turned = true}));
    dls_loader_params params = flow_params();

    params.tail = DLS_TAIL_EXACT;
    params.epochs = 3;
    for (uint32_t window = 0; window <= 12; window += 4) {
        for (uint32_t threads = 1; threads <= 4; threads += 3) {
            params.window_blocks = window;
            params.threads = threads;
            params.no_decode = 0;
            expect_works_at(dataset, params, 130);
            params.no_decode = 1;
            expect_works_at(dataset, params, 130);
            params.no_decode = 0;
            params.dtype = DLS_DTYPE_FLOAT32;
            params.layout = DLS_LAYOUT_NCHW;
            expect_works_at(dataset, params, 130);
            params.dtype = DLS_DTYPE_UINT8;
            params.layout = DLS_LAYOUT_NHWC;
        }
    }
    dls_dataset_close(&dataset);
}

Test(budget, a_huge_picture_among_small_ones_fits_the_least_with_many_threads)
{
    static const struct flow_spec specs[] = {
        {.records = 100, .huge = 41, .huge_times = 30, .turned = true},
        {.records = 100, .huge = 100, .huge_times = 30, .progressive = true},
    };

    for (size_t i = 0; i < 2; i++) {
        dls_dataset *dataset = flow_open(flow_make(&specs[i]));
        dls_dataset_info info;
        dls_loader_params params = flow_params();
        dls_dataset_get_info(dataset, &info);
        cr_assert_gt(info.largest_block, 100000); /* it needs a block of its own, larger than the others */
        params.tail = DLS_TAIL_EXACT;
        params.epochs = 3;
        params.threads = 6;
        params.window_blocks = 2;
        expect_works_at(dataset, params, 100);
        dls_dataset_close(&dataset);
    }
}

Test(budget, the_machine_gives_no_more_than_the_budget)
{
    dls_dataset *dataset =
        flow_open(flow_make(&(struct flow_spec){.records = 60, .width = 900, .height = 700}));
    dls_loader_params params = flow_params();
    unsigned long size, before, after;
    struct flow_run run;
    FILE *file = fopen("/proc/self/statm", "r");

    cr_assert_eq(fscanf(file, "%lu %lu", &size, &before), 2);
    params.memory_bytes = 48u << 20;
    params.epochs = 3;
    params.threads = 4;
    dls_loader *loader = flow_start(dataset, &params);
    for (int epoch = 0; epoch < 3; epoch++) {
        cr_assert_eq(flow_epoch(loader, &params, &run), 0);
        flow_run_free(&run);
    }
    rewind(file);
    fflush(file);
    fclose(file);
    file = fopen("/proc/self/statm", "r");
    cr_assert_eq(fscanf(file, "%lu %lu", &size, &after), 2);
    fclose(file);
#ifndef __SANITIZE_ADDRESS__
    cr_assert_leq((after - before) * (uint64_t)sysconf(_SC_PAGESIZE), (48u << 20) + (48u << 20) / 20);
#endif
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(budget, statistics_say_what_was_planned_and_done)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 64}));
    dls_loader_params params = flow_params();
    struct flow_run run;
    dls_stats stats;
    dls_dataset_info info;

    dls_dataset_get_info(dataset, &info);
    params.window_blocks = 4;
    params.epochs = 2;
    params.io_depth = 5;
    params.engine = DLS_ENGINE_PREAD;
    dls_loader *loader = flow_start(dataset, &params);
    for (int epoch = 0; epoch < 2; epoch++) {
        cr_assert_eq(flow_epoch(loader, &params, &run), 0);
        flow_run_free(&run);
    }
    dls_loader_get_stats(loader, &stats);
    cr_assert_eq(stats.decode.items, 128);
    cr_assert_eq(stats.decode.bytes, 128ull * 32 * 24 * 3);
    cr_assert_eq(stats.decode.threads, 2);
    cr_assert_eq(stats.decode.latency.count, 128);
    cr_assert_eq(stats.consume.items, 8);
    cr_assert_eq(stats.consume.bytes, 128ull * 32 * 24 * 3);
    cr_assert_eq(stats.consume.latency.count, 8);
    cr_assert_eq(stats.read.threads, 1);
    cr_assert_eq(stats.read.items, 2 * info.blocks);
    cr_assert_gt(stats.read.bytes, 0);
    cr_assert_leq(stats.read.bytes, 2 * info.bytes);
    cr_assert_eq(stats.read.latency.count, stats.read.items);
    cr_assert_str_eq(stats.engine, "pread");
    cr_assert(stats.io_depth == 5 && stats.io_bytes == 1u << 20 && stats.window_blocks == 4);
    cr_assert_eq(stats.memory_budget, 64u << 20);
    cr_assert_geq(stats.elapsed_ns, stats.consume.busy_ns + stats.consume.wait_in_ns);
    cr_assert_leq(stats.decode.busy_ns + stats.decode.wait_in_ns + stats.decode.wait_out_ns,
                  2 * stats.elapsed_ns);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}
