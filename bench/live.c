/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include "base/clock.h"

#define INTERVAL_NS 170000000ull

void live_start(struct live *live, const struct bench_result *result, uint64_t batches)
{
    const dls_loader_params *params = &result->params;
    uint64_t total = 0;

    /* With both limits the time may come first: then the end cannot be foretold by the images. */
    if (result->settings->seconds <= 0 &&
        __builtin_mul_overflow(batches * params->epochs, params->batch_size, &total))
        total = 0;
    *live = (struct live){0};
    tool_progress_start(&live->progress, result->settings->progress, "run", "images", total, 0);
}

void live_update(struct live *live, const struct bench_feed *feed, const struct bench_result *result)
{
    dls_stats stats;

    if (live->progress.mode == TOOL_PROGRESS_NONE || dls_now() < live->next_ns)
        return;
    bench_feed_get_stats(feed, &stats);
    live->images = result->images;
    live->bytes = stats.read.bytes;
    live->next_ns = dls_now() + INTERVAL_NS;
    tool_progress_update(&live->progress, live->images, live->bytes);
}

void live_end(struct live *live)
{
    tool_progress_end(&live->progress, live->images, live->bytes);
}
