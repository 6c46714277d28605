/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/group.h"

#include "base/bytes.h"
#include "base/mem.h"

int dls_group_init(struct dls_group *group, uint32_t window)
{
    group->blocks = dls_alloc_array(DLS_MEM_LOADER, window, sizeof(*group->blocks));
    group->reads = dls_alloc_array(DLS_MEM_LOADER, window, sizeof(*group->reads));
    return group->blocks != NULL && group->reads != NULL ? 0 : -ENOMEM;
}

void dls_group_free(struct dls_group *group)
{
    dls_free(group->blocks);
    dls_free(group->reads);
    group->blocks = NULL;
    group->reads = NULL;
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

static bool lies_before(const struct dls_block_at *a, const struct dls_block_at *b)
{
    return a->shard != b->shard ? a->shard < b->shard : a->offset < b->offset;
}

/* Samples are drawn from all of a group, so it does not matter which of its blocks comes first: a disk that
 * has to move its heads goes over them once. Shell's sort, as groups are short and qsort() may allocate. */
static void sort_reads(struct dls_group *group)
{
    static const uint32_t gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    uint32_t *reads = group->reads;

    for (uint32_t i = 0; i < group->count; i++)
        reads[i] = i;
    for (size_t g = 0; g < sizeof(gaps) / sizeof(*gaps); g++) {
        for (uint32_t i = gaps[g]; i < group->count; i++) {
            uint32_t moved = reads[i], j = i;
            for (;
                 j >= gaps[g] && lies_before(&group->blocks[moved].at, &group->blocks[reads[j - gaps[g]]].at);
                 j -= gaps[g])
                reads[j] = reads[j - gaps[g]];
            reads[j] = moved;
        }
    }
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
    sort_reads(group);
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
