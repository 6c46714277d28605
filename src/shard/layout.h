/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of shard format 1.0: docs/format.md is the norm, and each name here cites its section. */
#ifndef DLS_SHARD_LAYOUT_H
#define DLS_SHARD_LAYOUT_H

#include <dlshards/dataset.h>
#include <stdint.h>

#define DLS_ALIGN 4096u            /* of blocks, and of everything read directly */
#define DLS_HEADER_BYTES 4096u     /* section 4 */
#define DLS_BLOCK_HEADER_BYTES 64u /* section 5 */
#define DLS_CELL_BYTES 40u         /* section 6 */
#define DLS_TRAILER_BYTES 128u     /* section 8 */
#define DLS_PAGE_BYTES 4096u       /* section 7: a page of the record table */
#define DLS_FIELDS_MAX 32u
#define DLS_FIELD_NAME_MAX 39u
#define DLS_DATA_ALIGN 8u /* of a record's data in a block */

#define DLS_MAGIC_HEADER "\x89" "DLS\r\n\x1a\n"
#define DLS_MAGIC_BLOCK "DLSB"
#define DLS_MAGIC_TRAILER "DLSTAIL\n"

#define DLS_BLOCK_BYTES_DEFAULT (8u << 20)
#define DLS_BLOCK_BYTES_MAX (256u << 20)
#define DLS_SHARD_BYTES_DEFAULT (1ull << 30)

/* How a part is stored (section 3). */
enum dls_encoding {
    DLS_ENCODING_STORED = 0,
    DLS_ENCODING_ZSTD = 1,
    DLS_ENCODING_ZSTD_DICT = 2, /* reserved: readers of 1.0 refuse it */
};

/* The schema as shards carry it. */
struct dls_schema {
    uint32_t count;
    struct dls_schema_field {
        char name[DLS_FIELD_NAME_MAX + 1];
        dls_field_type type;
        uint32_t count; /* values a record of the number types */
    } fields[DLS_FIELDS_MAX];
    int image; /* index of the first IMAGE field, or -1 */
    int label; /* index of the first INT64 field named "label", or -1 */
    int key;   /* index of the STRING field named "key", or -1 */
};

/* Where and how one value of an IMAGE or BYTES field is stored (section 6). */
struct dls_cell {
    uint64_t offset; /* in a block's directory: from the block's start; in the record table: from the shard's */
    uint32_t stored, raw; /* lengths in bytes before and after undoing the encoding */
    uint64_t checksum;    /* XXH3-64 of the stored bytes */
    uint32_t width, height;
    uint8_t codec, encoding, orientation, channels;
};

/* Bytes of a number field in a row of the record table and of a cell; 0 for STRING fields, which rows lack. */
uint32_t dls_field_row_bytes(const struct dls_schema_field *field);

#endif
