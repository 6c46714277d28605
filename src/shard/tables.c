/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/tables.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>

void dls_trailer_format(const struct dls_trailer *trailer, uint8_t ret_bytes[DLS_TRAILER_BYTES])
{
    memset(ret_bytes, 0, DLS_TRAILER_BYTES);
    dls_put64(ret_bytes, trailer->rows_offset);
    dls_put64(ret_bytes + 8, trailer->row_pages);
    dls_put32(ret_bytes + 16, trailer->row_bytes);
    dls_put32(ret_bytes + 20, trailer->rows_a_page);
    dls_put64(ret_bytes + 24, trailer->records);
    dls_put64(ret_bytes + 32, trailer->table_offset);
    dls_put32(ret_bytes + 40, trailer->table.stored);
    dls_put32(ret_bytes + 44, trailer->table.raw);
    dls_put64(ret_bytes + 48, trailer->table.checksum);
    ret_bytes[56] = trailer->table.encoding;
    dls_put32(ret_bytes + 60, trailer->blocks);
    dls_put64(ret_bytes + 96, trailer->shard_bytes);
    dls_put64(ret_bytes + 104, trailer->header_checksum);
    dls_put64(ret_bytes + 112, dls_hash64(ret_bytes, 112));
    memcpy(ret_bytes + 120, DLS_MAGIC_TRAILER, 8);
}

static int check_rows(const struct dls_trailer *trailer, const struct dls_schema *schema)
{
    uint32_t row = dls_schema_row_bytes(schema);
    uint32_t a_page = row ? DLS_PAGE_ROWS_BYTES / row : 0;
    uint64_t pages = a_page ? (trailer->records + a_page - 1) / a_page : 0;

    if (trailer->row_bytes != row || trailer->rows_a_page != a_page || trailer->row_pages != pages)
        return dls_err(EBADMSG,
                       "offset 8 of the trailer: rows of %" PRIu32 " bytes, %" PRIu32 " a page, %" PRIu64
                       " pages; the schema and records need %" PRIu32 ", %" PRIu32 ", %" PRIu64,
                       trailer->row_bytes, trailer->rows_a_page, trailer->row_pages, row, a_page, pages);
    return 0;
}

static int check_places(const struct dls_trailer *trailer, uint64_t shard_bytes)
{
    uint64_t end;

    if (shard_bytes > DLS_SHARD_MAX)
        return dls_err(EBADMSG, "a shard of %" PRIu64 " bytes", shard_bytes);
    if (trailer->shard_bytes != shard_bytes)
        return dls_err(EBADMSG, "offset 96 of the trailer: the shard should have %" PRIu64 " bytes, it has %" PRIu64,
                       trailer->shard_bytes, shard_bytes);
    if (trailer->rows_offset % DLS_ALIGN || trailer->rows_offset < DLS_HEADER_BYTES ||
        trailer->rows_offset > shard_bytes ||
        dls_add_overflows(trailer->rows_offset, trailer->row_pages * DLS_PAGE_BYTES, &end) ||
        trailer->table_offset != end || !dls_range_ok(end, trailer->table.stored, shard_bytes) ||
        dls_align_up(end + trailer->table.stored, 8) + DLS_TRAILER_BYTES != shard_bytes)
        return dls_err(EBADMSG,
                       "offset 0 of the trailer: record table at %" PRIu64 ", block table at %" PRIu64
                       " do not fit a shard of %" PRIu64 " bytes",
                       trailer->rows_offset, trailer->table_offset, shard_bytes);
    return 0;
}

int dls_trailer_parse(const uint8_t bytes[DLS_TRAILER_BYTES], uint64_t shard_bytes, const struct dls_schema *schema,
                      struct dls_trailer *ret_trailer)
{
    struct dls_trailer trailer = {
        .rows_offset = dls_get64(bytes),
        .row_pages = dls_get64(bytes + 8),
        .row_bytes = dls_get32(bytes + 16),
        .rows_a_page = dls_get32(bytes + 20),
        .records = dls_get64(bytes + 24),
        .table_offset = dls_get64(bytes + 32),
        .table = {.stored = dls_get32(bytes + 40),
                  .raw = dls_get32(bytes + 44),
                  .checksum = dls_get64(bytes + 48),
                  .encoding = bytes[56]},
        .blocks = dls_get32(bytes + 60),
        .shard_bytes = dls_get64(bytes + 96),
        .header_checksum = dls_get64(bytes + 104),
    };
    if (memcmp(bytes + 120, DLS_MAGIC_TRAILER, 8) != 0)
        return dls_err(EBADMSG, "the file of %" PRIu64 " bytes does not end with a trailer: it was cut off or never closed",
                       shard_bytes);
    if (dls_hash64(bytes, 112) != dls_get64(bytes + 112))
        return dls_err(EBADMSG, "offset 112 of the trailer: its checksum is wrong");
    if (!dls_all_zero(bytes + 57, 3) || !dls_all_zero(bytes + 64, 32))
        return dls_err(EBADMSG, "offset 57 of the trailer: reserved bytes are not zero");
    if (trailer.records < 1 || trailer.records > DLS_RECORDS_MAX || trailer.blocks < 1 ||
        trailer.blocks > DLS_BLOCKS_MAX || trailer.blocks > trailer.records || trailer.table.raw != 16 * trailer.blocks)
        return dls_err(EBADMSG, "offset 24 of the trailer: %" PRIu64 " records in %" PRIu32 " blocks", trailer.records,
                       trailer.blocks);
    int r = check_rows(&trailer, schema);
    if (r == 0)
        r = check_places(&trailer, shard_bytes);
    if (r == 0 && trailer.blocks > shard_bytes / DLS_ALIGN)
        r = dls_err(EBADMSG, "offset 60 of the trailer: %" PRIu32 " blocks in %" PRIu64 " bytes", trailer.blocks,
                    shard_bytes);
    if (r < 0)
        return r;
    *ret_trailer = trailer;
    return 0;
}

static int unpack_blocks(const struct dls_trailer *trailer, const uint8_t *raw, struct dls_table_mark *marks)
{
    uint64_t at = DLS_HEADER_BYTES, records = 0;

    for (uint32_t b = 0; b < trailer->blocks; b++, raw += 16) {
        uint64_t offset = dls_get64(raw), length = (uint64_t)dls_get32(raw + 8) * DLS_ALIGN;

        marks[b] = (struct dls_table_mark){.page = (uint32_t)(at / DLS_ALIGN), .first_record = (uint32_t)records};
        records += dls_get32(raw + 12);
        if (offset != at || length == 0 || length > DLS_BLOCK_MAX || length > trailer->rows_offset - at ||
            dls_get32(raw + 12) == 0 || records > trailer->records)
            return dls_err(EBADMSG, "entry %" PRIu32 ": %" PRIu64 " bytes at offset %" PRIu64 ", %" PRIu32 " records", b,
                           length, offset, dls_get32(raw + 12));
        at += length;
    }
    marks[trailer->blocks] =
        (struct dls_table_mark){.page = (uint32_t)(at / DLS_ALIGN), .first_record = (uint32_t)records};
    if (at != trailer->rows_offset || records != trailer->records)
        return dls_err(EBADMSG, "it ends at %" PRIu64 " with %" PRIu64 " records, not at %" PRIu64
                       " with %" PRIu64, at, records, trailer->rows_offset, trailer->records);
    return 0;
}

int dls_table_parse(const struct dls_trailer *trailer, const uint8_t *stored, struct dls_table_mark **ret_marks)
{
    struct dls_table_mark *marks = NULL;
    uint8_t *raw = NULL;
    void *zstd = NULL;
    int r = dls_part_check(&trailer->table);

    if (r == 0)
        r = dls_part_verify(&trailer->table, stored);
    if (r < 0)
        goto fail;
    raw = dls_alloc(DLS_MEM_SHARD, trailer->table.raw);
    marks = dls_alloc_array(DLS_MEM_SHARD, trailer->blocks + 1u, sizeof(*marks));
    if (!raw || !marks) {
        r = -ENOMEM;
        goto fail;
    }
    r = dls_part_decode(&trailer->table, stored, &zstd, raw);
    if (r == 0)
        r = unpack_blocks(trailer, raw, marks);
    if (r < 0)
        goto fail;
    dls_free(raw);
    dls_part_zstd_free(&zstd);
    *ret_marks = marks;
    return 0;
fail:
    dls_free(raw);
    dls_free(marks);
    dls_part_zstd_free(&zstd);
    return dls_err_context(r, "block table at offset %" PRIu64, trailer->table_offset);
}

int dls_row_page_check(const struct dls_trailer *trailer, const uint8_t page[DLS_PAGE_BYTES], uint64_t number)
{
    uint64_t offset = trailer->rows_offset + number * DLS_PAGE_BYTES;

    if (dls_hash64(page + 8, DLS_PAGE_BYTES - 8) != dls_get64(page))
        return dls_err(EBADMSG, "offset %" PRIu64 ": the checksum of page %" PRIu64 " of the record table is wrong",
                       offset, number);
    uint64_t rows = trailer->records - number * trailer->rows_a_page;
    if (rows > trailer->rows_a_page)
        rows = trailer->rows_a_page;
    uint64_t end = 8 + rows * trailer->row_bytes;
    if (!dls_all_zero(page + end, DLS_PAGE_BYTES - end))
        return dls_err(EBADMSG, "offset %" PRIu64 ": padding of page %" PRIu64 " of the record table is not zero",
                       offset + end, number);
    return 0;
}
