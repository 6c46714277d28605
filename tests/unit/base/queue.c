/* SPDX-License-Identifier: Apache-2.0 */
#include "base/queue.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"

#include <criterion/criterion.h>
#include <unistd.h>

static void *number(uintptr_t n)
{
    return (void *)n;
}

static struct dls_queue *make_queue(size_t capacity)
{
    struct dls_queue *queue = NULL;

    cr_assert_eq(dls_queue_create(capacity, &queue), 0);
    return queue;
}

Test(queue, first_in_first_out_over_many_turns)
{
    struct dls_queue *queue = make_queue(3);
    uintptr_t in = 1, out = 1;
    void *item;

    for (int round = 0; round < 20; round++) {
        int count = round % 3 + 1;
        for (int i = 0; i < count; i++)
            cr_assert_eq(dls_queue_put(queue, number(in++)), 0);
        for (int i = 0; i < count; i++) {
            cr_assert_eq(dls_queue_get(queue, 0, &item), 0);
            cr_assert_eq((uintptr_t)item, out++);
        }
    }
    dls_queue_free(&queue);
    cr_assert_null(queue);
    dls_queue_free(&queue);
    dls_queue_free(NULL);
}

Test(queue, get_from_empty_times_out_and_writes_nothing)
{
    struct dls_queue *queue = make_queue(1);
    void *item = number(42);
    uint64_t deadline = dls_now() + 5000000;

    cr_assert_eq(dls_queue_get(queue, 0, &item), -ETIMEDOUT);
    cr_assert_eq(dls_queue_get(queue, 1, &item), -ETIMEDOUT);
    cr_assert_eq(dls_queue_get(queue, deadline, &item), -ETIMEDOUT);
    cr_assert_geq(dls_now(), deadline);
    cr_assert_eq((uintptr_t)item, 42);
    dls_queue_free(&queue);
}

Test(queue, statistics)
{
    struct dls_queue *queue = make_queue(4);
    struct dls_queue_stats stats;
    void *item;

    dls_queue_put(queue, number(1));
    dls_queue_put(queue, number(2));
    dls_queue_get(queue, 0, &item);
    dls_queue_get_stats(queue, &stats);
    cr_assert_eq(stats.items, 2);
    cr_assert_eq(stats.length, 1);
    cr_assert_eq(stats.capacity, 4);
    cr_assert_eq(stats.put_wait_ns, 0);
    cr_assert_eq(stats.get_wait_ns, 0);
    dls_queue_get(queue, 0, &item);
    dls_queue_get(queue, dls_now() + 2000000, &item);
    dls_queue_get_stats(queue, &stats);
    cr_assert_geq(stats.get_wait_ns, 2000000);
    dls_queue_free(&queue);
}

Test(queue, what_is_in_a_closed_queue_still_comes_out)
{
    struct dls_queue *queue = make_queue(4);
    void *item = NULL;

    dls_queue_put(queue, number(1));
    dls_queue_put(queue, number(2));
    dls_queue_close(queue);
    cr_assert_eq(dls_queue_put(queue, number(3)), -ESHUTDOWN);
    cr_assert_eq(dls_queue_get(queue, UINT64_MAX, &item), 0);
    cr_assert_eq((uintptr_t)item, 1);
    cr_assert_eq(dls_queue_get(queue, 0, &item), 0);
    cr_assert_eq((uintptr_t)item, 2);
    cr_assert_eq(dls_queue_get(queue, 0, &item), -ESHUTDOWN);
    cr_assert_eq(dls_queue_get(queue, UINT64_MAX, &item), -ESHUTDOWN);
    dls_queue_free(&queue);
}

struct worker {
    struct dls_thread thread;
    struct dls_queue *queue;
    uintptr_t first, count; /* of a producer */
    uintptr_t items, sum;   /* of a consumer */
    int result;
};

static void *produce(void *arg)
{
    struct worker *w = arg;

    for (uintptr_t i = 0; i < w->count && w->result == 0; i++)
        w->result = dls_queue_put(w->queue, number(w->first + i));
    return NULL;
}

static void *consume(void *arg)
{
    struct worker *w = arg;
    void *item;

    while ((w->result = dls_queue_get(w->queue, UINT64_MAX, &item)) == 0) {
        w->items++;
        w->sum += (uintptr_t)item;
    }
    return NULL;
}

Test(queue, two_producers_two_consumers_lose_nothing)
{
    struct dls_queue *queue = make_queue(2);
    struct worker producers[2] = {{.queue = queue, .first = 1, .count = 5000},
                                  {.queue = queue, .first = 5001, .count = 5000}};
    struct worker consumers[2] = {{.queue = queue}, {.queue = queue}};
    struct dls_queue_stats stats;

    for (int i = 0; i < 2; i++) {
        cr_assert_eq(dls_thread_start(&consumers[i].thread, "consumer", consume, &consumers[i]), 0);
        cr_assert_eq(dls_thread_start(&producers[i].thread, "producer", produce, &producers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        dls_thread_join(&producers[i].thread);
        cr_assert_eq(producers[i].result, 0);
    }
    dls_queue_close(queue);
    for (int i = 0; i < 2; i++) {
        dls_thread_join(&consumers[i].thread);
        cr_assert_eq(consumers[i].result, -ESHUTDOWN);
    }
    cr_assert_eq(consumers[0].items + consumers[1].items, 10000);
    cr_assert_eq(consumers[0].sum + consumers[1].sum, 10000u * 10001u / 2);
    dls_queue_get_stats(queue, &stats);
    cr_assert_eq(stats.items, 10000);
    cr_assert_eq(stats.length, 0);
    dls_queue_free(&queue);
}

Test(queue, close_wakes_those_who_wait)
{
    struct dls_queue *empty = make_queue(1), *full = make_queue(1);
    struct worker consumer = {.queue = empty}, producer = {.queue = full, .first = 1, .count = 2};
    struct dls_queue_stats stats;

    cr_assert_eq(dls_thread_start(&consumer.thread, "consumer", consume, &consumer), 0);
    cr_assert_eq(dls_thread_start(&producer.thread, "producer", produce, &producer), 0);
    do {
        usleep(1000);
        dls_queue_get_stats(full, &stats);
    } while (stats.length == 0);
    dls_queue_close(empty);
    dls_queue_close(full);
    dls_thread_join(&consumer.thread);
    dls_thread_join(&producer.thread);
    cr_assert_eq(consumer.result, -ESHUTDOWN);
    cr_assert_eq(producer.result, -ESHUTDOWN);
    dls_queue_free(&empty);
    dls_queue_free(&full);
}

Test(queue, creation_refuses_and_survives_failing_memory)
{
    struct dls_queue *queue = NULL;
    int made = 0;

    cr_assert_eq(dls_queue_create(0, &queue), -EINVAL);
    cr_assert_eq(dls_queue_create(SIZE_MAX / 2, &queue), -ENOMEM);
    for (uint64_t seed = 0; seed < 40; seed++) {
        dls_mem_fail(seed, 3);
        int r = dls_queue_create(5, &queue);
        dls_mem_fail(0, 0);
        cr_assert(r == 0 || r == -ENOMEM);
        cr_assert_eq(r == 0, queue != NULL);
        made += r == 0;
        dls_queue_free(&queue);
    }
    cr_assert(made > 0 && made < 40);
}
