/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/group.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "loader/pick.h"

int dls_group_init(struct dls_group *group, const struct dls_plan *plan, uint8_t *rows)
{
    uint32_t blocks = plan->picks > 0 ? plan->picks : plan->order.window;

    group->blocks = dls_alloc_array(DLS_MEM_LOADER, blocks, sizeof(*group->blocks));
    group->reads = dls_alloc_array(DLS_MEM_LOADER, blocks, sizeof(*group->reads));
    if (group->blocks == NULL || group->reads == NULL)
        return -ENOMEM;
    if (plan->picks == 0)
        return 0;
    group->rows = rows;
    group->picks = dls_alloc_array(DLS_MEM_LOADER, blocks, sizeof(*group->picks));
    group->row_reads = dls_alloc_array(DLS_MEM_LOADER, blocks, sizeof(*group->row_reads));
    return group->picks != NULL && group->row_reads != NULL ? 0 : -ENOMEM;
}

void dls_group_free(struct dls_group *group)
{
    dls_free(group->blocks);
    dls_free(group->reads);
    dls_free(group->picks);
    dls_free(group->row_reads);
    *group = (struct dls_group){0};
}

/* Draws what the present epoch has for this rank. */
static int load_share(struct dls_walk *walk)
{
    static const struct dls_progress none;
    const struct dls_plan *plan = walk->plan;
    bool begun = walk->epoch == plan->start_epoch;
    int r = dls_share_make(begun ? &plan->progress : &none, plan->order.records, plan->params.rank,
                           plan->params.world, &walk->share);

    if (r < 0)
        return r;
    dls_share_cut(&walk->share, dls_plan_epoch(plan, walk->epoch)->samples);
    walk->piece = 0;
    walk->position = 0;
    walk->found = false;
    return 0;
}

/* Has the epoch a last batch without a sample? */
static bool ends_with_empty_batch(const struct dls_walk *walk)
{
    const struct dls_plan_epoch *epoch = dls_plan_epoch(walk->plan, walk->epoch);

    return epoch->batches > 0 && (epoch->batches - 1) * walk->plan->params.batch_size >= epoch->samples;
}

static bool in_epoch(const struct dls_walk *walk)
{
    return walk->piece < walk->share.count || ends_with_empty_batch(walk);
}

/* With epochs that have no batch, the walk is at its end. */
static int next_epoch(struct dls_walk *walk)
{
    walk->epoch++;
    if (walk->plan->whole.batches == 0)
        walk->epoch = walk->plan->params.first_epoch + walk->plan->params.epochs;
    return dls_walk_ended(walk) ? 0 : load_share(walk);
}

int dls_walk_init(struct dls_walk *walk, const struct dls_plan *plan)
{
    int r;

    *walk = (struct dls_walk){.plan = plan, .epoch = plan->start_epoch};
    r = load_share(walk);
    if (r == 0 && !in_epoch(walk)) /* all of it had been drawn */
        r = next_epoch(walk);
    return r;
}

void dls_walk_free(struct dls_walk *walk)
{
    dls_share_free(&walk->share);
}

bool dls_walk_ended(const struct dls_walk *walk)
{
    return walk->epoch - walk->plan->params.first_epoch >= walk->plan->params.epochs;
}

uint32_t dls_group_find(const struct dls_group *group, const struct dls_plan *plan, uint64_t position,
                        uint32_t *ret_record)
{
    if (group->picks != NULL) {
        *ret_record = (uint32_t)position;
        return group->picks[position].block;
    }
    uint64_t number =
        dls_order_sample(&plan->order, group->epoch, group->place, group->total, group->skip + position);
    uint32_t low = 0, high = group->count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (group->blocks[middle].before <= number)
            low = middle;
        else
            high = middle;
    }
    *ret_record = group->blocks[low].first + (uint32_t)(number - group->blocks[low].before);
    return low;
}

void dls_group_sample(const struct dls_group *group, uint32_t index, uint32_t record,
                      struct dls_sample *ret_sample)
{
    const struct dls_window_block *block = group->blocks[index].held;
    const struct dls_block_view *view = &block->view;
    const struct dls_schema *schema = view->schema;
    size_t length;

    if (group->picks != NULL) {
        const struct dls_pick *pick = &group->picks[record];
        *ret_sample = (struct dls_sample){
            .cell = pick->image,
            .stored = block->extent.memory + (pick->image.offset - block->at.offset),
            .number = pick->number,
            .offset = pick->image.offset,
            .label = pick->label,
            .shard = pick->row.shard,
        };
        return;
    }
    *ret_sample = (struct dls_sample){
        .number = block->at.first_record + record, .label = -1, .shard = block->at.shard, .key = ""};
    dls_block_cell(view, (uint32_t)schema->image, record, &ret_sample->cell);
    ret_sample->stored = view->data + ret_sample->cell.offset;
    ret_sample->offset = block->at.offset + ret_sample->cell.offset;
    if (schema->label >= 0)
        ret_sample->label =
            (int64_t)dls_get64(dls_block_inline(view, (uint32_t)schema->label, record, &length));
    if (schema->key >= 0)
        ret_sample->key =
            (const char *)dls_block_inline(view, (uint32_t)schema->key, record, &ret_sample->key_length);
}

static int look_up(const struct dls_walk *walk, dls_dataset *dataset, uint64_t index,
                   struct dls_block_at *ret_at)
{
    int r = dls_set_block(dataset, dls_stretch_block(&walk->plan->order, &walk->stretch, index), ret_at);

    if (r == 0 && ret_at->length > dls_set_largest_block(dataset))
        return dls_err(EBADMSG, "dataset: '%s', block %u is longer than the manifest's longest block",
                       dls_set_shard_path(dataset, ret_at->shard), ret_at->block);
    return r;
}

/* Takes the next blocks of the piece, at most a window of them and none of the next stretch. */
static int take_blocks(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group)
{
    const struct dls_order_config *order = &walk->plan->order;
    const struct dls_piece *piece = &walk->share.pieces[walk->piece];

    group->place = walk->place;
    group->count = 0;
    group->total = 0;
    while (group->count < order->window && walk->block < walk->stretch.blocks && walk->place < piece->end) {
        struct dls_group_block *block = &group->blocks[group->count];
        int r = look_up(walk, dataset, walk->block, &block->at);
        if (r < 0)
            return r;
        uint32_t left = block->at.records - walk->in_block;
        uint32_t taken = (uint32_t)dls_min64(left, piece->end - walk->place);
        block->held = NULL;
        block->before = group->total;
        block->first = walk->in_block;
        block->needed = taken;
        group->count++;
        group->total += taken;
        walk->place += taken;
        walk->block += taken == left;
        walk->in_block = taken == left ? 0 : walk->in_block + taken;
    }
    if (walk->block == walk->stretch.blocks && dls_stretch_next(order, walk->epoch, &walk->stretch))
        walk->block = 0;
    return 0;
}

/* Finds the group of the piece that has the first sample to be drawn. Groups start anew with each stretch, so
 * only this one's blocks are counted through. */
static int find_piece(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *scratch)
{
    const struct dls_piece *piece = &walk->share.pieces[walk->piece];
    uint64_t target = piece->first + piece->from;
    struct dls_walk before;
    struct dls_block_at at;
    int r = 0;

    dls_stretch_find(&walk->plan->order, walk->epoch, target, &walk->stretch);
    walk->block = 0;
    walk->in_block = 0;
    walk->place = walk->stretch.first;
    while (walk->place < piece->first) {
        r = look_up(walk, dataset, walk->block, &at);
        if (r < 0)
            return r;
        uint64_t left = piece->first - walk->place;
        walk->in_block = left < at.records ? (uint32_t)left : 0;
        walk->block += left >= at.records;
        walk->place += dls_min64(left, at.records);
    }
    do {
        before = *walk;
        r = take_blocks(walk, dataset, scratch);
    } while (r == 0 && walk->place <= target);
    *walk = before;
    walk->found = r == 0;
    return r;
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

/* Takes the samples off that are drawn by others, have been drawn before or are dropped. */
static void leave_out(const struct dls_plan *plan, struct dls_group *group)
{
    const struct dls_group all = {.epoch = group->epoch,
                                  .place = group->place,
                                  .total = group->total,
                                  .count = group->count,
                                  .blocks = group->blocks};
    uint32_t record;

    for (uint64_t position = 0; position < group->skip; position++)
        group->blocks[dls_group_find(&all, plan, position, &record)].needed--;
    for (uint64_t position = group->skip + group->samples; position < group->total; position++)
        group->blocks[dls_group_find(&all, plan, position, &record)].needed--;
}

static void end_piece(struct dls_walk *walk, const struct dls_piece *piece, const struct dls_group *group)
{
    walk->position += group->samples;
    if (walk->place >= piece->first + piece->to) {
        walk->piece++;
        walk->found = false;
    }
}

/* Lays out the next group that has samples. */
static int lay_out(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group)
{
    const struct dls_piece *piece = &walk->share.pieces[walk->piece];
    int r;

    if (group->picks != NULL) {
        r = dls_picks_take(walk, dataset, group);
        if (r == 0)
            end_piece(walk, piece, group);
        return r;
    }
    r = walk->found ? 0 : find_piece(walk, dataset, group);
    if (r == 0)
        r = take_blocks(walk, dataset, group);
    if (r < 0)
        return r;
    uint64_t low = dls_max64(piece->first + piece->from, group->place);
    uint64_t high = dls_min64(piece->first + piece->to, group->place + group->total);
    group->skip = low - group->place;
    group->samples = high - low;
    leave_out(walk->plan, group);
    sort_reads(group);
    for (uint32_t i = 0; i < group->count; i++)
        if (group->blocks[i].needed > 0)
            group->undone++;
    group->unloaded = group->undone;
    end_piece(walk, piece, group);
    return 0;
}

void dls_walk_next(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group)
{
    int r = 0;

    group->epoch = walk->epoch;
    group->first = walk->position;
    group->of_epoch = dls_plan_epoch(walk->plan, walk->epoch)->samples;
    group->count = 0;
    group->total = group->samples = group->skip = 0;
    group->pushed = group->unloaded = group->undone = 0;
    group->empty_batch = walk->piece == walk->share.count;
    group->row_read_count = group->rows_left = 0;
    group->mapped = group->picks == NULL || group->empty_batch;
    group->error.code = 0;
    if (!group->empty_batch)
        r = lay_out(walk, dataset, group);
    if (r == 0 && (group->empty_batch || (walk->piece == walk->share.count && !ends_with_empty_batch(walk))))
        r = next_epoch(walk);
    if (r < 0) {
        group->samples = 0;
        group->empty_batch = false;
        dls_error_keep(&group->error, r);
    }
}
