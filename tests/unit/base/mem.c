/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/thread.h"

#include <criterion/criterion.h>
#include <string.h>

Test(mem, is_zeroed)
{
    static const size_t sizes[] = {1, 100, 5000, 300000};

    for (size_t i = 0; i < 4; i++) {
        /* What is freed dirty comes back clean. */
        for (int round = 0; round < 3; round++) {
            uint8_t *memory = dls_alloc(DLS_MEM_BASE, sizes[i]);
            uint8_t *aligned = dls_alloc_aligned(DLS_MEM_BASE, 64, sizes[i]);
            cr_assert(dls_all_zero(memory, sizes[i]));
            cr_assert(dls_all_zero(aligned, sizes[i]));
            memset(memory, 0xaa, sizes[i]);
            memset(aligned, 0xaa, sizes[i]);
            dls_free(memory);
            dls_free(aligned);
        }
    }
}

Test(mem, aligned_is_aligned)
{
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        void *memory = dls_alloc_aligned(DLS_MEM_IO, alignment, 10);
        cr_assert_not_null(memory);
        cr_assert_eq((uintptr_t)memory % alignment, 0, "%zu", alignment);
        dls_free(memory);
    }
}

Test(mem, nothing_is_something)
{
    void *a = dls_alloc(DLS_MEM_BASE, 0), *b = dls_alloc_array(DLS_MEM_BASE, 0, 8);
    void *c = dls_alloc_aligned(DLS_MEM_BASE, 64, 0), *d = dls_realloc(DLS_MEM_BASE, NULL, 0);

    cr_assert(a != NULL && b != NULL && c != NULL && d != NULL);
    dls_free(a);
    dls_free(b);
    dls_free(c);
    dls_free(d);
    dls_free(NULL);
}

Test(mem, products_that_overflow_are_refused)
{
    cr_assert_null(dls_alloc_array(DLS_MEM_SHARD, SIZE_MAX / 8 + 1, 8));
    cr_assert_str_eq(dls_err_text(), "out of memory: 2305843009213693952 times 8 bytes");
    cr_assert_null(dls_alloc_array(DLS_MEM_SHARD, SIZE_MAX, SIZE_MAX));
}

Test(mem, more_than_there_is_fails_with_text)
{
    const size_t absurd = SIZE_MAX / 2 - 4096;

    cr_assert_null(dls_alloc_aligned(DLS_MEM_SHARD, 64, absurd));
    cr_assert_str_eq(dls_err_text(), "out of memory: 9223372036854771711 bytes");
}

Test(mem, calls_are_counted_by_tag)
{
    uint64_t before[DLS_MEM_TAGS + 1];
    static const int expected[DLS_MEM_TAGS] = {[DLS_MEM_IO] = 2, [DLS_MEM_DECODE] = 1, [DLS_MEM_ORDER] = 2};

    for (int i = 0; i <= DLS_MEM_TAGS; i++)
        before[i] = dls_mem_count((enum dls_mem_tag)i);
    void *a = dls_alloc(DLS_MEM_IO, 1), *b = dls_alloc_aligned(DLS_MEM_IO, 64, 1);
    void *c = dls_strndup(DLS_MEM_DECODE, "x", 1), *d = dls_alloc_array(DLS_MEM_ORDER, 2, 2);
    d = dls_realloc(DLS_MEM_ORDER, d, 100);
    for (int i = 0; i < DLS_MEM_TAGS; i++)
        cr_assert_eq(dls_mem_count((enum dls_mem_tag)i) - before[i], expected[i], "tag %d", i);
    cr_assert_eq(dls_mem_count(DLS_MEM_TAGS) - before[DLS_MEM_TAGS], 5);
    dls_free(a);
    dls_free(b);
    dls_free(c);
    dls_free(d);
    cr_assert_eq(dls_mem_count(DLS_MEM_TAGS) - before[DLS_MEM_TAGS], 5, "frees are no allocations");
}

Test(mem, realloc_keeps_what_was_there)
{
    char *text = dls_strndup(DLS_MEM_TOOL, "photograph", 5);

    cr_assert_str_eq(text, "photo");
    text = dls_realloc(DLS_MEM_TOOL, text, 100000);
    cr_assert_str_eq(text, "photo");
    dls_mem_fail(0, 1);
    void *moved = dls_realloc(DLS_MEM_TOOL, text, 200000);
    dls_mem_fail(0, 0);
    cr_assert_null(moved);
    cr_assert_str_eq(text, "photo", "a realloc that fails leaves the memory alone");
    dls_free(text);
}

Test(mem, strndup_stops_at_the_end_of_either)
{
    static const char unterminated[3] = {'a', 'b', 'c'};
    char *a = dls_strndup(DLS_MEM_TOOL, unterminated, 3), *b = dls_strndup(DLS_MEM_TOOL, "ab", 100);
    char *c = dls_strndup(DLS_MEM_TOOL, "ab", 0);

    cr_assert_str_eq(a, "abc");
    cr_assert_str_eq(b, "ab");
    cr_assert_str_eq(c, "");
    dls_free(a);
    dls_free(b);
    dls_free(c);
}

/* Bit i of the result: allocation i failed. */
static uint64_t failures(uint64_t seed, uint32_t one_in)
{
    uint64_t bits = 0;

    dls_mem_fail(seed, one_in);
    for (int i = 0; i < 64; i++) {
        void *memory = dls_alloc(DLS_MEM_BASE, 16);
        bits |= (uint64_t)(memory == NULL) << i;
        dls_free(memory);
    }
    dls_mem_fail(0, 0);
    return bits;
}

Test(mem, failures_are_seeded_and_at_the_rate_asked_for)
{
    int sum = 0;

    cr_assert_eq(failures(1, 0), 0);
    cr_assert_eq(failures(1, 1), UINT64_MAX);
    cr_assert_eq(failures(5, 4), failures(5, 4));
    cr_assert_neq(failures(5, 4), failures(6, 4));
    for (uint64_t seed = 0; seed < 100; seed++)
        sum += __builtin_popcountll(failures(seed, 8));
    /* 6400 trials at 1/8: 800, deviation 26. */
    cr_assert(sum > 650 && sum < 950, "%d", sum);
    cr_assert_eq(failures(1, 0), 0);
}

static void *nothing(void *arg)
{
    return arg;
}

Test(mem, failures_reach_thread_starts)
{
    struct dls_thread thread = {0};

    dls_mem_fail(0, 1);
    int r = dls_thread_start(&thread, "x", nothing, NULL);
    dls_mem_fail(0, 0);
    cr_assert_eq(r, -EAGAIN);
    cr_assert_str_eq(dls_err_text(), "thread 'x': cannot start: Resource temporarily unavailable");
    dls_thread_join(&thread);
}
