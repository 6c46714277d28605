/* SPDX-License-Identifier: Apache-2.0 */
/* What a run takes its batches from: the loader over a dataset, or the classic loader over a folder of files.
 */
#ifndef DLS_BENCH_FEED_H
#define DLS_BENCH_FEED_H

#include <dlshards/dlshards.h>

#include "folder.h"
#include "settings.h"

struct bench_feed {
    dls_dataset *dataset;
    dls_loader *loader;
    const dls_batch *batch;      /* lent to the run */
    struct bench_folder *folder; /* in place of the three */
    bool mmap;                   /* the loader reads mapped shards */
};

/* Two steps, so that a page cache can be prepared between them. `params` gets the batch and the picture's
 * size in force; *ret_info has the numbers that are known of the data. Zero *feed before; close it after
 * failure, too. */
int bench_feed_open_data(struct bench_feed *feed, const struct bench_settings *settings, const char *path,
                         dls_loader_params *params, dls_dataset_info *ret_info);
int bench_feed_start(struct bench_feed *feed, const dls_loader_params *params, dls_dataset_info *info);
void bench_feed_close(struct bench_feed *feed);

uint64_t bench_feed_batches(const struct bench_feed *feed);
/* As dls_loader_next(). The batch is the run's until bench_feed_release(). */
int bench_feed_next(struct bench_feed *feed, int64_t timeout_ns, uint64_t *ret_images);
void bench_feed_release(struct bench_feed *feed);
void bench_feed_get_stats(const struct bench_feed *feed, dls_stats *ret_stats);
void bench_feed_verdict(const struct bench_feed *feed, char *ret_text, size_t size);

#endif
