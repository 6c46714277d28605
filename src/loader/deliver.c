/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's side: the next batch, in order, and its way back. */
#include "loader/pipeline.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "loader/resume.h"
#include "loader/state.h"

#include <string.h>

/* Nothing to hand out yet; all others are what dls_pipeline_next() returns. */
#define NOT_YET 2

/* The failure is told once all batches before it are out, and once no thread works on an earlier sample any
 * more, which might fail as well and come first. The lock is held. */
static bool failure_is_due(const struct dls_loader *loader)
{
    if (loader->failure.code == 0)
        return false;
    const struct dls_plan *plan = &loader->plan;
    const struct dls_plan_epoch *epoch = dls_plan_epoch(plan, loader->epoch);
    uint64_t first = 0; /* ticket of the epoch */
    if (loader->epoch > plan->start_epoch)
        first = plan->begun.samples + plan->whole.samples * (loader->epoch - plan->start_epoch - 1);
    if (loader->failure_ticket >= first + (loader->batch - epoch->before + 1) * plan->params.batch_size)
        return false;
    for (uint32_t i = 0; i < loader->worker_count; i++)
        if (loader->workers[i].ticket < loader->failure_ticket)
            return false;
    return true;
}

/* The lock is held. */
static int try_next(struct dls_loader *loader, const dls_batch **ret_batch)
{
    const dls_loader_params *p = &loader->plan.params;
    const struct dls_plan_epoch *epoch = dls_plan_epoch(&loader->plan, loader->epoch);
    struct dls_slot *slot;

    if (loader->raised)
        return dls_error_raise(&loader->failure);
    if (loader->ended)
        return 0;
    if (loader->batch == epoch->before + epoch->batches) {
        loader->batch = 0;
        loader->epoch++;
        loader->ended = loader->epoch - p->first_epoch >= p->epochs;
        return 0;
    }
    if (loader->ring->lent + 1 >= loader->ring->count)
        return dls_err(EDEADLK, "dls_loader_next: %u of %u batches are lent: release one first",
                       loader->ring->lent, loader->ring->count);
    slot = dls_ring_lend(loader->ring);
    if (slot != NULL) {
        loader->batch++;
        *ret_batch = &slot->view;
        return 1;
    }
    if (failure_is_due(loader)) {
        loader->raised = true;
        return dls_error_raise(&loader->failure);
    }
    return NOT_YET;
}

static uint64_t deadline_of(int64_t timeout_ns, uint64_t now)
{
    if (timeout_ns < 0)
        return UINT64_MAX;
    return (uint64_t)timeout_ns < UINT64_MAX - now ? now + (uint64_t)timeout_ns : UINT64_MAX;
}

static void account(struct dls_loader *loader, int r, const dls_batch *batch, uint64_t waited)
{
    if (r == 1) {
        dls_count(&loader->consume.items, 1);
        dls_count(&loader->consume.bytes, batch->images_bytes);
        dls_hist_add(&loader->consume.latency, waited);
    }
}

int dls_pipeline_next(dls_loader *loader, int64_t timeout_ns, const dls_batch **ret_batch)
{
    uint64_t start = dls_now(), now = start, deadline = deadline_of(timeout_ns, start);
    const dls_batch *batch = NULL;
    int r;

    pthread_mutex_lock(&loader->lock);
    loader->callers++;
    if (!loader->ended)
        dls_meter_enter(&loader->consume.meter, DLS_METER_WAIT_IN, start);
    r = try_next(loader, &batch);
    while (r == NOT_YET) {
        if (timeout_ns == 0) {
            r = dls_err(EAGAIN, "dls_loader_next: no batch yet");
        } else if (!dls_cond_wait(&loader->ready, &loader->lock, deadline)) {
            r = try_next(loader, &batch);
            if (r == NOT_YET)
                r = dls_err(ETIMEDOUT, "dls_loader_next: no batch within %lld ns", (long long)timeout_ns);
        } else {
            r = try_next(loader, &batch);
        }
    }
    now = dls_now();
    account(loader, r, batch, now - start);
    /* What the caller does after the last epoch is not part of the run. */
    if (--loader->callers == 0)
        dls_meter_enter(&loader->consume.meter,
                        loader->ended || loader->raised ? DLS_METER_OFF : DLS_METER_BUSY, now);
    if (r == 1)
        *ret_batch = batch;
    pthread_mutex_unlock(&loader->lock);
    return r;
}

/* Which of the batch buffers it is, if it is one that is lent; else UINT32_MAX. */
static uint32_t lent_index(dls_loader *loader, const dls_batch *batch)
{
    uint32_t found = UINT32_MAX;

    pthread_mutex_lock(&loader->lock);
    for (uint32_t i = 0; loader->ring != NULL && i < loader->ring->count; i++)
        if (&loader->ring->slots[i].view == batch && loader->ring->slots[i].state == DLS_SLOT_LENT)
            found = i;
    pthread_mutex_unlock(&loader->lock);
    return found;
}

int dls_pipeline_device_tensor(dls_loader *loader, const dls_batch *batch, void *stream,
                               dls_device_tensor *ret_tensor)
{
    uint32_t index;

    if (loader->plan.params.device != DLS_DEVICE_CUDA)
        return dls_err(EINVAL, "dls_batch_device_tensor: the loader's batches are on the CPU");
    index = lent_index(loader, batch);
    if (index == UINT32_MAX)
        return dls_err(EINVAL, "dls_batch_device_tensor: not a batch that this loader has lent");
    return dls_cuda_tensor(loader->cuda, index, stream, ret_tensor);
}

void dls_pipeline_release(dls_loader *loader, const dls_batch **batch)
{
    bool known;

    if (batch == NULL || *batch == NULL)
        return;
    if (loader->cuda != NULL) { /* before others may have the buffer */
        uint32_t index = lent_index(loader, *batch);
        if (index != UINT32_MAX)
            dls_cuda_release(loader->cuda, index);
    }
    pthread_mutex_lock(&loader->lock);
    known = loader->ring != NULL && dls_ring_release(loader->ring, *batch);
    if (known)
        pthread_cond_broadcast(&loader->work);
    pthread_mutex_unlock(&loader->lock);
    if (!known)
        dls_log(DLS_LOG_ERROR, "dls_batch_release: not a batch that this loader has lent");
    *batch = NULL;
}

uint64_t dls_pipeline_batches(const dls_loader *loader)
{
    return loader->plan.whole.batches;
}

int dls_pipeline_get_state(dls_loader *loader, void *ret_state, size_t size)
{
    uint8_t bytes[DLS_STATE_MAX];
    struct dls_state state;
    size_t length;
    int r;

    pthread_mutex_lock(&loader->lock);
    r = dls_resume_state(&loader->plan, loader->epoch, loader->batch, &state);
    pthread_mutex_unlock(&loader->lock);
    if (r < 0)
        return dls_err_context(r, "dls_loader_get_state");
    length = dls_state_format(&state, bytes);
    if (length <= size)
        memcpy(ret_state, bytes, length);
    return (int)length;
}
