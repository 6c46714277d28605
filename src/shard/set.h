/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of an open dataset, for the files of this folder. */
#ifndef DLS_SHARD_SET_H
#define DLS_SHARD_SET_H

#include "shard/block.h"
#include "shard/dataset.h"
#include "shard/shard.h"

#include <pthread.h>

struct dls_dataset {
    char *path;
    struct dls_manifest manifest;
    pthread_mutex_t lock;     /* guards the loading of shards and their tables */
    struct dls_shard *shards; /* manifest.shard_count of them */
    uint64_t looks;           /* into tables, counted: the clock of dls_shard.used */
    uint64_t table_bytes;     /* that are loaded */
};

/* Shard `number`, loaded; its block table may be dropped at any time. Any thread. */
int dls_set_shard(struct dls_dataset *dataset, uint32_t number, const struct dls_shard **ret_shard);
/* An entry of the shard's block table: *block, or (with `record` below the shard's records) the block that holds that
 * record, whose number goes to *block. Loads the table, and drops those least used if there are too many. Any thread. */
int dls_set_table(struct dls_dataset *dataset, uint32_t number, uint64_t record, uint32_t *block,
                  struct dls_table_block *ret_entry);
#define DLS_BY_NUMBER UINT64_MAX
uint32_t dls_set_find_record(const struct dls_dataset *dataset, uint64_t record);
/* The block in the view must be the one that the shard's tables and the manifest promise. */
int dls_set_check_block(const struct dls_dataset *dataset, const struct dls_shard *shard, uint32_t block,
                        const struct dls_table_block *listed, const struct dls_block_view *view);

#endif
