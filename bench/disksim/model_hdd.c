/* SPDX-License-Identifier: Apache-2.0 */
/* One arm. The time of a command: overhead, seek, wait for the platter, transfer at the rate of the zone. Of
 * the commands that wait, the one that is reached soonest goes first. */
#include "model.h"

#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "hdd_buffer.h"

struct hdd {
    const struct sim_model_ops *ops;
    struct sim_profile profile;
    struct hdd_geometry geometry;
    struct hdd_buffer buffer;
    struct sim_request *waiting, **last;
    unsigned waiting_count;
    struct sim_request *current;
    double free_at; /* the arm has nothing to do from then on */
    struct sim_counts counts;
};

struct cost {
    double start, reached, done; /* command begins; its first byte comes; its last */
    double seek, rotate;
    int segment; /* of the buffer that serves it, or -1 */
};

static void cost_of(const struct hdd *hdd, const struct sim_request *request, struct cost *ret_cost)
{
    struct cost cost = {.start = fmax(request->arrived, hdd->free_at), .segment = -1};
    double begun = cost.start + hdd->profile.command, ready;

    if (hdd_buffer_has(&hdd->buffer, request->address, request->length, cost.start, &ready, &cost.segment)) {
        cost.reached = begun;
        cost.done = fmax(ready, begun + request->length / hdd->profile.interface);
    } else {
        cost.seek = hdd_seek(&hdd->geometry, hdd->buffer.head, request->address);
        begun += cost.seek + hdd->profile.settle;
        cost.rotate = hdd_rotation(&hdd->geometry, request->address, begun);
        cost.reached = begun + cost.rotate;
        cost.done = cost.reached + request->length / hdd_rate(&hdd->geometry, request->address);
    }
    *ret_cost = cost;
}

/* Chooses the next command for the idle arm and takes it out of the queue. */
static struct sim_request *choose(struct hdd *hdd, double now, struct cost *ret_cost)
{
    struct sim_request **best = NULL;
    double seen = 0;

    *ret_cost = (struct cost){0};
    for (struct sim_request **at = &hdd->waiting; *at && seen < hdd->profile.queue;
         at = &(*at)->next, seen++) {
        struct cost cost;
        cost_of(hdd, *at, &cost);
        if (!best || cost.reached < ret_cost->reached) {
            best = at;
            *ret_cost = cost;
        }
        if (seen == 0 && now - (*at)->arrived > hdd->profile.patience)
            break;
    }
    struct sim_request *request = *best;
    *best = request->next;
    if (!*best)
        hdd->last = best;
    hdd->counts.queued += hdd->waiting_count--;
    return request;
}

static void serve(struct hdd *hdd, struct sim_request *request, const struct cost *cost)
{
    request->due = hdd->free_at = cost->done;
    hdd->counts.requests++;
    hdd->counts.bytes += (uint64_t)request->length;
    if (cost->segment >= 0) {
        hdd->counts.buffered++;
        hdd_buffer_hit(&hdd->buffer, cost->segment, request->address, request->length, cost->start,
                       cost->done);
    } else {
        hdd->counts.seek += cost->seek;
        hdd->counts.rotate += cost->rotate;
        if (hdd_buffer_miss(&hdd->buffer, request->address, request->length, cost->start, cost->done) &&
            hdd->profile.read_on > 0)
            hdd->free_at = hdd_buffer_read_on(&hdd->buffer, hdd->profile.read_on);
    }
    hdd->counts.busy += hdd->free_at - cost->start;
}

static int hdd_create(const struct sim_profile *profile, struct sim_model **ret_model)
{
    struct hdd *hdd = dls_alloc(DLS_MEM_TOOL, sizeof(*hdd));

    if (!hdd)
        return -ENOMEM;
    hdd->ops = &sim_model_hdd;
    hdd->profile = *profile;
    hdd->last = &hdd->waiting;
    hdd_geometry_init(&hdd->geometry, profile);
    hdd_buffer_init(&hdd->buffer, &hdd->geometry, profile);
    *ret_model = (struct sim_model *)hdd;
    return 0;
}

static void hdd_submit(struct sim_model *model, struct sim_request *request)
{
    struct hdd *hdd = (struct hdd *)model;

    request->next = NULL;
    *hdd->last = request;
    hdd->last = &request->next;
    hdd->waiting_count++;
}

static struct sim_request *hdd_next(struct sim_model *model, double now)
{
    struct hdd *hdd = (struct hdd *)model;
    struct cost cost;

    if (!hdd->current && hdd->waiting) {
        hdd->current = choose(hdd, now, &cost);
        serve(hdd, hdd->current, &cost);
    }
    return hdd->current;
}

static void hdd_finish(struct sim_model *model)
{
    ((struct hdd *)model)->current = NULL;
}

static const struct sim_counts *hdd_counts(const struct sim_model *model)
{
    return &((const struct hdd *)model)->counts;
}

static void hdd_free(struct sim_model **model)
{
    dls_free(*model);
}

const struct sim_model_ops sim_model_hdd = {hdd_create, hdd_submit, hdd_next,
                                            hdd_finish, hdd_counts, hdd_free};
