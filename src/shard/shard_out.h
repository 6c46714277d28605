/* SPDX-License-Identifier: Apache-2.0 */
/* One shard file that is being written: bytes go out strictly in order. */
#ifndef DLS_SHARD_SHARD_OUT_H
#define DLS_SHARD_SHARD_OUT_H

#include "shard/build.h"
#include "shard/header.h"
#include "shard/manifest.h"

struct dls_hasher;

struct dls_shard_out {
    int fd; /* -1: no shard is open */
    char *path;
    struct dls_shard_header header;
    struct dls_hasher *hasher; /* made once, reset for each shard */
    uint64_t offset, records;
    uint32_t blocks;
    struct dls_buffer rows; /* of all records, not yet in pages */
    struct dls_buffer table, scratch;
};

int dls_shard_out_init(struct dls_shard_out *out);
void dls_shard_out_free(struct dls_shard_out *out);
/* Takes over `path`. */
int dls_shard_out_open(struct dls_shard_out *out, char *path, const struct dls_schema *schema, uint32_t number,
                       uint32_t block_bytes, const uint8_t pack_id[16]);
/* Completes the builder's block as the shard's next and writes it. */
int dls_shard_out_block(struct dls_shard_out *out, struct dls_block_builder *builder);
/* What the file will have in the end if one more block of `block_bytes` with `records` records comes: an upper bound. */
uint64_t dls_shard_out_size(const struct dls_shard_out *out, uint64_t block_bytes, uint64_t records);
/* Writes tables and trailer, flushes, closes; fills bytes, records, blocks and checksum of *shard. */
int dls_shard_out_close(struct dls_shard_out *out, struct dls_part_encoder *encoder, struct dls_manifest_shard *shard);

#endif
