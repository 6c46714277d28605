/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_kernel.h"

#define HALF (1 << (DLS_WEIGHT_BITS - 1))

static inline uint8_t clip(int32_t sum)
{
    int32_t value = sum >> DLS_WEIGHT_BITS;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static bool usable(void)
{
    return true;
}

static size_t no_size(const struct dls_axis *axis)
{
    return 0;
}

static void no_pack(const struct dls_axis *axis, void *packed)
{
}

static void horizontal(const struct dls_resize_table *table, const uint8_t *from, uint8_t *to)
{
    const struct dls_axis *axis = &table->axis;
    const int32_t *weights = axis->weights;
    for (uint32_t i = 0; i < axis->key.count; i++, weights += axis->pitch, to += 3) {
        const uint8_t *in = from + 3 * (size_t)axis->spans[i].start;
        int32_t r = HALF, g = HALF, b = HALF;
        for (uint32_t t = 0; t < axis->spans[i].length; t++, in += 3) {
            r += weights[t] * in[0];
            g += weights[t] * in[1];
            b += weights[t] * in[2];
        }
        to[0] = clip(r);
        to[1] = clip(g);
        to[2] = clip(b);
    }
}

/* A run of bytes at a time, so that their sums stay in the first cache while the rows pass. */
#define RUN 256

static void vertical(const struct dls_resize_table *table, uint32_t index, const uint8_t *const *rows,
                     uint8_t *to, size_t size)
{
    const int32_t *weights = table->axis.weights + (size_t)index * table->axis.pitch;
    int32_t sums[RUN];
    for (size_t at = 0; at < size; at += RUN) {
        size_t run = size - at < RUN ? size - at : RUN;
        for (size_t x = 0; x < run; x++)
            sums[x] = HALF;
        for (uint32_t t = 0; t < table->axis.spans[index].length; t++) {
            const uint8_t *row = rows[t] + at;
            int32_t weight = weights[t];
            for (size_t x = 0; x < run; x++)
                sums[x] += weight * row[x];
        }
        for (size_t x = 0; x < run; x++)
            to[at + x] = clip(sums[x]);
    }
}

const struct dls_resize_kernel dls_resize_portable = {
    .name = "portable",
    .usable = usable,
    .weigh = dls_weigh_portable,
    .horizontal_size = no_size,
    .pack_horizontal = no_pack,
    .vertical_size = no_size,
    .pack_vertical = no_pack,
    .horizontal = horizontal,
    .vertical = vertical,
};
