/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_axis.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void set(struct dls_axis *axis, enum dls_filter filter, uint32_t in, uint32_t out, bool flip)
{
    const struct dls_axis_key key = {.filter = filter, .in = in, .out = out, .count = out, .flip = flip};
    bool changed;
    cr_assert_eq(dls_axis_set(axis, &key, dls_weigh_portable, &changed), 0);
    cr_assert(changed);
}

/* Halving with a triangle two pixels wide each way: 1/8 3/8 3/8 1/8, and at the ends what is left of it,
 * scaled up. */
Test(resize_axis, bilinear_half)
{
    struct dls_axis axis = {0};
    set(&axis, DLS_FILTER_BILINEAR, 8, 4, false);
    static const uint32_t starts[4] = {0, 1, 3, 5}, lengths[4] = {3, 4, 4, 3};
    static const int32_t middle[4] = {1 << 19, 3 << 19, 3 << 19, 1 << 19};
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(axis.spans[i].start, starts[i]);
        cr_assert_eq(axis.spans[i].length, lengths[i]);
    }
    cr_assert_arr_eq(axis.weights + axis.pitch, middle, sizeof(middle));
    cr_assert_eq(axis.weights[0], (3 * 4194304 + 3) / 7);
    cr_assert_eq(axis.weights[2], (4194304 + 3) / 7);
    cr_assert_eq(axis.taps, 4);
    dls_axis_free(&axis);
}

Test(resize_axis, bicubic_double)
{
    struct dls_axis axis = {0};
    set(&axis, DLS_FILTER_BICUBIC, 4, 8, false);
    /* Result 3 lies at source 1.25 (pixel centres): the cubic at -1.25, -0.25, 0.75, 1.75. */
    static const int32_t expected[4] = {-294912, 3637248, 950272, -98304};
    cr_assert_eq(axis.spans[3].start, 0);
    cr_assert_eq(axis.spans[3].length, 4);
    cr_assert_arr_eq(axis.weights + 3 * axis.pitch, expected, sizeof(expected));
    dls_axis_free(&axis);
}

Test(resize_axis, weights_add_up_to_one_within_the_line)
{
    struct dls_axis axis = {0};
    for (uint32_t in = 1; in < 90; in++)
        for (uint32_t out = 1; out < 60; out += 3)
            for (int filter = 0; filter < 2; filter++) {
                set(&axis, filter, in, out, false);
                for (uint32_t i = 0; i < out; i++) {
                    int64_t sum = 0;
                    for (uint32_t t = 0; t < axis.pitch; t++)
                        sum += axis.weights[i * axis.pitch + t];
                    cr_assert_leq(llabs(sum - (1 << DLS_WEIGHT_BITS)), axis.taps);
                    cr_assert_leq(axis.spans[i].start + axis.spans[i].length, in);
                    cr_assert(axis.spans[i].length >= 1 && axis.spans[i].length <= axis.taps);
                }
            }
    dls_axis_free(&axis);
}

Test(resize_axis, flip_turns_the_entries_round)
{
    struct dls_axis plain = {0}, flipped = {0};
    set(&plain, DLS_FILTER_BICUBIC, 50, 31, false);
    set(&flipped, DLS_FILTER_BICUBIC, 50, 31, true);
    for (uint32_t i = 0; i < 31; i++) {
        cr_assert_eq(plain.spans[i].start, flipped.spans[30 - i].start);
        cr_assert_arr_eq(plain.weights + i * plain.pitch, flipped.weights + (30 - i) * flipped.pitch,
                         plain.pitch * sizeof(int32_t));
    }
    dls_axis_free(&plain);
    dls_axis_free(&flipped);
}

/* Gathered spans weigh the same pixels the same, and their groups end within the line. */
Test(resize_axis, gather_moves_only_the_starts)
{
    struct dls_axis plain = {0}, gathered = {0};
    for (uint32_t in = 1; in < 70; in += 3)
        for (uint32_t out = 1; out < 40; out += 2)
            for (int flip = 0; flip < 2; flip++) {
                struct dls_axis_key key = {
                    .filter = in % 2, .in = in, .out = out, .count = out, .flip = flip};
                bool changed;
                cr_assert_eq(dls_axis_set(&plain, &key, dls_weigh_portable, &changed), 0);
                key.gather = true;
                cr_assert_eq(dls_axis_set(&gathered, &key, dls_weigh_portable, &changed), 0);
                cr_assert_eq(plain.pitch, gathered.pitch);
                for (uint32_t i = 0; i < out; i++) {
                    struct dls_span a = plain.spans[i], b = gathered.spans[i];
                    cr_assert(b.start <= a.start && b.start + b.length == a.start + a.length);
                    cr_assert(b.start + gathered.pitch <= in ||
                              (b.start == 0 && gathered.pitch < in + DLS_GROUP));
                    cr_assert_arr_eq(gathered.weights + i * gathered.pitch + (a.start - b.start),
                                     plain.weights + i * plain.pitch, a.length * sizeof(int32_t));
                    for (uint32_t t = 0; t < a.start - b.start; t++)
                        cr_assert_eq(gathered.weights[i * gathered.pitch + t], 0);
                }
            }
    dls_axis_free(&plain);
    dls_axis_free(&gathered);
}

Test(resize_axis, same_key_is_kept)
{
    struct dls_axis axis = {0};
    struct dls_axis_key key = {.filter = DLS_FILTER_BILINEAR, .in = 10, .out = 5, .count = 5};
    bool changed = false;
    cr_assert_eq(dls_axis_set(&axis, &key, dls_weigh_portable, &changed), 0);
    cr_assert(changed);
    cr_assert_eq(dls_axis_set(&axis, &key, dls_weigh_portable, &changed), 0);
    cr_assert_not(changed);
    key.flip = true;
    cr_assert_eq(dls_axis_set(&axis, &key, dls_weigh_portable, &changed), 0);
    cr_assert(changed);
    dls_axis_free(&axis);
}

Test(resize_axis, reach_is_what_the_spans_cover)
{
    struct dls_axis axis = {0};
    for (uint32_t in = 1; in < 60; in += 2)
        for (uint32_t out = 1; out < 60; out += 5) {
            set(&axis, DLS_FILTER_BICUBIC, in, out, false);
            for (uint32_t first = 0; first < out; first += 3) {
                uint32_t start, count, last = out - 1;
                dls_axis_reach(DLS_FILTER_BICUBIC, in, out, first, out - first, &start, &count);
                cr_assert_eq(start, axis.spans[first].start);
                cr_assert_eq(start + count, axis.spans[last].start + axis.spans[last].length);
            }
        }
    dls_axis_free(&axis);
}

/* Four results of 2 pixels each, from pixel 3.5 on: the centre of the first is that of pixel 4. */
Test(resize_axis, a_part_that_begins_between_two_pixels)
{
    const struct dls_axis_key key = {.in = 16, .out = 4, .count = 4, .offset = 3.5, .span = 8};
    static const int32_t weights[4] = {1 << 20, 1 << 21, 1 << 20, 0};
    struct dls_axis axis = {0};
    uint32_t first, count;
    bool changed;

    cr_assert_eq(dls_axis_set(&axis, &key, dls_weigh_portable, &changed), 0);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(axis.spans[i].start, 3 + 2 * i);
        cr_assert_eq(axis.spans[i].length, 4);
        cr_assert_arr_eq(axis.weights + i * axis.pitch, weights, sizeof(weights));
    }
    dls_axis_need(&key, &first, &count);
    cr_assert(first == 3 && count == 10);
    struct dls_axis_key other = key;
    other.offset = 4;
    cr_assert_eq(dls_axis_set(&axis, &other, dls_weigh_portable, &changed), 0);
    cr_assert(changed);
    dls_axis_free(&axis);
}
