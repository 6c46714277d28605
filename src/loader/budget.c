/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the memory budget; docs/architecture.md has the table of what is counted. */
#include "loader/plan.h"

#include "base/bytes.h"
#include "base/err.h"
#include "shard/dataset.h"

#include <stdio.h>

#define PAGE 4096ull
#define WINDOW_DEFAULT 24u
/* Stack, codec objects, histogram and zstd context of a decode thread; and its resize tables, which grow with
 * the longest line. */
#define THREAD_BYTES (1ull << 20)
#define LINE_PIXEL_BYTES 64ull
/* The bookkeeping of one block in the window, and of one record in a group of order FULL. */
#define ENTRY_BYTES (2ull << 10)
#define PICK_BYTES 384ull
/* The I/O thread, its requests, open files and zstd context. */
#define READER_BYTES ((2ull << 20) + (160ull << 10))
/* Order FULL: neighbours are joined to reads of at most this, unless one record is longer. */
#define EXTENT_BYTES (256ull << 10)
/* An entry of a block table as it is kept, and as it is read; and what is known of a shard, beside two names. */
#define BLOCK_ROW_BYTES 8ull
#define BLOCK_READ_BYTES 32ull
#define SHARD_BYTES 384ull
/* What a codec holds a pixel when it cannot work row by row: progressive JPEG keeps 3 × 16-bit coefficients,
 * an interlaced PNG up to 4 × 16 bits. */
#define CODEC_PIXEL_BYTES 8ull
/* What it holds a pixel of a line when it can: 16 lines of up to 4 bytes. */
#define CODEC_LINE_BYTES 64ull
#define CODEC_LEAST 4096ull
#define UNPACK_BYTES (64ull << 20)

/* Sums that end at UINT64_MAX instead of wrapping: no budget is that large, so the comparison below still
 * works. */
static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return dls_add_overflows(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t mul(uint64_t a, uint64_t b)
{
    uint64_t product;
    return dls_mul_overflows(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t round_up(uint64_t value, uint64_t alignment)
{
    return value > UINT64_MAX - alignment ? UINT64_MAX : dls_align_up(value, alignment);
}

void dls_picture_divide(const struct dls_picture_need *need, struct dls_picture_parts *ret_parts)
{
    uint64_t box = round_up(mul(mul(need->box_width, need->box_height), 3), 64);
    struct dls_picture_parts parts;

    parts.box = round_up(need->encoded, 64);
    parts.turned = add(parts.box, box);
    parts.codec = add(parts.turned, need->turned ? box : 0);
    parts.codec_bytes = add(CODEC_LEAST, mul(need->line, CODEC_LINE_BYTES));
    if (need->whole_in_codec)
        parts.codec_bytes = add(parts.codec_bytes, mul(mul(need->width, need->height), CODEC_PIXEL_BYTES));
    parts.total = round_up(add(parts.codec, parts.codec_bytes), PAGE);
    *ret_parts = parts;
}

uint64_t dls_picture_bytes(const struct dls_picture_need *need)
{
    struct dls_picture_parts parts;

    dls_picture_divide(need, &parts);
    return parts.total;
}

struct need {
    uint64_t window, other, total;
};

/* The manifest's list of shards, and the block tables of those in use. */
static uint64_t index_bytes(const struct dls_plan_facts *facts)
{
    uint64_t tables = mul(add(facts->blocks, facts->shards), BLOCK_ROW_BYTES);
    uint64_t kept = add(DLS_TABLES_KEPT, mul(facts->largest_table, BLOCK_ROW_BYTES));

    return add(add(mul(facts->shards, add(SHARD_BYTES, facts->path_bytes)), dls_min64(tables, kept)),
               mul(facts->largest_table, BLOCK_READ_BYTES));
}

/* What does not depend on the order. */
static void finish_need(const struct dls_plan_facts *facts, const struct dls_plan *plan, struct need *need)
{
    const dls_loader_params *p = &plan->params;
    uint64_t line = p->no_decode ? 0 : dls_max64(facts->max_width, facts->max_height);

    need->other = add(need->other, mul(p->threads, add(THREAD_BYTES, mul(LINE_PIXEL_BYTES, line))));
    need->other = add(need->other, mul(p->threads, plan->tile_bytes));
    need->other = add(need->other, READER_BYTES);
    need->other = add(need->other, index_bytes(facts));
    need->total = add(add(need->window, need->other), add(plan->ring_bytes, plan->picture_bytes));
}

/* The least that a window of `blocks` blocks needs. A group lies in the arena as one run of blocks with at
 * most one gap, at its end, that is shorter than a block: hence one block more. */
static struct need least(const struct dls_plan_facts *facts, const struct dls_plan *plan, uint64_t blocks)
{
    struct need need = {.window = mul(blocks + 1, facts->largest_block),
                        .other = mul(2 * blocks + 2, add(ENTRY_BYTES, facts->directory_bytes))};

    finish_need(facts, plan, &need);
    return need;
}

/* The least in order FULL: a read, and a gap shorter than another. */
static struct need least_full(const struct dls_plan_facts *facts, const struct dls_plan *plan)
{
    struct need need = {.window = add(plan->rows_bytes, mul(2, plan->extent_bytes)),
                        .other = DLS_GROUPS * DLS_PICKS * (ENTRY_BYTES + PICK_BYTES)};

    finish_need(facts, plan, &need);
    return need;
}

static int too_small(const struct dls_plan_facts *facts, const struct dls_plan *plan, const struct need *need,
                     uint64_t blocks)
{
    char window[120];

    if (plan->picks > 0)
        snprintf(window, sizeof(window), "two reads of up to %llu and record tables",
                 (unsigned long long)plan->extent_bytes);
    else
        snprintf(window, sizeof(window), "%llu blocks and one more of up to %llu", (unsigned long long)blocks,
                 (unsigned long long)facts->largest_block);
    return dls_err(ENOMEM,
                   "dls_loader_open: memory_bytes is %llu: at least %llu are needed (%llu for %s, %llu for "
                   "%u batches, %llu "
                   "for a picture of %llu pixels, %llu for the rest)",
                   (unsigned long long)plan->params.memory_bytes, (unsigned long long)need->total,
                   (unsigned long long)need->window, window, (unsigned long long)plan->ring_bytes,
                   plan->params.ring_batches, (unsigned long long)plan->picture_bytes,
                   (unsigned long long)facts->max_pixels, (unsigned long long)need->other);
}

/* A window of blocks. *ret_ahead: what it takes beyond its least. */
static int divide_blocks(const struct dls_plan_facts *facts, struct dls_plan *plan, struct need *ret_need,
                         uint64_t *ret_ahead)
{
    dls_loader_params *p = &plan->params;
    uint64_t most = dls_max64(facts->blocks, 1), blocks = p->window_blocks;

    if (blocks == 0) {
        uint64_t pair = dls_max64(mul(2, facts->largest_block), 1);
        blocks = dls_max64(dls_min64(p->memory_bytes / 2 / pair, WINDOW_DEFAULT), 1);
        blocks = dls_min64(blocks, most);
        while (blocks > 1 && least(facts, plan, blocks).total > p->memory_bytes)
            blocks--;
    }
    blocks = dls_min64(blocks, most);
    *ret_need = least(facts, plan, blocks);
    if (ret_need->total > p->memory_bytes)
        return too_small(facts, plan, ret_need, blocks);
    *ret_ahead = dls_min64(p->memory_bytes - ret_need->total, blocks * facts->largest_block) & ~(PAGE - 1);
    p->window_blocks = (uint32_t)blocks;
    plan->window_entries = 2 * (uint32_t)blocks + 2;
    return 0;
}

/* Reads of single records, for all groups if there is room. */
static int divide_full(const struct dls_plan_facts *facts, struct dls_plan *plan, struct need *ret_need,
                       uint64_t *ret_ahead)
{
    dls_loader_params *p = &plan->params;
    uint64_t wanted = mul(DLS_GROUPS * DLS_PICKS, add(facts->mean_image, 2 * PAGE + DLS_PICK_GAP));

    plan->picks = DLS_PICKS;
    plan->rows_bytes = DLS_GROUPS * DLS_PICKS * PAGE;
    plan->extent_bytes = dls_max64(round_up(add(facts->largest_image, PAGE - 1), PAGE), EXTENT_BYTES);
    p->window_blocks = p->window_blocks > 0 ? p->window_blocks : 1;
    *ret_need = least_full(facts, plan);
    if (ret_need->total > p->memory_bytes)
        return too_small(facts, plan, ret_need, 0);
    *ret_ahead = dls_min64(p->memory_bytes - ret_need->total, wanted) & ~(PAGE - 1);
    plan->window_entries = DLS_GROUPS * DLS_PICKS;
    plan->run_bytes = plan->extent_bytes + *ret_ahead / 2;
    return 0;
}

int dls_budget_divide(const struct dls_plan_facts *facts, struct dls_plan *plan)
{
    dls_loader_params *p = &plan->params;
    struct need need;
    uint64_t ahead = 0;
    int r = dls_slot_bytes(&plan->shape, &plan->slot_bytes);

    if (r < 0)
        return r;
    plan->ring_bytes = mul(plan->slot_bytes, p->ring_batches);
    if (!p->no_decode)
        plan->picture_bytes = dls_picture_bytes(&(struct dls_picture_need){
            .encoded = facts->largest_image,
            .width = facts->max_pixels,
            .height = 1,
            .line = facts->max_width,
            .box_width = facts->max_pixels,
            .box_height = 1,
            .turned = !p->ignore_orientation,
            .whole_in_codec = true,
        });
    r = p->order == DLS_ORDER_FULL ? divide_full(facts, plan, &need, &ahead)
                                   : divide_blocks(facts, plan, &need, &ahead);
    if (r < 0)
        return r;
    uint64_t spare = p->memory_bytes - need.total;
    plan->window_bytes = need.window + ahead;
    plan->groups = DLS_GROUPS;
    plan->other_bytes = need.other;
    /* The manifest knows the largest sizes, but not how far zstd shrank a record: a margin, if there is room.
     */
    plan->region_bytes =
        dls_min64(add(plan->picture_bytes, UNPACK_BYTES), plan->picture_bytes + spare - ahead);
    plan->pixels_bytes = p->no_decode ? 0 : plan->picture_bytes + spare - ahead;
    return 0;
}
