/* SPDX-License-Identifier: Apache-2.0 */
#include "image/geometry.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static const struct dls_random_crop usual = {0.08, 1, 0.75, 4.0 / 3};

static struct dls_box choose(dls_crop crop, uint32_t width, uint32_t height, uint32_t to_width,
                             uint32_t to_height, struct dls_rng *rng)
{
    struct dls_view view;
    dls_view_choose(&(struct dls_crop_spec){crop, usual, 0, to_width, to_height, false}, width, height, rng, &view);
    cr_assert_not(view.flip);
    cr_assert(view.box.width >= 1 && view.box.width <= width && view.box.x <= width - view.box.width);
    cr_assert(view.box.height >= 1 && view.box.height <= height && view.box.y <= height - view.box.height);
    return view.box;
}

static void expect_box(struct dls_box box, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    cr_expect(box.x == x && box.y == y && box.width == width && box.height == height,
              "%u,%u %u×%u, not %u,%u %u×%u", box.x, box.y, box.width, box.height, x, y, width, height);
}

Test(geometry, squash_takes_all)
{
    struct dls_rng rng, untouched;
    dls_rng_init(&rng, 0, 0, 0);
    untouched = rng;
    expect_box(choose(DLS_CROP_SQUASH, 500, 375, 224, 224, &rng), 0, 0, 500, 375);
    expect_box(choose(DLS_CROP_SQUASH, 1, 1, 224, 100, &rng), 0, 0, 1, 1);
    cr_assert_eq(dls_rng_u64(&rng), dls_rng_u64(&untouched), "no random number was needed");
}

Test(geometry, center_keeps_the_targets_ratio)
{
    struct dls_rng rng;
    dls_rng_init(&rng, 0, 0, 0);
    expect_box(choose(DLS_CROP_CENTER, 500, 375, 224, 224, &rng), 62, 0, 375, 375);
    expect_box(choose(DLS_CROP_CENTER, 375, 500, 224, 224, &rng), 0, 62, 375, 375);
    expect_box(choose(DLS_CROP_CENTER, 400, 300, 200, 150, &rng), 0, 0, 400, 300);
    expect_box(choose(DLS_CROP_CENTER, 400, 400, 200, 150, &rng), 0, 50, 400, 300);
    expect_box(choose(DLS_CROP_CENTER, 400, 400, 150, 200, &rng), 50, 0, 300, 400);
    expect_box(choose(DLS_CROP_CENTER, 10000, 1, 1, 16384, &rng), 4999, 0, 1, 1);
    expect_box(choose(DLS_CROP_CENTER, 1, 10000, 16384, 1, &rng), 0, 4999, 1, 1);
    expect_box(choose(DLS_CROP_CENTER, 4000000000u, 4000000000u, 2, 1, &rng), 0, 1000000000, 4000000000u,
               2000000000);
}

/* No box of these ratios fits such pictures, except the thinnest: torchvision's central fallback. */
Test(geometry, fallback_is_central)
{
    struct dls_rng rng;
    for (uint64_t i = 0; i < 200; i++) {
        dls_rng_init(&rng, 1, i, 0);
        /* Ten tries of at least 0.08 × 10^6 × ratio: a side of 244 or more never fits one of 100. */
        expect_box(choose(DLS_CROP_RANDOM, 10000, 100, 224, 224, &rng), 4933, 0, 133, 100);
        expect_box(choose(DLS_CROP_RANDOM, 100, 10000, 224, 224, &rng), 0, 4933, 100, 133);
        expect_box(choose(DLS_CROP_RANDOM, 1000, 1, 224, 224, &rng), 499, 0, 1, 1);
        expect_box(choose(DLS_CROP_RANDOM, 1, 1, 224, 224, &rng), 0, 0, 1, 1);
    }
    /* A ratio range that the picture's own ratio lies in, and boxes larger than it: the whole picture. */
    const struct dls_random_crop huge = {4.0, 5.0, 0.5, 2.0};
    struct dls_box box;
    dls_box_random(&huge, 60, 50, &rng, &box);
    expect_box(box, 0, 0, 60, 50);
}

Test(geometry, same_numbers_give_the_same_view)
{
    for (uint64_t item = 0; item < 100; item++) {
        struct dls_rng a, b;
        struct dls_view one, two;
        dls_rng_init(&a, 1, 2, item);
        dls_rng_init(&b, 1, 2, item);
        dls_view_choose(&(struct dls_crop_spec){DLS_CROP_RANDOM, usual, 0, 224, 224, true}, 500, 375, &a, &one);
        dls_view_choose(&(struct dls_crop_spec){DLS_CROP_RANDOM, usual, 0, 10, 20, true}, 500, 375, &b, &two);
        cr_assert_eq(one.flip, two.flip);
        expect_box(one.box, two.box.x, two.box.y, two.box.width, two.box.height);
    }
}

Test(geometry, half_are_flipped)
{
    for (int crop = 0; crop < 3; crop++) {
        unsigned flips = 0;
        for (uint64_t item = 0; item < 20000; item++) {
            struct dls_rng rng;
            struct dls_view view;
            dls_rng_init(&rng, 9, 9, item);
            dls_view_choose(&(struct dls_crop_spec){(dls_crop)crop, usual, 0, 224, 224, true}, 500, 375, &rng, &view);
            flips += view.flip;
        }
        cr_assert(flips > 10000 - 350 && flips < 10000 + 350, "%u of 20000", flips); /* five sigma */
    }
}

/* The definition of RandomResizedCrop.get_params() in the words of its documentation, with the C library's
 * random numbers; only the distribution of its boxes can be compared. */
static struct dls_box defined_box(double width, double height)
{
    double i, j, w, h;
    for (int attempt = 0; attempt < 10; attempt++) {
        double share = 0.08 + (1.0 - 0.08) * drand48();
        double ratio = pow(4.0 / 3.0, 2 * drand48() - 1);
        w = rint(sqrt(width * height * share * ratio));
        h = rint(sqrt(width * height * share / ratio));
        if (w > 0 && w <= width && h > 0 && h <= height) {
            i = floor(drand48() * (height - h + 1));
            j = floor(drand48() * (width - w + 1));
            return (struct dls_box){(uint32_t)j, (uint32_t)i, (uint32_t)w, (uint32_t)h};
        }
    }
    w = width, h = height;
    if (width / height < 0.75)
        h = rint(width / 0.75);
    else if (width / height > 4.0 / 3.0)
        w = rint(height * (4.0 / 3.0));
    return (struct dls_box){(uint32_t)floor((width - w) / 2), (uint32_t)floor((height - h) / 2), (uint32_t)w,
                            (uint32_t)h};
}

#define BINS 24

static unsigned bin_of(double share)
{
    return share >= 1 ? BINS - 1 : share > 0 ? (unsigned)(share * BINS) : 0;
}

/* Counts of width, height, place and ratio, each over BINS equal parts of what it can be. */
static void count(struct dls_box box, double width, double height, unsigned bins[5][BINS])
{
    bins[0][bin_of(box.width / width)]++;
    bins[1][bin_of(box.height / height)]++;
    bins[2][bin_of(box.x / (width - box.width + 1))]++;
    bins[3][bin_of(box.y / (height - box.height + 1))]++;
    bins[4][bin_of(log((double)box.width / box.height) / log(16.0 / 9.0) + 0.5)]++;
}

static void compare_distributions(uint32_t width, uint32_t height)
{
    enum { BOXES = 60000 };
    unsigned ours[5][BINS] = {{0}}, defined[5][BINS] = {{0}};
    for (uint64_t item = 0; item < BOXES; item++) {
        struct dls_rng rng;
        dls_rng_init(&rng, 77, width, item);
        count(choose(DLS_CROP_RANDOM, width, height, 224, 224, &rng), width, height, ours);
        count(defined_box(width, height), width, height, defined);
    }
    for (unsigned d = 0; d < 5; d++) {
        double chi2 = 0, df = -1;
        for (unsigned b = 0; b < BINS; b++) {
            double a = ours[d][b], e = defined[d][b];
            if (a + e < 20)
                continue;
            chi2 += (a - e) * (a - e) / (a + e);
            df++;
        }
        cr_expect_leq(chi2, (df < 1 ? 1 : df) + 5 * sqrt(2 * (df < 1 ? 1 : df)),
                      "%u×%u, measure %u: chi2 %.1f of %.0f", width, height, d, chi2, df);
    }
}

Test(geometry, random_boxes_are_distributed_as_defined)
{
    srand48(3);
    compare_distributions(500, 375);
    compare_distributions(375, 500);
    compare_distributions(224, 224);
    compare_distributions(1000, 300); /* many tries fail */
    compare_distributions(1600, 200); /* most end in the fallback */
    compare_distributions(12, 9);     /* rounding to pixels matters */
}

Test(geometry, other_ranges)
{
    const struct dls_random_crop quarter = {0.25, 0.25, 1.0, 1.0};
    struct dls_rng rng;
    unsigned corners = 0;
    dls_rng_init(&rng, 4, 4, 4);
    for (int i = 0; i < 2000; i++) {
        struct dls_box box;
        dls_box_random(&quarter, 4, 4, &rng, &box);
        cr_assert(box.width == 2 && box.height == 2 && box.x <= 2 && box.y <= 2);
        corners += box.x == 0 && box.y == 0;
    }
    cr_assert(corners > 222 - 75 && corners < 222 + 75, "%u of 2000 where a ninth is due", corners);
}

/* Numbers of torchvision 0.29: the size that Resize(shorter) gives, and where CenterCrop begins. */
Test(geometry, resize_and_center_crop_round_as_torchvision)
{
    static const struct {
        uint32_t width, height, shorter, to_width, to_height, resized_width, resized_height;
        int32_t left, top;
    } cases[] = {
        {500, 375, 256, 224, 224, 341, 256, -58, -16}, {375, 500, 256, 224, 224, 256, 341, -16, -58},
        {501, 333, 257, 224, 200, 386, 257, -81, -28}, {1000, 7, 64, 64, 30, 9142, 64, -4539, -17},
        {224, 224, 256, 224, 224, 256, 256, -16, -16}, {333, 500, 232, 224, 224, 232, 348, -4, -62},
        {100, 99, 255, 224, 254, 257, 255, -16, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct dls_crop_spec spec = {DLS_CROP_CENTER, usual, cases[i].shorter, cases[i].to_width,
                                           cases[i].to_height, false};
        struct dls_view view;
        dls_view_choose(&spec, cases[i].width, cases[i].height, NULL, &view);
        expect_box(view.box, 0, 0, cases[i].width, cases[i].height);
        cr_expect(view.resized_width == cases[i].resized_width && view.resized_height == cases[i].resized_height,
                  "case %zu: %u × %u", i, view.resized_width, view.resized_height);
        cr_expect(view.left == cases[i].left && view.top == cases[i].top, "case %zu: %d, %d", i, view.left, view.top);
    }
}

/* Numbers of Pillow 13's ImageOps.pad(). */
Test(geometry, padding_rounds_as_pillow)
{
    static const struct {
        uint32_t width, height, to_width, to_height, resized_width, resized_height;
        int32_t left, top;
    } cases[] = {
        {500, 375, 224, 224, 224, 168, 0, 28}, {375, 500, 224, 224, 168, 224, 28, 0},
        {500, 375, 224, 100, 133, 100, 46, 0}, {1000, 3, 224, 224, 224, 1, 0, 112},
        {30, 20, 60, 40, 60, 40, 0, 0},        {31, 20, 60, 40, 60, 39, 0, 0},
        {7, 1000, 100, 50, 1, 50, 50, 0}, /* Pillow's has no width here, and shows nothing */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct dls_crop_spec spec = {DLS_CROP_PAD, usual, 0, cases[i].to_width, cases[i].to_height, false};
        struct dls_box part;
        struct dls_view view;
        uint32_t left, top;
        dls_view_choose(&spec, cases[i].width, cases[i].height, NULL, &view);
        cr_expect(view.resized_width == cases[i].resized_width && view.resized_height == cases[i].resized_height,
                  "case %zu: %u × %u", i, view.resized_width, view.resized_height);
        cr_expect(view.left == cases[i].left && view.top == cases[i].top, "case %zu: %d, %d", i, view.left, view.top);
        cr_assert(dls_view_part(&view, spec.width, spec.height, &part, &left, &top));
        expect_box(part, 0, 0, view.resized_width, view.resized_height);
    }
}

Test(geometry, ten_views_are_four_corners_and_the_center_twice)
{
    const struct dls_crop_spec spec = {DLS_CROP_TEN, usual, 70, 60, 40, false};
    /* 101 × 70 of 1010 × 700; 41 and 30 pixels are left over, so the middle begins at 20 (of 20.5) and 15. */
    static const int32_t left[10] = {0, -41, 0, -41, -20, -41, 0, -41, 0, -21};
    static const int32_t top[10] = {0, 0, -30, -30, -15, 0, 0, -30, -30, -15};
    cr_assert(dls_crop_views(DLS_CROP_TEN) == 10 && dls_crop_views(DLS_CROP_FIVE) == 5 &&
              dls_crop_views(DLS_CROP_PAD) == 1);
    for (uint32_t index = 0; index < 10; index++) {
        struct dls_view view;
        dls_view_choose(&spec, 1010, 700, NULL, &view);
        dls_view_turn(&spec, index, &view);
        cr_expect(view.left == left[index] && view.top == top[index], "view %u: %d, %d", index, view.left, view.top);
        cr_expect_eq(view.flip, index >= 5);
    }
}

Test(geometry, parts_of_a_view_outside_of_the_image_are_cut_off)
{
    struct dls_view view = {.resized_width = 10, .resized_height = 20, .left = -3, .top = 5};
    struct dls_box part;
    uint32_t left, top;

    cr_assert(dls_view_part(&view, 5, 100, &part, &left, &top));
    expect_box(part, 3, 0, 5, 20);
    cr_assert(left == 0 && top == 5);
    cr_assert(dls_view_part(&view, 100, 6, &part, &left, &top));
    expect_box(part, 3, 0, 7, 1);
    cr_assert_not(dls_view_part(&view, 100, 5, &part, &left, &top));
    view.left = -10;
    cr_assert_not(dls_view_part(&view, 100, 100, &part, &left, &top));
    view.left = INT32_MIN;
    cr_assert_not(dls_view_part(&view, 100, 100, &part, &left, &top));
}
