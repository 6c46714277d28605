/* SPDX-License-Identifier: Apache-2.0 */
/* Order FULL: groups are runs of records, in the order in which they are drawn. Their rows say where the
 * images lie; these are then read in the order of the disk, neighbours at once, in runs that the window has
 * room for. Neither groups nor runs have a part in the order of samples. */
#ifndef DLS_LOADER_PICK_H
#define DLS_LOADER_PICK_H

#include "loader/group.h"

/* Takes the next records of the walk's piece; group->row_reads are then to be read. */
int dls_picks_take(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group);
/* All rows have been read: fills in blocks[], in the order in which they are to be read. The error is that of
 * the first record that has one; `reader` explains failed reads. */
int dls_picks_map(const struct dls_plan *plan, dls_dataset *dataset, const struct dls_reader *reader,
                  struct dls_group *group);

#endif
