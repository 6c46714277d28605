/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/plan.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const struct dls_plan_facts facts = {
    .uuid = {1, 2, 3},
    .records = 1000,
    .blocks = 50,
    .shards = 2,
    .largest_block = 1 << 20,
    .directory_bytes = 4096,
    .largest_image = 100000,
    .max_width = 800,
    .max_height = 600,
    .max_pixels = 800 * 600,
    .machine_bytes = 64ull << 30,
    .cpus = 6,
    .has_image = true,
};

static dls_loader_params blank(void)
{
    return (dls_loader_params){.struct_size = sizeof(dls_loader_params)};
}

Test(params, zeros_become_the_documented_defaults)
{
    dls_loader_params p = blank();

    cr_assert_eq(dls_params_resolve(&p, &facts, &p), 0);
    cr_assert_eq(p.batch_size, 256);
    cr_assert(p.width == 224 && p.height == 224);
    cr_assert(p.crop == DLS_CROP_SQUASH && p.order == DLS_ORDER_WINDOW && p.tail == DLS_TAIL_DROP);
    cr_assert(p.world == 1 && p.rank == 0);
    cr_assert(p.flip == 0 && p.ignore_orientation == 0 && p.no_decode == 0 && p.no_verify == 0);
    cr_assert_eq(p.threads, 6);
    cr_assert_eq(p.ring_batches, 4);
    cr_assert_eq(p.memory_bytes, 1ull << 30);
    cr_assert(p.io_depth == 32 && p.io_bytes == 1 << 20);
    cr_assert_eq(p.epochs, UINT64_MAX);
}

Test(params, no_parameters_at_all_are_the_defaults_too)
{
    dls_loader_params p;

    cr_assert_eq(dls_params_resolve(NULL, &facts, &p), 0);
    cr_assert(p.batch_size == 256 && p.height == 224);
}

Test(params, height_follows_width_and_memory_follows_a_small_machine)
{
    dls_loader_params p = blank();
    struct dls_plan_facts small = facts;

    small.machine_bytes = 2ull << 30;
    small.cpus = 5000;
    p.width = 96;
    cr_assert_eq(dls_params_resolve(&p, &small, &p), 0);
    cr_assert_eq(p.height, 96);
    cr_assert_eq(p.memory_bytes, 512ull << 20);
    cr_assert_eq(p.threads, 1024);
}

Test(params, values_out_of_range_are_refused_by_name)
{
    static const struct {
        dls_loader_params params;
        const char *text;
    } cases[] = {
        {{.batch_size = 65537}, "batch_size is 65537: expected 1 to 65536"},
        {{.width = 16385}, "width is 16385: expected 1 to 16384"},
        {{.height = 20000}, "height is 20000: expected 1 to 16384"},
        {{.crop = (dls_crop)6}, "crop is 6: expected 0 to 5"},
        {{.crop = (dls_crop)-1}, "crop is 4294967295: expected 0 to 5"},
        {{.filter = (dls_filter)2}, "filter is 2: expected 0 to 1"},
        {{.resize = 16385}, "resize is 16385: expected 1 to 16384"},
        {{.resize = 256}, "resize is 256: expected crop CENTER, FIVE or TEN with it"},
        {{.crop = DLS_CROP_CENTER, .resize = 223}, "resize is 223: expected no less than width and height"},
        {{.crop = DLS_CROP_FIVE, .flip = 1}, "flip, flip_vertical or replay with crop FIVE or TEN"},
        {{.pad_color = 0x1000000}, "pad_color is 16777216"},
        {{.pad_color = 1}, "pad_color is given: expected crop PAD"},
        {{.crop_scale = {0, 1}}, "crop_scale is 0, 1"},
        {{.crop_scale = {0.5, 0.4}}, "crop_scale is 0.5, 0.4"},
        {{.crop_scale = {0.5, 1.1}}, "crop_scale is 0.5, 1.1"},
        {{.crop_ratio = {0, 2}}, "crop_ratio is 0, 2"},
        {{.crop_ratio = {1, NAN}}, "crop_ratio is 1, nan"},
        {{.draws = 2}, "draws is 2"},
        {{.on_error = (dls_on_error)3}, "on_error is 3: expected 0 to 2"},
        {{.strict = 2}, "strict is 2: expected 0 to 1"},
        {{.mask_pad = 256}, "mask_pad is 256"},
        {{.dct_scale = (dls_dct_scale)2}, "dct_scale is 2: expected 0 to 1"},
        {{.replay_count = 1}, "replay and replay_count contradict"},
        {{.flip = 2}, "flip is 2: expected 0 to 1"},
        {{.flip = -1}, "flip is 4294967295"},
        {{.ignore_orientation = 2}, "ignore_orientation is 2"},
        {{.no_decode = 7}, "no_decode is 7"},
        {{.no_verify = 7}, "no_verify is 7"},
        {{.order = (dls_order)9}, "order is 9: expected 0 to 3"},
        {{.world = 70000}, "world is 70000: expected 1 to 65536"},
        {{.world = 4, .rank = 4}, "rank is 4: expected less than world, which is 4"},
        {{.rank = 1}, "rank is 1: expected less than world, which is 0"},
        {{.window_blocks = 4097}, "window_blocks is 4097: expected 1 to 4096"},
        {{.tail = (dls_tail)3}, "tail is 3: expected 0 to 2"},
        {{.threads = 1025}, "threads is 1025: expected 1 to 1024"},
        {{.ring_batches = 1}, "ring_batches is 1: expected 2 to 64"},
        {{.ring_batches = 65}, "ring_batches is 65: expected 2 to 64"},
        {{.engine = (dls_engine)3}, "engine is 3"},
        {{.direct = (dls_direct)3}, "direct is 3"},
        {{.io_depth = 1025}, "io_depth is 1025: expected 1 to 1024"},
        {{.io_bytes = 100}, "io_bytes is 100: expected 4096 to 67108864"},
        {{.io_bytes = 4097}, "io_bytes is 4097: expected a multiple of 4096"},
        {{.io_bytes = (64u << 20) + 4096}, "io_bytes is 67112960"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        dls_loader_params p = cases[i].params, out;
        p.struct_size = sizeof(p);
        memset(&out, 0x55, sizeof(out));
        cr_assert_eq(dls_params_resolve(&p, &facts, &out), -EINVAL, "%s", cases[i].text);
        cr_assert_not_null(strstr(dls_err_text(), cases[i].text), "'%s' in '%s'", cases[i].text,
                           dls_err_text());
        cr_assert_eq(out.batch_size, 0x55555555);
    }
}

Test(params, largest_values_are_taken)
{
    dls_loader_params p = blank();

    p.batch_size = 65536;
    p.width = p.height = 16384;
    p.window_blocks = 4096;
    p.threads = p.io_depth = 1024;
    p.ring_batches = 64;
    p.io_bytes = 64u << 20;
    cr_assert_eq(dls_params_resolve(&p, &facts, &p), 0);
    cr_assert(p.batch_size == 65536 && p.height == 16384 && p.io_bytes == 64u << 20);
}

Test(params, a_struct_of_another_version_is_taken_only_if_it_asks_for_nothing_unknown)
{
    struct {
        dls_loader_params params;
        uint64_t later;
    } longer = {.params = {.struct_size = sizeof(longer), .batch_size = 3}};
    dls_loader_params p = {.struct_size = 8}, out;

    cr_assert_eq(dls_params_resolve(&longer.params, &facts, &out), 0);
    cr_assert_eq(out.batch_size, 3);
    longer.later = 1;
    cr_assert_eq(dls_params_resolve(&longer.params, &facts, &out), -EINVAL);
    cr_assert_eq(dls_params_resolve(&p, &facts, &out), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "struct_size is 8"));
    p.struct_size = 0;
    cr_assert_eq(dls_params_resolve(&p, &facts, &out), -EINVAL);
    p.struct_size = SIZE_MAX; /* never set: nothing behind the struct may be read */
    cr_assert_eq(dls_params_resolve(&p, &facts, &out), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "dls_loader_params_init"));
}

Test(params, a_dataset_without_images_is_refused)
{
    struct dls_plan_facts other = facts;
    dls_loader_params p = blank();

    other.has_image = false;
    cr_assert_eq(dls_params_resolve(&p, &other, &p), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "no image field"));
}

Test(params, batches_of_an_epoch_by_tail)
{
    static const struct {
        uint64_t records;
        dls_tail tail;
        uint64_t batches, samples;
    } cases[] = {
        {1000, DLS_TAIL_DROP, 15, 960}, {1000, DLS_TAIL_PAD, 16, 1000}, {1000, DLS_TAIL_EXACT, 16, 1000},
        {128, DLS_TAIL_DROP, 2, 128},   {128, DLS_TAIL_PAD, 2, 128},    {64, DLS_TAIL_DROP, 1, 64},
        {10, DLS_TAIL_PAD, 1, 10},      {10, DLS_TAIL_EXACT, 1, 10},    {0, DLS_TAIL_DROP, 0, 0},
        {0, DLS_TAIL_EXACT, 0, 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        dls_loader_params p = blank();
        struct dls_plan_facts f = facts;
        struct dls_plan plan;
        p.batch_size = 64;
        p.seed = 9;
        p.tail = cases[i].tail;
        f.records = cases[i].records;
        cr_assert_eq(dls_plan_make(&p, &f, &plan), 0);
        cr_assert_eq(plan.whole.batches, cases[i].batches);
        cr_assert_eq(plan.whole.samples, cases[i].samples);
        cr_assert(plan.order.seed == 9 && plan.order.records == cases[i].records &&
                  plan.order.window == plan.params.window_blocks);
        cr_assert_arr_eq(plan.order.uuid, facts.uuid, 16);
    }
}

Test(params, a_batch_that_the_records_cannot_fill_is_refused_if_the_tail_is_dropped)
{
    dls_loader_params p = blank();
    struct dls_plan_facts f = facts;
    struct dls_plan plan;

    p.batch_size = 64;
    f.records = 63;
    cr_assert_eq(dls_plan_make(&p, &f, &plan), -EINVAL);
    cr_assert_str_eq(dls_last_error(),
                     "dls_loader_open: batch_size 64 is more than the 63 records, and a batch that is not full "
                     "is dropped: take a smaller one, or tail PAD or EXACT");
}

Test(params, numbers_of_the_image_that_are_out_of_range_or_not_a_number_are_refused)
{
    static const struct {
        size_t offset;
        double good, bad;
    } cases[] = {
        {offsetof(dls_loader_params, mean[0]), -1000, -1001},
        {offsetof(dls_loader_params, mean[2]), 1000, 1001},
        {offsetof(dls_loader_params, std[0]), 1000, -1},
        {offsetof(dls_loader_params, std[1]), 1e-6, 0},
        {offsetof(dls_loader_params, std[2]), 1, 1e-7},
        {offsetof(dls_loader_params, brightness), 1000, 1001},
        {offsetof(dls_loader_params, contrast), 0, -0.1},
        {offsetof(dls_loader_params, saturation), 2, -1},
        {offsetof(dls_loader_params, hue), 0.5, 0.51},
        {offsetof(dls_loader_params, grayscale), 1, 1.01},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const double bad[] = {cases[i].bad, (double)NAN, (double)INFINITY, -(double)INFINITY};
        dls_loader_params p = blank(), got;
        double *at = (double *)(void *)((char *)&p + cases[i].offset);
        p.dtype = DLS_DTYPE_FLOAT32;
        p.std[0] = p.std[1] = p.std[2] = 0.5;
        *at = cases[i].good;
        cr_assert_eq(dls_params_resolve(&p, &facts, &got), 0, "case %zu: %s", i, dls_err_text());
        for (size_t k = 0; k < 4; k++) {
            *at = bad[k];
            cr_assert_eq(dls_params_resolve(&p, &facts, &got), -EINVAL, "case %zu, %g", i, bad[k]);
        }
    }
}

Test(params, mean_and_std_are_for_floats_and_the_default_std_is_one)
{
    dls_loader_params p = blank(), got;

    p.mean[1] = 0.5;
    cr_assert_eq(dls_params_resolve(&p, &facts, &got), -EINVAL);
    cr_assert(strstr(dls_err_text(), "float dtype") != NULL, "%s", dls_err_text());
    p.dtype = DLS_DTYPE_BFLOAT16;
    cr_assert_eq(dls_params_resolve(&p, &facts, &got), 0);
    cr_assert(got.std[0] == 1 && got.std[1] == 1 && got.std[2] == 1 && got.mean[0] == 0);
    p.dtype = (dls_dtype)4;
    cr_assert_eq(dls_params_resolve(&p, &facts, &got), -EINVAL);
    p.dtype = DLS_DTYPE_UINT8;
    p.mean[1] = 0;
    p.layout = (dls_layout)2;
    cr_assert_eq(dls_params_resolve(&p, &facts, &got), -EINVAL);
    p.layout = DLS_LAYOUT_NCHW;
    p.flip_vertical = 2;
    cr_assert_eq(dls_params_resolve(&p, &facts, &got), -EINVAL);
}
