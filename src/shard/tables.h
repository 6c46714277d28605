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

/* A block table as it is kept, 8 bytes a block and one more: the end of a block is the beginning of the next. */
struct dls_table_mark {
    uint32_t page; /* offset in the shard / DLS_ALIGN */
    uint32_t first_record;
};

struct dls_table_block {
    uint64_t offset, length;
    uint32_t first_record, records;
};

static inline struct dls_table_block dls_table_get(const struct dls_table_mark *marks, uint32_t block)
{
    const struct dls_table_mark *at = &marks[block];
    return (struct dls_table_block){
        .offset = (uint64_t)at[0].page * DLS_ALIGN,
        .length = (uint64_t)(at[1].page - at[0].page) * DLS_ALIGN,
        .first_record = at[0].first_record,
        .records = at[1].first_record - at[0].first_record,
    };
}

void dls_trailer_format(const struct dls_trailer *trailer, uint8_t ret_bytes[DLS_TRAILER_BYTES]);
/* shard_bytes: length of the file the trailer was read from. -EBADMSG with reason and offset in the trailer. */
int dls_trailer_parse(const uint8_t bytes[DLS_TRAILER_BYTES], uint64_t shard_bytes, const struct dls_schema *schema,
                      struct dls_trailer *ret_trailer);
/* Unpacks the block table from its stored bytes; the caller frees *ret_marks, trailer->blocks + 1 of them. */
int dls_table_parse(const struct dls_trailer *trailer, const uint8_t *stored, struct dls_table_mark **ret_marks);
/* Checks page `number` of the record table. */
int dls_row_page_check(const struct dls_trailer *trailer, const uint8_t page[DLS_PAGE_BYTES], uint64_t number);

#endif
