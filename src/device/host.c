/* SPDX-License-Identifier: Apache-2.0 */
#include "device/host.h"

#include "base/bytes.h"
#include "base/err.h"
#include "device/numa.h"

#include <linux/mman.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096ull
#define HUGE_PAGE (2ull << 20)

/* Huge pages that the administrator has set apart. They are asked to be there at once: where a control group forbids
 * them after all, this says so instead of a signal at the first touch (before Linux 5.14 nothing could, and they are
 * not used). */
static bool map_reserved(struct dls_host_memory *memory, int node)
{
    uint64_t length = dls_align_up(memory->bytes, HUGE_PAGE);
    void *mapping = mmap(NULL, length, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1, 0);

    if (mapping == MAP_FAILED)
        return false;
    if (node >= 0 && dls_numa_prefer(mapping, length, node) == 0)
        memory->node = node;
#ifdef MADV_POPULATE_WRITE
    if (madvise(mapping, length, MADV_POPULATE_WRITE) == 0) {
        memory->mapping = memory->data = mapping;
        memory->mapped = length;
        memory->reserved = memory->locked = true; /* they are never swapped */
        return true;
    }
#endif
    munmap(mapping, length);
    memory->node = -1;
    return false;
}

int dls_host_alloc(uint64_t bytes, bool lock, int node, struct dls_host_memory *ret_memory)
{
    struct dls_host_memory memory = {.bytes = bytes, .node = -1};
    uint64_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    uint64_t length;

    if (bytes == 0 || dls_add_overflows(bytes, 2 * alignment, &length) || length > SIZE_MAX)
        return dls_err(ENOMEM, "memory: %llu bytes cannot be mapped", (unsigned long long)bytes);
    if (alignment == HUGE_PAGE && map_reserved(&memory, node)) {
        *ret_memory = memory;
        return 0;
    }
    memory.mapped = dls_align_up(bytes, PAGE) + alignment - PAGE;
    memory.mapping = mmap(NULL, memory.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory.mapping == MAP_FAILED)
        return dls_err_sys(errno, "memory: %llu bytes cannot be mapped", (unsigned long long)bytes);
    memory.data = (uint8_t *)(uintptr_t)dls_align_up((uintptr_t)memory.mapping, alignment);
    if (node >= 0 && dls_numa_prefer(memory.data, dls_align_up(bytes, PAGE), node) == 0)
        memory.node = node;
    if (alignment == HUGE_PAGE)
        memory.huge = madvise(memory.data, bytes, MADV_HUGEPAGE) == 0;
    /* Below RLIMIT_MEMLOCK this works for everyone, above it for holders of CAP_IPC_LOCK; a refusal costs
     * nothing. */
    memory.locked = lock && mlock(memory.data, bytes) == 0;
    *ret_memory = memory;
    return 0;
}

void dls_host_free(struct dls_host_memory *memory)
{
    if (memory->mapping != NULL)
        munmap(memory->mapping, memory->mapped);
    memset(memory, 0, sizeof(*memory));
    memory->node = -1;
}

const char *dls_host_describe(const struct dls_host_memory *memory)
{
    if (memory->reserved)
        return "reserved huge pages";
    if (memory->huge)
        return memory->locked ? "huge pages, locked" : "huge pages, not locked";
    return memory->locked ? "locked" : "not locked";
}
