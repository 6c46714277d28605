/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "live.h"

/* How long dls_loader_next() may sleep before the live line and the end of the time are looked at again. */
#define PATIENCE_NS 100000000

struct clock {
    uint64_t opened, epoch_start;
    uint64_t deadline; /* UINT64_MAX: none */
};

static void consume(uint64_t got, double milliseconds, const atomic_int *stop)
{
    uint64_t until = got + (uint64_t)(milliseconds * 1e6);
    struct timespec at = {.tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};

    while (!atomic_load(stop) && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        ;
}

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
    epoch->whole = whole;
    clock->epoch_start = now;
}

static void count_batch(struct bench_result *result, const dls_batch *batch, const struct clock *clock,
                        uint64_t got)
{
    struct bench_epoch *epoch = &result->epochs[result->epoch_count - 1];

    if (result->batches == 0)
        result->first_batch_ns = got - clock->opened;
    epoch->batches++;
    epoch->images += batch->count;
    result->batches++;
    result->images += batch->count;
}

/* Takes batches until something ends the run; says what. */
static int drain(dls_loader *loader, struct bench_result *result, const atomic_int *stop, struct clock *clock,
                 struct live *live)
{
    const struct bench_settings *settings = result->settings;
    int r = start_epoch(result);

    while (r == 0) {
        const dls_batch *batch = NULL;
        if ((result->signal = atomic_load(stop)) != 0) {
            result->end = BENCH_END_SIGNAL;
            break;
        }
        r = dls_loader_next(loader, PATIENCE_NS, &batch);
        uint64_t now = dls_now();
        if (r == 1) {
            count_batch(result, batch, clock, now);
            if (settings->consume_ms > 0)
                consume(now, settings->consume_ms, stop);
            dls_batch_release(loader, &batch);
            r = 0;
        } else if (r == 0) {
            end_epoch(result, clock, true);
            result->end = BENCH_END_EPOCHS;
            if (result->batches == 0)
                return dls_err(ERANGE, "'%s': there are no records", settings->dataset);
            if (result->params.epochs && result->epoch_count == result->params.epochs)
                return 0;
            r = start_epoch(result);
        } else if (r == -ETIMEDOUT || r == -EAGAIN) {
            r = 0;
        }
        if (r == 0 && now >= clock->deadline) {
            result->end = BENCH_END_TIME;
            break;
        }
        live_update(live, loader, result);
    }
    end_epoch(result, clock, false);
    return r;
}

static void collect(dls_loader *loader, struct bench_result *result)
{
    dls_loader_get_stats(loader, &result->stats);
    snprintf(result->engine, sizeof(result->engine), "%s", result->stats.engine ? result->stats.engine : "");
    snprintf(result->engine_detail, sizeof(result->engine_detail), "%s",
             result->stats.engine_detail ? result->stats.engine_detail : "");
    result->stats.engine = result->engine;
    result->stats.engine_detail = result->engine_detail;
    dls_loader_verdict(loader, result->verdict, sizeof(result->verdict));
}

static int prepare_cache(struct bench_result *result)
{
    const struct bench_settings *settings = result->settings;
    int r = settings->cold ? page_cache_drop(settings->dataset, &result->dropped_all) : 0;

    if (r == 0)
        r = page_cache_get(settings->dataset, &result->cache);
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

int bench_run(const struct bench_settings *settings, const atomic_int *stop, struct bench_result *ret_result)
{
    struct bench_result *result = ret_result;
    dls_dataset *dataset = NULL;
    dls_loader *loader = NULL;
    struct bench_usage before;
    struct live live;

    *result = (struct bench_result){.settings = settings};
    bench_host_get(settings->dataset, &result->host);
    uint64_t start = dls_now();
    int r = dls_dataset_open(settings->dataset, &dataset);
    if (r < 0)
        goto end;
    uint64_t open_ns = dls_now() - start;
    dls_dataset_get_info(dataset, &result->dataset);
    fill_params(result);
    r = prepare_cache(result);
    if (r < 0)
        goto end;
    start = dls_now();
    r = dls_loader_open(dataset, &result->params, &loader);
    if (r < 0)
        goto end;
    struct clock clock = {.opened = dls_now(), .deadline = UINT64_MAX};
    /* Start-up, most of it the clearing of memory, is told apart: open_seconds. */
    bench_usage_now(&before);
    result->open_ns = open_ns + clock.opened - start;
    clock.epoch_start = clock.opened;
    if (settings->seconds > 0)
        clock.deadline = clock.opened + (uint64_t)(settings->seconds * 1e9);
    live_start(&live, result, dls_loader_batches(loader));
    r = drain(loader, result, stop, &clock, &live);
    result->elapsed_ns = dls_now() - clock.opened;
    bench_usage_since(&before, &result->usage);
    if (r < 0)
        snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    live_end(&live);
    collect(loader, result);
end:
    if (r < 0) {
        result->end = BENCH_END_ERROR;
        result->error = r;
        if (!result->error_text[0])
            snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    }
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
    return r;
}

void bench_result_free(struct bench_result *result)
{
    dls_free(result->epochs);
    result->epochs = NULL;
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
