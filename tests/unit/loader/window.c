/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/window.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096ull
#define ENTRIES 12

static struct dls_schema schema = {
    .count = 1, .fields = {{.name = "key", .type = DLS_FIELD_STRING}}, .image = -1, .label = -1};
static struct dls_window window;
static uint8_t *memory;

static void setup_pages(uint64_t pages)
{
    memory = aligned_alloc(PAGE, pages * PAGE);
    cr_assert_eq(dls_window_init(&window, memory, pages * PAGE, ENTRIES, &schema, 100), 0);
}

static void teardown(void)
{
    dls_window_free(&window);
    free(memory);
}

TestSuite(window, .fini = teardown);

static uint64_t place(const struct dls_window_block *block)
{
    return (uint64_t)(block->extent.memory - memory) / PAGE;
}

static void done(struct dls_window_block *block)
{
    block->state = DLS_BLOCK_DONE;
    dls_window_reclaim(&window);
}

Test(window, blocks_lie_one_behind_the_other_until_there_is_no_room)
{
    setup_pages(10);
    struct dls_window_block *a = dls_window_take(&window, 4 * PAGE), *b = dls_window_take(&window, 3 * PAGE);
    cr_assert(place(a) == 0 && place(b) == 4);
    cr_assert(a->state == DLS_BLOCK_READING && a->extent.length == 4 * PAGE && a->extent.user == a);
    cr_assert_null(dls_window_take(&window, 4 * PAGE));
    struct dls_window_block *c = dls_window_take(&window, 3 * PAGE);
    cr_assert_eq(place(c), 7);
    cr_assert_null(dls_window_take(&window, PAGE));
}

Test(window, memory_comes_back_when_the_oldest_is_done)
{
    setup_pages(10);
    struct dls_window_block *a = dls_window_take(&window, 4 * PAGE), *b = dls_window_take(&window, 4 * PAGE);
    done(b);
    cr_assert_null(dls_window_take(&window, 4 * PAGE));
    done(a); /* frees both */
    cr_assert_eq(window.popped, 2);
    a = dls_window_take(&window, 10 * PAGE);
    cr_assert_eq(place(a), 0); /* an empty ring starts anew */
}

Test(window, a_block_never_wraps_the_gap_is_left)
{
    setup_pages(10);
    struct dls_window_block *a = dls_window_take(&window, 4 * PAGE), *b = dls_window_take(&window, 4 * PAGE);
    done(a);
    struct dls_window_block *c =
        dls_window_take(&window, 3 * PAGE); /* two pages are left behind b: not enough */
    cr_assert_eq(place(c), 0);
    cr_assert_null(dls_window_take(&window, 2 * PAGE)); /* one page is left before b */
    struct dls_window_block *d = dls_window_take(&window, PAGE);
    cr_assert_eq(place(d), 3);
    done(b);
    struct dls_window_block *e = dls_window_take(&window, 6 * PAGE);
    cr_assert_eq(place(e), 4);
    cr_assert_null(dls_window_take(&window, PAGE));
}

Test(window, there_are_no_more_blocks_than_entries)
{
    setup_pages(100);
    struct dls_window_block *first = dls_window_take(&window, PAGE);
    for (int i = 1; i < ENTRIES; i++)
        cr_assert_not_null(dls_window_take(&window, PAGE));
    cr_assert_null(dls_window_take(&window, PAGE));
    done(first);
    cr_assert_eq(dls_window_take(&window, PAGE), first);
}

Test(window, a_group_fits_in_one_block_more_whatever_was_there_before)
{
    /* 4 blocks of at most 5 pages: 25 pages must do, from any state that leaves the ring empty of older
     * groups. */
    setup_pages(25);
    struct dls_rng rng;
    struct dls_window_block *live[8];
    unsigned count = 0;

    dls_rng_init(&rng, 1, 2, 3);
    for (int round = 0; round < 20000; round++) {
        struct dls_window_block *group[4];
        for (int i = 0; i < 4; i++) {
            uint64_t length = (1 + dls_rng_below(&rng, 5)) * PAGE;
            while ((group[i] = dls_window_take(&window, length)) == NULL) {
                cr_assert_gt(count, 0, "no room although only this group is there");
                unsigned k = (unsigned)dls_rng_below(&rng, count);
                done(live[k]);
                live[k] = live[--count];
            }
            memset(group[i]->extent.memory, i + 1, length);
        }
        for (int i = 0; i < 4; i++)
            for (uint64_t k = 0; k < group[i]->extent.length; k += PAGE)
                cr_assert_eq(group[i]->extent.memory[k], i + 1);
        while (count > 0)
            done(live[--count]);
        for (int i = 0; i < 4; i++)
            live[count++] = group[i];
    }
}
