/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "consumer.h"
#include "emulated.h"
#include "live.h"

/* How long dls_loader_next() may sleep before the live line and the end of the time are looked at again. */
#define PATIENCE_NS 100000000

/* Where the measuring stands. */
struct clock {
    uint64_t opened, epoch_start;
    uint64_t ramp_end; /* UINT64_MAX: not known before the first batch; 0: over */
    uint64_t deadline; /* UINT64_MAX: none */
    struct bench_usage before;
    dls_stats ramp; /* what the loader had counted at its end */
};

static int start_epoch(struct bench_result *result)
{
    if (result->epoch_count == result->epoch_room) {
        size_t room = result->epoch_room ? result->epoch_room * 2 : 64;
        void *list = dls_realloc(DLS_MEM_TOOL, result->epochs, room * sizeof(*result->epochs));
        if (!list)
            return -ENOMEM;
        result->epochs = list;
        result->epoch_room = room;
    }
    struct bench_epoch *epoch = &result->epochs[result->epoch_count];
    *epoch = (struct bench_epoch){.number = result->params.first_epoch + result->epoch_count};
    result->epoch_count++;
    return 0;
}

static void end_epoch(struct bench_result *result, struct clock *clock, bool whole)
{
    uint64_t now = dls_now();
    struct bench_epoch *epoch = &result->epochs[result->epoch_count - 1];

    epoch->elapsed_ns = now - clock->epoch_start;
    epoch->whole = whole && !epoch->cut;
    clock->epoch_start = now;
}

static void count_batch(struct bench_result *result, const dls_batch *batch, struct clock *clock,
                        uint64_t got)
{
    struct bench_epoch *epoch = &result->epochs[result->epoch_count - 1];

    if (!result->first_batch_ns) {
        result->first_batch_ns = got - clock->opened;
        if (clock->ramp_end)
            clock->ramp_end = got + (uint64_t)(result->settings->ramp_seconds * 1e9);
    }
    epoch->batches++;
    epoch->images += batch->count;
    result->batches++;
    result->images += batch->count;
}

static void start_counting(const struct bench_settings *settings, struct clock *clock, uint64_t now)
{
    clock->epoch_start = now;
    if (settings->seconds > 0)
        clock->deadline = now + (uint64_t)(settings->seconds * 1e9);
    bench_usage_now(&clock->before);
}

/* Forgets what was counted, but for the time to the first batch. The epoch under way is counted in part. */
static void end_ramp(dls_loader *loader, struct bench_result *result, struct clock *clock, uint64_t now)
{
    uint64_t number = result->epochs[result->epoch_count - 1].number;

    clock->ramp_end = 0;
    result->ramp_ns = now - clock->opened;
    result->batches = result->images = 0;
    result->epochs[0] = (struct bench_epoch){.number = number, .cut = true};
    result->epoch_count = 1;
    dls_loader_get_stats(loader, &clock->ramp);
    bench_samples_start(result->samples, result->settings->interval_ns, now, &clock->ramp);
    start_counting(result->settings, clock, now);
}

static bool is_last_epoch(const struct bench_result *result)
{
    const struct bench_epoch *epoch = &result->epochs[result->epoch_count - 1];
    return result->params.epochs && epoch->number + 1 == result->params.first_epoch + result->params.epochs;
}

static void take_sample(dls_loader *loader, struct bench_result *result, uint64_t now)
{
    dls_stats stats;

    if (!bench_samples_due(result->samples, now))
        return;
    dls_loader_get_stats(loader, &stats);
    bench_samples_take(result->samples, now, result->images, &stats);
}

/* Takes batches until something ends the run; says what. */
static int drain(dls_loader *loader, struct bench_result *result, struct bench_consumer *consumer,
                 struct clock *clock, struct live *live)
{
    const struct bench_settings *settings = result->settings;
    int r = start_epoch(result);

    while (r == 0) {
        const dls_batch *batch = NULL;
        if ((result->signal = atomic_load(consumer->stop)) != 0) {
            result->end = BENCH_END_SIGNAL;
            break;
        }
        r = dls_loader_next(loader, PATIENCE_NS, &batch);
        uint64_t now = dls_now();
        if (r == 1) {
            count_batch(result, batch, clock, now);
            bench_consume(consumer, now, batch->count);
            dls_batch_release(loader, &batch);
            r = 0;
        } else if (r == 0) {
            end_epoch(result, clock, true);
            result->end = BENCH_END_EPOCHS;
            if (result->batches == 0 && !result->ramp_ns)
                return dls_err(ERANGE, "'%s': there are no records", settings->dataset);
            if (is_last_epoch(result))
                return 0;
            r = start_epoch(result);
        } else if (r == -ETIMEDOUT || r == -EAGAIN) {
            r = 0;
        }
        if (r == 0 && now >= clock->ramp_end && clock->ramp_end)
            end_ramp(loader, result, clock, dls_now());
        if (r == 0 && now >= clock->deadline && !clock->ramp_end) {
            result->end = BENCH_END_TIME;
            break;
        }
        take_sample(loader, result, now);
        live_update(live, loader, result);
    }
    end_epoch(result, clock, false);
    return r;
}

/* Latencies stay those of the whole run: percentiles cannot be taken apart. */
static void leave_out(dls_stage *stage, const dls_stage *ramp)
{
    stage->items -= ramp->items;
    stage->bytes -= ramp->bytes;
    stage->busy_ns -= ramp->busy_ns;
    stage->wait_in_ns -= ramp->wait_in_ns;
    stage->wait_out_ns -= ramp->wait_out_ns;
}

static void collect(dls_loader *loader, const struct clock *clock, struct bench_result *result)
{
    dls_loader_get_stats(loader, &result->stats);
    leave_out(&result->stats.read, &clock->ramp.read);
    leave_out(&result->stats.decode, &clock->ramp.decode);
    leave_out(&result->stats.consume, &clock->ramp.consume);
    snprintf(result->engine, sizeof(result->engine), "%s", result->stats.engine ? result->stats.engine : "");
    snprintf(result->engine_detail, sizeof(result->engine_detail), "%s",
             result->stats.engine_detail ? result->stats.engine_detail : "");
    result->stats.engine = result->engine;
    result->stats.engine_detail = result->engine_detail;
    dls_loader_verdict(loader, result->verdict, sizeof(result->verdict));
}

static int prepare_cache(const char *path, struct bench_result *result)
{
    int r = result->settings->cold ? page_cache_drop(path, &result->dropped_all) : 0;

    if (r == 0)
        r = page_cache_get(path, &result->cache);
    return r;
}

static void fill_params(struct bench_result *result)
{
    dls_loader_params *params = &result->params;

    *params = result->settings->params;
    /* The default batch is more than a few sample photos make: then one batch is all of them. */
    if (!params->batch_size)
        params->batch_size = (uint32_t)dls_max64(1, dls_min64(BENCH_DEFAULT_BATCH, result->dataset.records));
    if (!params->width)
        params->width = BENCH_DEFAULT_SIDE;
    if (!params->height)
        params->height = params->width;
}

/* Opens, measures and closes; `path` is where the dataset is to be read. */
static int measure(const char *path, struct bench_consumer *consumer, struct bench_result *result)
{
    dls_dataset *dataset = NULL;
    dls_loader *loader = NULL;
    struct clock clock = {.deadline = UINT64_MAX};
    struct live live;

    uint64_t start = dls_now();
    int r = dls_dataset_open(path, &dataset);
    if (r < 0)
        goto end;
    uint64_t open_ns = dls_now() - start;
    dls_dataset_get_info(dataset, &result->dataset);
    fill_params(result);
    r = prepare_cache(path, result);
    if (r < 0)
        goto end;
    start = dls_now();
    r = dls_loader_open(dataset, &result->params, &loader);
    if (r < 0)
        goto end;
    /* Start-up, most of it the clearing of memory, is told apart: open_seconds. */
    clock.opened = dls_now();
    clock.ramp_end = result->settings->ramp_seconds > 0 ? UINT64_MAX : 0;
    result->open_ns = open_ns + clock.opened - start;
    bench_samples_start(result->samples, result->settings->interval_ns, clock.opened, &clock.ramp);
    start_counting(result->settings, &clock, clock.opened);
    live_start(&live, result, dls_loader_batches(loader));
    r = drain(loader, result, consumer, &clock, &live);
    result->elapsed_ns = dls_now() - clock.opened - result->ramp_ns;
    bench_usage_since(&clock.before, &result->usage);
    if (r < 0)
        snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    live_end(&live);
    collect(loader, &clock, result);
end:
    if (r < 0 && !result->error_text[0])
        snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
    return r;
}

/* A run on an emulated disk counts only where the emulator kept up. */
static int leave_disk(struct bench_emulated *emulated, struct bench_result *result, int r)
{
    int left = bench_emulated_stop(emulated, &result->disk);

    if (r == 0 && left < 0)
        r = left;
    else if (r == 0 && result->disk && !json_is_true(json_object_get(result->disk, "in_time")))
        r = dls_err(ETIME, "the emulated disk '%s' could not keep up with itself: this result is void",
                    result->settings->disk);
    else
        return r;
    snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    return r;
}

int bench_run(const struct bench_settings *settings, const atomic_int *stop, struct bench_result *ret_result)
{
    struct bench_result *result = ret_result;
    struct bench_consumer consumer;
    struct bench_emulated emulated = {0};

    *result = (struct bench_result){.settings = settings};
    bench_host_get(settings->dataset, &result->host);
    result->samples = dls_alloc(DLS_MEM_TOOL, sizeof(*result->samples));
    int r = bench_consumer_init(&consumer, settings, stop);
    if (r == 0 && !result->samples)
        r = dls_err_sys(ENOMEM, "samples");
    if (r == 0 && settings->disk)
        r = bench_emulated_start(settings->disk, settings->disk_options, settings->dataset, &emulated);
    if (r == 0)
        r = measure(emulated.child ? emulated.mountpoint : settings->dataset, &consumer, result);
    else
        snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    r = leave_disk(&emulated, result, r);
    if (r < 0) {
        result->end = BENCH_END_ERROR;
        result->error = r;
    }
    bench_consumer_free(&consumer);
    return r;
}

void bench_result_free(struct bench_result *result)
{
    dls_free(result->epochs);
    result->epochs = NULL;
    dls_free(result->samples);
    result->samples = NULL;
    json_decref(result->disk);
    result->disk = NULL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_summarise(const struct bench_result *result, struct bench_summary *ret_summary)
{
    size_t whole = 0;

    *ret_summary = (struct bench_summary){0};
    for (size_t i = 0; i < result->epoch_count; i++)
        whole += result->epochs[i].whole && result->epochs[i].elapsed_ns > 0;
    double *rates = whole ? dls_alloc_array(DLS_MEM_TOOL, whole, sizeof(*rates)) : NULL;
    if (!rates)
        return;
    size_t n = 0;
    uint64_t batches = 0;
    for (size_t i = 0; i < result->epoch_count; i++) {
        const struct bench_epoch *epoch = &result->epochs[i];
        if (!epoch->whole || epoch->elapsed_ns == 0 || (i == 0 && whole >= 3))
            continue;
        rates[n++] = (double)epoch->images * 1e9 / (double)epoch->elapsed_ns;
        if (n == 1 || epoch->batches < batches)
            batches = epoch->batches;
    }
    qsort(rates, n, sizeof(*rates), by_value);
    *ret_summary = (struct bench_summary){.median = (rates[(n - 1) / 2] + rates[n / 2]) / 2,
                                          .min = rates[0],
                                          .max = rates[n - 1],
                                          .epochs = n,
                                          .first = n < whole,
                                          .batches = batches};
    dls_free(rates);
}
