/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/facts.h"

#include <criterion/criterion.h>

#define CLASSES 100u

static struct dls_manifest_shard shards[10];
static struct dls_manifest_class classes[CLASSES];

static struct dls_manifest manifest_of(int shuffled)
{
    for (uint64_t i = 0; i < 10; i++)
        shards[i] = (struct dls_manifest_shard){
            .records = 10000, .blocks = 125, .first_record = 10000 * i, .first_block = 125 * i};
    for (uint32_t c = 0; c < CLASSES; c++)
        classes[c].records = 1000;
    return (struct dls_manifest){.records = 100000,
                                 .blocks = 1250,
                                 .shard_count = 10,
                                 .shards = shards,
                                 .class_count = CLASSES,
                                 .classes = classes,
                                 .shuffled = shuffled};
}

static dls_order chosen(int shuffled, bool random_reads, bool has_rows, dls_loader_params params)
{
    const struct dls_manifest manifest = manifest_of(shuffled);
    const struct dls_plan_facts facts = {.records = 100000,
                                         .blocks = 1250,
                                         .shards = 10,
                                         .shard_list = shards,
                                         .largest_block = 8 << 20,
                                         .directory_bytes = 10000,
                                         .largest_image = 500000,
                                         .mean_image = 100000,
                                         .max_width = 1000,
                                         .max_height = 800,
                                         .max_pixels = 1000 * 800,
                                         .machine_bytes = 64ull << 30,
                                         .cpus = 4,
                                         .has_image = true,
                                         .has_rows = has_rows,
                                         .random_reads = random_reads};
    struct dls_plan plan;
    dls_quality quality;

    params.struct_size = sizeof(params);
    cr_assert_eq(dls_plan_choose(&params, &facts, &manifest, &plan, &quality), 0);
    cr_assert(quality.order == (int)plan.params.order && quality.batch_size == plan.params.batch_size &&
              quality.window_bytes == plan.window_bytes && quality.window_blocks == plan.params.window_blocks);
    return plan.params.order;
}

Test(facts, auto_is_full_only_where_a_window_shuffles_badly_and_reads_can_be_anywhere)
{
    const dls_loader_params plain = {.seed = 1};

    cr_assert_eq(chosen(1, true, true, plain), DLS_ORDER_WINDOW);
    cr_assert_eq(chosen(0, true, true, plain), DLS_ORDER_FULL);
    cr_assert_eq(chosen(0, false, true, plain), DLS_ORDER_WINDOW);
    cr_assert_eq(chosen(0, true, false, plain), DLS_ORDER_WINDOW);
    cr_assert_eq(chosen(0, true, true, (dls_loader_params){.window_blocks = 8}), DLS_ORDER_WINDOW);
    cr_assert_eq(chosen(0, true, true, (dls_loader_params){.order = DLS_ORDER_WINDOW}), DLS_ORDER_WINDOW);
    cr_assert_eq(chosen(0, true, true, (dls_loader_params){.order = DLS_ORDER_NONE}), DLS_ORDER_NONE);
    cr_assert_eq(chosen(1, false, true, (dls_loader_params){.order = DLS_ORDER_FULL}), DLS_ORDER_FULL);
}
