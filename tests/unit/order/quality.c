/* SPDX-License-Identifier: Apache-2.0 */
#include "order/quality.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS_MOST 200u
#define CLASSES 1000u

static struct dls_manifest_shard shards[SHARDS_MOST];
static struct dls_manifest_class classes[CLASSES];
static struct dls_manifest manifest;

static struct dls_order_config config_of(uint32_t count, uint64_t blocks, uint64_t records,
                                         uint32_t class_count, int shuffled, dls_order mode, uint32_t window)
{
    struct dls_order_config config = {.uuid = {3, 1, 4},
                                      .seed = 9,
                                      .mode = mode,
                                      .window = window,
                                      .records = count * records,
                                      .shard_count = count,
                                      .shards = shards};
    for (uint32_t i = 0; i < count; i++)
        shards[i] = (struct dls_manifest_shard){
            .records = records, .blocks = blocks, .first_record = i * records, .first_block = i * blocks};
    for (uint32_t c = 0; c < class_count; c++)
        classes[c].records = config.records / class_count + (c < config.records % class_count);
    manifest = (struct dls_manifest){.shuffled = shuffled,
                                     .records = config.records,
                                     .blocks = count * blocks,
                                     .seed = 7,
                                     .shards = shards,
                                     .shard_count = count,
                                     .classes = classes,
                                     .class_count = class_count};
    return config;
}

static dls_quality measure(const struct dls_order_config *config, uint32_t batch)
{
    dls_quality quality = {0};

    cr_assert_eq(dls_quality_measure(config, &manifest, batch, &quality), 0);
    return quality;
}

/* 10 GB in blocks of 8 MiB, packed from a folder of 1000 classes. */
Test(quality, a_shuffled_dataset_of_10_gb_shuffles_well_in_a_gigabyte)
{
    struct dls_order_config config = config_of(10, 125, 10000, CLASSES, 1, DLS_ORDER_WINDOW, 24);
    dls_quality quality = measure(&config, 256);

    cr_assert(fabs(quality.classes_expected - 226.21) < 0.01, "%g", quality.classes_expected);
    cr_assert_geq(quality.classes, 0.99 * quality.classes_expected, "%g", quality.classes);
    cr_assert_leq(quality.mates, 0.01, "%g", quality.mates);
    cr_assert_leq(fabs(quality.lag), 0.03);
    cr_assert(fabs(quality.mates_expected - 255.0 / 99999) < 1e-9);
}

Test(quality, a_dataset_in_order_of_class_shuffles_badly_in_a_window_and_well_in_full)
{
    struct dls_order_config config = config_of(10, 125, 10000, CLASSES, 0, DLS_ORDER_WINDOW, 24);
    dls_quality quality = measure(&config, 256);

    cr_assert_leq(quality.classes, 60); /* 24 blocks of 80 records have some two classes each */
    cr_assert_geq(quality.classes, 20);
    config.mode = DLS_ORDER_FULL;
    quality = measure(&config, 256);
    cr_assert(fabs(quality.classes / quality.classes_expected - 1) < 0.01, "%g", quality.classes);
    cr_assert(fabs(quality.mates - quality.mates_expected) < 1e-9 && fabs(quality.lag) < 0.03);
    config.mode = DLS_ORDER_NONE;
    quality = measure(&config, 256);
    cr_assert(quality.classes >= 3 && quality.classes <= 5, "%g", quality.classes);
    cr_assert(quality.mates == 1 && quality.lag > 0.999);
}

/* Every batch of two epochs, counted out. */
static double count_mates(const struct dls_order_config *config, uint64_t batch)
{
    uint64_t records = config->records, *later = malloc(records * sizeof(*later)), *order[2];
    double same = 0;

    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        struct dls_stretch stretch;
        uint64_t at = 0;
        order[epoch] = malloc(records * sizeof(uint64_t));
        dls_stretch_find(config, epoch, 0, &stretch);
        do {
            for (uint64_t block = 0; block < stretch.blocks; block += config->window) {
                uint64_t count =
                    stretch.blocks - block < config->window ? stretch.blocks - block : config->window;
                uint64_t each = shards[0].records / shards[0].blocks, total = count * each, place = at;
                for (uint64_t p = 0; p < total; p++) {
                    uint64_t number = dls_order_sample(config, epoch, place, total, p);
                    order[epoch][at++] =
                        dls_stretch_block(config, &stretch, block + number / each) * each + number % each;
                }
            }
        } while (dls_stretch_next(config, epoch, &stretch));
        cr_assert_eq(at, records);
    }
    for (uint64_t i = 0; i < records; i++)
        later[order[1][i]] = i / batch;
    for (uint64_t i = 0; i < records; i++)
        for (uint64_t k = i / batch * batch; k < (i / batch + 1) * batch && k < records; k++)
            same += k != i && later[order[0][i]] == later[order[0][k]];
    free(later);
    free(order[0]);
    free(order[1]);
    return same / (double)records / (double)(batch - 1);
}

Test(quality, repeated_mates_are_as_many_as_a_count_of_all_batches_finds)
{
    static const uint32_t windows[] = {1, 4, 16};

    for (size_t i = 0; i < 3; i++) {
        struct dls_order_config config = config_of(40, 10, 500, 100, 1, DLS_ORDER_WINDOW, windows[i]);
        double counted = count_mates(&config, 40), estimated = measure(&config, 40).mates;
        cr_assert(fabs(estimated / counted - 1) < 0.15, "window %u: %g, counted %g", windows[i], estimated,
                  counted);
    }
}

Test(quality, datasets_of_no_or_one_record_or_without_classes_have_no_numbers)
{
    struct dls_order_config config = config_of(1, 1, 1, 1, 1, DLS_ORDER_WINDOW, 1);

    cr_assert_eq(measure(&config, 5).classes_expected, 0);
    config = config_of(0, 0, 0, 0, 1, DLS_ORDER_WINDOW, 1);
    cr_assert_eq(measure(&config, 5).mates, 0);
    config = config_of(3, 7, 100, 0, 1, DLS_ORDER_WINDOW, 2);
    cr_assert_eq(measure(&config, 5).classes_expected, 0);
    cr_assert_gt(measure(&config, 1000).mates, 0.99); /* one batch is all of it */
}
