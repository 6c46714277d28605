/* SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include "base/bytes.h"
#include "base/rng.h"

#include <assert.h>

/* What a permutation is for: two uses of one seed must not share their keys. */
enum purpose { PURPOSE_BLOCKS = 1, PURPOSE_SAMPLES = 2, PURPOSE_SHARDS = 3, PURPOSE_RECORDS = 4 };

static void permute_init(const struct dls_order_config *config, uint64_t epoch, enum purpose purpose,
                         uint64_t part, uint64_t count, struct dls_permute *ret_permute)
{
    uint64_t dataset = dls_mix64(dls_get64(config->uuid), dls_get64(config->uuid + 8));
    uint64_t run = dls_mix64(dls_mix64(dataset, config->seed), epoch);
    dls_permute_init(ret_permute, count, run, dls_mix64(purpose, part));
}

static uint32_t shard_at(const struct dls_order_config *config, const struct dls_stretch *stretch,
                         uint64_t place)
{
    return (uint32_t)(config->mode == DLS_ORDER_NONE ? place : dls_permute_at(&stretch->order, place));
}

/* Fills in all but `order`, `number` and `first`. */
static void fill(const struct dls_order_config *config, uint64_t epoch, struct dls_stretch *stretch)
{
    uint64_t begin = stretch->number * DLS_STRETCH_SHARDS;

    stretch->count = (uint32_t)dls_min64(DLS_STRETCH_SHARDS, config->shard_count - begin);
    stretch->records = stretch->blocks = 0;
    for (uint32_t i = 0; i < stretch->count; i++) {
        stretch->shards[i] = shard_at(config, stretch, begin + i);
        stretch->records += config->shards[stretch->shards[i]].records;
        stretch->blocks += config->shards[stretch->shards[i]].blocks;
    }
    if (config->mode != DLS_ORDER_NONE)
        permute_init(config, epoch, PURPOSE_BLOCKS, stretch->number, stretch->blocks, &stretch->mix);
}

void dls_stretch_get(const struct dls_order_config *config, uint64_t epoch, uint64_t number,
                     struct dls_stretch *ret_stretch)
{
    assert(number * DLS_STRETCH_SHARDS < config->shard_count);
    *ret_stretch = (struct dls_stretch){.number = number};
    if (config->mode != DLS_ORDER_NONE)
        permute_init(config, epoch, PURPOSE_SHARDS, 0, config->shard_count, &ret_stretch->order);
    fill(config, epoch, ret_stretch);
}

bool dls_stretch_next(const struct dls_order_config *config, uint64_t epoch, struct dls_stretch *stretch)
{
    if ((stretch->number + 1) * DLS_STRETCH_SHARDS >= config->shard_count)
        return false;
    stretch->number++;
    stretch->first += stretch->records;
    fill(config, epoch, stretch);
    return true;
}

void dls_stretch_find(const struct dls_order_config *config, uint64_t epoch, uint64_t place,
                      struct dls_stretch *ret_stretch)
{
    struct dls_stretch *stretch = ret_stretch;
    uint64_t first = 0, begin = 0;

    assert(place < config->records && config->shard_count > 0);
    *stretch = (struct dls_stretch){0};
    if (config->mode != DLS_ORDER_NONE)
        permute_init(config, epoch, PURPOSE_SHARDS, 0, config->shard_count, &stretch->order);
    for (uint64_t i = 0; i < config->shard_count; i++) {
        uint64_t records = config->shards[shard_at(config, stretch, i)].records;
        if (i % DLS_STRETCH_SHARDS == 0)
            begin = first;
        first += records;
        stretch->number = i / DLS_STRETCH_SHARDS;
        if (place < first)
            break;
    }
    stretch->first = begin;
    fill(config, epoch, stretch);
}

uint64_t dls_stretch_block(const struct dls_order_config *config, const struct dls_stretch *stretch,
                           uint64_t index)
{
    uint64_t block = config->mode == DLS_ORDER_NONE ? index : dls_permute_at(&stretch->mix, index);
    uint32_t i = 0;

    assert(index < stretch->blocks);
    while (block >= config->shards[stretch->shards[i]].blocks)
        block -= config->shards[stretch->shards[i++]].blocks;
    return config->shards[stretch->shards[i]].first_block + block;
}

uint64_t dls_order_sample(const struct dls_order_config *config, uint64_t epoch, uint64_t first,
                          uint64_t total, uint64_t position)
{
    assert(position < total);
    if (config->mode == DLS_ORDER_NONE)
        return position;
    struct dls_permute permute;
    permute_init(config, epoch, PURPOSE_SAMPLES, first, total, &permute);
    return dls_permute_at(&permute, position);
}

void dls_order_full(const struct dls_order_config *config, uint64_t epoch, struct dls_permute *ret_permute)
{
    permute_init(config, epoch, PURPOSE_RECORDS, 0, config->records, ret_permute);
}
