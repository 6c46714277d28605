/* SPDX-License-Identifier: Apache-2.0 */
/* One timed run of a loader. What is timed is here; how it is asked for is settings.h, how it is shown text.h
 * and json.h. */
#ifndef DLS_BENCH_RUN_H
#define DLS_BENCH_RUN_H

#include <dlshards/dlshards.h>
#include <jansson.h>
#include <stdatomic.h>

#include "host.h"
#include "page_cache.h"
#include "samples.h"
#include "settings.h"
#include "usage.h"

enum bench_end {
    BENCH_END_EPOCHS, /* all epochs were read */
    BENCH_END_TIME,   /* the time was over */
    BENCH_END_SIGNAL, /* interrupted */
    BENCH_END_ERROR   /* the loader failed: see error_text */
};

/* One epoch, whole or (the last one of a run that ended early) in part. */
struct bench_epoch {
    uint64_t number;
    uint64_t batches, images;
    uint64_t elapsed_ns;
    bool whole;
    bool cut; /* its start was part of the ramp */
};

struct bench_result {
    const struct bench_settings *settings;
    dls_loader_params params; /* the settings' with the batch, width and height in force filled in */
    struct bench_host host;
    dls_dataset_info dataset; /* its pointers are not valid after the run, but for `path` */
    struct page_cache cache;  /* just before the loader was opened */
    bool cache_known, dropped_all;
    enum bench_end end;
    int error;
    char error_text[512];
    int signal;
    uint64_t open_ns;        /* dls_dataset_open() and dls_loader_open() */
    uint64_t first_batch_ns; /* from then to the first batch */
    uint64_t ramp_ns;        /* of the time that was not counted */
    uint64_t elapsed_ns;     /* from the loader's opening, or the end of the ramp, to the end */
    uint64_t batches, images;
    struct bench_epoch *epochs;
    size_t epoch_count, epoch_room;
    dls_stats stats; /* `engine` and `engine_detail` are replaced by the copies below */
    char engine[32];
    char engine_detail[256];
    char verdict[512];
    struct bench_usage usage; /* from the loader's opening, or the end of the ramp, to the end */
    struct bench_samples *samples;
    json_t *ranks; /* an array with the rates of each, where there are several; else NULL */
    json_t *disk;  /* what the emulated disk said at its end; NULL: there was none */
};

struct bench_summary {
    double median, min, max; /* images a second of whole epochs */
    size_t epochs;
    bool first;       /* the first was left out */
    uint64_t batches; /* of the shortest of these epochs */
};

/* Runs and fills *ret_result as far as it comes: also on failure, where `end` is BENCH_END_ERROR, and after
 * *stop has become non-zero (a signal's number). Returns 0 or the negative errno. bench_result_free() ends
 * it. */
int bench_run(const struct bench_settings *settings, const atomic_int *stop, struct bench_result *ret_result);
void bench_result_free(struct bench_result *result);

/* Over the whole epochs but the first where there are three or more, as the first fills caches; else over
 * those there are. */
void bench_summarise(const struct bench_result *result, struct bench_summary *ret_summary);

#endif
