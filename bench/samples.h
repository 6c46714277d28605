/* SPDX-License-Identifier: Apache-2.0 */
/* What a run did in each stretch of time: for plots, and for telling a difference from noise. */
#ifndef DLS_BENCH_SAMPLES_H
#define DLS_BENCH_SAMPLES_H

#include <dlshards/stats.h>
#include <jansson.h>

#define BENCH_SAMPLES_MOST 2048

/* Since the sample before. */
struct bench_sample {
    uint64_t ns, images, read_bytes;
    uint64_t busy_ns[3], wait_in_ns[3], wait_out_ns[3]; /* of read, decode and consume */
};

struct bench_samples {
    uint64_t interval_ns;      /* doubled, and neighbours put together, whenever there are too many */
    uint64_t last_ns, next_ns; /* the time of the last one and of the next */
    uint64_t images;
    dls_stats last;
    size_t count;
    struct bench_sample list[BENCH_SAMPLES_MOST];
};

/* Starts, or starts anew, at `now`, when the loader had counted *stats. */
void bench_samples_start(struct bench_samples *samples, uint64_t interval_ns, uint64_t now,
                         const dls_stats *stats);
/* Whether it is time to take one: then bench_samples_take() with the images of the run so far. */
int bench_samples_due(const struct bench_samples *samples, uint64_t now);
void bench_samples_take(struct bench_samples *samples, uint64_t now, uint64_t images, const dls_stats *stats);
/* A new reference, or NULL. */
json_t *bench_samples_json(const struct bench_samples *samples);

#endif
