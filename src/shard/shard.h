/* SPDX-License-Identifier: Apache-2.0 */
/* What is held of one shard of an open dataset, loaded when first needed. */
#ifndef DLS_SHARD_SHARD_H
#define DLS_SHARD_SHARD_H

#include "shard/header.h"
#include "shard/manifest.h"
#include "shard/tables.h"

struct dls_shard {
    char *path;
    int loaded;
    struct dls_shard_header header; /* its schema member equals the dataset's */
    struct dls_trailer trailer;
    struct dls_table_block *blocks; /* trailer.blocks of them */
};

/* Reads header, trailer and block table and compares them with the manifest. Errors name the file. */
int dls_shard_load(struct dls_shard *shard, const struct dls_manifest_shard *listed, const struct dls_schema *schema);
void dls_shard_free(struct dls_shard *shard);
/* The block that holds record `record` of the shard. */
uint32_t dls_shard_find(const struct dls_shard *shard, uint64_t record);

#endif
