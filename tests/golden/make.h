/* SPDX-License-Identifier: Apache-2.0 */
/* The committed datasets below tests/golden and what is expected of them. */
#ifndef DLS_TESTS_GOLDEN_MAKE_H
#define DLS_TESTS_GOLDEN_MAKE_H

#include <stdint.h>

struct golden_good {
    const char *name;
    uint64_t records, shard_bytes; /* of specimen_write() */
    const char *uuid;
};
extern const struct golden_good golden_good[];

/* A dataset with one flaw. */
struct golden_bad {
    const char *name;
    int open; /* what dls_dataset_open() returns */
    int read; /* if it opens: what reading its records gives, at the first that fails */
    /* Changes good/three as it lies in memory: *length of the shard and *text_length of the manifest may shrink. */
    void (*spoil)(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length);
};
extern const struct golden_bad golden_bad[];

/* Writes all of them below `folder`, which must be empty. */
void golden_make(const char *folder);

#endif
