/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/plan.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct dls_plan_facts facts = {
    .records = 100000,
    .blocks = 1000,
    .shards = 8,
    .largest_block = 8 << 20,
    .directory_bytes = 10000,
    .largest_image = 500000,
    .max_width = 1000,
    .max_height = 800,
    .max_pixels = 1000 * 800,
    .machine_bytes = 64ull << 30,
    .cpus = 4,
    .has_image = true,
};

static int plan_with(const struct dls_plan_facts *f, uint64_t memory, uint32_t window,
                     struct dls_plan *ret_plan)
{
    dls_loader_params p = {
        .struct_size = sizeof(p), .batch_size = 64, .memory_bytes = memory, .window_blocks = window};
    return dls_plan_make(&p, f, ret_plan);
}

static uint64_t sum(const struct dls_plan *plan)
{
    return plan->window_bytes + plan->ring_bytes + plan->other_bytes + plan->pixels_bytes;
}

/* The least that the error text names. */
static uint64_t named_minimum(void)
{
    unsigned long long least = 0;
    const char *at = strstr(dls_err_text(), "at least ");

    cr_assert_not_null(at, "%s", dls_err_text());
    cr_assert_eq(sscanf(at, "at least %llu are needed", &least), 1);
    return least;
}

Test(budget, by_default_half_the_memory_holds_the_window_twice)
{
    struct dls_plan plan;

    cr_assert_eq(plan_with(&facts, 1ull << 30, 0, &plan), 0);
    cr_assert_eq(plan.params.window_blocks, 24); /* 512 MiB would hold 32 pairs: 24 at most */
    cr_assert_eq(plan.window_bytes, 49ull * facts.largest_block);
    cr_assert_eq(sum(&plan), 1ull << 30);
    cr_assert_eq(plan_with(&facts, 256ull << 20, 0, &plan), 0);
    cr_assert_eq(plan.params.window_blocks, 8); /* 128 MiB / (2 × 8 MiB) */
    cr_assert_eq(plan_with(&facts, 10ull << 30, 0, &plan), 0);
    cr_assert_eq(plan.params.window_blocks, 24);
}

Test(budget, a_group_is_never_larger_than_the_dataset)
{
    struct dls_plan_facts f = facts;
    struct dls_plan plan;

    f.blocks = 3;
    cr_assert_eq(plan_with(&f, 1ull << 30, 0, &plan), 0);
    cr_assert_eq(plan.params.window_blocks, 3);
    cr_assert_eq(plan_with(&f, 1ull << 30, 100, &plan), 0);
    cr_assert_eq(plan.params.window_blocks, 3);
    f.blocks = f.records = f.largest_block = 0;
    cr_assert_eq(plan_with(&f, 1ull << 30, 0, &plan), 0);
    cr_assert_eq(plan.params.window_blocks, 1);
}

Test(budget, one_byte_too_small_names_the_least_and_that_works)
{
    for (uint32_t window = 0; window <= 20; window += 5) {
        struct dls_plan plan;
        uint64_t least;
        cr_assert_eq(plan_with(&facts, 1, window, &plan), -ENOMEM);
        least = named_minimum();
        cr_assert_eq(plan_with(&facts, least - 1, window, &plan), -ENOMEM);
        cr_assert_eq(named_minimum(), least);
        cr_assert_eq(plan_with(&facts, least, window, &plan), 0, "%s", dls_err_text());
        cr_assert_eq(plan.params.window_blocks, window == 0 ? 1 : window);
        cr_assert_eq(plan.window_bytes, (plan.params.window_blocks + 1ull) * facts.largest_block);
        cr_assert_eq(plan.pixels_bytes, plan.picture_bytes);
        cr_assert_eq(sum(&plan), least);
    }
}

Test(budget, what_is_left_is_for_pictures)
{
    struct dls_plan plan;

    cr_assert_eq(plan_with(&facts, 2ull << 30, 4, &plan), 0);
    cr_assert_eq(plan.window_bytes, 9ull * facts.largest_block);
    cr_assert_eq(sum(&plan), 2ull << 30);
    cr_assert_gt(plan.pixels_bytes, 1ull << 30);
}

Test(budget, nothing_is_kept_for_pictures_that_are_not_decoded)
{
    dls_loader_params p = {.struct_size = sizeof(p), .no_decode = 1};
    struct dls_plan plan;

    cr_assert_eq(dls_plan_make(&p, &facts, &plan), 0);
    cr_assert(plan.pixels_bytes == 0 && plan.picture_bytes == 0);
    cr_assert_eq(plan.ring_bytes, 4 * 8192);
    cr_assert_leq(sum(&plan), plan.params.memory_bytes);
}

Test(budget, a_huge_picture_raises_the_least)
{
    struct dls_plan_facts huge = facts;
    struct dls_plan plan;

    huge.max_width = 40000;
    huge.max_height = 30000;
    huge.max_pixels = 40000ull * 30000;
    cr_assert_eq(plan_with(&huge, 1ull << 30, 0, &plan), -ENOMEM);
    cr_assert_gt(named_minimum(), 40000ull * 30000 * 14);
    cr_assert_not_null(strstr(dls_err_text(), "for a picture of 1200000000 pixels"));
}

/* Pins a flaw: the width of a panorama and the height of another picture were charged as if one picture had
 * both. */
Test(budget, a_wide_and_a_tall_picture_are_not_one_huge_picture)
{
    struct dls_plan_facts both = facts;
    struct dls_plan plan;

    both.max_width = 65500;
    both.max_height = 60000;
    cr_assert_eq(plan_with(&both, 1ull << 30, 0, &plan), 0);
    cr_assert_lt(plan.picture_bytes, 1000 * 800 * 14 + 500000 + 65500 * 64 + 65536);
}

Test(budget, numbers_beyond_64_bits_do_not_wrap)
{
    struct dls_plan_facts f = facts;
    struct dls_plan plan;

    f.largest_block = UINT64_MAX / 2;
    cr_assert_eq(plan_with(&f, UINT64_MAX - 1, 16, &plan), -ENOMEM);
    f = facts;
    f.max_width = f.max_height = f.max_pixels = UINT64_MAX;
    cr_assert_eq(plan_with(&f, 1ull << 40, 0, &plan), -ENOMEM);
    f = facts;
    f.directory_bytes = UINT64_MAX;
    cr_assert_eq(plan_with(&f, 1ull << 40, 0, &plan), -ENOMEM);
    f = facts;
    f.largest_table = UINT64_MAX;
    cr_assert_eq(plan_with(&f, 1ull << 40, 0, &plan), -ENOMEM);
    f = facts;
    f.shards = UINT64_MAX;
    cr_assert_eq(plan_with(&f, 1ull << 40, 0, &plan), -ENOMEM);
}

Test(budget, a_picture_is_charged_for_each_copy)
{
    struct dls_picture_need need = {
        .width = 4000, .height = 3000, .line = 4000, .box_width = 1000, .box_height = 500};
    uint64_t plain = dls_picture_bytes(&need);

    cr_assert_geq(plain, 1500000 + 16 * 4 * 4000); /* the box, and sixteen lines for the codec */
    cr_assert_lt(plain, 1500000 + 16 * 4 * 4000 + 4 * 4096);
    need.turned = true;
    cr_assert_geq(dls_picture_bytes(&need), plain + 1500000 - 4096);
    need.encoded = 1 << 20;
    cr_assert_geq(dls_picture_bytes(&need), plain + 1500000 + (1 << 20) - 4096);
    need.whole_in_codec = true;
    cr_assert_geq(dls_picture_bytes(&need), 96000000 + 3000000);
}

Test(budget, the_parts_of_a_picture_do_not_overlap)
{
    struct dls_picture_need need = {
        .encoded = 1001, .width = 333, .height = 77, .line = 333, .box_width = 100, .box_height = 7};

    for (int variant = 0; variant < 4; variant++) {
        struct dls_picture_parts parts;
        need.turned = variant & 1;
        need.whole_in_codec = variant & 2;
        dls_picture_divide(&need, &parts);
        cr_assert_geq(parts.box, 1001);
        cr_assert_geq(parts.turned, parts.box + 2100);
        cr_assert_geq(parts.codec, parts.turned + (need.turned ? 2100 : 0));
        cr_assert_geq(parts.codec_bytes, 16 * 4 * 333 + (need.whole_in_codec ? 8 * 333 * 77 : 0));
        cr_assert_geq(parts.total, parts.codec + parts.codec_bytes);
        cr_assert((parts.box | parts.turned | parts.codec) % 64 == 0 && parts.total % 4096 == 0);
        cr_assert_eq(parts.total, dls_picture_bytes(&need));
    }
}
