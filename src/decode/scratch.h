/* SPDX-License-Identifier: Apache-2.0 */
/* Memory a decoder reuses from picture to picture. */
#ifndef DLS_DECODE_SCRATCH_H
#define DLS_DECODE_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* One buffer that only grows, up to the size above which dls_scratch_trim() gives it back. Zeroed memory is
 * an empty one. */
struct dls_scratch {
    uint8_t *memory;
    size_t size;
    uint8_t *lent; /* the caller's, 64-byte aligned, used instead as long as it suffices; NULL if there is none */
    size_t lent_size;
};

/* At least `size` bytes, 64-byte aligned, contents undefined; what was handed out before is gone. NULL
 * without memory. */
uint8_t *dls_scratch_get(struct dls_scratch *scratch, size_t size);
/* Gives the buffer back if it is larger than an ordinary picture needs. */
void dls_scratch_trim(struct dls_scratch *scratch);
void dls_scratch_free(struct dls_scratch *scratch);

/* A heap for a codec library that allocates anew for each picture: blocks are cut off one after another, and
 * all are taken back at once. After the first pictures it is one chunk that fits. Zeroed memory is an empty
 * one. */
struct dls_arena_chunk;
struct dls_arena {
    struct dls_arena_chunk *chunks; /* newest first */
    uint64_t calls;                 /* allocations since the last reset */
};

/* 16-byte aligned, zeroed. NULL without memory. */
void *dls_arena_alloc(struct dls_arena *arena, size_t size);
/* As realloc(), new bytes zeroed; the old block is not reused. */
void *dls_arena_realloc(struct dls_arena *arena, void *block, size_t size);
/* Takes every block back. */
void dls_arena_reset(struct dls_arena *arena);
void dls_arena_free(struct dls_arena *arena);

#endif
