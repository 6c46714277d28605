/* SPDX-License-Identifier: Apache-2.0 */
/* Every request has its access latency, all of them at once; then the link hands the data over one after the
 * other, not faster than its rate and not more requests a second than the controller takes. */
#include "model.h"

#include <math.h>

#include "base/err.h"
#include "base/mem.h"

struct ssd {
    const struct sim_model_ops *ops;
    struct sim_profile profile;
    struct sim_request *first, **last;
    unsigned count;
    double link_free;
    struct sim_counts counts;
};

static int ssd_create(const struct sim_profile *profile, struct sim_model **ret_model)
{
    struct ssd *ssd = dls_alloc(DLS_MEM_TOOL, sizeof(*ssd));

    if (!ssd)
        return -ENOMEM;
    ssd->ops = &sim_model_ssd;
    ssd->profile = *profile;
    ssd->last = &ssd->first;
    *ret_model = (struct sim_model *)ssd;
    return 0;
}

static void ssd_submit(struct sim_model *model, struct sim_request *request)
{
    struct ssd *ssd = (struct ssd *)model;
    double ready = request->arrived + ssd->profile.command + ssd->profile.latency;
    double occupied = fmax(request->length / ssd->profile.rate, 1 / ssd->profile.iops);

    request->due = ssd->link_free = fmax(ready, ssd->link_free) + occupied;
    request->next = NULL;
    *ssd->last = request;
    ssd->last = &request->next;
    ssd->counts.requests++;
    ssd->counts.bytes += (uint64_t)request->length;
    ssd->counts.busy += occupied;
    ssd->counts.queued += ++ssd->count;
}

static struct sim_request *ssd_next(struct sim_model *model, double now)
{
    return ((struct ssd *)model)->first;
}

static void ssd_finish(struct sim_model *model)
{
    struct ssd *ssd = (struct ssd *)model;

    ssd->first = ssd->first->next;
    if (!ssd->first)
        ssd->last = &ssd->first;
    ssd->count--;
}

static const struct sim_counts *ssd_counts(const struct sim_model *model)
{
    return &((const struct ssd *)model)->counts;
}

static void ssd_free(struct sim_model **model)
{
    dls_free(*model);
}

const struct sim_model_ops sim_model_ssd = {ssd_create, ssd_submit, ssd_next,
                                            ssd_finish, ssd_counts, ssd_free};
