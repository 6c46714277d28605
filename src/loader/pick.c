/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/pick.h"

#include "base/bytes.h"

typedef bool before_fn(const struct dls_pick *a, const struct dls_pick *b);

static bool row_before(const struct dls_pick *a, const struct dls_pick *b)
{
    return a->row.shard != b->row.shard ? a->row.shard < b->row.shard : a->row.page < b->row.page;
}

static bool image_before(const struct dls_pick *a, const struct dls_pick *b)
{
    return a->row.shard != b->row.shard ? a->row.shard < b->row.shard : a->image.offset < b->image.offset;
}

/* Sorts indexes of picks. Shell's sort, as in group.c. */
static void sort(const struct dls_pick *picks, uint32_t *index, uint32_t count, before_fn *before)
{
    static const uint32_t gaps[] = {132, 57, 23, 10, 4, 1};

    for (size_t g = 0; g < sizeof(gaps) / sizeof(*gaps); g++) {
        for (uint32_t i = gaps[g]; i < count; i++) {
            uint32_t moved = index[i], j = i;
            for (; j >= gaps[g] && before(&picks[moved], &picks[index[j - gaps[g]]]); j -= gaps[g])
                index[j] = index[j - gaps[g]];
            index[j] = moved;
        }
    }
}

/* One read for each run of pages that lie side by side. */
static void plan_rows(struct dls_group *group)
{
    uint32_t pages = 0, *index = group->reads;

    for (uint32_t i = 0; i < group->samples; i++)
        index[i] = i;
    sort(group->picks, index, (uint32_t)group->samples, row_before);
    group->row_read_count = 0;
    for (uint32_t i = 0; i < group->samples; i++) {
        struct dls_pick *pick = &group->picks[index[i]];
        const struct dls_pick *last = i > 0 ? &group->picks[index[i - 1]] : NULL;
        bool near = last != NULL && last->row.shard == pick->row.shard;
        if (!near || pick->row.page != last->row.page) {
            if (near && pick->row.page == last->row.page + 1)
                group->row_reads[group->row_read_count - 1].length += DLS_PAGE_BYTES;
            else
                group->row_reads[group->row_read_count++] = (struct dls_extent){
                    .file = pick->row.shard,
                    .offset = pick->row.offset,
                    .length = DLS_PAGE_BYTES,
                    .memory = group->rows + (uint64_t)pages * DLS_PAGE_BYTES,
                    .user = group,
                };
            pages++;
        }
        pick->page = pages - 1;
        pick->read = group->row_read_count - 1;
    }
    group->rows_left = group->row_read_count;
}

int dls_picks_take(struct dls_walk *walk, dls_dataset *dataset, struct dls_group *group)
{
    const struct dls_piece *piece = &walk->share.pieces[walk->piece];
    int r = 0;

    if (!walk->found) {
        walk->place = piece->first + piece->from;
        dls_order_full(&walk->plan->order, walk->epoch, &walk->full);
        walk->found = true;
    }
    group->place = walk->place;
    group->total = dls_min64(walk->plan->picks, piece->first + piece->to - walk->place);
    for (uint64_t i = 0; r == 0 && i < group->total; i++) {
        struct dls_pick *pick = &group->picks[i];
        pick->number = dls_permute_at(&walk->full, walk->place + i);
        r = dls_set_row(dataset, pick->number, &pick->row);
    }
    if (r < 0)
        return r;
    group->samples = group->total;
    walk->place += group->total;
    plan_rows(group);
    return 0;
}

static uint64_t begin_of(const struct dls_pick *pick)
{
    return pick->image.offset & ~(uint64_t)(DLS_ALIGN - 1);
}

static uint64_t end_of(const struct dls_pick *pick)
{
    return dls_align_up(pick->image.offset + pick->image.stored, DLS_ALIGN);
}

/* Reads rows in the order of the samples. */
static int open_rows(const struct dls_plan *plan, dls_dataset *dataset, const struct dls_reader *reader,
                     struct dls_group *group)
{
    for (uint32_t i = 0; i < group->samples; i++) {
        struct dls_pick *pick = &group->picks[i];
        const struct dls_extent *read = &group->row_reads[pick->read];
        int r = read->result < 0 ? dls_err_context(dls_reader_explain(reader, read), "record table")
                                 : dls_set_open_row(dataset, &pick->row,
                                                    group->rows + (uint64_t)pick->page * DLS_PAGE_BYTES,
                                                    &pick->image, &pick->label);
        if (r == 0 && end_of(pick) - begin_of(pick) > plan->extent_bytes)
            r = dls_err(EBADMSG, "'%s', record %llu: an image of %u bytes, the manifest's longest has less",
                        dls_set_shard_path(dataset, pick->row.shard), (unsigned long long)pick->number,
                        pick->image.stored);
        if (r < 0)
            return r;
    }
    return 0;
}

/* May the pick be brought by the read that brings those before it in the order of the disk? */
static bool joins(const struct dls_plan *plan, const struct dls_block_at *at, const struct dls_pick *pick)
{
    return at->shard == pick->row.shard && begin_of(pick) <= at->offset + at->length + DLS_PICK_GAP &&
           end_of(pick) - at->offset <= plan->extent_bytes;
}

/* Turns picks [first, last) into reads. */
static void plan_run(const struct dls_plan *plan, struct dls_group *group, uint32_t first, uint32_t last)
{
    uint32_t *index = group->reads + first, begun = group->count;

    for (uint32_t i = first; i < last; i++)
        index[i - first] = i;
    sort(group->picks, index, last - first, image_before);
    for (uint32_t i = 0; i < last - first; i++) {
        struct dls_pick *pick = &group->picks[index[i]];
        struct dls_group_block *block = group->count > begun ? &group->blocks[group->count - 1] : NULL;
        if (block != NULL && joins(plan, &block->at, pick)) {
            block->at.length = dls_max64(block->at.length, end_of(pick) - block->at.offset);
            block->needed++;
        } else {
            block = &group->blocks[group->count++];
            *block = (struct dls_group_block){
                .at = {.shard = pick->row.shard,
                       .offset = begin_of(pick),
                       .length = end_of(pick) - begin_of(pick)},
                .needed = 1,
            };
        }
        pick->block = group->count - 1;
    }
}

int dls_picks_map(const struct dls_plan *plan, dls_dataset *dataset, const struct dls_reader *reader,
                  struct dls_group *group)
{
    uint64_t bytes = 0;
    uint32_t first = 0;
    int r = open_rows(plan, dataset, reader, group);

    if (r < 0)
        return r;
    group->count = 0;
    for (uint32_t i = 0; i < group->samples; i++) {
        uint64_t cost = end_of(&group->picks[i]) - begin_of(&group->picks[i]) + DLS_PICK_GAP;
        if (i > first && bytes + cost > plan->run_bytes) {
            plan_run(plan, group, first, i);
            first = i;
            bytes = 0;
        }
        bytes += cost;
    }
    plan_run(plan, group, first, (uint32_t)group->samples);
    for (uint32_t i = 0; i < group->count; i++) /* they are in order already */
        group->reads[i] = i;
    return 0;
}
