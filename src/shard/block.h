/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one block that lies in memory. Nothing is trusted before its checksum and bounds have passed. */
#ifndef DLS_SHARD_BLOCK_H
#define DLS_SHARD_BLOCK_H

#include "shard/layout.h"

/* Scratch for the directory of one block, reused for block after block: grows only when a block needs more. */
struct dls_block_view {
    const uint8_t *data;
    uint64_t length;
    uint32_t number;       /* of the block in its shard */
    uint32_t first_record; /* of the block in its shard */
    uint32_t records;
    uint32_t data_offset; /* of the values, from the block's start */
    uint64_t pack_prefix; /* first 8 bytes of the pack ID */
    const struct dls_schema *schema;
    uint8_t *directory; /* owned; raw bytes after undoing the encoding, strings' lengths made into where they end */
    uint64_t directory_room;
    uint64_t directory_length;
    uint64_t columns[DLS_FIELDS_MAX]; /* where each field's column starts in `directory` */
    void *zstd;                       /* owned: reused ZSTD_DCtx */
};

/* Room for directories of up to `directory_room` bytes at once, so that opening blocks allocates nothing. */
int dls_block_view_init(struct dls_block_view *view, const struct dls_schema *schema, uint64_t directory_room);
/* Checks header and directory of the block in data[0, length) and points *view at it. data must outlive its use.
 * -EBADMSG with the reason and the byte offset within the block; -ENOTSUP for features of later versions. */
int dls_block_view_open(struct dls_block_view *view, const uint8_t *data, uint64_t length);
/* As dls_block_view_open() for a block of `length` bytes of which only the first `available` are in memory: enough of
 * them to hold header and directory, or -EMSGSIZE with the number needed in *ret_needed. */
int dls_block_view_open_head(struct dls_block_view *view, const uint8_t *data, uint64_t available, uint64_t length,
                             uint64_t *ret_needed);
void dls_block_view_free(struct dls_block_view *view);

/* The cell of record `index` (0 … records - 1) for an IMAGE or BYTES field; already checked to lie in the block. */
void dls_block_cell(const struct dls_block_view *view, uint32_t field, uint32_t index, struct dls_cell *ret_cell);
/* Pointer to the value of a number or STRING field and its length in bytes. */
const uint8_t *dls_block_inline(const struct dls_block_view *view, uint32_t field, uint32_t index, size_t *ret_length);

/* Undoes a cell's encoding (or points at the stored bytes when there is none): *ret_data stays valid while the
 * stored bytes and `scratch` do. verify: check the checksum first. -EBADMSG when damaged, -ENOMEM. */
struct dls_cell_scratch {
    uint8_t *bytes; /* owned */
    uint64_t room;
    void *zstd; /* owned */
};
int dls_cell_open(const struct dls_cell *cell, const uint8_t *stored, int verify, struct dls_cell_scratch *scratch,
                  const uint8_t **ret_data);
void dls_cell_scratch_free(struct dls_cell_scratch *scratch);

#endif
