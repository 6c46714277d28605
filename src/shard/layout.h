/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of shard format 1.0: docs/format.md is the norm, and each name here cites its section. */
#ifndef DLS_SHARD_LAYOUT_H
#define DLS_SHARD_LAYOUT_H

#include <dlshards/dataset.h>
#include <stdbool.h>
#include <stddef.h>
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

/* Limits of the format (section 11). */
#define DLS_STRING_MAX (1u << 20)
#define DLS_RATIO_MAX 32768ull /* raw bytes a stored byte of one zstd frame can yield */
#define DLS_DIRECTORY_MAX (1u << 29)
#define DLS_BLOCK_MAX (1ull << 33)
#define DLS_BLOCKS_MAX (1u << 24)
#define DLS_RECORDS_MAX UINT32_MAX
#define DLS_SHARD_MAX (1ull << 44)
#define DLS_MANIFEST_MAX (1u << 26)
#define DLS_PAGE_ROWS_BYTES (DLS_PAGE_BYTES - 8)

/* Incompatible features (section 4); this library implements none. */
#define DLS_FEATURE_LAYERS (1ull << 0)
#define DLS_FEATURE_DICTIONARIES (1ull << 1)

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
/* The sum over the fields. */
uint32_t dls_schema_row_bytes(const struct dls_schema *schema);

/* True for IMAGE and BYTES: values in the data area, found by a cell. */
static inline bool dls_field_has_cell(const struct dls_schema_field *field)
{
    return field->type == DLS_FIELD_IMAGE || field->type == DLS_FIELD_BYTES;
}

/* Appends a field to a schema that starts zeroed; checks name, type, count (section 2.1). -EINVAL with the reason. */
int dls_schema_add(struct dls_schema *schema, const char *name, size_t name_length, uint32_t type, uint32_t count);
/* Fills image, label and key once all fields are there. -EINVAL if there are none. */
int dls_schema_complete(struct dls_schema *schema);
bool dls_schema_equal(const struct dls_schema *a, const struct dls_schema *b);

#endif
