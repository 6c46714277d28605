/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/room.h"

#include "base/rng.h"
#include "base/thread.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define KIB 1024ull

Test(room, a_region_grows_to_its_largest_picture_and_keeps_it)
{
    struct dls_room *room = NULL;
    uint8_t *first, *second;

    cr_assert_eq(dls_room_create(2, 400 * KIB, 1000 * KIB, &room), 0);
    cr_assert_eq(dls_room_held(room), 0);
    first = dls_room_take(room, 0, 100 * KIB);
    memset(first, 1, 100 * KIB);
    dls_room_give(room, 0);
    cr_assert_eq(dls_room_held(room), 100 * KIB);
    second = dls_room_take(room, 0, 50 * KIB);
    cr_assert_eq(second, first);
    cr_assert_eq(dls_room_held(room), 100 * KIB);
    dls_room_give(room, 0);
    dls_room_take(room, 0, 400 * KIB);
    cr_assert_eq(dls_room_held(room), 400 * KIB);
    cr_assert_neq(dls_room_take(room, 1, 400 * KIB), first);
    cr_assert_eq(dls_room_held(room), 800 * KIB);
    dls_room_free(&room);
    cr_assert_null(room);
    dls_room_free(&room);
}

Test(room, memory_of_idle_threads_is_taken_for_a_large_picture)
{
    struct dls_room *room = NULL;

    cr_assert_eq(dls_room_create(3, 400 * KIB, 400 * KIB, &room), 0);
    dls_room_take(room, 0, 200 * KIB);
    dls_room_give(room, 0);
    dls_room_take(room, 1, 200 * KIB);
    dls_room_give(room, 1);
    dls_room_take(room, 2, 400 * KIB); /* would wait for ever if the others kept theirs */
    cr_assert_eq(dls_room_held(room), 400 * KIB);
    dls_room_give(room, 2);
    dls_room_take(room, 0, 200 * KIB);
    cr_assert_leq(dls_room_held(room), 400 * KIB);
    dls_room_free(&room);
}

Test(room, memory_taken_away_is_zero_again)
{
    struct dls_room *room = NULL;
    uint8_t *memory;

    cr_assert_eq(dls_room_create(2, 64 * KIB, 64 * KIB, &room), 0);
    memory = dls_room_take(room, 0, 64 * KIB);
    memset(memory, 7, 64 * KIB);
    dls_room_give(room, 0);
    dls_room_take(room, 1, 64 * KIB);
    cr_assert_eq(memory[5], 0); /* its pages went back to the kernel */
    dls_room_free(&room);
}

/* Between two pictures a thread keeps its memory. Where its next one is larger and others wait already, it has to
 * queue behind them, and what it kept may be just what the first of them needs. */
static void *take_all(void *arg)
{
    struct dls_room *room = arg;

    dls_room_take(room, 0, 256 * KIB);
    dls_room_give(room, 0);
    return NULL;
}

Test(room, memory_of_a_thread_that_joins_the_queue_goes_to_its_head, .timeout = 30)
{
    struct dls_room *room = NULL;
    struct dls_thread thread = {0};

    cr_assert_eq(dls_room_create(2, 256 * KIB, 256 * KIB, &room), 0);
    dls_room_take(room, 1, 64 * KIB);
    cr_assert_eq(dls_thread_start(&thread, "all", take_all, room), 0);
    while (atomic_load(&room->waiting) == 0)
        usleep(100);
    pthread_mutex_lock(&room->lock); /* now it sleeps */
    pthread_mutex_unlock(&room->lock);
    dls_room_take(room, 1, 128 * KIB);
    dls_thread_join(&thread);
    cr_assert_eq(dls_room_held(room), 128 * KIB);
    dls_room_free(&room);
}

struct party {
    struct dls_thread thread;
    struct dls_room *room;
    uint32_t index;
    _Atomic uint64_t *in_use, *most;
    bool wrong;
};

/* Small pictures mostly, some that need all there is. */
static void *decode_many(void *arg)
{
    struct party *party = arg;
    struct dls_rng rng;

    dls_rng_init(&rng, 1, 2, party->index);
    for (int i = 0; i < 3000; i++) {
        uint64_t bytes = dls_rng_below(&rng, 40) == 0 ? 256 * KIB : (1 + dls_rng_below(&rng, 16)) * 4 * KIB;
        uint8_t *memory = dls_room_take(party->room, party->index, bytes);
        uint64_t now = atomic_fetch_add(party->in_use, bytes) + bytes;
        if (now > 256 * KIB)
            party->wrong = true;
        memory[0] = memory[bytes - 1] = (uint8_t)(party->index + 1);
        if (bytes == 256 * KIB)
            atomic_fetch_add(party->most, 1);
        if (memory[0] != party->index + 1 || memory[bytes - 1] != party->index + 1)
            party->wrong = true;
        atomic_fetch_sub(party->in_use, bytes);
        dls_room_give(party->room, party->index);
    }
    return NULL;
}

Test(room, many_threads_stay_within_the_limit_and_none_starves)
{
    struct dls_room *room = NULL;
    struct party parties[6] = {0};
    _Atomic uint64_t in_use = 0, large = 0;

    cr_assert_eq(dls_room_create(6, 256 * KIB, 256 * KIB, &room), 0);
    for (uint32_t i = 0; i < 6; i++) {
        parties[i] = (struct party){.room = room, .index = i, .in_use = &in_use, .most = &large};
        cr_assert_eq(dls_thread_start(&parties[i].thread, "party", decode_many, &parties[i]), 0);
    }
    for (uint32_t i = 0; i < 6; i++) {
        dls_thread_join(&parties[i].thread);
        cr_assert_not(parties[i].wrong);
    }
    cr_assert_gt(large, 100);
    cr_assert_leq(dls_room_held(room), 256 * KIB);
    dls_room_free(&room);
}

struct head {
    struct dls_thread thread;
    struct dls_room *room;
};

static void *take_most(void *arg)
{
    struct head *head = arg;

    dls_room_take(head->room, 0, 90 * KIB);
    dls_room_give(head->room, 0);
    return NULL;
}

/* Pins a flaw: a thread that joined the queue gave its memory up and told nobody, so that the first in the
 * queue, which had waited for just that, waited for ever. */
Test(room, memory_given_up_in_the_queue_is_told_to_its_head, .timeout = 20)
{
    struct dls_room *room = NULL;
    struct head head;

    cr_assert_eq(dls_room_create(2, 100 * KIB, 100 * KIB, &room), 0);
    head.room = room;
    dls_room_take(room, 1, 30 * KIB);
    cr_assert_eq(dls_thread_start(&head.thread, "head", take_most, &head), 0);
    while (atomic_load(&room->waiting) == 0)
        ;
    dls_room_take(room, 1, 60 * KIB);
    dls_thread_join(&head.thread);
    cr_assert_leq(dls_room_held(room), 100 * KIB);
    dls_room_free(&room);
}
