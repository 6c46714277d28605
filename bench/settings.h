/* SPDX-License-Identifier: Apache-2.0 */
/* What `dls-bench run` was asked to do. */
#ifndef DLS_BENCH_SETTINGS_H
#define DLS_BENCH_SETTINGS_H

#include <dlshards/loader.h>
#include <stdbool.h>

#include "common/progress.h"
#include "common/tool.h"

/* The library's own defaults (loader.h). */
#define BENCH_DEFAULT_BATCH 256
#define BENCH_DEFAULT_SIDE 224

struct bench_settings {
    const char *dataset;             /* directory */
    dls_loader_params params;        /* 0 = default, as in loader.h */
    bool files;                      /* `dataset` is a folder of pictures, read file by file */
    bool mmap;                       /* shards are mapped */
    uint32_t ranks;                  /* loaders that share each epoch in this run; 1: one */
    double seconds;                  /* 0: until the epochs are done */
    uint64_t interval_ns;            /* of the samples in the result */
    double ramp_seconds;             /* from the first batch on, not counted */
    double consume_ms;               /* how long the consumer works on a batch; 0: it drops it at once */
    const char *consume_trace;       /* a file with these times, one a line; NULL: none */
    double rate;                     /* images a second that the consumer asks for at most; 0: no limit */
    const char *disk, *disk_options; /* emulated disk's profile, NULL: none; changes to it */
    bool cold;                       /* empty the page cache first */
    bool json, csv;
    bool quiet, verbose; /* how much of the library's log goes to stderr: errors, all; else warnings */
    enum tool_progress_mode progress;
};

/* The config struct of the command line, and its rows. */
struct bench_options {
    uint64_t threads, resize, depth, io_size, memory, epochs, first_epoch, batch, window, ring, seed, world,
        rank, ranks;
    uint64_t seconds_ns, ramp_ns, interval_ns;
    const char *size, *mean, *std, *jitter, *scale, *ratio, *pad_color, *masks, *boxes, *consume_trace, *disk,
        *disk_options;
    int crop, filter, dct_scale, on_error, dtype, layout, order, tail, engine, direct, format, progress;
    bool strict, flip, flip_vertical, ignore_orientation, read_only, no_verify, cold, json, quiet, verbose;
    double consume_ms, rate, grayscale;
};
extern const struct tool_option bench_run_options[];

/* Returns TOOL_OK, or TOOL_USAGE after saying what is wrong. */
int bench_settings_from(const struct tool_call *call, struct bench_settings *ret_settings);

#endif
