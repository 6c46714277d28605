/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread makes which sample: the next one in the order goes to the thread that asks first, as soon as
 * its block is in memory and its batch has a buffer. */
#include "loader/state.h"

#include "base/clock.h"

enum readiness { GO, WAIT_IN, WAIT_OUT, END };

/* Keeps the failure of the earliest sample. The lock is held. */
static void fail_at(struct dls_loader *loader, uint64_t ticket, const struct dls_error *error)
{
    if (loader->failure.code != 0 && loader->failure_ticket <= ticket)
        return;
    loader->failure = *error;
    loader->failure_ticket = ticket;
    pthread_cond_broadcast(&loader->work);
    pthread_cond_broadcast(&loader->ready);
}

void dls_ticket_fail(struct dls_loader *loader, uint64_t ticket, int r)
{
    struct dls_error error = {0};

    dls_error_keep(&error, r);
    pthread_mutex_lock(&loader->lock);
    fail_at(loader, ticket, &error);
    pthread_mutex_unlock(&loader->lock);
}

/* Is the block of the next sample there? Not asked once all of the group is. The lock is held. */
static enum readiness block_ready(struct dls_loader *loader, const struct dls_group *group)
{
    const struct dls_window_block *block;
    uint32_t record;

    if (!group->mapped) {
        if (loader->feed_error.code == 0)
            return WAIT_IN;
        fail_at(loader, loader->next_ticket, &loader->feed_error);
        return END;
    }
    if (group->unloaded == 0)
        return GO;
    block = group->blocks[dls_group_find(group, &loader->plan, loader->next_position, &record)].held;
    if (block != NULL && block->state == DLS_BLOCK_FAILED && dls_may_go_on(loader, block->error.code))
        return GO; /* its samples are bad ones */
    if (block != NULL && block->state == DLS_BLOCK_FAILED) {
        fail_at(loader, loader->next_ticket, &block->error);
        return END;
    }
    if (block != NULL && block->state != DLS_BLOCK_READING)
        return GO;
    if (loader->feed_error.code != 0) {
        fail_at(loader, loader->next_ticket, &loader->feed_error);
        return END;
    }
    return WAIT_IN;
}

/* May the next sample be made now? The lock is held. */
static enum readiness readiness(struct dls_loader *loader)
{
    struct dls_group *group;

    if (loader->stop || loader->failure.code != 0)
        return END;
    if (loader->next_group == loader->laid) {
        if (loader->laid_all)
            return END;
        if (loader->feed_error.code == 0)
            return WAIT_IN;
        fail_at(loader, loader->next_ticket, &loader->feed_error);
        return END;
    }
    group = &loader->groups[loader->next_group % DLS_GROUPS];
    if (group->error.code != 0) {
        fail_at(loader, loader->next_ticket, &group->error);
        return END;
    }
    if (loader->next_slot == NULL && loader->ring->free == 0)
        return WAIT_OUT;
    return group->empty_batch ? GO : block_ready(loader, group);
}

static bool wait_until_ready(struct dls_worker *worker)
{
    struct dls_loader *loader = worker->loader;
    enum readiness now = readiness(loader);

    if (now == GO)
        return true;
    while (now == WAIT_IN || now == WAIT_OUT) {
        dls_meter_enter(&worker->counters.meter, now == WAIT_IN ? DLS_METER_WAIT_IN : DLS_METER_WAIT_OUT,
                        dls_now());
        dls_cond_wait(&loader->work, &loader->lock, UINT64_MAX);
        now = readiness(loader);
    }
    dls_meter_enter(&worker->counters.meter, now == GO ? DLS_METER_BUSY : DLS_METER_OFF, dls_now());
    return now == GO;
}

/* Starts the batch of the next sample. The lock is held. */
static void begin_batch(struct dls_loader *loader, const struct dls_group *group, uint64_t position)
{
    const struct dls_plan *plan = &loader->plan;
    uint64_t left = group->of_epoch - position;
    uint64_t before = dls_plan_epoch(plan, group->epoch)->before;

    loader->next_slot = dls_ring_fill(loader->ring);
    dls_slot_begin(loader->next_slot, group->epoch, before + position / plan->params.batch_size,
                   (uint32_t)(left < plan->params.batch_size ? left : plan->params.batch_size));
}

static void issue(struct dls_worker *worker, uint32_t most, struct dls_ticket *ret_ticket)
{
    struct dls_loader *loader = worker->loader;
    struct dls_group *group = &loader->groups[loader->next_group % DLS_GROUPS];
    uint64_t position = group->first + loader->next_position; /* in the epoch */
    uint32_t place = (uint32_t)(position % loader->plan.params.batch_size);
    bool first = loader->next_slot == NULL;

    if (first)
        begin_batch(loader, group, position);
    struct dls_slot *slot = loader->next_slot;
    uint64_t run = group->unloaded != 0 ? 1 : most;
    if (run > slot->view.count - place)
        run = slot->view.count - place;
    if (run > group->samples - loader->next_position)
        run = group->samples - loader->next_position;

    *ret_ticket = (struct dls_ticket){.number = loader->next_ticket,
                                      .count = (uint32_t)run,
                                      .place = place,
                                      .slot = slot,
                                      .group = group,
                                      .position = loader->next_position,
                                      .first = first};
    worker->ticket = loader->next_ticket;
    loader->next_ticket += run;
    loader->next_position += run;
    if (place + run == slot->view.count)
        loader->next_slot = NULL;
    if (loader->next_position == group->samples) {
        loader->next_group++;
        loader->next_position = 0;
    }
}

bool dls_ticket_take(struct dls_worker *worker, uint32_t most, struct dls_ticket *ret_ticket)
{
    struct dls_loader *loader = worker->loader;
    bool go;

    pthread_mutex_lock(&loader->lock);
    worker->ticket = DLS_NO_TICKET;
    go = wait_until_ready(worker);
    if (go)
        issue(worker, most, ret_ticket);
    else if (loader->failure.code != 0)
        pthread_cond_broadcast(&loader->ready); /* it may have waited for this thread's earlier samples */
    pthread_mutex_unlock(&loader->lock);
    return go;
}

void dls_ticket_done(struct dls_loader *loader, const struct dls_ticket *ticket)
{
    if (atomic_fetch_sub_explicit(&ticket->slot->remaining, ticket->count, memory_order_acq_rel) !=
        ticket->count)
        return;
    dls_slot_settle(ticket->slot, loader->plan.params.on_error == DLS_ON_ERROR_SUBSTITUTE);
    if (loader->cuda != NULL) {
        int r = dls_cuda_upload(loader->cuda, (uint32_t)(ticket->slot - loader->ring->slots), ticket->slot);
        if (r < 0) {
            dls_ticket_fail(loader, ticket->number, r);
            return;
        }
    }
    pthread_mutex_lock(&loader->lock);
    dls_ring_ready(ticket->slot);
    pthread_cond_broadcast(&loader->ready);
    pthread_mutex_unlock(&loader->lock);
}

void dls_block_used(struct dls_loader *loader, struct dls_window_block *block)
{
    if (atomic_fetch_sub_explicit(&block->remaining, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_lock(&loader->lock);
    block->state = DLS_BLOCK_DONE;
    loader->groups[block->group % DLS_GROUPS].undone--;
    pthread_mutex_unlock(&loader->lock);
    dls_reader_wake(loader->reader);
}
