/* SPDX-License-Identifier: Apache-2.0 */
/* What a plan depends on, looked up in the dataset and the machine. */
#ifndef DLS_LOADER_FACTS_H
#define DLS_LOADER_FACTS_H

#include "loader/plan.h"
#include "shard/dataset.h"

/* params: as the user gave them; may be NULL. -EINVAL if a launcher says nonsense. */
int dls_facts_gather(const dls_dataset *dataset, const dls_loader_params *params,
                     struct dls_plan_facts *ret_facts);
/* dls_plan_make(), with order AUTO decided by how well each order shuffles and by what the disk is. */
int dls_plan_choose(const dls_loader_params *params, const struct dls_plan_facts *facts,
                    const struct dls_manifest *manifest, struct dls_plan *ret_plan, dls_quality *ret_quality);

#endif
