/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "consumer.h"
#include "feed.h"
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

static void count_batch(struct bench_result *result, uint64_t images, struct clock *clock, uint64_t got)
{
    struct bench_epoch *epoch = &result->epochs[result->epoch_count - 1];

    if (!result->first_batch_ns) {
        result->first_batch_ns = got - clock->opened;
        if (clock->ramp_end)
            clock->ramp_end = got + (uint64_t)(result->settings->ramp_seconds * 1e9);
    }
    epoch->batches++;
    epoch->images += images;
    result->batches++;
    result->images += images;
}

static void start_counting(const struct bench_settings *settings, struct clock *clock, uint64_t now)
{
    clock->epoch_start = now;
    if (settings->seconds > 0)
        clock->deadline = now + (uint64_t)(settings->seconds * 1e9);
    bench_usage_now(&clock->before);
}

/* Forgets what was counted, but for the time to the first batch. The epoch under way is counted in part. */
static void end_ramp(struct bench_feed *feed, struct bench_result *result, struct clock *clock, uint64_t now)
{
    uint64_t number = result->epochs[result->epoch_count - 1].number;

    clock->ramp_end = 0;
    result->ramp_ns = now - clock->opened;
    result->batches = result->images = 0;
    result->epochs[0] = (struct bench_epoch){.number = number, .cut = true};
    result->epoch_count = 1;
    bench_feed_get_stats(feed, &clock->ramp);
    bench_samples_start(result->samples, result->settings->interval_ns, now, &clock->ramp);
    start_counting(result->settings, clock, now);
}

static bool is_last_epoch(const struct bench_result *result)
{
    const struct bench_epoch *epoch = &result->epochs[result->epoch_count - 1];
    return result->params.epochs && epoch->number + 1 == result->params.first_epoch + result->params.epochs;
}

static void take_sample(struct bench_feed *feed, struct bench_result *result, uint64_t now)
{
    dls_stats stats;

    if (!bench_samples_due(result->samples, now))
        return;
    bench_feed_get_stats(feed, &stats);
    bench_samples_take(result->samples, now, result->images, &stats);
}

/* Takes batches until something ends the run; says what. */
static int drain(struct bench_feed *feed, struct bench_result *result, struct bench_consumer *consumer,
                 struct clock *clock, struct live *live)
{
    const struct bench_settings *settings = result->settings;
    int r = start_epoch(result);

    while (r == 0) {
        uint64_t images = 0;
        if ((result->signal = atomic_load(consumer->stop)) != 0) {
            result->end = BENCH_END_SIGNAL;
            break;
        }
        r = bench_feed_next(feed, PATIENCE_NS, &images);
        uint64_t now = dls_now();
        if (r == 1) {
            count_batch(result, images, clock, now);
            bench_consume(consumer, now, images);
            bench_feed_release(feed);
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
            end_ramp(feed, result, clock, dls_now());
        if (r == 0 && now >= clock->deadline && !clock->ramp_end) {
            result->end = BENCH_END_TIME;
            break;
        }
        take_sample(feed, result, now);
        live_update(live, feed, result);
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

static void collect(const struct bench_feed *feed, const struct clock *clock, struct bench_result *result)
{
    bench_feed_get_stats(feed, &result->stats);
    leave_out(&result->stats.read, &clock->ramp.read);
    leave_out(&result->stats.decode, &clock->ramp.decode);
    leave_out(&result->stats.consume, &clock->ramp.consume);
    snprintf(result->engine, sizeof(result->engine), "%s", result->stats.engine ? result->stats.engine : "");
    snprintf(result->engine_detail, sizeof(result->engine_detail), "%s",
             result->stats.engine_detail ? result->stats.engine_detail : "");
    result->stats.engine = result->engine;
    result->stats.engine_detail = result->engine_detail;
    bench_feed_verdict(feed, result->verdict, sizeof(result->verdict));
}

static int prepare_cache(const char *path, struct bench_result *result)
{
    int r = result->settings->cold ? page_cache_drop(path, &result->dropped_all) : 0;

    if (r == 0)
        r = page_cache_get(path, &result->cache);
    return r;
}

int bench_measure(const char *path, const atomic_int *stop, struct bench_result *result)
{
    struct bench_feed feed = {0};
    struct bench_consumer consumer;
    struct clock clock = {.deadline = UINT64_MAX};
    struct live live;

    int r = bench_consumer_init(&consumer, result->settings, stop);
    uint64_t start = dls_now();
    if (r == 0)
        r = bench_feed_open_data(&feed, result->settings, path, &result->params, &result->dataset);
    if (r < 0)
        goto end;
    uint64_t open_ns = dls_now() - start;
    r = prepare_cache(path, result);
    if (r < 0)
        goto end;
    start = dls_now();
    r = bench_feed_start(&feed, &result->params, &result->dataset);
    if (r < 0)
        goto end;
    /* Start-up, most of it the clearing of memory, is told apart: open_seconds. */
    clock.opened = dls_now();
    clock.ramp_end = result->settings->ramp_seconds > 0 ? UINT64_MAX : 0;
    result->open_ns = open_ns + clock.opened - start;
    bench_samples_start(result->samples, result->settings->interval_ns, clock.opened, &clock.ramp);
    start_counting(result->settings, &clock, clock.opened);
    live_start(&live, result, bench_feed_batches(&feed));
    r = drain(&feed, result, &consumer, &clock, &live);
    result->elapsed_ns = dls_now() - clock.opened - result->ramp_ns;
    bench_usage_since(&clock.before, &result->usage);
    if (r < 0)
        snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    live_end(&live);
    collect(&feed, &clock, result);
end:
    if (r < 0 && !result->error_text[0])
        snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    bench_feed_close(&feed);
    bench_consumer_free(&consumer);
    if (r < 0) {
        result->end = BENCH_END_ERROR;
        result->error = r;
    }
    return r;
}
