/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stddef.h>

struct sim_model {
    const struct sim_model_ops *ops;
};

int sim_model_create(const struct sim_profile *profile, struct sim_model **ret_model)
{
    return (profile->kind == SIM_HDD ? &sim_model_hdd : &sim_model_ssd)->create(profile, ret_model);
}

void sim_model_submit(struct sim_model *model, struct sim_request *request)
{
    model->ops->submit(model, request);
}

struct sim_request *sim_model_next(struct sim_model *model, double now)
{
    return model->ops->next(model, now);
}

void sim_model_finish(struct sim_model *model)
{
    model->ops->finish(model);
}

const struct sim_counts *sim_model_counts(const struct sim_model *model)
{
    return model->ops->counts(model);
}

void sim_model_free(struct sim_model **model)
{
    if (*model)
        (*model)->ops->free(model);
    *model = NULL;
}
