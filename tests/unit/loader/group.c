/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/group.h"

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
    dls_dataset_info info;
    struct dls_plan plan = {.samples = samples};

    dls_dataset_get_info(dataset, &info);
    cr_assert_gt(info.shards, 1);
    cr_assert_gt(info.blocks, 10);
    plan.params.first_epoch = 5;
    plan.params.epochs = epochs;
    plan.order = (struct dls_order_config){.seed = 3, .blocks = info.blocks, .window = window};
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

/* How they are read must not change which samples come: blocks[] stays as the permutation gives it. */
static void expect_permuted_blocks(const struct dls_group *group, const struct dls_plan *plan)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct dls_block_at at;
        uint64_t number = dls_order_block(&plan->order, group->epoch, group->number, i);
        cr_assert_eq(dls_set_block(dataset, number, &at), 0);
        cr_assert(at.shard == group->blocks[i].at.shard && at.offset == group->blocks[i].at.offset);
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

    cr_assert_eq(dls_group_init(&group, window), 0);
    dls_walk_init(&walk, &plan);
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
        expect_permuted_blocks(&group, &plan);
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
    cr_assert_eq(dls_group_init(&group, 4), 0);
    dls_walk_init(&walk, &plan);
    while (group.error.code == 0 && !dls_walk_ended(&walk))
        dls_walk_next(&walk, dataset, &group);
    cr_assert_eq(group.error.code, -ENOENT);
    cr_assert_not_null(strstr(group.error.text, shard), "%s", group.error.text);
    cr_assert_eq(group.samples, 0);
    dls_group_free(&group);
}

Test(group, fewer_records_than_promised_are_an_error_not_a_wait)
{
    struct dls_plan plan = plan_of(RECORDS + 1, 4, 1);
    struct dls_group group = {0};
    struct dls_walk walk;

    cr_assert_eq(dls_group_init(&group, 4), 0);
    dls_walk_init(&walk, &plan);
    while (group.error.code == 0 && !dls_walk_ended(&walk))
        dls_walk_next(&walk, dataset, &group);
    cr_assert_eq(group.error.code, -EBADMSG);
    cr_assert_not_null(strstr(group.error.text, "fewer records"));
    dls_group_free(&group);
}
