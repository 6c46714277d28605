/* SPDX-License-Identifier: Apache-2.0 */
/* What lies behind the blocks: the trailer (the input's first 128 bytes), the stored block table behind it, and a page of
 * the record table. */
#include "shard/tables.h"

#include "base/mem.h"
#include "seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct dls_table_mark *marks = NULL;
    struct dls_trailer trailer;
    struct dls_schema schema;
    uint8_t page[DLS_PAGE_BYTES] = {0};
    uint8_t *data;

    if (size < 1 + DLS_TRAILER_BYTES)
        return 0;
    size--;
    data = seal_copy(input, size + 1);
    seal_schema(&schema);
    if (input[0] & 1) {
        uint64_t stored = dls_get32(data + 40);
        if (dls_range_ok(DLS_TRAILER_BYTES, stored, size))
            seal(data, DLS_TRAILER_BYTES, DLS_TRAILER_BYTES + stored, 48);
        seal(data, 0, 112, 112);
    }
    if (dls_trailer_parse(data, dls_get64(data + 96), &schema, &trailer) < 0)
        goto out;
    if (dls_range_ok(DLS_TRAILER_BYTES, trailer.table.stored, size) &&
        dls_table_parse(&trailer, data + DLS_TRAILER_BYTES, &marks) == 0) {
        struct dls_table_block last = dls_table_get(marks, trailer.blocks - 1);
        if (dls_table_get(marks, 0).offset != DLS_HEADER_BYTES || last.offset + last.length != trailer.rows_offset ||
            (uint64_t)last.first_record + last.records != trailer.records)
            abort();
        for (uint32_t b = 0; b < trailer.blocks; b++)
            if (dls_table_get(marks, b).records == 0 || dls_table_get(marks, b).length == 0)
                abort();
        dls_free(marks);
    }
    memcpy(page, data, dls_min64(size, sizeof(page)));
    if (input[0] & 2)
        seal(page, 8, sizeof(page), 0);
    dls_row_page_check(&trailer, page, trailer.row_pages - 1);
out:
    free(data);
    return 0;
}
