/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/resume.h"

#include "base/err.h"

#include <string.h>

/* A parameter that is 0 becomes what was saved. */
static int take(const char *name, uint64_t *value, uint64_t saved)
{
    if (*value != 0 && *value != saved)
        return dls_err(EINVAL, "dls_loader_open: %s is %llu: the state has %llu", name,
                       (unsigned long long)*value, (unsigned long long)saved);
    *value = saved;
    return 0;
}

int dls_resume_read(const struct dls_plan_facts *facts, struct dls_plan *plan)
{
    dls_loader_params *p = &plan->params;
    uint64_t order = (unsigned)p->order, window = p->window_blocks;
    struct dls_state state;
    int r;

    plan->start_epoch = p->first_epoch;
    if (p->state == NULL)
        return p->state_size == 0
                   ? 0
                   : dls_err(EINVAL, "dls_loader_open: state is NULL, state_size is %zu", p->state_size);
    r = dls_state_parse(p->state, p->state_size, &state);
    if (r == 0 && memcmp(state.uuid, facts->uuid, sizeof(state.uuid)) != 0)
        r = dls_err(EINVAL, "dls_loader_open: the state is of another dataset: the uuids differ");
    if (r == 0)
        r = take("seed", &p->seed, state.seed);
    if (r == 0)
        r = take("order", &order, (uint64_t)state.mode);
    if (r == 0)
        r = take("window_blocks", &window, state.window);
    if (r == 0)
        r = take("first_epoch", &p->first_epoch, state.first_epoch);
    if (r < 0)
        return r;
    p->order = (dls_order)order;
    p->window_blocks = (uint32_t)window;
    plan->start_epoch = state.epoch;
    plan->progress = state.progress;
    plan->begun.before = state.batches;
    plan->begun_is_over = state.finished;
    return 0;
}

static void cut(const dls_loader_params *p, const struct dls_progress *progress, uint64_t records,
                struct dls_plan_epoch *epoch)
{
    struct dls_share_size size;

    dls_share_measure(progress, records, p->rank, p->world, &size);
    epoch->samples = size.mine;
    if (p->tail == DLS_TAIL_DROP) {
        epoch->batches = size.least / p->batch_size;
        epoch->samples = epoch->batches * p->batch_size;
    } else {
        uint64_t most = p->tail == DLS_TAIL_PAD ? size.most : size.mine;
        epoch->batches = most / p->batch_size + (most % p->batch_size != 0);
    }
}

void dls_resume_cut(const struct dls_plan_facts *facts, struct dls_plan *plan)
{
    static const struct dls_progress none;

    cut(&plan->params, &none, facts->records, &plan->whole);
    cut(&plan->params, &plan->progress, facts->records, &plan->begun);
    if (plan->begun_is_over)
        plan->begun.samples = plan->begun.batches = 0;
}

int dls_resume_state(const struct dls_plan *plan, uint64_t epoch, uint64_t batch, struct dls_state *ret_state)
{
    const struct dls_plan_epoch *of = dls_plan_epoch(plan, epoch);
    const dls_loader_params *p = &plan->params;

    *ret_state = (struct dls_state){
        .seed = p->seed,
        .mode = p->order,
        .window = p->window_blocks,
        .first_epoch = p->first_epoch,
        .epoch = epoch,
        .batches = batch,
        .finished = batch > 0 && batch == of->before + of->batches,
    };
    memcpy(ret_state->uuid, plan->order.uuid, sizeof(ret_state->uuid));
    if (epoch == plan->start_epoch)
        ret_state->progress = plan->progress;
    return dls_progress_add(&ret_state->progress, p->world, (batch - of->before) * p->batch_size);
}
