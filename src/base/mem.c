/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include "base/err.h"
#include "base/rng.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t counts[DLS_MEM_TAGS];
static _Atomic uint64_t fault_seed, fault_number;
static _Atomic uint32_t fault_one_in;

bool dls_fault(void)
{
    uint32_t one_in = atomic_load_explicit(&fault_one_in, memory_order_relaxed);

    if (one_in == 0)
        return false;
    uint64_t number = atomic_fetch_add_explicit(&fault_number, 1, memory_order_relaxed);
    return dls_mix64(atomic_load_explicit(&fault_seed, memory_order_relaxed), number) % one_in == 0;
}

void dls_mem_fail(uint64_t seed, uint32_t one_in)
{
    atomic_store(&fault_seed, seed);
    atomic_store(&fault_number, 0);
    atomic_store(&fault_one_in, one_in);
}

uint64_t dls_mem_count(enum dls_mem_tag tag)
{
    uint64_t sum = 0;

    if (tag < DLS_MEM_TAGS)
        return atomic_load_explicit(&counts[tag], memory_order_relaxed);
    for (int i = 0; i < DLS_MEM_TAGS; i++)
        sum += atomic_load_explicit(&counts[i], memory_order_relaxed);
    return sum;
}

/* Counts the call; true if it has to fail. */
static bool enter(enum dls_mem_tag tag)
{
    atomic_fetch_add_explicit(&counts[tag], 1, memory_order_relaxed);
    return dls_fault();
}

static void *out_of_memory(size_t size)
{
    dls_err(ENOMEM, "out of memory: %zu bytes", size);
    return NULL;
}

void *dls_alloc(enum dls_mem_tag tag, size_t size)
{
    void *memory = enter(tag) ? NULL : calloc(1, size != 0 ? size : 1);

    return memory != NULL ? memory : out_of_memory(size);
}

void *dls_alloc_array(enum dls_mem_tag tag, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes)) {
        dls_err(ENOMEM, "out of memory: %zu times %zu bytes", count, size);
        return NULL;
    }
    return dls_alloc(tag, bytes);
}

void *dls_alloc_aligned(enum dls_mem_tag tag, size_t alignment, size_t size)
{
    void *memory = NULL;

    if (alignment < sizeof(void *))
        alignment = sizeof(void *);
    if (enter(tag) || posix_memalign(&memory, alignment, size != 0 ? size : 1) != 0)
        return out_of_memory(size);
    return memset(memory, 0, size);
}

void *dls_realloc(enum dls_mem_tag tag, void *memory, size_t size)
{
    void *moved = enter(tag) ? NULL : realloc(memory, size != 0 ? size : 1);

    return moved != NULL ? moved : out_of_memory(size);
}

char *dls_strndup(enum dls_mem_tag tag, const char *text, size_t length)
{
    size_t bytes = strnlen(text, length);
    char *copy = dls_alloc(tag, bytes + 1);

    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

void dls_free(void *memory)
{
    free(memory);
}
