/* SPDX-License-Identifier: Apache-2.0 */
#include "batch/ring.h"

#include "base/mem.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>

static const struct dls_slot_shape shape = {.size = 2, .width = 4, .height = 4, .images = true};
static uint8_t *memory;
static struct dls_ring *ring;

static void setup(void)
{
    memory = aligned_alloc(4096, 3 * 4096);
    cr_assert_eq(dls_ring_create(3, &shape, memory, &ring), 0);
}

static void teardown(void)
{
    dls_ring_free(&ring);
    cr_assert_null(ring);
    dls_ring_free(&ring);
    free(memory);
}

TestSuite(ring, .init = setup, .fini = teardown);

Test(ring, slots_have_memory_of_their_own)
{
    struct dls_slot *a = dls_ring_fill(ring), *b = dls_ring_fill(ring), *c = dls_ring_fill(ring);

    cr_assert(a->images == memory && b->images == memory + 4096 && c->images == memory + 8192);
    cr_assert_null(dls_ring_fill(ring));
    cr_assert_eq(ring->free, 0);
}

Test(ring, batches_leave_in_the_order_of_their_beginning_not_of_their_end)
{
    struct dls_slot *a = dls_ring_fill(ring), *b = dls_ring_fill(ring);

    dls_ring_ready(b);
    cr_assert_null(dls_ring_lend(ring));
    dls_ring_ready(a);
    cr_assert_eq(dls_ring_lend(ring), a);
    cr_assert_eq(dls_ring_lend(ring), b);
    cr_assert_null(dls_ring_lend(ring));
    cr_assert_eq(ring->lent, 2);
}

Test(ring, batches_come_back_in_any_order_and_are_used_again)
{
    struct dls_slot *slots[3];

    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 3; i++) {
            slots[i] = dls_ring_fill(ring);
            cr_assert_not_null(slots[i]);
        }
        for (int i = 2; i >= 0; i--)
            dls_ring_ready(slots[i]);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(dls_ring_lend(ring), slots[i]);
        cr_assert(dls_ring_release(ring, &slots[(round + 1) % 3]->view));
        cr_assert(dls_ring_release(ring, &slots[round % 3]->view));
        cr_assert(dls_ring_release(ring, &slots[(round + 2) % 3]->view));
        cr_assert(ring->free == 3 && ring->lent == 0);
    }
    cr_assert(ring->begun == 30 && ring->delivered == 30);
}

Test(ring, what_was_not_lent_cannot_be_released)
{
    struct dls_slot *a = dls_ring_fill(ring);
    dls_batch stranger = {0};

    cr_assert_not(dls_ring_release(ring, &a->view));
    dls_ring_ready(a);
    cr_assert_not(dls_ring_release(ring, &a->view));
    dls_ring_lend(ring);
    cr_assert_not(dls_ring_release(ring, &stranger));
    cr_assert(dls_ring_release(ring, &a->view));
    cr_assert_not(dls_ring_release(ring, &a->view));
    cr_assert(ring->free == 3 && ring->lent == 0);
}

Test(ring, without_memory_it_is_not_made)
{
    struct dls_ring *other = NULL;
    int failures = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        dls_mem_fail(seed, 3);
        int r = dls_ring_create(3, &shape, memory, &other);
        dls_mem_fail(0, 0);
        cr_assert(r == 0 || r == -ENOMEM);
        failures += r != 0;
        cr_assert_eq(other != NULL, r == 0);
        dls_ring_free(&other);
    }
    cr_assert(failures > 0 && failures < 20);
}
