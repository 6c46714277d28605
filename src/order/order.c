/* SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include "base/bytes.h"
#include "base/rng.h"
#include "order/permute.h"

#include <assert.h>

/* What a permutation is for: two uses of one seed must not share their keys. */
enum purpose { PURPOSE_BLOCKS = 1, PURPOSE_SAMPLES = 2 };

static void permute_init(const struct dls_order_config *config, uint64_t epoch, enum purpose purpose,
                         uint64_t group, uint64_t count, struct dls_permute *ret_permute)
{
    uint64_t dataset = dls_mix64(dls_get64(config->uuid), dls_get64(config->uuid + 8));
    uint64_t run = dls_mix64(dls_mix64(dataset, config->seed), epoch);
    dls_permute_init(ret_permute, count, run, dls_mix64(purpose, group));
}

uint64_t dls_order_groups(const struct dls_order_config *config)
{
    assert(config->window >= 1);
    return config->blocks / config->window + (config->blocks % config->window != 0);
}

uint32_t dls_order_group_blocks(const struct dls_order_config *config, uint64_t group)
{
    assert(group < dls_order_groups(config));
    return (uint32_t)dls_min64(config->window, config->blocks - group * config->window);
}

uint64_t dls_order_block(const struct dls_order_config *config, uint64_t epoch, uint64_t group,
                         uint32_t index)
{
    assert(index < dls_order_group_blocks(config, group));
    uint64_t place = group * config->window + index;
    if (config->mode == DLS_ORDER_NONE)
        return place;
    struct dls_permute permute;
    permute_init(config, epoch, PURPOSE_BLOCKS, 0, config->blocks, &permute);
    return dls_permute_at(&permute, place);
}

uint64_t dls_order_sample(const struct dls_order_config *config, uint64_t epoch, uint64_t group,
                          uint64_t total, uint64_t position)
{
    assert(position < total);
    if (config->mode == DLS_ORDER_NONE)
        return position;
    struct dls_permute permute;
    permute_init(config, epoch, PURPOSE_SAMPLES, group, total, &permute);
    return dls_permute_at(&permute, position);
}
