/* SPDX-License-Identifier: Apache-2.0 */
/* One block: opens it and reads every value of every record. The first byte of the input: bit 0 makes the checksums
 * right; bit 1 takes the rest as a raw directory (its first 4 bytes: records) and makes a block around it, so that the
 * columns are looked at without a way through zstd. */
#include "shard/block.h"

#include "seal.h"

/* So that the reads are not optimised away. */
static volatile uint8_t sink;

static void read_all(struct dls_block_view *view, const struct dls_schema *schema)
{
    struct dls_cell_scratch scratch = {0};

    for (uint32_t i = 0; i < view->records; i++) {
        for (uint32_t f = 0; f < schema->count; f++) {
            const uint8_t *data;
            struct dls_cell cell;
            size_t length;

            if (dls_field_has_cell(&schema->fields[f])) {
                dls_block_cell(view, f, i, &cell);
                if (cell.raw > 1 << 22 || dls_cell_open(&cell, view->data + cell.offset, 0, &scratch, &data) < 0)
                    continue;
                length = cell.raw;
            } else {
                data = dls_block_inline(view, f, i, &length);
            }
            for (size_t at = 0; at < length; at++)
                sink ^= data[at];
        }
    }
    dls_cell_scratch_free(&scratch);
}

/* A block with this directory, stored as it is, and 4096 bytes or more of values; free() it. */
static uint8_t *wrap(const uint8_t *directory, size_t size, uint32_t records, uint64_t *ret_length)
{
    uint64_t data_offset = dls_align_up(DLS_BLOCK_HEADER_BYTES + size, DLS_DATA_ALIGN);
    uint64_t length = dls_align_up(data_offset + DLS_ALIGN, DLS_ALIGN);
    uint8_t *block = calloc(1, length);

    if (!block)
        abort();
    memcpy(block, DLS_MAGIC_BLOCK, 4);
    block[6] = 1;
    dls_put64(block + 8, length);
    dls_put32(block + 24, records);
    dls_put32(block + 28, (uint32_t)size);
    dls_put32(block + 32, (uint32_t)size);
    dls_put32(block + 36, (uint32_t)data_offset);
    memcpy(block + DLS_BLOCK_HEADER_BYTES, directory, size);
    seal(block, DLS_BLOCK_HEADER_BYTES, DLS_BLOCK_HEADER_BYTES + size, 40);
    seal(block, 0, 56, 56);
    *ret_length = length;
    return block;
}

static void open_wrapped(const uint8_t *input, size_t size, const struct dls_schema *schema)
{
    struct dls_block_view view;
    uint64_t length;

    if (size < 4)
        return;
    uint8_t *block = wrap(input + 4, size - 4, dls_get32(input), &length);
    if (dls_block_view_init(&view, schema, 0) < 0)
        abort();
    if (dls_block_view_open(&view, block, length) == 0)
        read_all(&view, schema);
    dls_block_view_free(&view);
    free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct dls_block_view view;
    struct dls_schema schema;
    uint8_t *data;
    uint64_t needed, length;

    seal_schema(&schema);
    if (size > 1 && (input[0] & 2)) {
        open_wrapped(input + 1, size - 1, &schema);
        return 0;
    }
    if (size < 1 + DLS_BLOCK_HEADER_BYTES)
        return 0;
    size--;
    data = seal_copy(input, size + 1);
    length = dls_align_up(size, DLS_ALIGN);
    if (input[0] & 1) {
        uint64_t stored = dls_get32(data + 28);
        dls_put64(data + 8, length);
        if (dls_range_ok(DLS_BLOCK_HEADER_BYTES, stored, size))
            seal(data, DLS_BLOCK_HEADER_BYTES, DLS_BLOCK_HEADER_BYTES + stored, 40);
        seal(data, 0, 56, 56);
    }
    if (dls_block_view_init(&view, &schema, 0) < 0)
        abort();
    /* The head alone first, as reading one record does; then the whole, if the input is as long as a block. */
    dls_block_view_open_head(&view, data, size, length, &needed);
    if (size == length && dls_block_view_open(&view, data, length) == 0)
        read_all(&view, &schema);
    dls_block_view_free(&view);
    free(data);
    return 0;
}
