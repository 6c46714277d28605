/* SPDX-License-Identifier: Apache-2.0 */
/* Masks and boxes go the way of the image that they belong to. */
#include "flow/flow.h"

#include "image/nearest.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(extras, .timeout = 100);

#define RECORDS 40u
#define BOXES 3u

static uint32_t width_of(uint64_t record)
{
    return 60 + (uint32_t)record % 5;
}

static uint32_t height_of(uint64_t record)
{
    return 44 + (uint32_t)record % 3;
}

/* The mask of the upright picture. */
static uint8_t value_at(uint64_t record, uint32_t x, uint32_t y)
{
    return (uint8_t)(record * 31 + x * 7 + y * 13);
}

/* An eighth of the records is without a mask or has one of another size if `flaws`. The masks of others are turned as they
 * say, which their pictures are not. */
static const char *make(bool flaws)
{
    static const dls_field fields[] = {
        {"image", DLS_FIELD_IMAGE, 0}, {"label", DLS_FIELD_INT64, 1},   {"key", DLS_FIELD_STRING, 0},
        {"mask", DLS_FIELD_IMAGE, 0},  {"boxes", DLS_FIELD_FLOAT32, 4 * BOXES}, {"odd", DLS_FIELD_FLOAT32, 6},
    };
    const char *path = support_path(support_temp_dir(), "set.dls");
    dls_writer_params params;
    dls_writer *writer = NULL;

    dls_writer_params_init(&params);
    params.fields = fields;
    params.field_count = 6;
    params.block_bytes = 16384;
    cr_assert_eq(dls_writer_open(path, &params, &writer), 0, "%s", dls_last_error());
    for (uint64_t i = 0; i < RECORDS; i++) {
        const uint32_t w = width_of(i), h = height_of(i);
        const bool turned = i % 2; /* by orientation 6: the upright pixel (x, y) is stored at (y, w - 1 - x) */
        uint8_t mask[64 * 64];
        int64_t label = (int64_t)i;
        const float boxes[4 * BOXES] = {10, 5, 30, 25, 0, 0, (float)w, (float)h, NAN, 0, 0, 0};
        const float odd[6] = {0};
        size_t length;
        uint8_t *picture = support_make_jpeg(&(struct support_jpeg){.width = w, .height = h, .seed = (uint32_t)i}, &length);
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++)
                mask[turned ? (w - 1 - x) * h + y : y * w + x] = value_at(i, x, y);
        dls_value values[6] = {
            {.data = picture, .length = length, .codec = DLS_CODEC_JPEG, .width = w, .height = h, .channels = 3},
            {.data = &label, .length = sizeof(label)},
            {.data = "key", .length = 3},
            {.data = mask,
             .length = (size_t)w * h,
             .codec = DLS_CODEC_RAW,
             .width = turned ? h : w,
             .height = turned ? w : h,
             .channels = 1,
             .orientation = turned ? 6 : 0},
            {.data = boxes, .length = sizeof(boxes)},
            {.data = odd, .length = sizeof(odd)},
        };
        if (flaws && i % 8 == 3)
            values[3] = (dls_value){0};
        if (flaws && i % 8 == 6) {
            values[3].width--;
            values[3].length -= values[3].height;
        }
        cr_assert_eq(dls_writer_add(writer, values, 6), 0, "%s", dls_last_error());
        free(picture);
    }
    cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
    dls_writer_close(&writer);
    return path;
}

static void expect_mask(const dls_loader_params *params, const dls_draw *draw, const uint8_t *mask)
{
    uint32_t columns[600], rows[600];

    dls_nearest(draw->width, draw->resized_width, 0, draw->resized_width, columns);
    dls_nearest(draw->height, draw->resized_height, 0, draw->resized_height, rows);
    for (uint32_t y = 0; y < params->height; y++)
        for (uint32_t x = 0; x < params->width; x++) {
            int64_t at_x = (int64_t)x - draw->left, at_y = (int64_t)y - draw->top;
            bool inside = at_x >= 0 && at_x < draw->resized_width && at_y >= 0 && at_y < draw->resized_height;
            uint8_t wanted = inside ? value_at(draw->record, draw->x + columns[at_x], draw->y + rows[at_y])
                                    : (uint8_t)params->mask_pad;
            uint32_t to_x = draw->flip ? params->width - 1 - x : x;
            uint32_t to_y = draw->flip_vertical ? params->height - 1 - y : y;
            cr_assert_eq(mask[to_y * params->width + to_x], wanted, "record %lu, pixel %u, %u", draw->record, x, y);
        }
}

static double moved(double at, double begin, double scale, double offset, double most, bool mirrored)
{
    double to = (at - begin) * scale + offset;
    to = to < 0 ? 0 : to > most ? most : to;
    return mirrored ? most - to : to;
}

static void expect_boxes(const dls_loader_params *params, const dls_draw *draw, const float *boxes)
{
    const double scale_x = (double)draw->resized_width / draw->width, scale_y = (double)draw->resized_height / draw->height;
    const double from[2][4] = {{10, 5, 30, 25}, {0, 0, width_of(draw->record), height_of(draw->record)}};

    for (int b = 0; b < 2; b++, boxes += 4) {
        for (int end = 0; end < 2; end++) {
            double x = moved(from[b][2 * end], draw->x, scale_x, draw->left, params->width, draw->flip);
            double y = moved(from[b][2 * end + 1], draw->y, scale_y, draw->top, params->height, draw->flip_vertical);
            cr_assert(fabs(boxes[2 * (end ^ draw->flip)] - x) < 1e-4);
            cr_assert(fabs(boxes[2 * (end ^ draw->flip_vertical) + 1] - y) < 1e-4);
        }
        cr_assert(boxes[0] <= boxes[2] && boxes[1] <= boxes[3]);
    }
    for (int i = 0; i < 4; i++)
        cr_assert(isnan(boxes[i]));
}

static dls_loader_params params_of(dls_crop crop)
{
    dls_loader_params params = flow_params();

    params.tail = DLS_TAIL_EXACT;
    params.crop = crop;
    params.draws = 1;
    params.mask_field = "mask";
    params.boxes_field = "boxes";
    params.mask_pad = 255;
    params.flip = params.flip_vertical = crop != DLS_CROP_FIVE && crop != DLS_CROP_TEN;
    return params;
}

/* Returns how many samples came. */
static uint64_t run(dls_dataset *dataset, const dls_loader_params *params)
{
    dls_loader *loader = flow_start(dataset, params);
    const dls_batch *batch = NULL;
    uint64_t samples = 0;
    int r;

    while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
        const size_t pixels = (size_t)params->width * params->height;
        cr_assert_eq(batch->boxes_per_image, BOXES);
        for (size_t i = 0; i < (size_t)batch->count * batch->views; i++) {
            expect_mask(params, &batch->draws[i], batch->masks + i * pixels);
            expect_boxes(params, &batch->draws[i], batch->boxes + i * BOXES * 4);
        }
        for (size_t i = batch->count * batch->views * pixels; i < batch->size * batch->views * pixels; i++)
            cr_assert_eq(batch->masks[i], 0);
        samples += batch->count;
        dls_batch_release(loader, &batch);
    }
    cr_assert_eq(r, 0, "%s", dls_last_error());
    dls_loader_close(&loader);
    return samples;
}

Test(extras, masks_and_boxes_follow_every_crop)
{
    dls_dataset *dataset = flow_open(make(false));

    for (int crop = DLS_CROP_SQUASH; crop <= DLS_CROP_PAD; crop++) {
        dls_loader_params params = params_of((dls_crop)crop);
        params.resize = crop == DLS_CROP_CENTER ? 40 : 0;
        cr_assert_eq(run(dataset, &params), RECORDS);
    }
    dls_dataset_close(&dataset);
}

Test(extras, a_mask_that_is_missing_or_of_another_size_is_a_bad_record)
{
    dls_dataset *dataset = flow_open(make(true));
    dls_loader_params params = params_of(DLS_CROP_RANDOM);
    const dls_batch *batch = NULL;
    int r;

    params.on_error = DLS_ON_ERROR_SKIP;
    cr_assert_eq(run(dataset, &params), RECORDS - RECORDS / 4);
    params.on_error = DLS_ON_ERROR_FAIL;
    dls_loader *loader = flow_start(dataset, &params);
    while ((r = dls_loader_next(loader, -1, &batch)) > 0)
        dls_batch_release(loader, &batch);
    cr_assert_eq(r, -EBADMSG);
    cr_assert_not_null(strstr(dls_last_error(), "the mask: "), "%s", dls_last_error());
    dls_loader_close(&loader);
    params.on_error = DLS_ON_ERROR_SUBSTITUTE;
    params.boxes_field = NULL;
    params.mask_field = NULL;
    loader = flow_start(dataset, &params);
    cr_assert_eq(dls_loader_next(loader, -1, &batch), 1);
    cr_assert(batch->masks == NULL && batch->boxes == NULL && batch->boxes_per_image == 0);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(extras, fields_that_cannot_be_are_refused)
{
    dls_dataset *dataset = flow_open(make(false));
    static const struct {
        const char *mask, *boxes, *text;
    } cases[] = {
        {"nothing", NULL, "mask_field: the dataset has no field 'nothing'"},
        {"boxes", NULL, "mask_field: field 'boxes' is not of type IMAGE"},
        {NULL, "mask", "boxes_field: field 'mask' is not of type FLOAT32"},
        {NULL, "odd", "boxes_field: field 'odd' is not of type FLOAT32 with 4 values a box"},
    };
    dls_loader_params params;
    dls_loader *loader = NULL;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        params = params_of(DLS_CROP_SQUASH);
        params.mask_field = cases[i].mask;
        params.boxes_field = cases[i].boxes;
        cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
        cr_assert_not_null(strstr(dls_last_error(), cases[i].text), "%s", dls_last_error());
    }
    params = params_of(DLS_CROP_SQUASH);
    params.no_decode = 1;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
    params = params_of(DLS_CROP_SQUASH);
    params.order = DLS_ORDER_FULL;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
    cr_assert_not_null(strstr(dls_last_error(), "expected no order FULL"), "%s", dls_last_error());
    dls_dataset_close(&dataset);
}
