/* SPDX-License-Identifier: Apache-2.0 */
/* A disk as a clock: it is told of requests and says when each is done. It knows neither files nor real time,
 * so tests run it in virtual time. Times are seconds on any one clock; addresses and lengths are bytes of the
 * disk. */
#ifndef DLS_DISKSIM_MODEL_H
#define DLS_DISKSIM_MODEL_H

#include <stdint.h>

#include "profile.h"

/* One read. Owned by the submitter, who keeps it until sim_model_finish(). */
struct sim_request {
    double address, length;
    double arrived;
    double due; /* set by sim_model_next() */
    struct sim_request *next;
};

struct sim_counts {
    uint64_t requests, bytes;
    uint64_t buffered;   /* served from the look-ahead buffer */
    double busy;         /* seconds the arm or the link worked */
    double seek, rotate; /* of these, seconds spent seeking and waiting for the platter */
    double queued;       /* sum over requests of those waiting when it was chosen */
};

struct sim_model; /* a model's own object, starts with `const struct sim_model_ops *ops` */

struct sim_model_ops {
    /* Takes the parameters by value. */
    int (*create)(const struct sim_profile *profile, struct sim_model **ret_model);
    void (*submit)(struct sim_model *model, struct sim_request *request);
    struct sim_request *(*next)(struct sim_model *model, double now);
    void (*finish)(struct sim_model *model);
    const struct sim_counts *(*counts)(const struct sim_model *model);
    void (*free)(struct sim_model **model);
};

extern const struct sim_model_ops sim_model_hdd; /* one arm */
extern const struct sim_model_ops sim_model_ssd; /* many latencies at once, one link */

/* The model that profile->kind names. */
int sim_model_create(const struct sim_profile *profile, struct sim_model **ret_model);
/* Hands in a request; request->arrived must not be earlier than that of any before. */
void sim_model_submit(struct sim_model *model, struct sim_request *request);
/* The request that is done next, with `due` set, or NULL if there is none. It stays the next one, whatever is
 * handed in meanwhile. */
struct sim_request *sim_model_next(struct sim_model *model, double now);
/* Takes that request out. */
void sim_model_finish(struct sim_model *model);
const struct sim_counts *sim_model_counts(const struct sim_model *model);
void sim_model_free(struct sim_model **model);

#endif
