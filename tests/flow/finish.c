/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, layouts and colours of a batch are what the same run's plain bytes give when they are worked on
 * one sample at a time. */
#include "flow/flow.h"

#include "base/rng.h"
#include "image/color.h"
#include "image/normalize.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(finish, .timeout = 100);

#define RECORDS 75u /* not a multiple of the batch: the last one has empty places */

static const double mean[3] = {0.485, 0.456, 0.406}, std[3] = {0.229, 0.224, 0.225};

/* The images of all samples of a run, in order, and their records. */
struct images {
    size_t count, bytes; /* of one */
    uint8_t *data;
    uint64_t *records, *epochs;
};

static struct images run(dls_dataset *dataset, const dls_loader_params *params)
{
    dls_loader *loader = flow_start(dataset, params);
    const dls_batch *batch = NULL;
    struct images all = {0};

    for (uint64_t epoch = 0; epoch < params->epochs; epoch++) {
        int r;
        while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
            all.bytes = flow_image_bytes(batch);
            all.data = realloc(all.data, (all.count + batch->count) * all.bytes);
            all.records = realloc(all.records, (all.count + batch->count) * sizeof(*all.records));
            all.epochs = realloc(all.epochs, (all.count + batch->count) * sizeof(*all.epochs));
            memcpy(all.data + all.count * all.bytes, batch->images, batch->count * all.bytes);
            memcpy(all.records + all.count, batch->records, batch->count * sizeof(*all.records));
            for (uint32_t i = 0; i < batch->count; i++)
                all.epochs[all.count++] = epoch;
            cr_assert_eq((uintptr_t)batch->images % 4096, 0);
            for (uint32_t place = batch->count; place < batch->size; place++)
                for (size_t k = 0; k < all.bytes; k++)
                    cr_assert_eq(flow_image(batch, place)[k], 0);
            dls_batch_release(loader, &batch);
        }
        cr_assert_eq(r, 0, "%s", dls_last_error());
    }
    dls_loader_close(&loader);
    cr_assert_eq(all.count, params->epochs * RECORDS);
    return all;
}

static void drop(struct images *images)
{
    free(images->data);
    free(images->records);
    free(images->epochs);
}

static bool same(const struct images *a, const struct images *b)
{
    return a->count == b->count && a->bytes == b->bytes &&
           memcmp(a->data, b->data, a->count * a->bytes) == 0 &&
           memcmp(a->records, b->records, a->count * sizeof(*a->records)) == 0;
}

static dls_loader_params shuffled_params(void)
{
    dls_loader_params params = flow_params();

    params.width = 37; /* not a multiple of a vector */
    params.tail = DLS_TAIL_PAD;
    params.crop = DLS_CROP_RANDOM;
    params.flip = 1;
    params.epochs = 2;
    return params;
}

static struct dls_pixels pixels_at(const struct images *images, size_t i, const dls_loader_params *params)
{
    return (struct dls_pixels){.data = images->data + i * images->bytes,
                               .width = params->width,
                               .height = params->height,
                               .stride = (size_t)params->width * 3};
}

/* float32 by the formula of the documentation, the others by the normaliser, which has tests of its own. */
static void expected_image(const struct dls_pixels *plain, const dls_loader_params *params,
                           uint8_t *ret_image)
{
    const size_t pixels = (size_t)plain->width * plain->height;
    const float m[3] = {(float)mean[0], (float)mean[1], (float)mean[2]};
    const float s[3] = {(float)std[0], (float)std[1], (float)std[2]};

    if (params->dtype == DLS_DTYPE_FLOAT16 || params->dtype == DLS_DTYPE_BFLOAT16) {
        struct dls_normalizer normalizer;
        enum dls_element element =
            params->dtype == DLS_DTYPE_FLOAT16 ? DLS_ELEMENT_FLOAT16 : DLS_ELEMENT_BFLOAT16;
        cr_assert_eq(dls_normalize_init(&normalizer, element, params->layout, m, s), 0);
        dls_normalize(&normalizer, plain, ret_image);
        return;
    }
    for (size_t i = 0; i < pixels; i++) {
        for (size_t c = 0; c < 3; c++) {
            size_t at = params->layout == DLS_LAYOUT_NCHW ? c * pixels + i : 3 * i + c;
            uint8_t byte = plain->data[3 * i + c];
            float scaled = (float)byte / 255.0f, centered = scaled - m[c], value = centered / s[c];
            if (params->dtype == DLS_DTYPE_UINT8)
                ret_image[at] = byte;
            else
                memcpy(ret_image + 4 * at, &value, 4);
        }
    }
}

Test(finish, every_type_and_layout_for_any_number_of_threads)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS, .turned = true}));
    dls_loader_params params = shuffled_params();
    struct images plain = run(dataset, &params);

    for (int dtype = DLS_DTYPE_UINT8; dtype <= DLS_DTYPE_BFLOAT16; dtype++) {
        for (int variant = 0; variant < 4; variant++) {
            params.dtype = (dls_dtype)dtype;
            params.layout = (dls_layout)(variant & 1);
            params.threads = variant & 2 ? 4 : 1;
            for (int c = 0; c < 3 && dtype != DLS_DTYPE_UINT8; c++) {
                params.mean[c] = mean[c];
                params.std[c] = std[c];
            }
            struct images images = run(dataset, &params);
            uint8_t *wanted = malloc(images.bytes);
            cr_assert_arr_eq(images.records, plain.records, plain.count * sizeof(*plain.records));
            for (size_t i = 0; i < images.count; i++) {
                struct dls_pixels from = pixels_at(&plain, i, &params);
                expected_image(&from, &params, wanted);
                cr_assert_eq(memcmp(images.data + i * images.bytes, wanted, images.bytes), 0,
                             "dtype %d, variant %d, sample %zu", dtype, variant, i);
            }
            free(wanted);
            drop(&images);
        }
    }
    drop(&plain);
    dls_dataset_close(&dataset);
}

Test(finish, without_mean_and_std_floats_are_the_bytes_over_255)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = shuffled_params();
    struct images plain = run(dataset, &params);

    params.dtype = DLS_DTYPE_FLOAT32;
    struct images images = run(dataset, &params);
    cr_assert_eq(images.bytes, plain.bytes * 4);
    for (size_t i = 0; i < plain.count * plain.bytes; i++) {
        float value;
        memcpy(&value, images.data + 4 * i, sizeof(value));
        cr_assert_eq(value, (float)plain.data[i] / 255.0f);
    }
    drop(&images);
    drop(&plain);
    dls_dataset_close(&dataset);
}

Test(finish, half_the_pictures_are_turned_upside_down_and_crops_stay)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = shuffled_params();
    struct images plain = run(dataset, &params);
    const size_t stride = 3 * (size_t)params.width;
    size_t turned = 0;

    params.flip_vertical = 1;
    struct images images = run(dataset, &params);
    for (size_t i = 0; i < plain.count; i++) {
        const uint8_t *a = plain.data + i * plain.bytes, *b = images.data + i * images.bytes;
        if (memcmp(a, b, plain.bytes) == 0)
            continue;
        turned++;
        for (uint32_t y = 0; y < params.height; y++)
            cr_assert_arr_eq(a + y * stride, b + (params.height - 1 - y) * stride, stride);
    }
    cr_assert(turned > plain.count / 3 && turned < plain.count * 2 / 3, "%zu of %zu", turned, plain.count);
    drop(&images);
    drop(&plain);
    dls_dataset_close(&dataset);
}

/* Nothing is drawn before the colours when neither crop nor flip is random. */
Test(finish, colours_are_those_that_seed_epoch_and_record_give)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = shuffled_params();
    struct dls_color_ranges ranges;
    size_t grey = 0;

    params.crop = DLS_CROP_SQUASH;
    params.flip = 0;
    struct images plain = run(dataset, &params);
    params.brightness = 0.4;
    params.contrast = 0.3;
    params.saturation = 1.5;
    params.hue = 0.1;
    params.grayscale = 0.5;
    struct images images = run(dataset, &params);
    dls_color_ranges_init(0.4, 0.3, 1.5, 0.1, &ranges);
    for (size_t i = 0; i < plain.count; i++) {
        struct dls_pixels pixels = pixels_at(&plain, i, &params);
        struct dls_color_jitter jitter;
        struct dls_rng rng;
        dls_rng_init(&rng, params.seed, plain.epochs[i], plain.records[i]);
        dls_color_choose(&ranges, &rng, &jitter);
        dls_color_apply(&jitter, &pixels);
        if (dls_rng_double(&rng) < 0.5) {
            dls_color_grey(&pixels);
            grey++;
        }
        cr_assert_arr_eq(images.data + i * images.bytes, pixels.data, images.bytes);
    }
    cr_assert(grey > plain.count / 3 && grey < plain.count * 2 / 3);
    drop(&images);
    drop(&plain);
    dls_dataset_close(&dataset);
}

Test(finish, jitter_is_the_same_for_any_threads_and_another_in_each_epoch)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS, .turned = true}));
    dls_loader_params params = shuffled_params();

    params.crop = DLS_CROP_CENTER; /* so that only colours differ between epochs */
    params.flip = 0;
    params.order = DLS_ORDER_NONE;
    params.brightness = params.contrast = params.saturation = 0.5;
    params.hue = 0.2;
    for (int layout = DLS_LAYOUT_NHWC; layout <= DLS_LAYOUT_NCHW; layout++) {
        params.layout = (dls_layout)layout;
        params.threads = 1;
        struct images one = run(dataset, &params);
        params.threads = 5;
        params.engine = DLS_ENGINE_PREAD;
        struct images five = run(dataset, &params);
        cr_assert(same(&one, &five));
        for (size_t i = 0; i < RECORDS; i++) {
            cr_assert_eq(one.records[i], one.records[RECORDS + i]);
            cr_assert_neq(memcmp(one.data + i * one.bytes, one.data + (RECORDS + i) * one.bytes, one.bytes),
                          0);
        }
        drop(&one);
        drop(&five);
    }
    dls_dataset_close(&dataset);
}

Test(finish, always_grey_has_three_equal_channels)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = shuffled_params();
    const size_t plane = (size_t)params.width * params.height;

    params.grayscale = 1;
    params.layout = DLS_LAYOUT_NCHW;
    struct images images = run(dataset, &params);
    for (size_t i = 0; i < images.count; i++) {
        const uint8_t *red = images.data + i * images.bytes;
        cr_assert_arr_eq(red, red + plane, plane);
        cr_assert_arr_eq(red, red + 2 * plane, plane);
    }
    drop(&images);
    dls_dataset_close(&dataset);
}
