/* SPDX-License-Identifier: Apache-2.0 */
/* Single records by their rows in the record table (docs/format.md, section 7), for readers that fetch the pages of the
 * table and the images themselves. */
#ifndef DLS_SHARD_ROWS_H
#define DLS_SHARD_ROWS_H

#include "shard/dataset.h"

/* Where a record's row lies. */
struct dls_row_at {
    uint32_t shard;
    uint32_t row;    /* in its page */
    uint64_t page;   /* number in the shard */
    uint64_t offset; /* of the page in the shard file */
};

/* Has each record a row? Not where a schema's rows are too long for a page. */
bool dls_set_has_rows(const struct dls_dataset *dataset);
/* Loads the shard's tables at first touch (takes a lock; may read the disk). */
int dls_set_row(struct dls_dataset *dataset, uint64_t record, struct dls_row_at *ret_at);
/* Reads the row from its page, DLS_PAGE_BYTES long: cell of the image, its offset counted from the start of the shard,
 * and label, -1 if there is none. The page is checked, and that the image lies between header and tables. */
int dls_set_open_row(struct dls_dataset *dataset, const struct dls_row_at *at, const uint8_t *page,
                     struct dls_cell *ret_image, int64_t *ret_label);

#endif
