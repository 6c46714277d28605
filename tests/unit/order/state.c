/* SPDX-License-Identifier: Apache-2.0 */
#include "order/state.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

#include <criterion/criterion.h>
#include <string.h>

static struct dls_state sample(void)
{
    struct dls_state state = {.seed = 0x1122334455667788,
                              .mode = DLS_ORDER_WINDOW,
                              .window = 12,
                              .first_epoch = 2,
                              .epoch = 7,
                              .batches = 99,
                              .progress = {.count = 2, .turns = {{4, 1000}, {3, 77}}}};
    memset(state.uuid, 0xab, sizeof(state.uuid));
    return state;
}

Test(state, comes_back_as_it_was_written)
{
    struct dls_state state = sample(), got;
    uint8_t bytes[DLS_STATE_MAX];

    for (int finished = 0; finished < 2; finished++) {
        state.finished = finished;
        size_t length = dls_state_format(&state, bytes);
        cr_assert_eq(length, 136);
        memset(&got, 0x55, sizeof(got));
        cr_assert_eq(dls_state_parse(bytes, length, &got), 0, "%s", dls_err_text());
        cr_assert(got.seed == state.seed && got.mode == state.mode && got.window == 12);
        cr_assert(got.first_epoch == 2 && got.epoch == 7 && got.batches == 99 && got.finished == finished);
        cr_assert_eq(got.progress.count, 2);
        cr_assert(got.progress.turns[0].ranks == 4 && got.progress.turns[0].samples == 1000);
        cr_assert(got.progress.turns[1].ranks == 3 && got.progress.turns[1].samples == 77);
        cr_assert_arr_eq(got.uuid, state.uuid, 16);
    }
}

Test(state, the_longest_is_below_a_kilobyte)
{
    struct dls_state state = sample();
    uint8_t bytes[DLS_STATE_MAX];

    cr_assert_lt(DLS_STATE_MAX, 1024);
    state.progress.count = 0;
    for (uint32_t i = 0; i < DLS_TURNS_MAX; i++)
        cr_assert_eq(dls_progress_add(&state.progress, 1 + i % 2, 5), 0);
    cr_assert_eq(dls_progress_add(&state.progress, 2, 5), 0);
    cr_assert_eq(state.progress.turns[DLS_TURNS_MAX - 1].samples, 10);
    cr_assert_eq(dls_progress_add(&state.progress, 3, 5), -EOVERFLOW);
    cr_assert_eq(dls_progress_add(&state.progress, 3, 0), 0);
    cr_assert_eq(dls_state_format(&state, bytes), DLS_STATE_MAX);
    cr_assert_eq(dls_state_parse(bytes, DLS_STATE_MAX, &state), 0);
}

Test(state, damage_is_refused)
{
    struct dls_state state = sample(), got;
    uint8_t bytes[DLS_STATE_MAX + 1] = {0};
    size_t length = dls_state_format(&state, bytes);

    for (size_t bit = 0; bit < 8 * length; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        int r = dls_state_parse(bytes, length, &got);
        cr_assert(r == -EINVAL || (r == -ENOTSUP && bit / 8 >= 8 && bit / 8 < 12), "bit %zu", bit);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t cut = 0; cut < length; cut++)
        cr_assert_eq(dls_state_parse(bytes, cut, &got), -EINVAL);
    cr_assert_eq(dls_state_parse(bytes, length + 1, &got), -EINVAL);
}

/* With a checksum that is right. */
static int parse_with(size_t at, uint32_t value)
{
    struct dls_state state = sample();
    uint8_t bytes[DLS_STATE_MAX];
    size_t length = dls_state_format(&state, bytes);

    dls_put32(bytes + at, value);
    dls_put64(bytes + length - 8, dls_hash64(bytes, length - 8));
    return dls_state_parse(bytes, length, &state);
}

Test(state, impossible_members_are_refused)
{
    cr_assert_eq(parse_with(72, DLS_ORDER_WINDOW), 0);
    cr_assert_eq(parse_with(72, DLS_ORDER_AUTO), -EINVAL);
    cr_assert_eq(parse_with(72, 77), -EINVAL);
    cr_assert_eq(parse_with(80, 2), -EINVAL);
    cr_assert_eq(parse_with(84, 57), -EINVAL);
    cr_assert_eq(parse_with(96, 0), -EINVAL);
    cr_assert_eq(parse_with(96, DLS_RANKS_MAX + 1), -EINVAL);
    cr_assert_eq(parse_with(96, 3), -EINVAL); /* the same as the turn behind it */
    cr_assert_eq(parse_with(40, 8), -EINVAL); /* a first epoch behind the present one */
}
