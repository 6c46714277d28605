/* SPDX-License-Identifier: Apache-2.0 */
/* The 40 bytes that place one value; docs/format.md, section 6. */
#ifndef DLS_SHARD_CELL_H
#define DLS_SHARD_CELL_H

#include "shard/layout.h"
#include "shard/part.h"

/* Unpacks a cell and checks all that does not depend on where it stands. -EBADMSG or -ENOTSUP with the reason. */
int dls_cell_parse(const uint8_t bytes[DLS_CELL_BYTES], const struct dls_schema_field *field,
                   struct dls_cell *ret_cell);
/* Unpacks a cell that has passed dls_cell_parse(). */
void dls_cell_get(const uint8_t bytes[DLS_CELL_BYTES], struct dls_cell *ret_cell);
void dls_cell_put(const struct dls_cell *cell, uint8_t ret_bytes[DLS_CELL_BYTES]);
struct dls_part dls_cell_part(const struct dls_cell *cell);

#endif
