/* SPDX-License-Identifier: Apache-2.0 */
/* Large pieces of the machine's memory: the window that the disk reads into, the batches that the caller
 * copies from. */
#ifndef DLS_DEVICE_HOST_H
#define DLS_DEVICE_HOST_H

#include <stdbool.h>
#include <stdint.h>

struct dls_host_memory {
    uint8_t *data;  /* zeroed, aligned to 4096 bytes, to 2 MiB if it is that large */
    uint64_t bytes; /* as asked for */
    bool huge;      /* the kernel took our wish for huge pages */
    bool reserved;  /* of huge pages that the administrator has set apart (vm.nr_hugepages) */
    int node;       /* the NUMA node it is preferably from; -1: any */
    bool locked;    /* it cannot be swapped out, and each page is there from the start */
    void *mapping;  /* what munmap() needs */
    uint64_t mapped;
};

/* Maps `bytes` (≥ 1). lock: keep it from being swapped where RLIMIT_MEMLOCK allows; it is not an error if it
 * does not. node: the NUMA node to take it from, if it has any; -1: any. -ENOMEM. The caller ends *ret_memory with dls_host_free(). */
int dls_host_alloc(uint64_t bytes, bool lock, int node, struct dls_host_memory *ret_memory);
/* Harmless on zeroed memory. */
void dls_host_free(struct dls_host_memory *memory);
/* "huge pages, locked" and the like, for people. A static string. */
const char *dls_host_describe(const struct dls_host_memory *memory);

#endif
