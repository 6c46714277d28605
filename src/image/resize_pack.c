/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_pack.h"

#include <string.h>

size_t dls_pairs_size(const struct dls_axis *axis, uint32_t lanes)
{
    size_t vectors = (axis->key.count + 4 * lanes - 1) / (4 * lanes) * 4;
    return dls_pairs_starts_size(axis, lanes) + vectors * dls_groups(axis) * 4 * lanes * 16;
}

/* Four times each of a lane's four pairs; `to` is the lane's place in the first of four vectors. */
static void put_lane(const int32_t weights[4], uint32_t lanes, int32_t *to)
{
    const int32_t pairs[4] = {dls_high_pair(weights[0], weights[1]), dls_low_pair(weights[0], weights[1]),
                              dls_high_pair(weights[2], weights[3]), dls_low_pair(weights[2], weights[3])};
    for (unsigned p = 0; p < 4; p++, to += 4 * lanes)
        to[0] = to[1] = to[2] = to[3] = pairs[p];
}

void dls_pairs_pack(const struct dls_axis *axis, uint32_t lanes, void *packed)
{
    uint32_t groups = dls_groups(axis), reach = dls_reach(axis), block = 4 * lanes;
    uint32_t *starts = packed;
    int32_t *vectors = (int32_t *)((uint8_t *)packed + dls_pairs_starts_size(axis, lanes));
    for (uint32_t first = 0; first < axis->key.count; first += block)
        for (uint32_t p = 0; p < block; p++) {
            uint32_t i = first + p;
            uint32_t start = i < axis->key.count ? dls_group_start(axis, i, reach) : 0;
            int32_t *to = vectors + ((size_t)first / block * 4 + p % 4) * groups * 16 * lanes + p / 4 * 4;
            starts[i] = 3 * start;
            for (uint32_t g = 0; g < groups; g++, to += 16 * lanes) {
                int32_t weights[4] = {0};
                for (uint32_t t = 0; t < 4 && i < axis->key.count; t++)
                    weights[t] = dls_weight(axis, i, start + 4 * g + t);
                put_lane(weights, lanes, to);
            }
        }
}

size_t dls_columns_size(const struct dls_axis *axis)
{
    return (size_t)axis->key.count * dls_column_pairs(axis) * 2 * sizeof(int32_t);
}

void dls_columns_pack(const struct dls_axis *axis, void *packed)
{
    int32_t *to = packed;
    for (uint32_t i = 0; i < axis->key.count; i++)
        for (uint32_t t = 0; t < axis->taps; t += 2, to += 2) {
            const int32_t *weights = axis->weights + (size_t)i * axis->pitch + t;
            int32_t second = t + 1 < axis->taps ? weights[1] : 0;
            to[0] = dls_high_pair(weights[0], second);
            to[1] = dls_low_pair(weights[0], second);
        }
}
