/* SPDX-License-Identifier: Apache-2.0 */
/* Crops that place a resized picture in the image, several images a sample, and draws that are kept and made again: each
 * image is what its draw says when the parts are used one by one. */
#include "flow/flow.h"

#include "base/hash.h"
#include "decode/decode.h"
#include "image/color.h"
#include "image/geometry.h"
#include "image/resize.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

TestSuite(views, .timeout = 100);

#define RECORDS 40u

static struct dls_decoder *decoder;
static struct dls_resizer *resizer;

static struct dls_pixels pixels_of(uint32_t width, uint32_t height)
{
    return (struct dls_pixels){
        .data = calloc((size_t)width * height, 3), .width = width, .height = height, .stride = (size_t)width * 3};
}

static struct dls_pixels upright_of(const dls_value *image)
{
    struct dls_picture picture;
    uint8_t orientation = image->orientation == 0 ? 1 : image->orientation;
    bool swaps = dls_orientation_swaps(orientation);

    cr_assert_eq(dls_decoder_header(decoder, image->codec, image->data, image->length, NULL, &picture), 0);
    struct dls_pixels stored = pixels_of(image->width, image->height);
    struct dls_pixels upright =
        pixels_of(swaps ? image->height : image->width, swaps ? image->width : image->height);
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, image->data, image->length, NULL, &stored, NULL), 0);
    dls_orient(&stored, orientation, &upright);
    free(stored.data);
    return upright;
}

static struct dls_color_jitter jitter_of(const dls_draw *draw)
{
    struct dls_color_jitter jitter = {.order = {0}};

    for (unsigned i = 0; i < draw->jitter; i++) {
        jitter.order[i] = (enum dls_color_step)draw->jitter_order[i];
        jitter.use[jitter.order[i]] = true;
        jitter.factor[jitter.order[i]] = draw->jitter_factor[jitter.order[i]];
    }
    for (unsigned i = draw->jitter, step = 0; step < DLS_COLOR_STEPS; step++)
        if (!jitter.use[step])
            jitter.order[i++] = (enum dls_color_step)step;
    return jitter;
}

/* All of the box resized, pixel by pixel to its place. */
static struct dls_pixels image_of(const dls_draw *draw, const struct dls_pixels *upright,
                                  const dls_loader_params *params)
{
    struct dls_pixels all = pixels_of(draw->resized_width, draw->resized_height);
    struct dls_pixels image = pixels_of(params->width, params->height);
    const struct dls_pixels box = {.data = upright->data + draw->y * upright->stride + 3 * (size_t)draw->x,
                                   .width = draw->width,
                                   .height = draw->height,
                                   .stride = upright->stride};
    cr_assert_eq(dls_resize(resizer, params->filter, &box, false, &all), 0);
    for (uint32_t y = 0; y < image.height; y++)
        for (uint32_t x = 0; x < image.width; x++) {
            int64_t from_x = (int64_t)x - draw->left, from_y = (int64_t)y - draw->top;
            uint8_t *to = image.data + (draw->flip_vertical ? image.height - 1 - y : y) * image.stride +
                          3 * (size_t)(draw->flip ? image.width - 1 - x : x);
            const uint8_t ground[3] = {(uint8_t)(params->pad_color >> 16), (uint8_t)(params->pad_color >> 8),
                                       (uint8_t)params->pad_color};
            bool inside = from_x >= 0 && from_x < all.width && from_y >= 0 && from_y < all.height;
            memcpy(to, inside ? all.data + (size_t)from_y * all.stride + 3 * (size_t)from_x : ground, 3);
        }
    free(all.data);
    struct dls_color_jitter jitter = jitter_of(draw);
    dls_color_apply(&jitter, &image);
    if (draw->grayscale)
        dls_color_grey(&image);
    return image;
}

static void expect_place(dls_dataset *dataset, const dls_loader_params *params, const dls_batch *batch,
                         uint32_t place)
{
    const size_t bytes = (size_t)params->width * params->height * 3;
    dls_record *record = NULL;

    cr_assert_eq(dls_dataset_read(dataset, batch->records[place], &record), 0);
    struct dls_pixels upright = upright_of(&record->values[0]);
    for (uint32_t view = 0; view < batch->views; view++) {
        const size_t index = (size_t)place * batch->views + view;
        const dls_draw *draw = &batch->draws[index];
        cr_assert(draw->epoch == batch->epoch && draw->record == batch->records[place]);
        struct dls_pixels image = image_of(draw, &upright, params);
        cr_assert_eq(memcmp((const uint8_t *)batch->images + index * bytes, image.data, bytes), 0,
                     "record %lu, view %u differs", batch->records[place], view);
        free(image.data);
    }
    free(upright.data);
    dls_record_free(&record);
}

/* Runs all epochs; keeps draws and a checksum of each image, if there is room for them. */
struct kept {
    size_t count;
    dls_draw draws[2 * RECORDS];
    uint64_t images[2 * RECORDS];
};

static void run(dls_dataset *dataset, const dls_loader_params *params, bool check, struct kept *kept)
{
    const size_t bytes = (size_t)params->width * params->height * 3;
    dls_loader *loader = flow_start(dataset, params);
    const dls_batch *batch = NULL;
    uint64_t samples = 0;

    cr_assert_eq(dls_decoder_create(&decoder), 0);
    cr_assert_eq(dls_resizer_create(&resizer), 0);
    for (uint64_t epoch = 0; epoch < params->epochs; epoch++) {
        int r;
        while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
            cr_assert_eq(batch->images_bytes, bytes * batch->views * batch->size);
            for (uint32_t i = 0; i < batch->count; i++, samples++) {
                if (check)
                    expect_place(dataset, params, batch, i);
                if (kept != NULL) {
                    kept->images[kept->count] = dls_hash64((const uint8_t *)batch->images + i * bytes, bytes);
                    kept->draws[kept->count++] = batch->draws[i];
                }
            }
            for (size_t k = (size_t)batch->count * batch->views; k < (size_t)batch->size * batch->views; k++)
                cr_assert(batch->draws[k].width == 0 && batch->draws[k].record == 0);
            dls_batch_release(loader, &batch);
        }
        cr_assert_eq(r, 0, "%s", dls_last_error());
    }
    cr_assert_eq(samples, params->epochs * RECORDS);
    dls_decoder_free(&decoder);
    dls_resizer_free(&resizer);
    dls_loader_close(&loader);
}

static dls_loader_params params_of(dls_crop crop)
{
    dls_loader_params params = flow_params();

    params.tail = DLS_TAIL_EXACT;
    params.crop = crop;
    params.draws = 1;
    return params;
}

Test(views, every_crop_and_filter_makes_what_its_draw_says)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS, .turned = true}));

    for (int crop = DLS_CROP_SQUASH; crop <= DLS_CROP_PAD; crop++)
        for (int variant = 0; variant < 4; variant++) {
            dls_loader_params params = params_of((dls_crop)crop);
            params.filter = (dls_filter)(variant & 1);
            params.flip = params.flip_vertical = dls_crop_views(params.crop) == 1 && variant >= 2;
            params.brightness = params.hue = variant == 3 ? 0.3 : 0;
            params.grayscale = variant == 3 ? 0.3 : 0;
            if (crop == DLS_CROP_CENTER || crop == DLS_CROP_FIVE)
                params.resize = 33 + 7 * (uint32_t)variant;
            if (crop == DLS_CROP_PAD)
                params.pad_color = 0x1080ff;
            run(dataset, &params, true, NULL);
        }
    dls_dataset_close(&dataset);
}

Test(views, pictures_that_are_only_cut_or_only_padded)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of(DLS_CROP_CENTER);

    params.resize = 48; /* what every third picture has */
    run(dataset, &params, true, NULL);
    params = params_of(DLS_CROP_PAD);
    params.width = 64;
    params.height = 80;
    run(dataset, &params, true, NULL);
    dls_dataset_close(&dataset);
}

static int by_epoch_and_record(const void *a, const void *b)
{
    const dls_draw *one = a, *two = b;
    if (one->epoch != two->epoch)
        return one->epoch < two->epoch ? -1 : 1;
    return one->record < two->record ? -1 : one->record > two->record;
}

Test(views, draws_given_back_make_the_same_images)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS, .turned = true}));
    dls_loader_params params = params_of(DLS_CROP_RANDOM);
    static struct kept first, again;

    params.flip = params.flip_vertical = 1;
    params.brightness = params.contrast = params.saturation = 0.4;
    params.hue = 0.1;
    params.grayscale = 0.2;
    params.crop_scale[0] = 0.3;
    params.crop_scale[1] = 0.6;
    params.epochs = 2;
    run(dataset, &params, true, &first);
    static dls_draw sorted[2 * RECORDS];
    memcpy(sorted, first.draws, sizeof(sorted));
    qsort(sorted, first.count, sizeof(*sorted), by_epoch_and_record);
    params.crop = DLS_CROP_SQUASH;
    params.flip = params.flip_vertical = 0;
    params.brightness = params.contrast = params.saturation = params.hue = params.grayscale = 0;
    params.replay = sorted;
    params.replay_count = first.count;
    params.threads = 3;
    run(dataset, &params, false, &again);
    cr_assert_eq(memcmp(&first, &again, sizeof(first)), 0);
    dls_dataset_close(&dataset);
}

Test(views, a_draw_that_does_not_fit_is_named)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of(DLS_CROP_SQUASH);
    dls_draw draw = {.record = 9, .width = 1000, .height = 10, .resized_width = 32, .resized_height = 24};
    struct flow_run result;

    params.replay = &draw;
    params.replay_count = 1;
    dls_loader *loader = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(loader, &params, &result), -EINVAL);
    cr_assert_not_null(strstr(dls_last_error(), "record 9, key"), "%s", dls_last_error());
    cr_assert_not_null(strstr(dls_last_error(), "replay: a box of 1000 x 10"), "%s", dls_last_error());
    flow_run_free(&result);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

static double error_of(const struct dls_pixels *wanted, const uint8_t *got)
{
    double sum = 0;
    const size_t bytes = wanted->stride * wanted->height;

    for (size_t i = 0; i < bytes; i++)
        sum += (double)(wanted->data[i] - got[i]) * (wanted->data[i] - got[i]);
    return sum / (double)bytes;
}

/* The same places of the picture are shown, however it is turned, cut and mirrored: a shift by half a pixel of the image
 * would cost far more. */
Test(views, fast_scaling_stays_near_the_exact_image)
{
    dls_dataset *dataset = flow_open(flow_make(
        &(struct flow_spec){.records = RECORDS, .width = 301, .height = 263, .turned = true}));

    for (int crop = DLS_CROP_SQUASH; crop <= DLS_CROP_PAD; crop++) {
        dls_loader_params params = params_of((dls_crop)crop);
        const size_t bytes = (size_t)params.width * params.height * 3;
        const dls_batch *one = NULL, *two = NULL;
        double worst = 0, sum = 0;
        uint64_t count = 0, differ = 0;
        params.flip = params.flip_vertical = dls_crop_views(params.crop) == 1;
        params.crop_scale[0] = 0.5;
        params.crop_scale[1] = 1;
        dls_loader *exact = flow_start(dataset, &params);
        params.dct_scale = DLS_DCT_SCALE_FAST;
        params.threads = 3;
        dls_loader *fast = flow_start(dataset, &params);
        while (dls_loader_next(exact, -1, &one) > 0) {
            cr_assert_eq(dls_loader_next(fast, -1, &two), 1, "%s", dls_last_error());
            for (size_t i = 0; i < (size_t)one->count * one->views; i++, count++) {
                const struct dls_pixels wanted = {.data = (uint8_t *)(uintptr_t)one->images + i * bytes,
                                                  .width = params.width,
                                                  .height = params.height,
                                                  .stride = (size_t)params.width * 3};
                double error = error_of(&wanted, (const uint8_t *)two->images + i * bytes);
                cr_assert_eq(memcmp(&one->draws[i], &two->draws[i], sizeof(dls_draw)), 0);
                worst = error > worst ? error : worst;
                sum += error;
                differ += error > 0;
            }
            dls_batch_release(exact, &one);
            dls_batch_release(fast, &two);
        }
        cr_assert_gt(differ, count / 2);
        cr_assert_lt(sum / (double)count, 30, "crop %d: %.1f", crop, sum / (double)count);
        cr_assert_lt(worst, 120, "crop %d: %.1f", crop, worst);
        dls_loader_close(&exact);
        dls_loader_close(&fast);
    }
    dls_dataset_close(&dataset);
}
