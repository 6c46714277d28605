/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset's uuid; docs/format.md, section 9.1. */
#ifndef DLS_SHARD_IDENTITY_H
#define DLS_SHARD_IDENTITY_H

#include "shard/manifest.h"

/* Fills manifest->uuid from schema, classes, seed and the shards' checksums. */
int dls_manifest_identify(struct dls_manifest *manifest);

#endif
