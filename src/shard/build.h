/* SPDX-License-Identifier: Apache-2.0 */
/* Builds one block in memory, record by record; docs/format.md, section 5. */
#ifndef DLS_SHARD_BUILD_H
#define DLS_SHARD_BUILD_H

#include "shard/buffer.h"
#include "shard/layout.h"
#include "shard/part.h"

#include <dlshards/writer.h>

struct dls_block_builder {
    const struct dls_schema *schema;
    struct dls_part_encoder encoder;
    uint32_t records;
    struct dls_buffer columns[DLS_FIELDS_MAX]; /* numbers and cells; of strings the lengths */
    struct dls_buffer strings[DLS_FIELDS_MAX]; /* the strings' bytes */
    struct dls_buffer data;
    struct dls_buffer directory, scratch, block; /* of finish() */
};

/* One record with its values encoded, not yet in a block. */
struct dls_encoded {
    struct dls_part parts[DLS_FIELDS_MAX];
    struct dls_buffer bytes[DLS_FIELDS_MAX]; /* owned: where a value was compressed */
    const uint8_t *stored[DLS_FIELDS_MAX];
};

int dls_block_builder_init(struct dls_block_builder *builder, const struct dls_schema *schema, int level);
void dls_block_builder_free(struct dls_block_builder *builder);
/* Checks the values against the schema (-EINVAL, -EFBIG) and compresses those that gain. */
int dls_block_builder_encode(struct dls_block_builder *builder, const dls_value *values, struct dls_encoded *encoded);
void dls_encoded_free(struct dls_encoded *encoded);
/* The most bytes that the block would have with this record in it. */
uint64_t dls_block_builder_size(const struct dls_block_builder *builder, const dls_value *values,
                                const struct dls_encoded *encoded);
int dls_block_builder_add(struct dls_block_builder *builder, const dls_value *values,
                          const struct dls_encoded *encoded);
/* Completes the block; builder->block then holds its bytes and *ret_data_offset says where its values begin. The builder
 * keeps its columns until dls_block_builder_reset(). */
int dls_block_builder_finish(struct dls_block_builder *builder, uint32_t number, uint32_t first_record,
                             const uint8_t pack_id[16], uint32_t *ret_data_offset);
void dls_block_builder_reset(struct dls_block_builder *builder);

#endif
