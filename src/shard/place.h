/* SPDX-License-Identifier: Apache-2.0 */
/* Where a dataset is written: a hidden temporary directory beside its final name, and the step that renames it. */
#ifndef DLS_SHARD_PLACE_H
#define DLS_SHARD_PLACE_H

#include "shard/manifest.h"

struct dls_place {
    char *target; /* the final name, without slashes at its end */
    char *parent;
    char *folder; /* the temporary directory; NULL once it has its final name */
};

/* -EEXIST if the target exists; errnos of mkdir. */
int dls_place_open(struct dls_place *place, const char *target);
/* The path of a file in the temporary directory; the caller frees it. */
char *dls_place_file(const struct dls_place *place, const char *name);
/* Flushes the directory and gives it its final name, which must still be free. */
int dls_place_commit(struct dls_place *place);
/* Removes the temporary directory, if there still is one, with dataset.json and the shards listed. */
void dls_place_close(struct dls_place *place, const struct dls_manifest *listed);

#endif
