/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks in memory: a ring of bytes that blocks are read into, in order, and given back in any order.
 * Every function is called with the loader's lock held, unless its comment says otherwise. */
#ifndef DLS_LOADER_WINDOW_H
#define DLS_LOADER_WINDOW_H

#include "base/err.h"
#include "io/reader.h"
#include "shard/block.h"
#include "shard/dataset.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum dls_block_state {
    DLS_BLOCK_NONE = 0,
    DLS_BLOCK_READING, /* the I/O thread's: it writes everything but `state` without the lock */
    DLS_BLOCK_LOADED,  /* the decode threads': they read it without the lock until they have made `remaining`
                          samples */
    DLS_BLOCK_FAILED,  /* `error` says why */
    DLS_BLOCK_DONE     /* its memory may go */
};

struct dls_window_block {
    struct dls_extent extent;
    struct dls_block_at at;
    struct dls_block_view view;
    enum dls_block_state state; /* [lock] */
    _Atomic uint32_t remaining; /* samples still to be made of it */
    uint64_t group;             /* it belongs to */
    uint64_t start;             /* of its memory, counted as `head` is */
    struct dls_error error;
};

struct dls_window {
    uint8_t *memory;
    uint64_t bytes;
    uint64_t head, tail; /* bytes taken and given back since the start; gaps at the ring's end count too */
    struct dls_window_block *entries; /* a ring as well: entry n is at n % count */
    uint32_t count;
    uint64_t pushed, popped; /* entries taken and given back since the start */
};

/* memory: 4096-aligned, stays the caller's. Every entry gets room for a directory of `directory_room` bytes.
 * -ENOMEM. */
int dls_window_init(struct dls_window *window, uint8_t *memory, uint64_t bytes, uint32_t count,
                    const struct dls_schema *schema, uint64_t directory_room);
/* Memory and an entry for a block of `length` bytes; NULL if there is no room now. The entry is READING. */
struct dls_window_block *dls_window_take(struct dls_window *window, uint64_t length);
/* Gives back the memory of the oldest blocks as far as they are DONE. True if there was any. */
bool dls_window_reclaim(struct dls_window *window);
void dls_window_free(struct dls_window *window);

#endif
