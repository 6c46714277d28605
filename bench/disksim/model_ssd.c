/* SPDX-License-Identifier: Apache-2.0 */
/* Every request has its access latency, all of them at once; then the link hands the data over one after the
 * other, not faster than its rate and not more requests a second than the controller takes. Volumes of clouds
 * may exceed both for a while, at the cost of credits. */
#include "model.h"

#include <math.h>

#include "base/err.h"
#include "base/mem.h"

/* Credits: what is left of them, and when that was counted. */
struct bucket {
    double left, most, counted;
};

struct ssd {
    const struct sim_model_ops *ops;
    struct sim_profile profile;
    struct sim_request *first, **last;
    unsigned count;
    double link_free;
    struct bucket bytes, ios;
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
    ssd->bytes.left = ssd->bytes.most = profile->credit_bytes;
    ssd->ios.left = ssd->ios.most = profile->credit_ios;
    *ret_model = (struct sim_model *)ssd;
    return 0;
}

/* How long `amount` takes that begins at `now`. What the bucket lacks comes in at `base`; what it has goes
 * out at `burst`. */
static double spend(struct bucket *bucket, double amount, double base, double burst, double now)
{
    if (bucket->most <= 0)
        return amount / base;
    bucket->left = fmin(bucket->left + fmax(now - bucket->counted, 0) * base, bucket->most);
    double wait = fmax(amount - bucket->left, 0) / base;
    bucket->left = fmax(bucket->left - amount, 0);
    bucket->counted = now + wait; /* what came in until then is spent */
    return fmax(amount / burst, wait);
}

static double occupied_by(struct ssd *ssd, double length, double now)
{
    const struct sim_profile *profile = &ssd->profile;
    double ios = profile->io_bytes > 0 ? fmax(ceil(length / profile->io_bytes), 1) : 1;

    return fmax(spend(&ssd->bytes, length, profile->rate, profile->burst_rate, now),
                spend(&ssd->ios, ios, profile->iops, profile->burst_iops, now));
}

static void ssd_submit(struct sim_model *model, struct sim_request *request)
{
    struct ssd *ssd = (struct ssd *)model;
    double ready = request->arrived + ssd->profile.command + ssd->profile.latency;
    double begun = fmax(ready, ssd->link_free);
    double occupied = occupied_by(ssd, request->length, begun);

    request->due = ssd->link_free = begun + occupied;
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
