/* SPDX-License-Identifier: Apache-2.0 */
#include "device/host.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static uint64_t resident_pages(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    cr_assert_eq(fscanf(file, "%lu %lu", &size, &resident), 2);
    fclose(file);
    return resident;
}

Test(host, memory_is_zeroed_writable_and_aligned)
{
    static const uint64_t sizes[] = {1, 4095, 4096, 100000, (2u << 20) - 1, 2u << 20, (5u << 20) + 1};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct dls_host_memory memory;
        cr_assert_eq(dls_host_alloc(sizes[i], false, -1, &memory), 0);
        cr_assert_eq(memory.bytes, sizes[i]);
        cr_assert_eq((uintptr_t)memory.data % (sizes[i] >= (2u << 20) ? 2u << 20 : 4096), 0);
        cr_assert(memory.data[0] == 0 && memory.data[sizes[i] - 1] == 0);
        memset(memory.data, 7, sizes[i]);
        cr_assert_not(memory.locked);
        dls_host_free(&memory);
        cr_assert_null(memory.data);
        dls_host_free(&memory);
    }
}

Test(host, freeing_gives_the_memory_back)
{
    struct dls_host_memory memory;
    uint64_t before = resident_pages();

    cr_assert_eq(dls_host_alloc(64u << 20, false, -1, &memory), 0);
    memset(memory.data, 1, memory.bytes);
    cr_assert_geq(resident_pages() - before, 60u << 8);
    dls_host_free(&memory);
    cr_assert_leq(resident_pages(), before + (4u << 8));
}

Test(host, sizes_that_no_machine_has_are_refused)
{
    struct dls_host_memory memory;

    cr_assert_eq(dls_host_alloc(0, false, -1, &memory), -ENOMEM);
    cr_assert_eq(dls_host_alloc(UINT64_MAX, false, -1, &memory), -ENOMEM);
    cr_assert_eq(dls_host_alloc(1ull << 60, false, -1, &memory), -ENOMEM);
}

Test(host, a_limit_on_locked_memory_is_not_an_error)
{
    struct dls_host_memory memory;
    struct rlimit none = {0, 0};

    /* The superuser may lock all the same: then this shows that asking for it works. */
    cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &none), 0);
    cr_assert_eq(dls_host_alloc(1u << 20, true, -1, &memory), 0);
    cr_assert(geteuid() == 0 || !memory.locked);
    memory.data[memory.bytes - 1] = 1;
    dls_host_free(&memory);
}

Test(host, the_description_says_what_was_got)
{
    struct dls_host_memory memory = {0};

    cr_assert_str_eq(dls_host_describe(&memory), "not locked");
    memory.locked = true;
    cr_assert_str_eq(dls_host_describe(&memory), "locked");
    memory.huge = true;
    cr_assert_str_eq(dls_host_describe(&memory), "huge pages, locked");
    memory.locked = false;
    cr_assert_str_eq(dls_host_describe(&memory), "huge pages, not locked");
}
