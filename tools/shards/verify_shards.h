/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies the shards of a dataset with several threads and tells what is wrong in their order. */
#ifndef TOOLS_SHARDS_VERIFY_SHARDS_H
#define TOOLS_SHARDS_VERIFY_SHARDS_H

#include "shard/verify.h"

#include <stdbool.h>
#include <stdint.h>

struct verify_settings {
    struct dls_dataset *dataset; /* opened with dls_set_open_unchecked() */
    unsigned threads;
    bool decode;
    /* Called by verify_shards() in its own thread: for each fault, shard after shard in their order … */
    void (*fault)(void *user, const struct dls_fault *fault);
    /* … and several times a second, with the bytes read so far; non-zero stops. */
    int (*progress)(void *user, uint64_t bytes);
    void *user;
};

struct verify_result {
    uint64_t faults, warnings; /* warnings: pictures that decode, but with complaints of their decoder */
    uint64_t bytes;
};

/* 0 when it got to the end, whatever was found; -ECANCELED, -ENOMEM. */
int verify_shards(const struct verify_settings *settings, struct verify_result *ret_result);

#endif
