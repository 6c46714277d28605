/* SPDX-License-Identifier: Apache-2.0 */
/* Data that goes bad under a running loader: the right error, after the batches before it, and no hang. */
#include "flow/flow.h"

#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 120

TestSuite(damage, .timeout = 100);

static void expect_text(const char *part)
{
    cr_assert_not_null(strstr(dls_last_error(), part), "'%s' in '%s'", part, dls_last_error());
}

/* The error is told again by every call, and by a call that must not wait. */
static void expect_repeated(dls_loader *loader, int error)
{
    const dls_batch *batch = NULL;
    char text[600];

    snprintf(text, sizeof(text), "%s", dls_last_error());
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(dls_loader_next(loader, i % 2 ? -1 : 0, &batch), error);
        cr_assert_str_eq(dls_last_error(), text);
        cr_assert_null(batch);
    }
}

/* In which order the records come, and where `record` stands. */
static uint64_t place_of(const char *path, dls_loader_params params, uint64_t record)
{
    dls_dataset *dataset = flow_open(path);
    dls_loader *loader = flow_start(dataset, &params);
    struct flow_run run;
    uint64_t place = 0;

    cr_assert_eq(flow_epoch(loader, &params, &run), 0, "%s", dls_last_error());
    while (run.samples[place].record != record)
        place++;
    flow_run_free(&run);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
    return place;
}

static dls_loader_params exact(uint32_t threads)
{
    dls_loader_params params = flow_params();

    params.tail = DLS_TAIL_EXACT;
    params.threads = threads;
    params.window_blocks = 3;
    return params;
}

Test(damage, a_damaged_record_is_named_after_the_batches_before_it)
{
    for (uint64_t record = 0; record < RECORDS; record += 17) {
        const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
        dls_dataset *dataset = flow_open(path);
        struct flow_place place;
        flow_find(dataset, record, &place);
        uint64_t stands = place_of(path, exact(2), record);
        flow_damage(place.shard, place.offset + place.length / 2);
        for (uint32_t threads = 1; threads <= 4; threads++) {
            dls_loader_params params = exact(threads);
            struct flow_run run;
            char number[60];
            dls_loader *loader = flow_start(dataset, &params);
            params.no_decode = 0;
            cr_assert_eq(flow_epoch(loader, &params, &run), -EBADMSG);
            cr_assert_eq(run.batches, stands / params.batch_size);
            expect_text(place.shard);
            expect_text(place.key);
            snprintf(number, sizeof(number), "record %llu,", (unsigned long long)record);
            expect_text(number);
            snprintf(number, sizeof(number), "offset %llu", (unsigned long long)place.offset);
            expect_text(number);
            expect_repeated(loader, -EBADMSG);
            flow_run_free(&run);
            dls_loader_close(&loader);
        }
        dls_dataset_close(&dataset);
    }
}

Test(damage, of_several_damaged_records_the_first_in_order_is_named_by_any_number_of_threads)
{
    const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
    dls_dataset *dataset = flow_open(path);
    char first[600] = "";

    for (uint64_t record = 3; record < RECORDS; record += 9) {
        struct flow_place place;
        flow_find(dataset, record, &place);
        flow_damage(place.shard, place.offset + place.length / 2);
    }
    for (int round = 0; round < 40; round++) {
        dls_loader_params params = exact(1 + (uint32_t)round % 8);
        struct flow_run run;
        params.no_decode = round % 3 == 2;
        dls_loader *loader = flow_start(dataset, &params);
        cr_assert_eq(flow_epoch(loader, &params, &run), -EBADMSG);
        if (first[0] == '\0')
            snprintf(first, sizeof(first), "%s", dls_last_error());
        cr_assert_str_eq(dls_last_error(), first);
        flow_run_free(&run);
        dls_loader_close(&loader);
    }
    dls_dataset_close(&dataset);
}

Test(damage, a_record_that_is_no_picture_is_named_even_when_checksums_are_not_looked_at)
{
    const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
    dls_dataset *dataset = flow_open(path);
    dls_loader_params params = exact(2);
    struct flow_place place;
    struct flow_run run;

    flow_find(dataset, 50, &place);
    flow_damage(place.shard, place.offset); /* the JPEG's first byte */
    params.no_verify = 1;
    dls_loader *loader = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(loader, &params, &run), -EBADMSG);
    expect_text("record 50,");
    expect_text(place.key);
    flow_run_free(&run);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(damage, a_damaged_block_directory_is_named_with_its_shard_and_offset)
{
    const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
    const char *shard = support_path(path, "shard-00001.dls");
    dls_dataset *dataset = flow_open(path);
    dls_loader_params params = exact(3);
    struct flow_run run;

    flow_damage(shard, 4096 + 80); /* in the directory of its first block */
    for (int engine = DLS_ENGINE_AUTO; engine <= DLS_ENGINE_PREAD; engine += 2) {
        params.engine = (dls_engine)engine;
        dls_loader *loader = flow_start(dataset, &params);
        cr_assert_eq(flow_epoch(loader, &params, &run), -EBADMSG);
        expect_text(shard);
        expect_text("block 0");
        expect_text("offset 4096");
        expect_repeated(loader, -EBADMSG);
        flow_run_free(&run);
        dls_loader_close(&loader);
    }
    dls_dataset_close(&dataset);
}

Test(damage, a_shard_cut_off_after_opening_is_named_with_the_place_of_the_cut)
{
    const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
    const char *shard = support_path(path, "shard-00000.dls");
    dls_dataset *dataset = flow_open(path);
    dls_loader_params params = exact(2);
    dls_record *record = NULL;
    struct flow_run run;

    /* Its block table has been read: what is missing now are blocks. */
    cr_assert_eq(dls_dataset_read(dataset, 0, &record), 0);
    dls_record_free(&record);
    params.order = DLS_ORDER_NONE;
    dls_loader *warm = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(warm, &params, &run), 0);
    flow_run_free(&run);
    dls_loader_close(&warm);
    cr_assert_eq(truncate(shard, 12288), 0);
    dls_loader *loader = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(loader, &params, &run), -EBADMSG);
    expect_text(shard);
    expect_text("ends at offset 12288");
    expect_repeated(loader, -EBADMSG);
    flow_run_free(&run);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(damage, a_shard_that_vanished_after_opening_is_named)
{
    const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
    const char *shard = support_path(path, "shard-00002.dls");
    dls_loader_params params = exact(2);
    struct flow_run run;

    for (int touched = 0; touched < 2; touched++) {
        dls_dataset *dataset;
        const char *away = support_path(path, "away");
        dataset = flow_open(path);
        if (touched) {
            dls_loader *warm = flow_start(dataset, &params);
            cr_assert_eq(flow_epoch(warm, &params, &run), 0);
            flow_run_free(&run);
            dls_loader_close(&warm);
        }
        cr_assert_eq(rename(shard, away), 0);
        params.order = DLS_ORDER_NONE;
        dls_loader *loader = flow_start(dataset, &params);
        cr_assert_eq(flow_epoch(loader, &params, &run), -ENOENT);
        expect_text(shard);
        expect_repeated(loader, -ENOENT);
        flow_run_free(&run);
        dls_loader_close(&loader);
        dls_dataset_close(&dataset);
        cr_assert_eq(rename(away, shard), 0);
    }
}

Test(damage, closing_after_an_error_works_with_batches_held_and_errors_untold)
{
    const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
    dls_dataset *dataset = flow_open(path);
    struct flow_place place;

    flow_find(dataset, 60, &place);
    flow_damage(place.shard, place.offset + place.length / 2);
    for (uint32_t taken = 0; taken < 6; taken++) {
        dls_loader_params params = exact(4);
        const dls_batch *batches[6] = {0};
        params.ring_batches = 8;
        params.batch_size = 4;
        dls_loader *loader = flow_start(dataset, &params);
        for (uint32_t i = 0; i < taken; i++)
            dls_loader_next(loader, -1, &batches[i]);
        dls_loader_close(&loader);
    }
    dls_dataset_close(&dataset);
}
