/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include <math.h>

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

/* Reads a second and their depth since the last line. */
static void describe_reads(struct live *live, const dls_stats *stats, uint64_t now)
{
    double deep = 0, reads = 0, seconds = (double)(now - live->at_ns) / 1e9;

    for (int i = 0; i < 11; i++) {
        double count = (double)(stats->read_depths[i] - live->depths[i]);
        reads += count;
        deep += count * 1.5 * (1 << i); /* the middle of the bucket */
        live->depths[i] = stats->read_depths[i];
    }
    if (live->at_ns && seconds > 0)
        snprintf(live->progress.note, sizeof(live->progress.note), "%.0f IOPS, depth %.0f",
                 (double)(stats->read.items - live->reads) / seconds, reads > 0 ? fmax(deep / reads, 1) : 0);
    live->at_ns = now;
    live->reads = stats->read.items;
}

void live_update(struct live *live, const struct bench_feed *feed, const struct bench_result *result)
{
    dls_stats stats;

    if (live->progress.mode == TOOL_PROGRESS_NONE || dls_now() < live->next_ns)
        return;
    bench_feed_get_stats(feed, &stats);
    live->images = result->images;
    live->bytes = stats.read.bytes;
    describe_reads(live, &stats, dls_now());
    live->next_ns = dls_now() + INTERVAL_NS;
    tool_progress_update(&live->progress, live->images, live->bytes);
}

void live_end(struct live *live)
{
    tool_progress_end(&live->progress, live->images, live->bytes);
}
