/* SPDX-License-Identifier: Apache-2.0 */
/* Many shards as one: the manifest, and the block tables of its shards, loaded when first needed. */
#ifndef DLS_SHARD_DATASET_H
#define DLS_SHARD_DATASET_H

#include "shard/layout.h"
#include "shard/manifest.h"

struct dls_dataset; /* the public object is this one */

/* Block tables are kept up to this many bytes, and one more: of the shards looked into last. */
#define DLS_TABLES_KEPT (32ull << 20)

/* Where a block lies. Blocks are numbered through the dataset, shard after shard. */
struct dls_block_at {
    uint32_t shard;        /* index in the manifest */
    uint32_t block;        /* in the shard */
    uint64_t offset;       /* in the shard file */
    uint64_t length;       /* bytes, a multiple of DLS_ALIGN */
    uint64_t first_record; /* in the dataset */
    uint32_t records;
};

/* What the public functions of the same meaning call (src/dls.c). */
int dls_set_open(const char *path, struct dls_dataset **ret_dataset);
void dls_set_close(struct dls_dataset **dataset);
int dls_set_read(struct dls_dataset *dataset, uint64_t number, dls_record **ret_record);
void dls_set_record_free(dls_record **record);
/* The key of a record, cut at `size` bytes. 0 where it has none. Returns the length. */
int dls_set_read_key(struct dls_dataset *dataset, uint64_t number, char *ret_key, size_t size);

const struct dls_manifest *dls_set_manifest(const struct dls_dataset *dataset);
const struct dls_schema *dls_set_schema(const struct dls_dataset *dataset);
/* Full path of a shard file; lives as long as the dataset. */
const char *dls_set_shard_path(const struct dls_dataset *dataset, uint32_t shard);

/* Block `number` of the dataset; loads its shard's block table at first touch (takes a lock; may read the disk). */
int dls_set_block(struct dls_dataset *dataset, uint64_t number, struct dls_block_at *ret_at);

/* dls_block_view_open() on the bytes of block *at, which must then be the block that the tables promise: number, first
 * record, records, pack. The error names the shard file and the block. */
struct dls_block_view;
int dls_set_open_block(struct dls_dataset *dataset, const struct dls_block_at *at, const uint8_t *data,
                       struct dls_block_view *view);

void dls_set_info(const struct dls_dataset *dataset, dls_dataset_info *ret_info);
/* Opens a dataset whose shard files may be missing or of another size: for verifying. Only the manifest is checked. */
int dls_set_open_unchecked(const char *path, struct dls_dataset **ret_dataset);

/* Most raw directory bytes and stored bytes any block needs (both from the manifest), to size scratch with. */
uint64_t dls_set_directory_room(const struct dls_dataset *dataset);
uint64_t dls_set_largest_block(const struct dls_dataset *dataset);

#endif
