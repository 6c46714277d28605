/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/block.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "shard/cell.h"
#include "shard/part.h"

#include <inttypes.h>

int dls_block_view_init(struct dls_block_view *view, const struct dls_schema *schema, uint64_t directory_room)
{
    *view = (struct dls_block_view){.schema = schema};
    if (directory_room > DLS_DIRECTORY_MAX)
        return dls_err(EINVAL, "a directory of %" PRIu64 " bytes", directory_room);
    if (directory_room) {
        view->directory = dls_alloc(DLS_MEM_SHARD, directory_room);
        if (!view->directory)
            return -ENOMEM;
        view->directory_room = directory_room;
    }
    return 0;
}

void dls_block_view_free(struct dls_block_view *view)
{
    dls_free(view->directory);
    dls_part_zstd_free(&view->zstd);
    *view = (struct dls_block_view){0};
}

static int check_header(const uint8_t *data, uint64_t length)
{
    if (memcmp(data, DLS_MAGIC_BLOCK, 4) != 0)
        return dls_err(EBADMSG, "offset 0: not a block, the magic is missing");
    uint64_t found = dls_hash64(data, 56);
    if (found != dls_get64(data + 56))
        return dls_err(EBADMSG, "offset 56: the block header's checksum is %016" PRIx64 ", not %016" PRIx64, found,
                       dls_get64(data + 56));
    if (data[4] || data[7])
        return dls_err(EBADMSG, "offset 4: reserved bytes of the block header are not zero");
    if (data[6] != 1)
        return dls_err(ENOTSUP, "offset 6: %u layers, this version reads 1", data[6]);
    if (dls_get64(data + 8) != length)
        return dls_err(EBADMSG, "offset 8: the block says it has %" PRIu64 " bytes, not %" PRIu64,
                       dls_get64(data + 8), length);
    if (dls_get32(data + 24) == 0)
        return dls_err(EBADMSG, "offset 24: a block without records");
    uint64_t end = dls_align_up((uint64_t)DLS_BLOCK_HEADER_BYTES + dls_get32(data + 28), DLS_DATA_ALIGN);
    if (dls_get32(data + 36) != end || end > length)
        return dls_err(EBADMSG, "offset 36: data offset %" PRIu32 " behind a directory that ends at %" PRIu64,
                       dls_get32(data + 36), end);
    return 0;
}

/* The lengths of the strings lie before their bytes: their sum is known only from the directory itself. Each length is
 * replaced by the sum up to it, so that any string is found at once. */
static int string_column(struct dls_block_view *view, uint64_t at, uint64_t *ret_bytes)
{
    uint64_t lengths = 4ull * view->records, sum = 0;

    if (!dls_range_ok(at, lengths, view->directory_length))
        return dls_err(EBADMSG, "offset %u: the directory is too short for its columns", DLS_BLOCK_HEADER_BYTES);
    for (uint32_t i = 0; i < view->records; i++) {
        uint32_t length = dls_get32(view->directory + at + 4ull * i);
        if (length > DLS_STRING_MAX)
            return dls_err(EBADMSG, "record %" PRIu32 " of the block: a string of %" PRIu32 " bytes", i, length);
        sum += length;
        if (sum > view->directory_length)
            return dls_err(EBADMSG, "offset %u: the directory is too short for its strings", DLS_BLOCK_HEADER_BYTES);
        dls_put32(view->directory + at + 4ull * i, (uint32_t)sum);
    }
    *ret_bytes = lengths + sum;
    return 0;
}

static int check_cells(const struct dls_block_view *view, uint32_t f)
{
    uint64_t room = view->length - view->data_offset;

    for (uint32_t i = 0; i < view->records; i++) {
        struct dls_cell cell;
        int r = dls_cell_parse(view->directory + view->columns[f] + (uint64_t)DLS_CELL_BYTES * i,
                               &view->schema->fields[f], &cell);
        if (r < 0)
            return dls_err_context(r, "record %" PRIu32 " of the block, field '%s'", i, view->schema->fields[f].name);
        if (!dls_range_ok(cell.offset, cell.stored, room))
            return dls_err(EBADMSG,
                           "record %" PRIu32 " of the block, field '%s': %" PRIu32 " bytes at offset %" PRIu64
                           " are outside the block of %" PRIu64 " bytes",
                           i, view->schema->fields[f].name, cell.stored, view->data_offset + cell.offset, view->length);
    }
    return 0;
}

/* Finds where each column begins and checks that the directory has exactly the bytes that its columns need. */
static int split_columns(struct dls_block_view *view)
{
    uint64_t at = 0;

    for (uint32_t f = 0; f < view->schema->count; f++) {
        uint64_t bytes = (uint64_t)dls_field_row_bytes(&view->schema->fields[f]) * view->records;
        int r = view->schema->fields[f].type == DLS_FIELD_STRING ? string_column(view, at, &bytes) : 0;
        if (r < 0)
            return r;
        uint64_t next = dls_align_up(at + bytes, 8);
        if (next > view->directory_length)
            return dls_err(EBADMSG, "offset %u: the directory of %" PRIu64 " bytes is too short for its columns",
                           DLS_BLOCK_HEADER_BYTES, view->directory_length);
        if (!dls_all_zero(view->directory + at + bytes, next - at - bytes))
            return dls_err(EBADMSG, "offset %u: padding of the directory is not zero", DLS_BLOCK_HEADER_BYTES);
        view->columns[f] = at;
        at = next;
    }
    if (at != view->directory_length)
        return dls_err(EBADMSG, "offset %u: the directory has %" PRIu64 " bytes, its columns %" PRIu64,
                       DLS_BLOCK_HEADER_BYTES, view->directory_length, at);
    for (uint32_t f = 0; f < view->schema->count; f++) {
        int r = dls_field_has_cell(&view->schema->fields[f]) ? check_cells(view, f) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

static int open_directory(struct dls_block_view *view, const uint8_t *data)
{
    struct dls_part part = {
        .stored = dls_get32(data + 28),
        .raw = dls_get32(data + 32),
        .checksum = dls_get64(data + 40),
        .encoding = data[5],
    };
    int r = dls_part_check(&part);

    if (r == 0)
        r = dls_part_verify(&part, data + DLS_BLOCK_HEADER_BYTES);
    if (r == 0 && part.raw > DLS_DIRECTORY_MAX)
        r = dls_err(EBADMSG, "a raw length of %" PRIu32 " bytes", part.raw);
    if (r < 0)
        goto fail;
    if (part.raw > view->directory_room) {
        uint8_t *larger = dls_alloc(DLS_MEM_SHARD, part.raw);
        if (!larger)
            return -ENOMEM;
        dls_free(view->directory);
        view->directory = larger;
        view->directory_room = part.raw;
    }
    view->directory_length = part.raw;
    r = dls_part_decode(&part, data + DLS_BLOCK_HEADER_BYTES, &view->zstd, view->directory);
    if (r < 0)
        goto fail;
    return 0;
fail:
    return dls_err_context(r, "offset %u, the directory", DLS_BLOCK_HEADER_BYTES);
}

int dls_block_view_open_head(struct dls_block_view *view, const uint8_t *data, uint64_t available, uint64_t length,
                             uint64_t *ret_needed)
{
    if (length < DLS_ALIGN || length % DLS_ALIGN || length > DLS_BLOCK_MAX)
        return dls_err(EBADMSG, "a block of %" PRIu64 " bytes", length);
    if (available < DLS_BLOCK_HEADER_BYTES) {
        *ret_needed = DLS_BLOCK_HEADER_BYTES;
        return dls_err(EMSGSIZE, "%" PRIu64 " bytes of a block", available);
    }
    int r = check_header(data, length);
    if (r < 0)
        return r;
    if (available < dls_get32(data + 36)) {
        *ret_needed = dls_get32(data + 36);
        return dls_err(EMSGSIZE, "%" PRIu64 " bytes of a block", available);
    }
    view->data = data;
    view->length = length;
    view->number = dls_get32(data + 16);
    view->first_record = dls_get32(data + 20);
    view->records = dls_get32(data + 24);
    view->data_offset = dls_get32(data + 36);
    view->pack_prefix = dls_get64(data + 48);
    r = open_directory(view, data);
    return r < 0 ? r : split_columns(view);
}

int dls_block_view_open(struct dls_block_view *view, const uint8_t *data, uint64_t length)
{
    uint64_t needed;
    return dls_block_view_open_head(view, data, length, length, &needed);
}

void dls_block_cell(const struct dls_block_view *view, uint32_t field, uint32_t index, struct dls_cell *ret_cell)
{
    dls_cell_get(view->directory + view->columns[field] + (uint64_t)DLS_CELL_BYTES * index, ret_cell);
    ret_cell->offset += view->data_offset;
}

const uint8_t *dls_block_inline(const struct dls_block_view *view, uint32_t field, uint32_t index, size_t *ret_length)
{
    const uint8_t *column = view->directory + view->columns[field];

    if (view->schema->fields[field].type == DLS_FIELD_STRING) {
        uint32_t begin = index ? dls_get32(column + 4ull * (index - 1)) : 0;
        *ret_length = dls_get32(column + 4ull * index) - begin;
        return column + 4ull * view->records + begin;
    }
    *ret_length = dls_field_row_bytes(&view->schema->fields[field]);
    return column + (uint64_t)*ret_length * index;
}
