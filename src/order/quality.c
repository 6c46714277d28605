/* SPDX-License-Identifier: Apache-2.0 */
#include "order/quality.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/rng.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define BATCHES_MOST 64u
#define SAMPLES_MOST 16384u

/* Sums of products, for a correlation. */
struct sums {
    double n, x, y, xx, yy, xy;
};

struct meter {
    const struct dls_order_config *order;
    const struct dls_manifest *manifest;
    uint64_t batch;             /* samples, not more than there are */
    struct dls_permute packed;  /* stored number to place in the source; only if the packer shuffled */
    struct dls_permute full[2]; /* order FULL, of two epochs */
    struct dls_permute shards;  /* order WINDOW, of the second epoch */
    uint64_t *class_ends;       /* places in the source */
    uint32_t *stamps;           /* of each class: the batch in which it was seen last */
    uint64_t *mates;            /* scratch: which group of the next epoch each sample of a batch comes to */
    double together;            /* how likely two samples of a group are in one batch */
    struct sums lag;
};

/* The model of a block: those of a shard share its records evenly. */
static uint64_t block_begin(const struct dls_manifest_shard *shard, uint64_t block)
{
    return block * shard->records / shard->blocks;
}

static const struct dls_manifest_shard *shard_of(const struct dls_order_config *order, uint64_t number,
                                                 bool block)
{
    uint32_t low = 0, high = order->shard_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t first = block ? order->shards[middle].first_block : order->shards[middle].first_record;
        if (first <= number)
            low = middle;
        else
            high = middle;
    }
    return &order->shards[low];
}

/* The group of the first epoch that samples are being taken from. */
struct group {
    struct dls_stretch stretch;
    uint64_t block;        /* index in the stretch of its first */
    uint64_t place, total; /* its first record's, and how many they are */
};

static uint64_t group_records(const struct dls_order_config *order, const struct group *group)
{
    uint64_t total = 0, end = dls_min64(group->block + order->window, group->stretch.blocks);

    for (uint64_t i = group->block; i < end; i++) {
        uint64_t number = dls_stretch_block(order, &group->stretch, i);
        const struct dls_manifest_shard *shard = shard_of(order, number, true);
        number -= shard->first_block;
        total += block_begin(shard, number + 1) - block_begin(shard, number);
    }
    return total;
}

static void next_group(const struct dls_order_config *order, struct group *group)
{
    group->place += group->total;
    group->block += order->window;
    if (group->block >= group->stretch.blocks && dls_stretch_next(order, 0, &group->stretch))
        group->block = 0;
    group->total = group_records(order, group);
}

static void find_group(const struct dls_order_config *order, uint64_t place, struct group *group)
{
    dls_stretch_find(order, 0, place, &group->stretch);
    group->block = 0;
    group->place = group->stretch.first;
    group->total = group_records(order, group);
    while (place >= group->place + group->total)
        next_group(order, group);
}

/* The record that is drawn at `place` of the group. */
static uint64_t record_in(const struct dls_order_config *order, const struct group *group, uint64_t place)
{
    uint64_t number = dls_order_sample(order, 0, group->place, group->total, place - group->place);

    for (uint64_t i = group->block;; i++) {
        uint64_t block = dls_stretch_block(order, &group->stretch, i);
        const struct dls_manifest_shard *shard = shard_of(order, block, true);
        block -= shard->first_block;
        uint64_t begin = block_begin(shard, block), count = block_begin(shard, block + 1) - begin;
        if (number < count)
            return shard->first_record + begin + number;
        number -= count;
    }
}

/* The group of the second epoch that the record comes to, as a number. */
static uint64_t group_later(const struct meter *meter, uint64_t record)
{
    const struct dls_order_config *order = meter->order;
    const struct dls_manifest_shard *shard = shard_of(order, record, false);
    uint64_t place = dls_permute_find(&meter->shards, (uint64_t)(shard - order->shards));
    uint64_t block = ((record - shard->first_record + 1) * shard->blocks - 1) / shard->records;
    struct dls_stretch stretch;

    dls_stretch_get(order, 1, place / DLS_STRETCH_SHARDS, &stretch);
    for (uint64_t i = 0; i < place % DLS_STRETCH_SHARDS; i++)
        block += order->shards[stretch.shards[i]].blocks;
    return stretch.number << 32 | dls_permute_find(&stretch.mix, block) / order->window;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* How likely two samples of a group are in one batch. Places in a group are random, and so is where a batch
 * ends in it: two samples `apart` are in one with a probability of 1 - apart / batch. */
static double likely_together(const struct meter *meter)
{
    double batch = (double)meter->batch, group, sum = 0;

    if (meter->manifest->blocks <=
        meter->order->window) /* one group, in which batches always end at the same places */
        return (batch - 1) / ((double)meter->order->records - 1);
    group = (double)meter->order->records / (double)meter->manifest->blocks * meter->order->window;
    if (group <= 1)
        return 1;
    for (double apart = 1; apart < batch && apart < group; apart++)
        sum += 2 * (group - apart) / (group * (group - 1)) * (1 - apart / batch);
    return fmin(sum, 1);
}

/* The share of the batch's pairs that are together in the next epoch, too. */
static double repeated(struct meter *meter, const uint64_t *records)
{
    const struct dls_order_config *order = meter->order;
    double pairs = (double)meter->batch * (double)(meter->batch - 1), same = 0;

    if (meter->batch < 2 || order->mode == DLS_ORDER_NONE)
        return 1;
    if (order->mode == DLS_ORDER_FULL)
        return (double)(meter->batch - 1) / (double)(order->records - 1);
    for (uint64_t i = 0; i < meter->batch; i++)
        meter->mates[i] = group_later(meter, records[i]);
    qsort(meter->mates, meter->batch, sizeof(*meter->mates), by_value);
    for (uint64_t i = 0, run = 0; i < meter->batch; i++) {
        run = i > 0 && meter->mates[i] == meter->mates[i - 1] ? run + 1 : 0;
        same += 2 * (double)run;
    }
    return same / pairs * meter->together;
}

static uint64_t source_of(const struct meter *meter, uint64_t record)
{
    return meter->manifest->shuffled ? dls_permute_at(&meter->packed, record) : record;
}

static void add_pair(struct sums *sums, double x, double y)
{
    sums->n++;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->yy += y * y;
    sums->xy += x * y;
}

static double correlation(const struct sums *s)
{
    double xx = s->n * s->xx - s->x * s->x, yy = s->n * s->yy - s->y * s->y;

    return xx > 0 && yy > 0 ? (s->n * s->xy - s->x * s->y) / sqrt(xx * yy) : 0;
}

/* Distinct classes of the batch; notes what its neighbours have to do with each other. */
static double look_at(struct meter *meter, const uint64_t *records, uint32_t stamp)
{
    const struct dls_manifest *manifest = meter->manifest;
    double before = 0, distinct = 0;

    for (uint64_t i = 0; i < meter->batch; i++) {
        uint64_t source = source_of(meter, records[i]);
        uint32_t low = 0, high = manifest->class_count;
        double place = (double)source / (double)manifest->records - 0.5;
        if (i > 0)
            add_pair(&meter->lag, before, place);
        before = place;
        while (low < high) { /* the first class that ends behind it */
            uint32_t middle = low + (high - low) / 2;
            if (meter->class_ends[middle] <= source)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < manifest->class_count && meter->stamps[low] != stamp) {
            meter->stamps[low] = stamp;
            distinct++;
        }
    }
    return distinct;
}

/* Of a true permutation: each class is there unless all of the batch is of the others. */
static double expected_classes(const struct meter *meter)
{
    double n = (double)meter->manifest->records, b = (double)meter->batch, sum = 0;
    int sign;

    for (uint32_t c = 0; c < meter->manifest->class_count; c++) {
        double others = n - (double)meter->manifest->classes[c].records;
        double missing = others < b ? 0
                                    : exp(lgamma_r(others + 1, &sign) - lgamma_r(others - b + 1, &sign) -
                                          lgamma_r(n + 1, &sign) + lgamma_r(n - b + 1, &sign));
        sum += 1 - missing;
    }
    return sum;
}

/* The records of the batch that begins at `place`. */
static void draw(const struct meter *meter, uint64_t place, uint64_t *ret_records)
{
    const struct dls_order_config *order = meter->order;
    struct group group;

    if (order->mode == DLS_ORDER_WINDOW)
        find_group(order, place, &group);
    for (uint64_t i = 0; i < meter->batch; i++, place++) {
        if (order->mode == DLS_ORDER_NONE)
            ret_records[i] = place;
        else if (order->mode == DLS_ORDER_FULL)
            ret_records[i] = dls_permute_at(&meter->full[0], place);
        else {
            if (place == group.place + group.total)
                next_group(order, &group);
            ret_records[i] = record_in(order, &group, place);
        }
    }
}

static int prepare(struct meter *meter, uint64_t **ret_records)
{
    const struct dls_manifest *manifest = meter->manifest;
    const uint64_t key = manifest->seed;
    struct dls_stretch stretch;
    uint64_t end = 0;

    meter->class_ends =
        dls_alloc_array(DLS_MEM_ORDER, manifest->class_count + 1ull, sizeof(*meter->class_ends));
    meter->stamps = dls_alloc_array(DLS_MEM_ORDER, manifest->class_count + 1ull, sizeof(*meter->stamps));
    meter->mates = dls_alloc_array(DLS_MEM_ORDER, meter->batch, sizeof(*meter->mates));
    *ret_records = dls_alloc_array(DLS_MEM_ORDER, meter->batch, sizeof(**ret_records));
    if (meter->class_ends == NULL || meter->stamps == NULL || meter->mates == NULL || *ret_records == NULL)
        return -ENOMEM;
    for (uint32_t c = 0; c < manifest->class_count; c++)
        meter->class_ends[c] = end += manifest->classes[c].records;
    dls_permute_init(&meter->packed, manifest->records, dls_mix64(key, 1), dls_mix64(key, 2));
    for (uint64_t epoch = 0; epoch < 2; epoch++)
        dls_order_full(meter->order, epoch, &meter->full[epoch]);
    if (meter->order->mode == DLS_ORDER_WINDOW) {
        dls_stretch_get(meter->order, 1, 0, &stretch);
        meter->shards = stretch.order;
        meter->together = likely_together(meter);
    }
    return 0;
}

int dls_quality_measure(const struct dls_order_config *order, const struct dls_manifest *manifest,
                        uint32_t batch, dls_quality *ret_quality)
{
    struct meter meter = {.order = order, .manifest = manifest, .batch = dls_min64(batch, manifest->records)};
    uint64_t *records = NULL, batches;
    double classes = 0, mates = 0;
    int r;

    ret_quality->classes = ret_quality->classes_expected = 0;
    ret_quality->mates = ret_quality->mates_expected = ret_quality->lag = 0;
    if (manifest->records < 2 || batch == 0)
        return 0;
    r = prepare(&meter, &records);
    batches = dls_max64(
        dls_min64(dls_min64(SAMPLES_MOST / meter.batch, BATCHES_MOST), manifest->records / meter.batch), 1);
    for (uint64_t i = 0; r == 0 && i < batches; i++) {
        draw(&meter, (manifest->records - meter.batch) / batches * i, records);
        classes += look_at(&meter, records, (uint32_t)i + 1);
        mates += repeated(&meter, records);
    }
    if (r == 0) {
        ret_quality->classes = classes / (double)batches;
        ret_quality->classes_expected = expected_classes(&meter);
        ret_quality->mates_expected = (double)(meter.batch - 1) / (double)(manifest->records - 1);
        /* Samples of different groups can meet in a batch, too, which matters where these are few. */
        ret_quality->mates = fmax(mates / (double)batches, ret_quality->mates_expected);
        ret_quality->lag = correlation(&meter.lag);
    }
    dls_free(meter.class_ends);
    dls_free(meter.stamps);
    dls_free(meter.mates);
    dls_free(records);
    return r;
}
