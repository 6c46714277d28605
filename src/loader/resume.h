/* SPDX-License-Identifier: Apache-2.0 */
/* Where a loader begins and what each epoch has for it: ranks, and states of earlier loaders. */
#ifndef DLS_LOADER_RESUME_H
#define DLS_LOADER_RESUME_H

#include "loader/plan.h"
#include "order/state.h"

/* Reads plan->params.state, if there is one, and fills in what it says: the parameters that are left at their
 * defaults, start_epoch, progress, begun.before. -EINVAL if a parameter differs from it. */
int dls_resume_read(const struct dls_plan_facts *facts, struct dls_plan *plan);
/* How many samples and batches the epochs have, from the resolved parameters. */
void dls_resume_cut(const struct dls_plan_facts *facts, struct dls_plan *plan);
/* The state behind batch number `batch` of `epoch`. -EOVERFLOW. */
int dls_resume_state(const struct dls_plan *plan, uint64_t epoch, uint64_t batch,
                     struct dls_state *ret_state);

#endif
