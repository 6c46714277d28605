/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/group.h"

#include "base/bytes.h"
#include "base/mem.h"

int dls_group_init(struct dls_group *group, uint32_t window)
{
    group->blocks = dls_alloc_array(DLS_MEM_LOADER, window, sizeof(*group->blocks));
    return group->blocks != NULL ? 0 : -ENOMEM;
}

void dls_group_free(struct dls_group *group)
{
    dls_free(group->blocks);
    group->blocks = NULL;
}

void dls_walk_init(struct dls_walk *walk, const struct dls_plan *plan)
{
    *walk = (struct dls_walk){
        .plan = plan, .groups = dls_order_groups(&plan->order), .epoch = plan->params.first_epoch};
}

bool dls_walk_ended(const struct dls_walk *walk)
{
    return walk->epoch - walk->plan->params.first_epoch >= walk->plan->params.epochs;
}

uint32_t dls_group_find(const struct dls_group *group, const struct dls_plan *plan, uint64_t position,
                        uint32_t *ret_record)
{
    uint64_t number = dls_order_sample(&plan->order, group->epoch, group->number, group->total, position);
    uint32_t low = 0, high = group->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (group->blocks[middle].before <= number)
            low = middle;
        else
            high = middle;
    }
    *ret_record = (uint32_t)(number - group->blocks[low].before);
    return low;
}

/* Looks the group's blocks up and counts their records. */
static int look_up(const struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group)
{
    const struct dls_order_config *order = &walk->plan->order;

    for (uint32_t i = 0; i < group->count; i++) {
        struct dls_group_block *block = &group->blocks[i];
        int r = dls_set_block(dataset, dls_order_block(order, walk->epoch, walk->group, i), &block->at);
        if (r < 0)
            return r;
        if (block->at.length > dls_set_largest_block(dataset))
            return dls_err(EBADMSG, "dataset: '%s', block %u is longer than the manifest's longest block",
                           dls_set_shard_path(dataset, block->at.shard), block->at.block);
        block->held = NULL;
        block->needed = block->at.records;
        block->before = group->total;
        group->total += block->at.records;
    }
    return 0;
}

/* Takes the samples off that the tail of the epoch drops: fewer than a batch. */
static void drop_tail(const struct dls_plan *plan, struct dls_group *group)
{
    for (uint64_t position = group->samples; position < group->total; position++) {
        uint32_t record;
        group->blocks[dls_group_find(group, plan, position, &record)].needed--;
    }
}

void dls_walk_next(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group)
{
    const struct dls_plan *plan = walk->plan;
    int r;

    group->epoch = walk->epoch;
    group->number = walk->group;
    group->first = walk->position;
    group->count = dls_order_group_blocks(&plan->order, walk->group);
    group->total = group->samples = 0;
    group->pushed = group->unloaded = group->undone = 0;
    group->error.code = 0;
    r = look_up(walk, dataset, group);
    /* The manifest and the block tables were checked against each other; a total that differs would leave the
     * batches of the epoch short, for ever. */
    if (r == 0 && walk->group + 1 == walk->groups && walk->position + group->total < plan->samples)
        r = dls_err(EBADMSG, "dataset: the shards hold fewer records than the manifest says");
    if (r < 0) {
        dls_error_keep(&group->error, r);
        return;
    }
    group->samples = dls_min64(group->total, plan->samples - group->first);
    drop_tail(plan, group);
    for (uint32_t i = 0; i < group->count; i++)
        if (group->blocks[i].needed > 0)
            group->undone++;
    group->unloaded = group->undone;

    walk->position += group->total;
    walk->group++;
    if (walk->position >= plan->samples) {
        walk->epoch++;
        walk->group = walk->position = 0;
    }
}
