/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `dlpack-shards pack`. */
#ifndef TOOLS_SHARDS_PACK_H
#define TOOLS_SHARDS_PACK_H

#include "common/tool.h"
#include "shards/examine.h"
#include "shards/report.h"
#include "shards/source.h"

#include <dlshards/dataset.h>

enum { ON_ERROR_FAIL, ON_ERROR_SKIP };

/* The options. */
struct pack_config {
    uint64_t block_bytes, shard_bytes, seed, threads, memory, max_pixels, level;
    int on_error, progress;
    bool no_shuffle, no_check, hidden, allow_empty, no_space_check, quiet, json;
    const char *report;
};

/* One run. */
struct pack {
    const struct tool_call *call;
    const struct pack_config *config;
    const char *root; /* SRC */
    char *out;        /* OUT without slashes at its end; owned */
    struct source source;
    struct report report;
    struct tool_progress progress;
    uint64_t records, bytes, skipped;
    uint64_t codecs[256];
    uint64_t *class_records; /* owned */
    unsigned __int128 sum[3], square[3];
    uint64_t pixels;
    uint64_t started; /* dls_now() */
    bool writing;     /* the temporary directory has been made */
};

extern const struct tool_option pack_options[];

/* Before anything is written: that OUT is free and not inside SRC, and that the disk has room. Exit codes. */
int pack_check_out(struct pack *pack);
int pack_check_source(struct pack *pack);
int pack_check_space(struct pack *pack);

/* The result, on stdout. */
void pack_print_summary(struct pack *pack);

/* Mean and standard deviation (0 … 1) of every pixel packed; false if none was decoded. */
bool pack_pixel_stats(const struct pack *pack, double ret_mean[3], double ret_std[3]);

#endif
