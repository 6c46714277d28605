/* SPDX-License-Identifier: Apache-2.0 */
/* A decode thread. */
#include "loader/state.h"

#include "base/clock.h"
#include "base/log.h"
#include "loader/extras.h"

/* Samples that are not decoded take so little time that they are handed out in runs. */
#define RUN_UNDECODED 32u

/* One sample of the run. Bad ones that the policy allows for are marked and counted. */
static int make_sample(struct dls_worker *worker, const struct dls_ticket *ticket, uint32_t i)
{
    struct dls_loader *loader = worker->loader;
    uint32_t record, index = dls_group_find(ticket->group, &loader->plan, ticket->position + i, &record);
    struct dls_window_block *block = ticket->group->blocks[index].held;
    struct dls_sample sample;
    int r;

    if (block->error.code != 0) {
        r = dls_error_raise(&block->error);
    } else {
        dls_group_sample(ticket->group, index, record, &sample);
        dls_extras_get(&loader->plan, block, record, &sample);
        r = dls_sample_make(worker, &sample, ticket->group->epoch, ticket->slot, ticket->place + i);
    }
    if (r < 0 && dls_may_go_on(loader, r)) {
        ticket->slot->valid[ticket->place + i] = 0;
        atomic_fetch_add_explicit(&ticket->slot->bad, 1, memory_order_relaxed);
        dls_count(&worker->bad_records, 1);
        dls_log(DLS_LOG_WARNING, "%s: %s",
                loader->plan.params.on_error == DLS_ON_ERROR_SKIP ? "skipped" : "substituted", dls_err_text());
        r = 0;
    }
    if (r == 0)
        dls_block_used(loader, block);
    return r;
}

static int make_run(struct dls_worker *worker, const struct dls_ticket *ticket)
{
    struct dls_loader *loader = worker->loader;
    uint64_t before = dls_now(), after;

    if (loader->cuda != NULL) { /* its last batch may still be on its way to the device */
        int r = dls_cuda_wait_host(loader->cuda, (uint32_t)(ticket->slot - loader->ring->slots));
        if (r < 0) {
            dls_ticket_fail(loader, ticket->number, r);
            return r;
        }
    }
    if (ticket->first)
        dls_slot_blank(ticket->slot);
    for (uint32_t i = 0; i < ticket->count; i++) {
        int r = make_sample(worker, ticket, i);
        if (r < 0) {
            dls_ticket_fail(loader, ticket->number + i, r);
            return r;
        }
        after = dls_now();
        dls_hist_add(&worker->counters.latency, after - before);
        before = after;
    }
    dls_count(&worker->counters.items, ticket->count);
    dls_count(&worker->counters.bytes,
              ticket->count * dls_slot_image_bytes(ticket->slot) * (loader->plan.params.no_decode ? 0 : 1));
    return 0;
}

void *dls_worker_main(void *arg)
{
    struct dls_worker *worker = arg;
    const uint32_t most = worker->loader->plan.params.no_decode ? RUN_UNDECODED : 1;
    struct dls_ticket ticket;

    dls_meter_enter(&worker->counters.meter, DLS_METER_BUSY, dls_now());
    while (dls_ticket_take(worker, most, &ticket))
        if (make_run(worker, &ticket) == 0)
            dls_ticket_done(worker->loader, &ticket);
    dls_meter_enter(&worker->counters.meter, DLS_METER_OFF, dls_now());
    return NULL;
}
