/* SPDX-License-Identifier: Apache-2.0 */
/* Who takes the batches: it works on each for a time, a trace of times, or at a rate. */
#ifndef DLS_BENCH_CONSUMER_H
#define DLS_BENCH_CONSUMER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"

struct bench_consumer {
    double milliseconds; /* on each batch */
    double *trace;       /* in their place; NULL: none */
    size_t trace_count;
    double rate;      /* images a second at most; 0: any */
    uint64_t batches; /* taken so far */
    uint64_t due_ns;  /* when the rate allows the next batch */
    const atomic_int *stop;
};

/* Reads the trace if there is one: an error names the file and the line. */
int bench_consumer_init(struct bench_consumer *consumer, const struct bench_settings *settings,
                        const atomic_int *stop);
void bench_consumer_free(struct bench_consumer *consumer);

/* Works on a batch of `images` that came at `got`. */
void bench_consume(struct bench_consumer *consumer, uint64_t got, uint64_t images);

#endif
