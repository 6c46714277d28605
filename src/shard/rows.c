/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/rows.h"

#include "base/bytes.h"
#include "base/err.h"
#include "shard/cell.h"
#include "shard/set.h"

#include <inttypes.h>

bool dls_set_has_rows(const struct dls_dataset *dataset)
{
    return dls_schema_row_bytes(&dataset->manifest.schema) <= DLS_PAGE_ROWS_BYTES;
}

int dls_set_row(struct dls_dataset *dataset, uint64_t record, struct dls_row_at *ret_at)
{
    uint32_t index = dls_set_find_record(dataset, record);
    const struct dls_shard *shard = NULL;
    int r = dls_set_shard(dataset, index, &shard);

    if (r < 0)
        return r;
    const struct dls_trailer *trailer = &shard->trailer;
    uint64_t in_shard = record - dataset->manifest.shards[index].first_record;
    if (trailer->rows_a_page == 0)
        return dls_err(ENOTSUP, "'%s' has no record table", shard->path);
    ret_at->shard = index;
    ret_at->page = in_shard / trailer->rows_a_page;
    ret_at->row = (uint32_t)(in_shard % trailer->rows_a_page);
    ret_at->offset = trailer->rows_offset + ret_at->page * DLS_PAGE_BYTES;
    return 0;
}

static int parse_row(const struct dls_schema *schema, const struct dls_trailer *trailer, const uint8_t *row,
                     struct dls_cell *ret_image, int64_t *ret_label)
{
    int r = 0;

    *ret_label = -1;
    for (uint32_t f = 0; r == 0 && f < schema->count; f++) {
        if ((int)f == schema->image)
            r = dls_cell_parse(row, &schema->fields[f], ret_image);
        else if ((int)f == schema->label)
            *ret_label = (int64_t)dls_get64(row);
        row += dls_field_row_bytes(&schema->fields[f]);
    }
    if (r == 0 && (ret_image->offset < DLS_HEADER_BYTES ||
                   !dls_range_ok(ret_image->offset, ret_image->stored, trailer->rows_offset)))
        r = dls_err(EBADMSG, "an image of %" PRIu32 " bytes at offset %" PRIu64 " is outside the shard's blocks",
                    ret_image->stored, ret_image->offset);
    return r;
}

int dls_set_open_row(struct dls_dataset *dataset, const struct dls_row_at *at, const uint8_t *page,
                     struct dls_cell *ret_image, int64_t *ret_label)
{
    const struct dls_trailer *trailer = &dataset->shards[at->shard].trailer; /* dls_set_row() has loaded it */
    int r = dls_row_page_check(trailer, page, at->page);

    if (r == 0)
        r = parse_row(&dataset->manifest.schema, trailer, page + 8 + (uint64_t)at->row * trailer->row_bytes, ret_image,
                      ret_label);
    return r < 0 ? dls_err_context(r, "'%s', record table at offset %" PRIu64, dataset->shards[at->shard].path,
                                   at->offset)
                 : 0;
}
