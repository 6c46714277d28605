/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets for tests of the whole path, and loops over a loader. Setup that fails ends the process, as in
 * support/. */
#ifndef DLS_TESTS_FLOW_H
#define DLS_TESTS_FLOW_H

#include <dlshards/dlshards.h>
#include <stdbool.h>

/* What is written. 0 in any member is the default. */
struct flow_spec {
    uint32_t records;       /* default 100; see also `none` */
    bool none;              /* no records at all */
    uint32_t width, height; /* of the pictures; default 64 × 48, varied by a few pixels */
    uint32_t huge;          /* record `huge` - 1 is this many times as wide and high as the others: */
    uint32_t huge_times;    /* default 20 */
    uint32_t block_bytes;   /* default 8192 */
    uint64_t shard_bytes;   /* default 64 KiB */
    bool turned;            /* record i has EXIF orientation 1 + i % 8 */
    bool progressive;
};
#define FLOW_CLASSES 7

/* A new dataset in a temporary directory; its path, which lives as long as the process. Record i has label i
 * % 7 and key "class-L/picture-NNNNN.jpg". */
const char *flow_make(const struct flow_spec *spec);
dls_dataset *flow_open(const char *path);
/* A loader's parameters for tests: batches of 16, 32 × 24 pixels, one epoch, 2 threads, seed 7. */
dls_loader_params flow_params(void);
dls_loader *flow_start(dls_dataset *dataset, const dls_loader_params *params);

/* The image at `place` of a batch, and its length. */
const uint8_t *flow_image(const dls_batch *batch, uint32_t place);
size_t flow_image_bytes(const dls_batch *batch);

/* One sample as it left the loader. */
struct flow_sample {
    uint64_t record;
    int64_t label;
    uint64_t pixels; /* checksum of its image; 0 if there is none */
};
struct flow_run {
    uint64_t epoch, batches;
    uint32_t last_count; /* samples in the last batch */
    uint64_t count;
    struct flow_sample *samples; /* free() it */
};
/* Runs one epoch to its end; checks what holds for every batch (numbers, sizes, empty places). Returns what
 * dls_loader_next() returned last: 0, or the error. */
int flow_epoch(dls_loader *loader, const dls_loader_params *params, struct flow_run *ret_run);
void flow_run_free(struct flow_run *run);

/* Asserts that the run has each of `records` records once, with its label. */
void flow_expect_all(const struct flow_run *run, uint64_t records);
/* The same samples in the same order, with the same pixels? */
bool flow_same(const struct flow_run *a, const struct flow_run *b);

/* One record's place: path of its shard, offset and length of its image there. */
struct flow_place {
    char shard[4096];
    uint64_t offset;
    size_t length;
    char key[64];
};
void flow_find(dls_dataset *dataset, uint64_t record, struct flow_place *ret_place);
/* Turns one bit of a file. */
void flow_damage(const char *path, uint64_t offset);

#endif
