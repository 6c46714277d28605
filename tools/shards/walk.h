/* SPDX-License-Identifier: Apache-2.0 */
/* All records of a dataset in stored order, block by block. */
#ifndef TOOLS_SHARDS_WALK_H
#define TOOLS_SHARDS_WALK_H

#include "shard/block.h"
#include "shard/dataset.h"

struct walk_item {
    uint64_t number; /* in the dataset */
    const char *key; /* "" where there is none */
    size_t key_length;
    int64_t label;         /* -1 where there is none */
    struct dls_cell image; /* all 0 where there is none; its offset counts from the block's start */
    const struct dls_block_at *at;
    const struct dls_block_view *view;
    uint32_t index; /* in the block */
};

/* Which records are wanted. */
struct walk_filter {
    const char *class_name; /* NULL: any */
    const char *match;      /* a pattern of fnmatch(3) for the key; NULL: any */
    int64_t label;          /* filled by walk_filter_init() */
};

/* -ENOENT where there is no such class. */
int walk_filter_init(struct walk_filter *filter, const struct dls_dataset *dataset);
bool walk_filter_takes(const struct walk_filter *filter, const struct walk_item *item);

/* Returns 0 to go on; anything else ends the walk, which returns it. */
typedef int (*walk_fn)(void *user, const struct walk_item *item);

/* Calls fn for each record. values: whole blocks are read, so that cells can be opened in view->data; else only as much
 * as holds keys and labels. Errors name shard and block. */
int walk_records(struct dls_dataset *dataset, bool values, walk_fn fn, void *user);

#endif
