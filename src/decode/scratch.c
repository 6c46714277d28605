/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/scratch.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>

/* A 24-megapixel interlaced PNG fits; what is larger is rare enough to pay for its own allocation. */
#define SCRATCH_KEEP (96u << 20)
#define ARENA_CHUNK (256u << 10)
#define ARENA_HEAD 16 /* each block's size lies before it, so that realloc knows what to copy */

struct dls_arena_chunk {
    struct dls_arena_chunk *next;
    size_t size, used; /* of the bytes behind this head */
    _Alignas(16) uint8_t bytes[];
};

uint8_t *dls_scratch_get(struct dls_scratch *scratch, size_t size)
{
    if (size <= scratch->lent_size)
        return scratch->lent;
    if (size > scratch->size) {
        /* A quarter more than asked for, so that slowly growing pictures do not reallocate each time. */
        size_t grown = size + size / 4;
        dls_free(scratch->memory);
        scratch->size = 0;
        scratch->memory = dls_alloc_aligned(DLS_MEM_DECODE, 64, grown);
        if (scratch->memory == NULL)
            return NULL;
        scratch->size = grown;
    }
    return scratch->memory;
}

void dls_scratch_trim(struct dls_scratch *scratch)
{
    if (scratch->size > SCRATCH_KEEP)
        dls_scratch_free(scratch);
}

void dls_scratch_free(struct dls_scratch *scratch)
{
    dls_free(scratch->memory);
    scratch->memory = NULL;
    scratch->size = 0;
}

static int arena_grow(struct dls_arena *arena, size_t size)
{
    struct dls_arena_chunk *chunk = dls_alloc(DLS_MEM_DECODE, sizeof(*chunk) + size);
    if (chunk == NULL)
        return -ENOMEM;
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return 0;
}

void *dls_arena_alloc(struct dls_arena *arena, size_t size)
{
    struct dls_arena_chunk *chunk = arena->chunks;
    if (size > SIZE_MAX / 4)
        return NULL;
    size_t need = ARENA_HEAD + dls_align_up(size, 16);
    if (chunk == NULL || chunk->size - chunk->used < need) {
        if (arena_grow(arena, need > ARENA_CHUNK ? need : ARENA_CHUNK) < 0)
            return NULL;
        chunk = arena->chunks;
    }
    uint8_t *block = chunk->bytes + chunk->used + ARENA_HEAD;
    chunk->used += need;
    arena->calls++;
    memcpy(block - ARENA_HEAD, &size, sizeof(size));
    memset(block, 0, size);
    return block;
}

void *dls_arena_realloc(struct dls_arena *arena, void *block, size_t size)
{
    size_t old = 0;
    if (block != NULL)
        memcpy(&old, (uint8_t *)block - ARENA_HEAD, sizeof(old));
    if (size <= old)
        return block;
    void *bigger = dls_arena_alloc(arena, size);
    if (bigger != NULL && old > 0)
        memcpy(bigger, block, old);
    return bigger;
}

void dls_arena_reset(struct dls_arena *arena)
{
    struct dls_arena_chunk *chunk = arena->chunks;
    arena->calls = 0;
    if (chunk == NULL)
        return;
    if (chunk->next == NULL && chunk->size <= SCRATCH_KEEP) {
        chunk->used = 0;
        return;
    }
    size_t total = 0;
    for (; chunk != NULL; chunk = chunk->next)
        total += chunk->size;
    dls_arena_free(arena);
    /* Without memory for the one chunk, the next picture finds out and says so. */
    if (total <= SCRATCH_KEEP)
        (void)arena_grow(arena, total);
}

void dls_arena_free(struct dls_arena *arena)
{
    while (arena->chunks != NULL) {
        struct dls_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        dls_free(chunk);
    }
}
