/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all of a shard and names everything that is wrong with it, going on after each fault where it can. */
#ifndef DLS_SHARD_VERIFY_H
#define DLS_SHARD_VERIFY_H

#include "shard/dataset.h"

/* What is wrong and where. Numbers that do not apply are -1; the pointers live during the call alone. */
struct dls_fault {
    const char *kind; /* "shard", "block", "record", "table" or "checksum" */
    const char *file; /* path of the shard */
    uint32_t shard;
    int64_t block;  /* in the shard */
    int64_t record; /* in the dataset */
    const char *key; /* of the record, key_length bytes; NULL if it is not known */
    size_t key_length;
    int64_t offset; /* in the file, bytes */
    int code;       /* negative errno */
    const char *text;
};

struct dls_verify {
    /* Called for each fault. */
    void (*fault)(void *user, const struct dls_fault *fault);
    /* Called for each image whose bytes are as they should be, to look at the picture itself; a negative errno (with
     * text) is reported as a fault of the record. May be NULL. */
    int (*picture)(void *user, const struct dls_cell *cell, const uint8_t *data);
    /* Called after each block with the bytes read since the last call; non-zero stops (-ECANCELED). May be NULL. */
    int (*progress)(void *user, uint64_t bytes);
    void *user;
};

/* Verifies shard `number` of a dataset opened with dls_set_open_unchecked(). Reads in one pass, about a block of memory
 * at a time. Where the tables at the end are damaged, it searches for the blocks that are left. Different shards may be verified by different threads at a time. Returns 0 when it got to the end, however
 * many faults there were; *ret_faults is their number. -ENOMEM, -ECANCELED. */
int dls_verify_shard(struct dls_dataset *dataset, uint32_t number, const struct dls_verify *verify,
                     uint64_t *ret_faults);

#endif
