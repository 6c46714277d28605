/* SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_MOST 120u

static struct dls_manifest_shard shards[SHARDS_MOST];

/* Shards of 1 to 9 blocks with 1 to 6 records each on average. */
static struct dls_order_config config_of(uint32_t count, dls_order mode, uint64_t key)
{
    struct dls_order_config config = {
        .seed = 5, .mode = mode, .window = 4, .shard_count = count, .shards = shards};
    struct dls_rng rng;
    uint64_t blocks = 0;

    dls_rng_init(&rng, key, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        shards[i] = (struct dls_manifest_shard){
            .blocks = 1 + dls_rng_below(&rng, 9), .first_block = blocks, .first_record = config.records};
        shards[i].records = shards[i].blocks + dls_rng_below(&rng, 40);
        blocks += shards[i].blocks;
        config.records += shards[i].records;
    }
    for (unsigned i = 0; i < 16; i++)
        config.uuid[i] = (uint8_t)(17 * i + 3);
    return config;
}

/* Walks through all stretches; each block must come once. Returns their number. */
static uint64_t walk(const struct dls_order_config *config, uint64_t epoch, uint64_t *ret_blocks)
{
    struct dls_stretch stretch;
    uint64_t place = 0, count = 0;

    dls_stretch_find(config, epoch, 0, &stretch);
    do {
        cr_assert_eq(stretch.first, place);
        for (uint64_t i = 0; i < stretch.blocks; i++)
            ret_blocks[count++] = dls_stretch_block(config, &stretch, i);
        place += stretch.records;
    } while (dls_stretch_next(config, epoch, &stretch));
    cr_assert_eq(place, config->records);
    return count;
}

static void expect_each_once(const uint64_t *numbers, uint64_t count)
{
    unsigned char *seen = calloc(count, 1);

    for (uint64_t i = 0; i < count; i++) {
        cr_assert_lt(numbers[i], count);
        cr_assert_eq(seen[numbers[i]]++, 0);
    }
    free(seen);
}

Test(order, each_block_once_an_epoch)
{
    uint64_t blocks[SHARDS_MOST * 9];

    for (uint32_t count = 1; count <= SHARDS_MOST; count++) {
        struct dls_order_config config = config_of(count, DLS_ORDER_WINDOW, count);
        uint64_t total = shards[count - 1].first_block + shards[count - 1].blocks;
        cr_assert_eq(walk(&config, count % 3, blocks), total);
        expect_each_once(blocks, total);
    }
}

Test(order, none_is_the_stored_order)
{
    uint64_t blocks[SHARDS_MOST * 9];
    struct dls_order_config config = config_of(50, DLS_ORDER_NONE, 1);
    uint64_t total = walk(&config, 3, blocks);

    for (uint64_t i = 0; i < total; i++)
        cr_assert_eq(blocks[i], i);
    for (uint64_t i = 0; i < 20; i++)
        cr_assert_eq(dls_order_sample(&config, 3, 7, 20, i), i);
}

Test(order, any_place_is_found_without_what_comes_before_it)
{
    for (int mode = DLS_ORDER_WINDOW; mode <= DLS_ORDER_NONE; mode++) {
        struct dls_order_config config = config_of(70, (dls_order)mode, 2);
        struct dls_stretch stretch, found;
        dls_stretch_find(&config, 9, 0, &stretch);
        for (uint64_t place = 0; place < config.records; place++) {
            if (place == stretch.first + stretch.records)
                cr_assert(dls_stretch_next(&config, 9, &stretch));
            dls_stretch_find(&config, 9, place, &found);
            cr_assert(found.number == stretch.number && found.first == stretch.first &&
                      found.blocks == stretch.blocks && found.count == stretch.count);
            cr_assert_eq(dls_stretch_block(&config, &found, found.blocks - 1),
                         dls_stretch_block(&config, &stretch, found.blocks - 1));
        }
        cr_assert_not(dls_stretch_next(&config, 9, &stretch));
    }
}

static unsigned agreeing(const struct dls_order_config *a, uint64_t epoch_a, const struct dls_order_config *b,
                         uint64_t epoch_b)
{
    uint64_t first[SHARDS_MOST * 9], second[SHARDS_MOST * 9], total = walk(a, epoch_a, first);
    unsigned same = 0;

    cr_assert_eq(walk(b, epoch_b, second), total);
    for (uint64_t i = 0; i < total; i++)
        same += first[i] == second[i];
    return same;
}

/* Of some 600 places about one agrees by chance. */
Test(order, epoch_seed_and_dataset_change_the_order)
{
    struct dls_order_config a = config_of(SHARDS_MOST, DLS_ORDER_WINDOW, 3), b = a;

    cr_assert_gt(agreeing(&a, 7, &b, 7), 400);
    cr_assert_leq(agreeing(&a, 7, &b, 8), 10);
    b.seed++;
    cr_assert_leq(agreeing(&a, 7, &b, 7), 10);
    /* Seed and epoch do not stand for one another. */
    cr_assert_leq(agreeing(&a, 8, &b, 7), 10);
    b = a;
    b.uuid[15] ^= 1;
    cr_assert_leq(agreeing(&a, 7, &b, 7), 10);
    b = a;
    b.uuid[0] ^= 1;
    cr_assert_leq(agreeing(&a, 7, &b, 7), 10);
}

Test(order, groups_are_mixed_differently)
{
    struct dls_order_config config = config_of(10, DLS_ORDER_WINDOW, 4);
    unsigned groups = 0, epochs = 0;

    for (uint64_t i = 0; i < 4000; i++) {
        groups += dls_order_sample(&config, 0, 0, 4000, i) == dls_order_sample(&config, 0, 4000, 4000, i);
        epochs += dls_order_sample(&config, 0, 0, 4000, i) == dls_order_sample(&config, 1, 0, 4000, i);
    }
    cr_assert_leq(groups, 10);
    cr_assert_leq(epochs, 10);
}

/* What a seed means must not change unseen: these numbers were printed by the first version that had
 * stretches. */
Test(order, known_values)
{
    struct dls_order_config config = config_of(40, DLS_ORDER_WINDOW, 6);
    struct dls_stretch stretch;
    uint64_t sum = 0;

    dls_stretch_find(&config, 3, 0, &stretch);
    for (uint64_t i = 0; i < stretch.blocks; i++)
        sum = dls_mix64(sum, dls_stretch_block(&config, &stretch, i));
    for (uint64_t i = 0; i < 1000; i++)
        sum = dls_mix64(sum, dls_order_sample(&config, 3, 77, 1000, i));
    cr_assert_eq(sum, UINT64_C(0x268eb3c7b3cc83b1), "%#lx", sum);
}
