/* SPDX-License-Identifier: Apache-2.0 */
/* The live line of a run on stderr. */
#ifndef DLS_BENCH_LIVE_H
#define DLS_BENCH_LIVE_H

#include "common/progress.h"
#include "feed.h"
#include "run.h"

struct live {
    struct tool_progress progress;
    uint64_t next_ns; /* counters are not asked for before */
    uint64_t images, bytes;
    uint64_t at_ns, reads, depths[11]; /* when and what was counted for the last line */
};

/* batches: in an epoch. */
void live_start(struct live *live, const struct bench_result *result, uint64_t batches);
/* Cheap enough to be called for every batch. */
void live_update(struct live *live, const struct bench_feed *feed, const struct bench_result *result);
void live_end(struct live *live);

#endif
