/* SPDX-License-Identifier: Apache-2.0 */
/* What is held of one shard of an open dataset, loaded when first needed. */
#ifndef DLS_SHARD_SHARD_H
#define DLS_SHARD_SHARD_H

#include "shard/header.h"
#include "shard/manifest.h"
#include "shard/tables.h"

/* Small: a dataset may have a hundred thousand shards. */
struct dls_shard {
    char *path;
    int loaded;           /* all but `marks` is there, for good */
    uint64_t used;        /* when the table was last looked into; see struct dls_dataset */
    uint64_t pack_prefix; /* first 8 bytes of the pack ID, as every block repeats them */
    struct dls_trailer trailer;
    struct dls_table_mark *marks; /* the block table, or NULL: it may be dropped and loaded again */
};

/* Reads header, trailer and block table of shard `number` and compares them with the manifest. Errors name the file. */
int dls_shard_load(struct dls_shard *shard, const struct dls_manifest *manifest, uint32_t number);
void dls_shard_free(struct dls_shard *shard);
/* The block that holds record `record` of the shard. */
uint32_t dls_shard_find(const struct dls_shard *shard, uint64_t record);

#endif
