/* SPDX-License-Identifier: Apache-2.0 */
/* The shared parts of base/ under several threads at once: histogram, log, counters, error text. */
#include "base/err.h"
#include "base/hist.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "support/check.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define WORKERS 3
#define ITEMS 3000

struct shared {
    _Atomic(uintptr_t *) items[WORKERS * ITEMS]; /* each put there by a producer and taken by a consumer */
    atomic_uint put, taken;
    struct dls_hist hist; /* written by the first consumer alone, read by all */
    _Atomic uint64_t sum, messages;
};

struct worker {
    struct dls_thread thread;
    struct shared *shared;
    unsigned number;
};

static void count_message(void *user, dls_log_level level, const char *message)
{
    struct shared *shared = user;

    CHECK(level == DLS_LOG_INFO && strncmp(message, "item ", 5) == 0);
    shared->messages++;
}

static void *produce(void *arg)
{
    struct worker *w = arg;

    for (uintptr_t i = 1; i <= ITEMS; i++) {
        uintptr_t *item = dls_alloc(DLS_MEM_BASE, sizeof(*item));
        CHECK(item != NULL);
        *item = i;
        atomic_store(&w->shared->items[atomic_fetch_add(&w->shared->put, 1)], item);
        if (i % 100 == 0)
            dls_log(DLS_LOG_INFO, "item %zu", (size_t)i);
        dls_log(DLS_LOG_DEBUG, "not heard");
    }
    return NULL;
}

static void *consume(void *arg)
{
    struct worker *w = arg;
    char mine[32];
    unsigned place;

    snprintf(mine, sizeof(mine), "consumer %u", w->number);
    dls_err(EIO, "%s", mine);
    while ((place = atomic_fetch_add(&w->shared->taken, 1)) < WORKERS * ITEMS) {
        uintptr_t *item;
        while ((item = atomic_load(&w->shared->items[place])) == NULL)
            sched_yield();
        w->shared->sum += *item;
        if (w->number == 0)
            dls_hist_add(&w->shared->hist, *item);
        else
            CHECK(dls_hist_percentile(&w->shared->hist, 0.5) <= ITEMS);
        dls_free(item);
    }
    CHECK(strcmp(dls_err_text(), mine) == 0);
    return NULL;
}

int main(void)
{
    static struct shared shared;
    struct worker producers[WORKERS] = {0}, consumers[WORKERS] = {0};
    uint64_t before = dls_mem_count(DLS_MEM_BASE);

    dls_log_set(count_message, &shared, DLS_LOG_INFO);
    for (unsigned i = 0; i < WORKERS; i++) {
        producers[i].shared = consumers[i].shared = &shared;
        consumers[i].number = i;
        CHECK(dls_thread_start(&consumers[i].thread, "consumer", consume, &consumers[i]) == 0);
        CHECK(dls_thread_start(&producers[i].thread, "producer", produce, &producers[i]) == 0);
    }
    for (unsigned i = 0; i < WORKERS; i++)
        dls_thread_join(&producers[i].thread);
    for (unsigned i = 0; i < WORKERS; i++)
        dls_thread_join(&consumers[i].thread);

    CHECK(shared.sum == (uint64_t)WORKERS * ITEMS * (ITEMS + 1) / 2);
    CHECK(shared.messages == WORKERS * ITEMS / 100);
    CHECK(dls_mem_count(DLS_MEM_BASE) - before == WORKERS * ITEMS);
    return 0;
}
