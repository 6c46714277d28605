/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "loader/pipeline.h"
#include "mmap_io.h"

static void fill(dls_loader_params *params, uint64_t records)
{
    /* The default batch is more than a few sample photos make: then one batch is all of them. */
    if (!params->batch_size)
        params->batch_size = (uint32_t)dls_max64(1, dls_min64(BENCH_DEFAULT_BATCH, records));
    if (!params->width)
        params->width = BENCH_DEFAULT_SIDE;
    if (!params->height)
        params->height = params->width;
}

int bench_feed_open_data(struct bench_feed *feed, const struct bench_settings *settings, const char *path,
                         dls_loader_params *params, dls_dataset_info *ret_info)
{
    *params = settings->params;
    *ret_info = (dls_dataset_info){0};
    if (settings->files) {
        fill(params, BENCH_DEFAULT_BATCH);
        return bench_folder_open(path, params, &feed->folder);
    }
    feed->mmap = settings->mmap;
    int r = dls_dataset_open(path, &feed->dataset);
    if (r < 0)
        return r;
    dls_dataset_get_info(feed->dataset, ret_info);
    fill(params, ret_info->records);
    return 0;
}

int bench_feed_start(struct bench_feed *feed, const dls_loader_params *params, dls_dataset_info *info)
{
    if (feed->mmap) {
        dls_loader_params mapped = *params;
        mapped.direct = DLS_DIRECT_OFF; /* what is mapped is in the page cache */
        return dls_pipeline_open_with(feed->dataset, &mapped, &bench_io_mmap, &feed->loader);
    }
    if (!feed->folder)
        return dls_loader_open(feed->dataset, params, &feed->loader);
    info->records = bench_folder_files(feed->folder);
    info->bytes = bench_folder_bytes(feed->folder);
    return bench_folder_start(feed->folder);
}

void bench_feed_close(struct bench_feed *feed)
{
    bench_feed_release(feed);
    dls_loader_close(&feed->loader);
    dls_dataset_close(&feed->dataset);
    bench_folder_close(&feed->folder);
}

uint64_t bench_feed_batches(const struct bench_feed *feed)
{
    return feed->folder ? bench_folder_batches(feed->folder) : dls_loader_batches(feed->loader);
}

int bench_feed_next(struct bench_feed *feed, int64_t timeout_ns, uint64_t *ret_images)
{
    if (feed->folder)
        return bench_folder_next(feed->folder, timeout_ns, ret_images);
    int r = dls_loader_next(feed->loader, timeout_ns, &feed->batch);
    if (r == 1)
        *ret_images = feed->batch->count;
    return r;
}

void bench_feed_release(struct bench_feed *feed)
{
    if (feed->batch)
        dls_batch_release(feed->loader, &feed->batch);
}

static double share(uint64_t part, uint64_t rest)
{
    return part + rest ? 100.0 * (double)part / (double)(part + rest) : 0;
}

/* Of the classic loader: a worker reads or decodes, never both. */
static dls_bound folder_bound(const dls_stats *stats)
{
    if (stats->consume.items < 3)
        return DLS_BOUND_UNKNOWN;
    if (stats->consume.wait_in_ns * 10 < stats->consume.busy_ns)
        return DLS_BOUND_CONSUMER;
    return stats->read.busy_ns > stats->decode.busy_ns ? DLS_BOUND_DISK : DLS_BOUND_DECODER;
}

void bench_feed_get_stats(const struct bench_feed *feed, dls_stats *ret_stats)
{
    if (!feed->folder) {
        dls_loader_get_stats(feed->loader, ret_stats);
        return;
    }
    bench_folder_get_stats(feed->folder, ret_stats);
    ret_stats->bound = folder_bound(ret_stats);
}

void bench_feed_verdict(const struct bench_feed *feed, char *ret_text, size_t size)
{
    static const char *const names[] = {"too little was measured", "disk-bound", "decoder-bound",
                                        "consumer-bound"};
    dls_stats stats;

    if (!feed->folder) {
        dls_loader_verdict(feed->loader, ret_text, size);
        return;
    }
    bench_feed_get_stats(feed, &stats);
    snprintf(ret_text, size,
             "%s: the workers read for %.0f %% of their time and decoded for %.0f %%; the consumer waited "
             "%.0f %% of its own",
             names[stats.bound], share(stats.read.busy_ns, stats.decode.busy_ns + stats.decode.wait_out_ns),
             share(stats.decode.busy_ns, stats.read.busy_ns + stats.decode.wait_out_ns),
             share(stats.consume.wait_in_ns, stats.consume.busy_ns));
}
