/* SPDX-License-Identifier: Apache-2.0 */
/* One block: opens it and reads every value of every record. */
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
                /* Strings are found by adding lengths: all of them in a large block take long. */
                if (i > 64)
                    continue;
                data = dls_block_inline(view, f, i, &length);
            }
            for (size_t at = 0; at < length; at++)
                sink ^= data[at];
        }
    }
    dls_cell_scratch_free(&scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct dls_block_view view;
    struct dls_schema schema;
    uint8_t *data;
    uint64_t needed, length;

    if (size < 1 + DLS_BLOCK_HEADER_BYTES)
        return 0;
    size--;
    data = seal_copy(input, size + 1);
    seal_schema(&schema);
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
