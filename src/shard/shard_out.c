/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/shard_out.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "shard/cell.h"
#include "shard/file.h"
#include "shard/tables.h"

#include <fcntl.h>
#include <unistd.h>

int dls_shard_out_init(struct dls_shard_out *out)
{
    *out = (struct dls_shard_out){.fd = -1};
    return dls_hasher_create(&out->hasher);
}

static void drop(struct dls_shard_out *out)
{
    if (out->fd >= 0)
        close(out->fd);
    out->fd = -1;
    dls_free(out->path);
    out->path = NULL;
}

void dls_shard_out_free(struct dls_shard_out *out)
{
    drop(out);
    dls_hasher_free(&out->hasher);
    dls_buffer_free(&out->rows);
    dls_buffer_free(&out->table);
    dls_buffer_free(&out->scratch);
}

static int put(struct dls_shard_out *out, const void *bytes, size_t length)
{
    int r = dls_file_write(out->fd, out->path, bytes, length);

    if (r == 0) {
        dls_hasher_add(out->hasher, bytes, length);
        out->offset += length;
    }
    return r;
}

int dls_shard_out_open(struct dls_shard_out *out, char *path, const struct dls_schema *schema, uint32_t number,
                       uint32_t block_bytes, const uint8_t pack_id[16])
{
    uint8_t bytes[DLS_HEADER_BYTES];

    out->path = path;
    out->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out->fd < 0)
        return dls_err_sys(errno, "'%s': cannot create", path);
    out->header = (struct dls_shard_header){.number = number, .block_bytes = block_bytes, .schema = *schema};
    memcpy(out->header.pack_id, pack_id, 16);
    out->offset = out->records = out->blocks = 0;
    out->rows.length = out->table.length = 0;
    dls_hasher_reset(out->hasher);
    dls_header_format(&out->header, bytes);
    return put(out, bytes, sizeof(bytes));
}

/* The rows of the block's records, with cells that count from the start of the shard. */
static int add_rows(struct dls_shard_out *out, const struct dls_block_builder *builder, uint64_t data_at)
{
    const struct dls_schema *schema = &out->header.schema;
    int r = 0;

    for (uint32_t i = 0; i < builder->records; i++) {
        for (uint32_t f = 0; r == 0 && f < schema->count; f++) {
            uint32_t bytes = dls_field_row_bytes(&schema->fields[f]);
            if (bytes == 0)
                continue;
            r = dls_buffer_append(&out->rows, builder->columns[f].bytes + (size_t)bytes * i, bytes);
            if (r == 0 && dls_field_has_cell(&schema->fields[f])) {
                uint8_t *cell = out->rows.bytes + out->rows.length - bytes;
                dls_put64(cell, dls_get64(cell) + data_at);
            }
        }
    }
    return r;
}

int dls_shard_out_block(struct dls_shard_out *out, struct dls_block_builder *builder)
{
    uint8_t entry[16];
    uint32_t data_offset;
    int r = dls_block_builder_finish(builder, out->blocks, (uint32_t)out->records, out->header.pack_id, &data_offset);

    if (r == 0)
        r = add_rows(out, builder, out->offset + data_offset);
    dls_put64(entry, out->offset);
    dls_put32(entry + 8, (uint32_t)(builder->block.length / DLS_ALIGN));
    dls_put32(entry + 12, builder->records);
    if (r == 0)
        r = dls_buffer_append(&out->table, entry, sizeof(entry));
    if (r == 0)
        r = put(out, builder->block.bytes, builder->block.length);
    if (r < 0)
        return r;
    out->blocks++;
    out->records += builder->records;
    return 0;
}

uint64_t dls_shard_out_size(const struct dls_shard_out *out, uint64_t block_bytes, uint64_t records)
{
    uint32_t row = dls_schema_row_bytes(&out->header.schema);
    uint64_t pages = row ? (out->records + records) / (DLS_PAGE_ROWS_BYTES / row) + 1 : 0;

    return out->offset + block_bytes + pages * DLS_PAGE_BYTES + 16ull * (out->blocks + 1) + 8 + DLS_TRAILER_BYTES;
}

static int put_rows(struct dls_shard_out *out, struct dls_trailer *trailer)
{
    uint8_t page[DLS_PAGE_BYTES];

    trailer->row_bytes = dls_schema_row_bytes(&out->header.schema);
    trailer->rows_a_page = trailer->row_bytes ? DLS_PAGE_ROWS_BYTES / trailer->row_bytes : 0;
    trailer->rows_offset = out->offset;
    for (uint64_t record = 0; trailer->rows_a_page && record < out->records; record += trailer->rows_a_page) {
        uint64_t rows = dls_min64(trailer->rows_a_page, out->records - record);
        memset(page, 0, sizeof(page));
        memcpy(page + 8, out->rows.bytes + record * trailer->row_bytes, rows * trailer->row_bytes);
        dls_put64(page, dls_hash64(page + 8, sizeof(page) - 8));
        int r = put(out, page, sizeof(page));
        if (r < 0)
            return r;
        trailer->row_pages++;
    }
    return 0;
}

int dls_shard_out_close(struct dls_shard_out *out, struct dls_part_encoder *encoder, struct dls_manifest_shard *shard)
{
    struct dls_trailer trailer = {.records = out->records, .blocks = out->blocks};
    uint8_t bytes[DLS_TRAILER_BYTES] = {0};
    const uint8_t *stored;
    int r = put_rows(out, &trailer);

    trailer.table_offset = out->offset;
    if (r == 0)
        r = dls_part_encode(encoder, encoder->level, out->table.bytes, out->table.length, UINT32_MAX, &out->scratch,
                            &trailer.table, &stored);
    if (r == 0)
        r = put(out, stored, trailer.table.stored);
    if (r == 0)
        r = put(out, bytes, dls_align_up(out->offset, 8) - out->offset);
    if (r < 0)
        return r;
    trailer.shard_bytes = out->offset + DLS_TRAILER_BYTES;
    trailer.header_checksum = out->header.checksum;
    dls_trailer_format(&trailer, bytes);
    r = put(out, bytes, sizeof(bytes));
    if (r == 0 && fsync(out->fd) < 0)
        r = dls_err_sys(errno, "'%s': cannot flush to the disk", out->path);
    if (r < 0)
        return r;
    shard->bytes = out->offset;
    shard->records = out->records;
    shard->blocks = out->blocks;
    shard->checksum = dls_hasher_64(out->hasher);
    int fd = out->fd;
    out->fd = -1;
    if (close(fd) < 0)
        r = dls_err_sys(errno, "'%s': cannot write", out->path);
    drop(out);
    return r;
}
