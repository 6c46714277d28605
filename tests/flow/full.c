/* SPDX-License-Identifier: Apache-2.0 */
/* Order FULL: records are read one by one, or neighbours at once. */
#include "flow/flow.h"

#include "loader/pipeline.h"
#include "support/faulty_io.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 700

TestSuite(full, .timeout = 200);

static dls_loader_params params_of(void)
{
    dls_loader_params params = flow_params();

    params.order = DLS_ORDER_FULL;
    params.tail = DLS_TAIL_EXACT;
    params.epochs = 2;
    return params;
}

static void run_two(dls_dataset *dataset, const dls_loader_params *params, struct flow_run runs[2])
{
    dls_loader *loader = flow_start(dataset, params);

    for (int i = 0; i < 2; i++)
        cr_assert_eq(flow_epoch(loader, params, &runs[i]), 0, "%s", dls_last_error());
    dls_loader_close(&loader);
}

static uint64_t least_memory(dls_dataset *dataset, dls_loader_params params)
{
    unsigned long long least = 0;
    dls_loader *loader = NULL;

    params.memory_bytes = 1;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -ENOMEM);
    cr_assert_eq(sscanf(strstr(dls_last_error(), "at least"), "at least %llu", &least), 1);
    params.memory_bytes = least - 1;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -ENOMEM);
    return least;
}

Test(full, threads_engines_and_memory_change_neither_order_nor_pixels)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS, .turned = true}));
    struct flow_run first[2], again[2];
    dls_loader_params params = params_of();

    params.crop = DLS_CROP_RANDOM;
    params.engine = DLS_ENGINE_PREAD;
    run_two(dataset, &params, first);
    flow_expect_all(&first[0], RECORDS);
    flow_expect_all(&first[1], RECORDS);
    cr_assert_not(flow_same(&first[0], &first[1]));
    for (int variant = 0; variant < 12; variant++) {
        dls_loader_params other = params;
        other.threads = 1u << variant % 3;
        other.engine = variant % 2 ? DLS_ENGINE_AUTO : DLS_ENGINE_PREAD;
        if (variant >= 6) { /* a run of reads is then as long as one record needs */
            other.memory_bytes = least_memory(dataset, other);
            other.io_depth = 1;
        } else {
            other.memory_bytes = 100u << 20;
            other.io_bytes = variant % 2 ? 0 : 4096;
        }
        run_two(dataset, &other, again);
        for (int i = 0; i < 2; i++) {
            cr_assert(flow_same(&first[i], &again[i]), "variant %d", variant);
            flow_run_free(&again[i]);
        }
    }
    flow_run_free(&first[0]);
    flow_run_free(&first[1]);
    dls_dataset_close(&dataset);
}

/* How far apart two records that follow one another lie: a third of the whole on average if they are
 * independent. */
Test(full, records_that_follow_one_another_have_nothing_to_do_with_each_other)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of();
    struct flow_run runs[2];
    double distance = 0;

    params.no_decode = 1;
    run_two(dataset, &params, runs);
    for (uint64_t i = 1; i < RECORDS; i++)
        distance += labs((long)runs[0].samples[i].record - (long)runs[0].samples[i - 1].record);
    distance /= (double)(RECORDS - 1) * RECORDS;
    cr_assert(distance > 0.28 && distance < 0.39, "%.3f", distance);
    flow_run_free(&runs[0]);
    flow_run_free(&runs[1]);
    dls_dataset_close(&dataset);
}

/* Of a small dataset a group is all of it: nearly everything is joined, and read once. */
Test(full, neighbours_are_read_at_once)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 200}));
    dls_loader_params params = params_of();
    struct flow_run runs[2];
    dls_dataset_info info;
    dls_stats stats;

    params.no_decode = 1;
    dls_dataset_get_info(dataset, &info);
    dls_loader *loader = flow_start(dataset, &params);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(flow_epoch(loader, &params, &runs[i]), 0, "%s", dls_last_error());
        flow_run_free(&runs[i]);
    }
    dls_loader_get_stats(loader, &stats);
    cr_assert_leq(stats.read.items, 2 * 2 * info.shards); /* rows and images of each shard */
    cr_assert_leq(stats.read.bytes, 2 * info.bytes);
    cr_assert_eq(stats.order, DLS_ORDER_FULL);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(full, a_record_that_is_longer_than_the_others_by_far_fits_the_least_memory)
{
    dls_dataset *dataset = flow_open(
        flow_make(&(struct flow_spec){.records = 300, .huge = 41, .huge_times = 30, .progressive = true}));
    dls_loader_params params = params_of();
    struct flow_run runs[2];

    params.threads = 5;
    params.memory_bytes = least_memory(dataset, params);
    run_two(dataset, &params, runs);
    for (int i = 0; i < 2; i++) {
        flow_expect_all(&runs[i], 300);
        flow_run_free(&runs[i]);
    }
    dls_dataset_close(&dataset);
}

Test(full, a_damaged_picture_is_named_by_shard_record_key_and_offset)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of();
    struct flow_place place;
    struct flow_run run;
    char text[100];

    flow_find(dataset, 444, &place);
    flow_damage(place.shard, place.offset + place.length / 2);
    for (params.threads = 1; params.threads <= 3; params.threads++) {
        dls_loader *loader = flow_start(dataset, &params);
        cr_assert_eq(flow_epoch(loader, &params, &run), -EBADMSG);
        cr_assert_not_null(strstr(dls_last_error(), place.shard), "%s", dls_last_error());
        snprintf(text, sizeof(text), "record 444, key '%s', offset %llu", place.key,
                 (unsigned long long)place.offset);
        cr_assert_not_null(strstr(dls_last_error(), text), "%s", dls_last_error());
        for (uint64_t i = 0; i < run.count; i++)
            cr_assert_neq(run.samples[i].record, 444);
        flow_run_free(&run);
        dls_loader_close(&loader);
    }
    dls_dataset_close(&dataset);
}

/* A page of the record table is told of at the first of the 256 records that are looked up together. */
Test(full, a_damaged_record_table_is_named)
{
    dls_dataset *dataset =
        flow_open(flow_make(&(struct flow_spec){.records = RECORDS, .shard_bytes = 4u << 20}));
    dls_loader_params params = params_of();
    struct flow_place place;
    struct flow_run run;
    FILE *file;

    flow_find(dataset, 5, &place);
    uint64_t at = 0;
    for (uint64_t offset = 4096; at == 0; offset += 4096) { /* the page that holds record 5's offset */
        uint8_t page[4096];
        file = fopen(place.shard, "r");
        cr_assert(fseek(file, (long)offset, SEEK_SET) == 0 &&
                  fread(page, 1, sizeof(page), file) == sizeof(page));
        fclose(file);
        for (size_t k = 8; k + 8 < sizeof(page) && memcmp(page, "DLSB", 4) != 0; k++)
            if (memcmp(page + k, &place.offset, 8) == 0)
                at = offset + k;
    }
    flow_damage(place.shard, at);
    for (params.threads = 1; params.threads <= 3; params.threads++) {
        dls_loader *loader = flow_start(dataset, &params);
        cr_assert_eq(flow_epoch(loader, &params, &run), -EBADMSG);
        cr_assert_not_null(strstr(dls_last_error(), "of the record table"), "%s", dls_last_error());
        cr_assert_not_null(strstr(dls_last_error(), place.shard), "%s", dls_last_error());
        flow_run_free(&run);
        dls_loader_close(&loader);
    }
    dls_dataset_close(&dataset);
}

Test(full, late_short_and_interrupted_reads_change_nothing)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of();
    struct flow_run plain[2], run;
    dls_loader *loader = NULL;

    params.io_bytes = 4096;
    params.direct = DLS_DIRECT_OFF;
    run_two(dataset, &params, plain);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct faulty_io plan = {.seed = seed,
                                 .short_in = 3,
                                 .interrupt_in = 5,
                                 .again_in = 7,
                                 .io_error_in = 9,
                                 .spurious_in = 4,
                                 .late = true};
        faulty_io_next = &plan;
        cr_assert_eq(dls_pipeline_open_with(dataset, &params, &faulty_io_ops, &loader), 0, "%s",
                     dls_last_error());
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(flow_epoch(loader, &params, &run), 0, "%s", dls_last_error());
            cr_assert(flow_same(&run, &plain[i]), "seed %lu", seed);
            flow_run_free(&run);
        }
        dls_loader_close(&loader);
        cr_assert_gt(plan.faults, 0);
    }
    flow_run_free(&plain[0]);
    flow_run_free(&plain[1]);
    dls_dataset_close(&dataset);
}

/* Every byte of the files in turn: whether images or record tables are meant, an error comes and no hang. */
Test(full, a_bad_sector_anywhere_ends_the_run_with_its_error)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of();
    unsigned failures = 0;

    params.no_decode = 1;
    params.epochs = 1;
    for (uint64_t at = 0; at < 80000; at += 4096) {
        struct faulty_io plan = {.seed = 1, .bad_from = at, .bad_to = at + 1};
        dls_loader *loader = NULL;
        struct flow_run run;
        faulty_io_next = &plan;
        int r = dls_pipeline_open_with(dataset, &params, &faulty_io_ops, &loader);
        if (r < 0)
            continue; /* its test read */
        r = flow_epoch(loader, &params, &run);
        cr_assert(r == 0 || r == -EIO, "%s", dls_last_error());
        if (r == -EIO)
            cr_assert_not_null(strstr(dls_last_error(), "Input/output error"), "%s", dls_last_error());
        failures += r < 0;
        flow_run_free(&run);
        dls_loader_close(&loader);
    }
    cr_assert_gt(failures, 10);
    dls_dataset_close(&dataset);
}
