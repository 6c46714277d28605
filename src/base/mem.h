/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that calls malloc: every allocation of the library is counted by purpose, so that a test can show
 * that none happens in steady state. */
#ifndef DLS_BASE_MEM_H
#define DLS_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dls_mem_tag {
    DLS_MEM_BASE,
    DLS_MEM_SHARD,
    DLS_MEM_ORDER,
    DLS_MEM_IO,
    DLS_MEM_DECODE,
    DLS_MEM_IMAGE,
    DLS_MEM_BATCH,
    DLS_MEM_DEVICE,
    DLS_MEM_LOADER,
    DLS_MEM_TOOL,
    DLS_MEM_TAGS
};

/* All return NULL on failure (and set the thread's error text), zero the memory, and refuse overflow. */
void *dls_alloc(enum dls_mem_tag tag, size_t size);
void *dls_alloc_array(enum dls_mem_tag tag, size_t count, size_t size);
/* alignment: a power of two. */
void *dls_alloc_aligned(enum dls_mem_tag tag, size_t alignment, size_t size);
/* As realloc(); new bytes are not zeroed. */
void *dls_realloc(enum dls_mem_tag tag, void *memory, size_t size);
char *dls_strndup(enum dls_mem_tag tag, const char *text, size_t length);
void dls_free(void *memory);

/* Calls of the functions above since the start of the process, for one tag or (DLS_MEM_TAGS) for all. */
uint64_t dls_mem_count(enum dls_mem_tag tag);

/* For tests: one in `one_in` allocations and thread starts (chosen by a seeded generator) fails. 0 turns it off. */
void dls_mem_fail(uint64_t seed, uint32_t one_in);
/* True if what the caller is about to do has to fail. */
bool dls_fault(void);

#endif
