/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "decode/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

Test(scratch, grows_and_is_kept)
{
    struct dls_scratch scratch = {0};
    uint8_t *first = dls_scratch_get(&scratch, 1000);
    cr_assert_not_null(first);
    cr_assert_eq((uintptr_t)first % 64, 0);
    uint64_t calls = dls_mem_count(DLS_MEM_DECODE);
    cr_assert_eq(dls_scratch_get(&scratch, 10), first);
    cr_assert_eq(dls_scratch_get(&scratch, 1200), first, "grows with something to spare");
    cr_assert_eq(dls_mem_count(DLS_MEM_DECODE), calls);
    uint8_t *second = dls_scratch_get(&scratch, 100000);
    memset(second, 1, 100000);
    dls_scratch_trim(&scratch);
    cr_assert_eq(scratch.memory, second, "an ordinary picture's memory stays");
    cr_assert_not_null(dls_scratch_get(&scratch, 200u << 20));
    dls_scratch_trim(&scratch);
    cr_assert_null(scratch.memory, "a huge picture's memory does not");
    cr_assert_not_null(dls_scratch_get(&scratch, 1));
    dls_scratch_free(&scratch);
    cr_assert_eq(scratch.size, 0);
}

Test(scratch, says_when_there_is_no_memory)
{
    struct dls_scratch scratch = {0};
    dls_mem_fail(1, 1);
    cr_assert_null(dls_scratch_get(&scratch, 100));
    dls_mem_fail(0, 0);
    cr_assert_eq(scratch.size, 0);
    cr_assert_not_null(dls_scratch_get(&scratch, 100));
    dls_scratch_free(&scratch);
}

Test(scratch, arena_settles_on_one_chunk)
{
    struct dls_arena arena = {0};
    for (int round = 0; round < 4; round++) {
        uint64_t calls = dls_mem_count(DLS_MEM_DECODE);
        for (size_t i = 1; i <= 40; i++) {
            uint8_t *block = dls_arena_alloc(&arena, i * 1000);
            cr_assert_not_null(block);
            cr_assert_eq((uintptr_t)block % 16, 0);
            for (size_t at = 0; at < i * 1000; at++)
                cr_assert_eq(block[at], 0);
            memset(block, 0xff, i * 1000);
        }
        cr_assert_eq(arena.calls, 40);
        if (round >= 1)
            cr_assert_eq(dls_mem_count(DLS_MEM_DECODE), calls, "round %d", round);
        dls_arena_reset(&arena);
        cr_assert_eq(arena.calls, 0);
    }
    dls_arena_free(&arena);
}

Test(scratch, arena_realloc_keeps_what_was_there)
{
    struct dls_arena arena = {0};
    uint8_t *block = dls_arena_realloc(&arena, NULL, 10);
    memcpy(block, "0123456789", 10);
    cr_assert_eq(dls_arena_realloc(&arena, block, 5), block);
    uint8_t *bigger = dls_arena_realloc(&arena, block, 1u << 20);
    cr_assert(memcmp(bigger, "0123456789\0", 11) == 0);
    cr_assert_eq(bigger[(1u << 20) - 1], 0);
    cr_assert_null(dls_arena_alloc(&arena, SIZE_MAX - 8));
    cr_assert_null(dls_arena_alloc(&arena, SIZE_MAX / 2));
    dls_arena_free(&arena);
    cr_assert_null(arena.chunks);
}

Test(scratch, lent_memory_is_used_as_far_as_it_suffices)
{
    static _Alignas(64) uint8_t lent[1000];
    struct dls_scratch scratch = {.lent = lent, .lent_size = sizeof(lent)};
    uint64_t calls = dls_mem_count(DLS_MEM_DECODE);
    cr_assert_eq(dls_scratch_get(&scratch, 1000), lent);
    cr_assert_eq(dls_mem_count(DLS_MEM_DECODE), calls);
    uint8_t *own = dls_scratch_get(&scratch, 1001);
    cr_assert_neq(own, lent);
    own[1000] = 1;
    cr_assert_eq(dls_scratch_get(&scratch, 10), lent);
    dls_scratch_free(&scratch);
    cr_assert_null(scratch.memory);
    cr_assert_eq(scratch.lent, lent);
}
