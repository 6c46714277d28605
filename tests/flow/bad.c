/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged records in a run that goes on: order, number of batches and all other samples stay as they are. */
#include "flow/flow.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(bad, .timeout = 100);

#define RECORDS 100u

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned log_lines;
static char log_last[1024];

static void keep_log(void *user, dls_log_level level, const char *message)
{
    pthread_mutex_lock(&log_lock);
    log_lines += level == DLS_LOG_WARNING && (strstr(message, "skipped: ") || strstr(message, "substituted: "));
    snprintf(log_last, sizeof(log_last), "%s", message);
    pthread_mutex_unlock(&log_lock);
}

static dls_loader_params params_of(dls_on_error policy, uint32_t threads)
{
    dls_loader_params params = flow_params();

    params.on_error = policy;
    params.threads = threads;
    params.tail = DLS_TAIL_EXACT;
    params.crop = DLS_CROP_RANDOM;
    params.flip = 1;
    params.window_blocks = 3;
    return params;
}

/* An epoch: records, labels and pixels by batch, with what flow_epoch() does not expect of counts. */
struct epoch {
    uint32_t batches, count[RECORDS];
    uint64_t samples, records[2 * RECORDS], sums[2 * RECORDS];
    dls_stats stats;
};

static uint64_t sum_of(const dls_batch *batch, uint32_t place)
{
    uint64_t sum = 14695981039346656037u;

    for (size_t i = 0; batch->images != NULL && i < flow_image_bytes(batch); i++)
        sum = (sum ^ flow_image(batch, place)[i]) * 1099511628211u;
    return sum;
}

static void run(dls_dataset *dataset, const dls_loader_params *params, struct epoch *ret)
{
    dls_loader *loader = flow_start(dataset, params);
    const dls_batch *batch = NULL;
    int r;

    memset(ret, 0, sizeof(*ret));
    while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
        cr_assert_eq(batch->index, ret->batches);
        ret->count[ret->batches++] = batch->count;
        for (uint32_t i = 0; i < batch->count; i++) {
            cr_assert_eq(batch->valid[i], 1);
            cr_assert_eq(batch->labels[i], (int64_t)(batch->records[i] % FLOW_CLASSES));
            ret->records[ret->samples] = batch->records[i];
            ret->sums[ret->samples++] = sum_of(batch, i);
        }
        for (uint32_t i = batch->count; i < batch->size; i++)
            cr_assert(batch->valid[i] == 0 && batch->labels[i] == -1);
        dls_batch_release(loader, &batch);
    }
    cr_assert_eq(r, 0, "%s", dls_last_error());
    cr_assert_eq(ret->batches, dls_loader_batches(loader));
    dls_loader_get_stats(loader, &ret->stats);
    dls_loader_close(&loader);
}

static bool is_bad(uint64_t record)
{
    return record % 9 == 4;
}

static void damage_records(dls_dataset *dataset)
{
    for (uint64_t record = 0; record < RECORDS; record++) {
        struct flow_place place;
        if (!is_bad(record))
            continue;
        flow_find(dataset, record, &place);
        flow_damage(place.shard, place.offset + place.length / 2);
    }
}

Test(bad, skipped_records_are_missing_and_nothing_else_changes)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    static struct epoch good, skipped;
    dls_loader_params params = params_of(DLS_ON_ERROR_FAIL, 2);

    run(dataset, &params, &good);
    cr_assert_eq(good.stats.bad_records, 0);
    damage_records(dataset);
    dls_set_log(keep_log, NULL, DLS_LOG_WARNING);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        uint64_t at = 0, next = 0;
        log_lines = 0;
        params = params_of(DLS_ON_ERROR_SKIP, threads);
        run(dataset, &params, &skipped);
        cr_assert_eq(skipped.batches, good.batches);
        for (uint32_t b = 0; b < good.batches; b++) {
            uint32_t count = 0;
            for (uint32_t i = 0; i < good.count[b]; i++, at++) {
                if (is_bad(good.records[at]))
                    continue;
                cr_assert(skipped.records[next] == good.records[at] && skipped.sums[next] == good.sums[at]);
                next++;
                count++;
            }
            cr_assert_eq(skipped.count[b], count);
        }
        cr_assert_eq(skipped.samples, next);
        cr_assert_eq(skipped.stats.bad_records, RECORDS - next);
        cr_assert_eq(log_lines, RECORDS - next);
        cr_assert(strstr(log_last, "shard-0") && strstr(log_last, "key 'class-") && strstr(log_last, "offset"));
    }
    dls_dataset_close(&dataset);
}

Test(bad, substituted_records_are_copies_of_the_one_before)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    static struct epoch good, other;
    dls_loader_params params = params_of(DLS_ON_ERROR_FAIL, 2);

    run(dataset, &params, &good);
    damage_records(dataset);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        uint64_t first = 0;
        params = params_of(DLS_ON_ERROR_SUBSTITUTE, threads);
        run(dataset, &params, &other);
        cr_assert_eq(other.samples, good.samples);
        for (uint32_t b = 0; b < good.batches; first += good.count[b++]) {
            uint64_t from = first;
            cr_assert_eq(other.count[b], good.count[b]);
            while (is_bad(good.records[from]))
                from++;
            for (uint64_t at = first; at < first + good.count[b]; at++) {
                from = is_bad(good.records[at]) ? from : at;
                cr_assert(other.records[at] == good.records[from] && other.sums[at] == good.sums[from]);
            }
        }
    }
    dls_dataset_close(&dataset);
}

Test(bad, a_damaged_block_directory_is_all_of_its_records)
{
    const char *path = flow_make(&(struct flow_spec){.records = RECORDS});
    char shard[4200];
    dls_dataset *dataset = flow_open(path);
    static struct epoch good, skipped;
    dls_loader_params params = params_of(DLS_ON_ERROR_FAIL, 2);

    run(dataset, &params, &good);
    snprintf(shard, sizeof(shard), "%s/shard-00001.dls", path);
    flow_damage(shard, 4096 + 80);
    for (int read_only = 0; read_only < 2; read_only++) {
        params = params_of(DLS_ON_ERROR_SKIP, 3);
        params.no_decode = read_only;
        run(dataset, &params, &skipped);
        cr_assert_eq(skipped.batches, good.batches);
        cr_assert(skipped.samples < RECORDS && skipped.samples > RECORDS / 2);
        cr_assert_eq(skipped.stats.bad_records, RECORDS - skipped.samples);
        for (uint64_t at = 0, next = 0; next < skipped.samples; at++)
            if (good.records[at] == skipped.records[next])
                next++;
            else
                cr_assert_lt(at, RECORDS - 1);
    }
    dls_dataset_close(&dataset);
}

Test(bad, with_every_record_damaged_batches_are_empty)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 20}));
    static struct epoch none;

    for (uint64_t record = 0; record < 20; record++) {
        struct flow_place place;
        flow_find(dataset, record, &place);
        flow_damage(place.shard, place.offset + place.length / 2);
    }
    for (int policy = DLS_ON_ERROR_SKIP; policy <= DLS_ON_ERROR_SUBSTITUTE; policy++) {
        dls_loader_params params = params_of((dls_on_error)policy, 2);
        run(dataset, &params, &none);
        cr_assert(none.batches == 2 && none.samples == 0 && none.stats.bad_records == 20);
    }
    dls_dataset_close(&dataset);
}

/* The checksum is not looked at, so the decoder meets the damage: libjpeg warns of it and goes on. */
Test(bad, warnings_are_counted_or_errors_as_asked)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 30}));
    static struct epoch epoch;
    dls_loader_params params = params_of(DLS_ON_ERROR_SKIP, 2);
    uint64_t warned = 0;

    for (uint64_t record = 0; record < 30; record++) {
        struct flow_place place;
        flow_find(dataset, record, &place);
        for (size_t k = 20; k < 60; k++) /* the end of the picture's data */
            flow_damage(place.shard, place.offset + place.length - k);
    }
    params.crop = DLS_CROP_SQUASH;
    params.no_verify = 1;
    run(dataset, &params, &epoch);
    warned = epoch.stats.decode_warnings;
    cr_assert_gt(warned, 0);
    uint64_t bad = epoch.stats.bad_records;
    cr_assert_eq(epoch.samples, 30 - bad);
    params.strict = 1;
    run(dataset, &params, &epoch);
    cr_assert_eq(epoch.stats.bad_records, bad + warned);
    cr_assert_eq(epoch.samples, 30 - bad - warned);
    params.on_error = DLS_ON_ERROR_FAIL;
    dls_loader *loader = flow_start(dataset, &params);
    struct flow_run result;
    cr_assert_eq(flow_epoch(loader, &params, &result), -EBADMSG);
    flow_run_free(&result);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}
