/* SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct dls_order_config config_of(uint64_t blocks, uint32_t window, dls_order mode)
{
    struct dls_order_config config = {.seed = 5, .mode = mode, .blocks = blocks, .window = window};
    for (unsigned i = 0; i < 16; i++)
        config.uuid[i] = (uint8_t)(17 * i + 3);
    return config;
}

/* The epoch's records in order, as (block, record) numbers that count through the dataset. Returns how many.
 */
static uint64_t list_epoch(const struct dls_order_config *config, uint64_t epoch, const uint32_t *counts,
                           const uint64_t *firsts, uint64_t *ret_records)
{
    uint64_t n = 0;
    for (uint64_t group = 0; group < dls_order_groups(config); group++) {
        uint64_t total = 0;
        for (uint32_t i = 0; i < dls_order_group_blocks(config, group); i++)
            total += counts[dls_order_block(config, epoch, group, i)];
        for (uint64_t position = 0; position < total; position++) {
            uint64_t sample = dls_order_sample(config, epoch, group, total, position);
            cr_assert(sample < total);
            uint32_t i = 0;
            while (sample >= counts[dls_order_block(config, epoch, group, i)])
                sample -= counts[dls_order_block(config, epoch, group, i++)];
            ret_records[n++] = firsts[dls_order_block(config, epoch, group, i)] + sample;
        }
    }
    return n;
}

static void check_epoch(uint64_t blocks, uint32_t window, dls_order mode, struct dls_rng *rng)
{
    struct dls_order_config config = config_of(blocks, window, mode);
    uint32_t *counts = malloc(blocks * sizeof(*counts));
    uint64_t *firsts = malloc(blocks * sizeof(*firsts)), records = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        firsts[b] = records;
        records += counts[b] = (uint32_t)dls_rng_below(rng, 12); /* some blocks hold none */
    }
    uint64_t *listed = malloc((records + 1) * sizeof(*listed));
    unsigned char *seen = calloc(records + 1, 1);
    cr_assert_eq(list_epoch(&config, 3, counts, firsts, listed), records);
    for (uint64_t i = 0; i < records; i++) {
        cr_assert(listed[i] < records);
        cr_assert_eq(seen[listed[i]]++, 0, "blocks %lu window %u: record %lu twice", blocks, window,
                     listed[i]);
        if (mode == DLS_ORDER_NONE)
            cr_assert_eq(listed[i], i);
    }
    free(counts);
    free(firsts);
    free(listed);
    free(seen);
}

Test(order, each_record_once_an_epoch)
{
    struct dls_rng rng;
    dls_rng_init(&rng, 11, 0, 0);
    for (int i = 0; i < 300; i++) {
        uint64_t blocks = 1 + dls_rng_below(&rng, 60);
        uint32_t window = 1 + (uint32_t)dls_rng_below(&rng, 70);
        check_epoch(blocks, window, DLS_ORDER_WINDOW, &rng);
        check_epoch(blocks, window, DLS_ORDER_NONE, &rng);
    }
}

Test(order, groups_cover_the_blocks)
{
    struct dls_order_config config = config_of(10, 4, DLS_ORDER_WINDOW);
    cr_assert_eq(dls_order_groups(&config), 3);
    cr_assert_eq(dls_order_group_blocks(&config, 0), 4);
    cr_assert_eq(dls_order_group_blocks(&config, 1), 4);
    cr_assert_eq(dls_order_group_blocks(&config, 2), 2);
    config.blocks = 0;
    cr_assert_eq(dls_order_groups(&config), 0);
    config.blocks = 8;
    cr_assert_eq(dls_order_groups(&config), 2);
    config.window = 4096;
    cr_assert_eq(dls_order_groups(&config), 1);
    cr_assert_eq(dls_order_group_blocks(&config, 0), 8);
    config.blocks = UINT64_MAX;
    config.window = 2;
    cr_assert_eq(dls_order_groups(&config), UINT64_C(1) << 63);
    cr_assert_eq(dls_order_group_blocks(&config, (UINT64_C(1) << 63) - 1), 1);
}

/* Of 4000 places about one agrees by chance. */
static unsigned agreeing(const struct dls_order_config *a, uint64_t epoch_a, const struct dls_order_config *b,
                         uint64_t epoch_b)
{
    unsigned same = 0;
    for (uint32_t i = 0; i < 4000; i++)
        same += dls_order_block(a, epoch_a, 0, i) == dls_order_block(b, epoch_b, 0, i);
    return same;
}

Test(order, epoch_seed_and_dataset_change_the_order)
{
    struct dls_order_config a = config_of(4000, 4000, DLS_ORDER_WINDOW), b = a;
    cr_assert_eq(agreeing(&a, 7, &b, 7), 4000);
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
    struct dls_order_config config = config_of(100, 10, DLS_ORDER_WINDOW);
    unsigned groups = 0, blocks = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        groups += dls_order_sample(&config, 0, 0, 4000, i) == dls_order_sample(&config, 0, 1, 4000, i);
        blocks += dls_order_sample(&config, 0, 0, 4000, i) == dls_order_sample(&config, 1, 0, 4000, i);
    }
    cr_assert_leq(groups, 10);
    cr_assert_leq(blocks, 10);
}
