/* SPDX-License-Identifier: Apache-2.0 */
/* Record table, block table and trailer; docs/format.md, sections 7 and 8. */
#ifndef DLS_SHARD_TABLES_H
#define DLS_SHARD_TABLES_H

#include "shard/layout.h"
#include "shard/part.h"

struct dls_trailer {
    uint64_t rows_offset, row_pages;
    uint32_t row_bytes, rows_a_page;
    uint64_t records;
    uint64_t table_offset;
    struct dls_part table;
    uint32_t blocks;
    uint64_t shard_bytes;
    uint64_t header_checksum;
};

struct dls_table_block {
    uint64_t offset, length;
    uint32_t first_record, records;
};

void dls_trailer_format(const struct dls_trailer *trailer, uint8_t ret_bytes[DLS_TRAILER_BYTES]);
/* shard_bytes: length of the file the trailer was read from. -EBADMSG with reason and offset in the trailer. */
int dls_trailer_parse(const uint8_t bytes[DLS_TRAILER_BYTES], uint64_t shard_bytes, const struct dls_schema *schema,
                      struct dls_trailer *ret_trailer);
/* Unpacks the block table from its stored bytes; the caller frees *ret_blocks (trailer->blocks of them). */
int dls_table_parse(const struct dls_trailer *trailer, const uint8_t *stored, struct dls_table_block **ret_blocks);
/* Checks page `number` of the record table. */
int dls_row_page_check(const struct dls_trailer *trailer, const uint8_t page[DLS_PAGE_BYTES], uint64_t number);

#endif
