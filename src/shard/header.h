/* SPDX-License-Identifier: Apache-2.0 */
/* The first 4096 bytes of a shard; docs/format.md, section 4. */
#ifndef DLS_SHARD_HEADER_H
#define DLS_SHARD_HEADER_H

#include "shard/layout.h"

struct dls_shard_header {
    uint8_t pack_id[16];
    uint32_t number; /* of the shard in its pack */
    uint32_t block_bytes;
    uint64_t checksum;
    struct dls_schema schema;
};

/* Fills the checksum member too. */
void dls_header_format(struct dls_shard_header *header, uint8_t ret_bytes[DLS_HEADER_BYTES]);
/* -EBADMSG with reason and offset; -ENOTSUP for later versions and unknown features. */
int dls_header_parse(const uint8_t bytes[DLS_HEADER_BYTES], struct dls_shard_header *ret_header);

#endif
