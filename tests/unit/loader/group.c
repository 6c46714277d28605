/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/group.h"

#include "base/rng.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <dlshards/dlshards.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 70

static dls_dataset *dataset;
static const char *path;

/* Blocks of few records each, over several shards. */
static void setup(void)
{
    static const dls_field fields[] = {{.name = "image", .type = DLS_FIELD_IMAGE}};
    dls_writer_params params;
    dls_writer *writer = NULL;
    uint8_t bytes[3000];

    path = support_path(support_temp_dir(), "set.dls");
    dls_writer_params_init(&params);
    params.fields = fields;
    params.field_count = 1;
    params.block_bytes = 12288;
    params.shard_bytes = 80000;
    cr_assert_eq(dls_writer_open(path, &params, &writer), 0, "%s", dls_last_error());
    for (unsigned i = 0; i < RECORDS; i++) {
        dls_value value = {.data = bytes,
                           .length = 500 + i * 997 % 2400,
                           .codec = DLS_CODEC_JPEG,
                           .width = 8,
                           .height = 8,
                           .channels = 3};
        for (size_t k = 0; k < sizeof(bytes); k++)
            bytes[k] = (uint8_t)(k * k + i);
        cr_assert_eq(dls_writer_add(writer, &value, 1), 0, "%s", dls_last_error());
    }
    cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
    dls_writer_close(&writer);
    cr_assert_eq(dls_dataset_open(path, &dataset), 0, "%s", dls_last_error());
}

static void teardown(void)
{
    dls_dataset_close(&dataset);
}

TestSuite(group, .init = setup, .fini = teardown);

static struct dls_plan plan_of(uint64_t samples, uint32_t window, uint64_t epochs)
{
    const struct dls_manifest *manifest = dls_set_manifest(dataset);
    struct dls_plan plan = {.whole = {.samples = samples, .batches = samples}};

    cr_assert_gt(manifest->shard_count, 1);
    cr_assert_gt(manifest->blocks, 10);
    plan.params.batch_size = 1;
    plan.params.world = 1;
    plan.params.first_epoch = 5;
    plan.params.epochs = epochs;
    plan.start_epoch = 5;
    plan.begun = plan.whole;
    plan.order = (struct dls_order_config){.seed = 3,
                                           .mode = DLS_ORDER_WINDOW,
                                           .records = manifest->records,
                                           .shard_count = manifest->shard_count,
                                           .shards = manifest->shards,
                                           .window = window};
    return plan;
}

/* reads[] must name each block once, each behind the one before on the disk. */
static void expect_sorted_reads(const struct dls_group *group)
{
    bool named[64] = {false};

    for (uint32_t i = 0; i < group->count; i++) {
        cr_assert(group->reads[i] < group->count && !named[group->reads[i]]);
        named[group->reads[i]] = true;
        if (i == 0)
            continue;
        const struct dls_block_at *before = &group->blocks[group->reads[i - 1]].at,
                                  *at = &group->blocks[group->reads[i]].at;
        cr_assert(before->shard < at->shard || (before->shard == at->shard && before->offset < at->offset));
    }
}

/* Walks all epochs; each epoch must give `samples` different records, and each block as many as it says. */
static void walk_all(uint64_t samples, uint32_t window)
{
    struct dls_plan plan = plan_of(samples, window, 3);
    struct dls_group group = {0};
    struct dls_walk walk;
    uint64_t epoch = 5, position = 0;
    bool seen[RECORDS] = {false};

    cr_assert_eq(dls_group_init(&group, &plan, NULL), 0);
    cr_assert_eq(dls_walk_init(&walk, &plan), 0);
    while (!dls_walk_ended(&walk)) {
        uint32_t drawn[64] = {0}, needed = 0;
        dls_walk_next(&walk, dataset, &group);
        cr_assert_eq(group.error.code, 0);
        cr_assert(group.epoch == epoch && group.first == position && group.samples >= 1);
        for (uint64_t i = 0; i < group.samples; i++) {
            uint32_t record, block = dls_group_find(&group, &plan, i, &record);
            cr_assert_lt(record, group.blocks[block].at.records);
            uint64_t number = group.blocks[block].at.first_record + record;
            cr_assert_not(seen[number]);
            seen[number] = true;
            drawn[block]++;
        }
        for (uint32_t i = 0; i < group.count; i++) {
            cr_assert_eq(drawn[i], group.blocks[i].needed);
            needed += drawn[i] > 0;
        }
        cr_assert(group.undone == needed && group.unloaded == needed);
        expect_sorted_reads(&group);
        position += group.samples;
        if (position == samples) {
            uint64_t count = 0;
            for (int i = 0; i < RECORDS; i++)
                count += seen[i];
            cr_assert_eq(count, samples);
            memset(seen, 0, sizeof(seen));
            epoch++;
            position = 0;
        }
    }
    cr_assert(epoch == 8 && position == 0);
    dls_walk_free(&walk);
    dls_group_free(&group);
}

Test(group, an_epoch_has_each_record_once)
{
    for (uint32_t window = 1; window <= 40; window += 3)
        walk_all(RECORDS, window);
}

Test(group, what_the_tail_drops_is_not_drawn_and_its_blocks_need_nothing)
{
    for (uint32_t window = 1; window <= 40; window += 3)
        for (uint64_t samples = 1; samples < RECORDS; samples += 6)
            walk_all(samples, window);
}

Test(group, a_shard_that_cannot_be_opened_fails_the_group_with_its_name)
{
    struct dls_plan plan = plan_of(RECORDS, 4, 1);
    struct dls_group group = {0};
    struct dls_walk walk;
    const char *shard = support_path(path, "shard-00001.dls");

    plan.order.mode = DLS_ORDER_NONE;
    cr_assert_eq(unlink(shard), 0);
    cr_assert_eq(dls_group_init(&group, &plan, NULL), 0);
    cr_assert_eq(dls_walk_init(&walk, &plan), 0);
    while (group.error.code == 0 && !dls_walk_ended(&walk))
        dls_walk_next(&walk, dataset, &group);
    cr_assert_eq(group.error.code, -ENOENT);
    cr_assert_not_null(strstr(group.error.text, shard), "%s", group.error.text);
    cr_assert_eq(group.samples, 0);
    dls_walk_free(&walk);
    dls_group_free(&group);
}

/* Draws `most` samples of an epoch, as rank `rank`. Returns how many there were; counts the blocks read. */
static uint64_t draw(struct dls_plan *plan, uint32_t rank, uint64_t most, unsigned *seen,
                     uint64_t *ret_blocks)
{
    struct dls_group group = {0};
    struct dls_walk walk;
    uint64_t drawn = 0;

    plan->params.rank = rank;
    struct dls_share_size size;
    dls_share_measure(&plan->progress, RECORDS, rank, plan->params.world, &size);
    plan->begun = (struct dls_plan_epoch){.samples = size.mine, .batches = size.mine};
    cr_assert_eq(dls_group_init(&group, plan, NULL), 0);
    cr_assert_eq(dls_walk_init(&walk, plan), 0);
    while (!dls_walk_ended(&walk) && drawn < most) {
        dls_walk_next(&walk, dataset, &group);
        cr_assert_eq(group.error.code, 0, "%s", group.error.text);
        cr_assert_eq(group.first, drawn);
        for (uint64_t i = 0; i < group.samples && drawn < most; i++, drawn++) {
            uint32_t record, block = dls_group_find(&group, plan, i, &record);
            seen[group.blocks[block].at.first_record + record]++;
        }
        for (uint32_t i = 0; i < group.count; i++)
            *ret_blocks += group.blocks[i].needed > 0;
    }
    dls_walk_free(&walk);
    dls_group_free(&group);
    return drawn;
}

Test(group, ranks_share_out_blocks_and_read_none_twice_but_at_their_borders)
{
    for (uint32_t world = 1; world <= 9; world++) {
        for (uint32_t window = 1; window <= 9; window += 2) {
            struct dls_plan plan = plan_of(RECORDS, window, 1);
            unsigned seen[RECORDS] = {0};
            uint64_t blocks = 0, sum = 0;
            plan.params.world = world;
            for (uint32_t rank = 0; rank < world; rank++)
                sum += draw(&plan, rank, RECORDS, seen, &blocks);
            cr_assert_eq(sum, RECORDS);
            for (int i = 0; i < RECORDS; i++)
                cr_assert_eq(seen[i], 1);
            cr_assert_leq(blocks, dls_set_manifest(dataset)->blocks + world - 1);
        }
    }
}

/* Whatever the window, the numbers of ranks in turn and how far each came: each record of the epoch once. */
Test(group, an_epoch_is_taken_over_by_other_numbers_of_ranks)
{
    struct dls_rng rng;

    dls_rng_init(&rng, 8, 0, 0);
    for (int i = 0; i < 400; i++) {
        struct dls_plan plan = plan_of(RECORDS, 1 + (uint32_t)dls_rng_below(&rng, 8), 1);
        uint32_t turns = (uint32_t)dls_rng_below(&rng, 5), before = 0;
        unsigned seen[RECORDS] = {0};
        uint64_t blocks = 0;
        plan.order.mode = i % 4 == 0 ? DLS_ORDER_NONE : DLS_ORDER_WINDOW;
        for (uint32_t turn = 0; turn <= turns; turn++) {
            uint64_t samples = turn == turns ? RECORDS : dls_rng_below(&rng, 20);
            do
                plan.params.world = 1 + (uint32_t)dls_rng_below(&rng, 8);
            while (plan.params.world == before);
            for (uint32_t rank = 0; rank < plan.params.world; rank++)
                draw(&plan, rank, samples, seen, &blocks);
            if (samples == 0)
                continue;
            before = plan.params.world;
            plan.progress.turns[plan.progress.count++] = (struct dls_turn){before, samples};
        }
        for (int k = 0; k < RECORDS; k++)
            cr_assert_eq(seen[k], 1, "run %d, record %d: %u times", i, k, seen[k]);
    }
}

/* What is left must be what would have come. */
Test(group, the_same_ranks_go_on_with_what_they_would_have_had)
{
    for (uint64_t done = 0; done <= 24; done++) {
        for (uint32_t window = 1; window < 20; window += 6) {
            struct dls_plan plan = plan_of(RECORDS, window, 1), later;
            struct dls_group all = {0}, rest = {0};
            struct dls_walk all_walk, rest_walk;
            uint64_t at = 0, position = 0;
            plan.params.world = 3;
            plan.params.rank = 1;
            plan.begun.samples = plan.begun.batches = 23; /* of 70 */
            later = plan;
            later.progress = (struct dls_progress){.count = 1, .turns = {{3, done}}};
            later.begun.samples = later.begun.batches = done < 23 ? 23 - done : 0;
            cr_assert(dls_group_init(&all, &plan, NULL) == 0 && dls_group_init(&rest, &plan, NULL) == 0);
            cr_assert(dls_walk_init(&all_walk, &plan) == 0 && dls_walk_init(&rest_walk, &later) == 0);
            while (!dls_walk_ended(&all_walk)) {
                dls_walk_next(&all_walk, dataset, &all);
                for (uint64_t i = 0; i < all.samples; i++, at++) {
                    uint32_t record, other, block = dls_group_find(&all, &plan, i, &record);
                    if (at < done)
                        continue;
                    if (position == rest.samples) {
                        dls_walk_next(&rest_walk, dataset, &rest);
                        position = 0;
                    }
                    uint32_t found = dls_group_find(&rest, &later, position++, &other);
                    cr_assert(record == other &&
                              all.blocks[block].at.first_record == rest.blocks[found].at.first_record);
                }
            }
            cr_assert(at == 23 && position == rest.samples && dls_walk_ended(&rest_walk));
            dls_walk_free(&all_walk);
            dls_walk_free(&rest_walk);
            dls_group_free(&all);
            dls_group_free(&rest);
        }
    }
}

Test(group, a_rank_that_is_a_record_short_ends_with_an_empty_batch)
{
    struct dls_plan plan = plan_of(RECORDS, 3, 2);
    struct dls_group group = {0};
    struct dls_walk walk;
    unsigned empty = 0;

    plan.params.batch_size = 8;
    plan.begun = plan.whole = (struct dls_plan_epoch){.samples = 16, .batches = 3};
    plan.params.world = 4;
    cr_assert_eq(dls_group_init(&group, &plan, NULL), 0);
    cr_assert_eq(dls_walk_init(&walk, &plan), 0);
    while (!dls_walk_ended(&walk)) {
        dls_walk_next(&walk, dataset, &group);
        cr_assert(!group.empty_batch || (group.samples == 0 && group.first == 16 && group.count == 0));
        empty += group.empty_batch;
    }
    cr_assert_eq(empty, 2);
    dls_walk_free(&walk);
    dls_group_free(&group);
}
