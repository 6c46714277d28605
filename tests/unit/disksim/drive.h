/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a model busy in virtual time, as fio does a disk in real time. */
#ifndef DLS_TESTS_DISKSIM_DRIVE_H
#define DLS_TESTS_DISKSIM_DRIVE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "disksim/model.h"

/* Seconds from a reply to the next request. */
#define HOST_DELAY 20e-6

enum pattern {
    RANDOM,    /* multiples of `length` within [0, span) */
    SEQUENTIAL /* from `start` on; `streams` of them, far from each other */
};

struct job {
    enum pattern pattern;
    double length;
    unsigned depth;   /* RANDOM: requests in flight; SEQUENTIAL: a stream */
    unsigned streams; /* SEQUENTIAL; 0 = 1 */
    double start, span;
    unsigned requests;
};

static inline struct sim_profile load_profile(const char *name)
{
    struct sim_profile profile;
    char path[600];

    snprintf(path, sizeof(path), "%s/%s.profile", getenv("DLS_PROFILES"), name);
    cr_assert_eq(sim_profile_read(path, &profile), 0);
    return profile;
}

/* Requests a second; 3000 of them if the job does not say. */
static inline double drive(const struct sim_profile *profile, const struct job *job)
{
    struct sim_model *model = NULL;
    unsigned streams = job->streams ? job->streams : 1, in_flight = job->depth * streams;
    unsigned count = job->requests ? job->requests : 3000;
    double *at = calloc(streams, sizeof(*at)), now = 0;
    struct sim_request *requests = calloc(in_flight, sizeof(*requests));
    struct dls_rng rng;

    cr_assert_eq(sim_model_create(profile, &model), 0);
    dls_rng_init(&rng, 1, 2, 3);
    for (unsigned i = 0; i < streams; i++)
        at[i] = job->start + floor(job->span / streams * i / 4096) * 4096;
    for (unsigned i = 0; i < count + in_flight; i++) {
        struct sim_request *request;
        if (i < in_flight) {
            request = &requests[i];
        } else {
            request = sim_model_next(model, now);
            cr_assert_not_null(request);
            now = fmax(now, request->due);
            sim_model_finish(model);
            /* The disk goes on with what waits, while the host is told and asks for more. */
            sim_model_next(model, now);
        }
        unsigned stream = (unsigned)(request - requests) % streams;
        request->arrived = i < in_flight ? 0 : now + HOST_DELAY;
        request->length = job->length;
        if (job->pattern == RANDOM) {
            request->address = job->length * (double)dls_rng_below(&rng, (uint64_t)(job->span / job->length));
        } else {
            request->address = at[stream];
            at[stream] += job->length;
        }
        sim_model_submit(model, request);
    }
    sim_model_free(&model);
    cr_assert_null(model);
    free(requests);
    free(at);
    return count / now;
}

/* Megabytes a second. */
static inline double megabytes(const struct sim_profile *profile, const struct job *job)
{
    return drive(profile, job) * job->length / 1e6;
}

#define ASSERT_NEAR(value, expected, tolerance)                                                              \
    do {                                                                                                     \
        double value_ = (value);                                                                             \
        cr_assert(fabs(value_ - (expected)) <= (expected) * (tolerance), "%g is not %g within %g %%",        \
                  value_, (double)(expected), 100 * (tolerance));                                            \
    } while (0)

#endif
