/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/choose.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct dls_finish finish;

static struct dls_chooser chooser_of(dls_loader_params *params)
{
    struct dls_chooser chooser;

    params->width = params->width ? params->width : 64;
    params->height = params->height ? params->height : 48;
    cr_assert_eq(dls_crop_resolve(params), 0, "%s", dls_err_text());
    cr_assert_eq(dls_finish_init(&finish, params), 0);
    dls_chooser_init(&chooser, params, &finish);
    return chooser;
}

static dls_loader_params everything_random(void)
{
    return (dls_loader_params){.crop = DLS_CROP_RANDOM,
                               .flip = 1,
                               .flip_vertical = 1,
                               .seed = 5,
                               .brightness = 0.4,
                               .contrast = 0.4,
                               .saturation = 0.4,
                               .hue = 0.1,
                               .grayscale = 0.3};
}

static dls_draw draw_of(const struct dls_chooser *chooser, uint64_t epoch, uint64_t record)
{
    struct dls_view view;
    struct dls_look look;
    dls_draw draw;

    memset(&draw, 0x55, sizeof(draw));
    cr_assert_eq(dls_choose(chooser, epoch, record, 300, 200, &view, &look), 0, "%s", dls_err_text());
    dls_draw_put(&view, &look, epoch, record, &draw);
    return draw;
}

Test(choose, draws_that_are_given_back_are_made_again)
{
    dls_loader_params params = everything_random(), plain = {.seed = 99};
    struct dls_chooser first = chooser_of(&params);
    dls_draw draws[200];
    unsigned flips = 0, turns = 0, grey = 0;

    for (uint64_t i = 0; i < 200; i++) {
        draws[i] = draw_of(&first, i / 50, 3 * (i % 50));
        flips += draws[i].flip;
        turns += draws[i].flip_vertical;
        grey += draws[i].grayscale;
        cr_assert_eq(draws[i].jitter, 4);
    }
    cr_assert(flips > 60 && flips < 140 && turns > 60 && turns < 140 && grey > 30 && grey < 90);
    plain.replay = draws;
    plain.replay_count = 200;
    struct dls_chooser again = chooser_of(&plain);
    for (uint64_t i = 0; i < 200; i++) {
        dls_draw draw = draw_of(&again, i / 50, 3 * (i % 50));
        cr_assert_eq(memcmp(&draw, &draws[i], sizeof(draw)), 0, "draw %lu", i);
    }
}

Test(choose, others_are_drawn_as_ever)
{
    dls_loader_params params = everything_random();
    struct dls_chooser first = chooser_of(&params);
    dls_draw one = draw_of(&first, 2, 7);

    one.flip ^= 1;
    one.jitter = 1;
    one.jitter_order[0] = 2;
    params.replay = &one;
    params.replay_count = 1;
    struct dls_chooser again = chooser_of(&params);
    for (uint64_t epoch = 1; epoch < 4; epoch++)
        for (uint64_t record = 5; record < 10; record++) {
            dls_draw a = draw_of(&first, epoch, record), b = draw_of(&again, epoch, record);
            bool same = memcmp(&a, &b, sizeof(a)) == 0;
            cr_assert_eq(same, epoch != 2 || record != 7);
        }
    dls_draw changed = draw_of(&again, 2, 7);
    cr_assert(changed.flip == one.flip && changed.jitter == 1 && changed.jitter_order[0] == 2);
    cr_assert(changed.jitter_factor[2] == one.jitter_factor[2] && changed.jitter_factor[0] == 1 &&
              changed.jitter_factor[3] == 0);
}

Test(choose, without_jitter_a_draw_says_so)
{
    dls_loader_params params = {.crop = DLS_CROP_CENTER, .resize = 70};
    struct dls_chooser chooser = chooser_of(&params);
    dls_draw draw = draw_of(&chooser, 1, 2);

    cr_assert(draw.epoch == 1 && draw.record == 2);
    cr_assert(draw.x == 0 && draw.y == 0 && draw.width == 300 && draw.height == 200);
    cr_assert(draw.resized_width == 105 && draw.resized_height == 70);
    cr_assert(draw.left == -20 && draw.top == -11); /* 20.5 and 11 */
    cr_assert(draw.flip == 0 && draw.flip_vertical == 0 && draw.grayscale == 0 && draw.jitter == 0);
    cr_assert(draw.jitter_factor[0] == 1 && draw.jitter_factor[1] == 1 && draw.jitter_factor[2] == 1 &&
              draw.jitter_factor[3] == 0);
}

Test(choose, draws_that_cannot_be_are_refused)
{
    const dls_draw good = {.width = 300,
                           .height = 200,
                           .resized_width = 64,
                           .resized_height = 48,
                           .jitter = 2,
                           .jitter_order = {3, 0},
                           .jitter_factor = {1, 1, 1, 0}};
    struct {
        size_t offset;
        uint64_t value;
        size_t size;
    } spoils[] = {
        {offsetof(dls_draw, width), 0, 4},          {offsetof(dls_draw, width), 301, 4},
        {offsetof(dls_draw, height), 201, 4},       {offsetof(dls_draw, x), 1, 4},
        {offsetof(dls_draw, y), UINT32_MAX, 4},     {offsetof(dls_draw, resized_width), 0, 4},
        {offsetof(dls_draw, resized_height), UINT32_MAX, 4}, {offsetof(dls_draw, left), 64, 4},
        {offsetof(dls_draw, top), (uint32_t)-48, 4}, {offsetof(dls_draw, jitter), 5, 1},
        {offsetof(dls_draw, jitter_order), 4, 1},   {offsetof(dls_draw, jitter_order), 0, 1},
    };
    struct dls_view view;
    struct dls_look look;
    dls_draw draw = good;
    dls_loader_params params = {.replay = &draw, .replay_count = 1};
    struct dls_chooser chooser = chooser_of(&params);

    cr_assert_eq(dls_choose(&chooser, 0, 0, 300, 200, &view, &look), 0);
    for (size_t i = 0; i < sizeof(spoils) / sizeof(*spoils); i++) {
        draw = good;
        memcpy((char *)&draw + spoils[i].offset, &spoils[i].value, spoils[i].size);
        cr_assert_eq(dls_choose(&chooser, 0, 0, 300, 200, &view, &look), -EINVAL, "case %zu", i);
        cr_assert_not_null(strstr(dls_err_text(), "replay"));
    }
    draw = good;
    draw.jitter_factor[3] = 0.6;
    cr_assert_eq(dls_choose(&chooser, 0, 0, 300, 200, &view, &look), -EINVAL);
    draw.jitter_factor[3] = NAN;
    cr_assert_eq(dls_choose(&chooser, 0, 0, 300, 200, &view, &look), -EINVAL);
}

Test(choose, replays_out_of_order_are_refused)
{
    dls_draw draws[3] = {{.epoch = 1, .record = 5}, {.epoch = 1, .record = 6}, {.epoch = 2, .record = 0}};
    dls_loader_params params = {.width = 4, .height = 4, .replay = draws, .replay_count = 3};

    cr_assert_eq(dls_crop_resolve(&params), 0);
    draws[1].record = 5;
    cr_assert_eq(dls_crop_resolve(&params), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "replay[1] is of epoch 1, record 5"));
    draws[1] = (dls_draw){.epoch = 3};
    cr_assert_eq(dls_crop_resolve(&params), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "replay[2]"));
}
