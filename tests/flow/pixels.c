/* SPDX-License-Identifier: Apache-2.0 */
/* Each sample is what its record gives when the parts are used one by one: read, decode, turn, crop, resize.
 */
#include "flow/flow.h"

#include "base/rng.h"
#include "decode/decode.h"
#include "image/geometry.h"
#include "image/resize.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(pixels, .timeout = 100);

static struct dls_decoder *decoder;
static struct dls_resizer *resizer;

static struct dls_pixels pixels_of(uint32_t width, uint32_t height)
{
    return (struct dls_pixels){.data = malloc((size_t)width * height * 3),
                               .width = width,
                               .height = height,
                               .stride = (size_t)width * 3};
}

/* The whole picture, upright. */
static struct dls_pixels upright_of(const dls_value *image, int ignore_orientation)
{
    struct dls_picture picture;
    uint8_t orientation = ignore_orientation || image->orientation == 0 ? 1 : image->orientation;
    bool swaps = dls_orientation_swaps(orientation);

    cr_assert_eq(dls_decoder_header(decoder, image->codec, image->data, image->length, NULL, &picture), 0);
    cr_assert(picture.width == image->width && picture.height == image->height);
    struct dls_pixels stored = pixels_of(image->width, image->height);
    struct dls_pixels upright =
        pixels_of(swaps ? image->height : image->width, swaps ? image->width : image->height);
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, image->data, image->length, NULL, &stored, NULL), 0);
    dls_orient(&stored, orientation, &upright);
    free(stored.data);
    return upright;
}

static void expect_sample(dls_dataset *dataset, const dls_loader_params *params, const dls_batch *batch,
                          uint32_t place)
{
    dls_record *record = NULL;
    struct dls_view view;
    struct dls_rng rng;
    struct dls_pixels wanted = pixels_of(params->width, params->height);

    cr_assert_eq(dls_dataset_read(dataset, batch->records[place], &record), 0);
    struct dls_pixels upright = upright_of(&record->values[0], params->ignore_orientation);
    dls_rng_init(&rng, params->seed, batch->epoch, batch->records[place]);
    struct dls_crop_spec spec;
    dls_crop_spec_init(params, &spec);
    dls_view_choose(&spec, upright.width, upright.height, &rng, &view);
    struct dls_pixels box = {.data = upright.data + view.box.y * upright.stride + 3 * (size_t)view.box.x,
                             .width = view.box.width,
                             .height = view.box.height,
                             .stride = upright.stride};
    cr_assert_eq(dls_resize(resizer, DLS_FILTER_BILINEAR, &box, view.flip, &wanted), 0);
    size_t bytes = wanted.stride * wanted.height;
    cr_assert_eq(memcmp(flow_image(batch, place), wanted.data, bytes), 0, "record %lu differs",
                 batch->records[place]);
    free(wanted.data);
    free(upright.data);
    dls_record_free(&record);
}

static void expect_epochs(const struct flow_spec *spec, dls_loader_params params)
{
    dls_dataset *dataset = flow_open(flow_make(spec));
    dls_loader *loader = flow_start(dataset, &params);
    const dls_batch *batch = NULL;
    uint64_t samples = 0;

    cr_assert_eq(dls_decoder_create(&decoder), 0);
    cr_assert_eq(dls_resizer_create(&resizer), 0);
    for (uint64_t epoch = 0; epoch < params.epochs; epoch++) {
        int r;
        while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
            for (uint32_t i = 0; i < batch->count; i++, samples++)
                expect_sample(dataset, &params, batch, i);
            dls_batch_release(loader, &batch);
        }
        cr_assert_eq(r, 0, "%s", dls_last_error());
    }
    cr_assert_eq(samples, params.epochs * spec->records);
    dls_decoder_free(&decoder);
    dls_resizer_free(&resizer);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(pixels, every_crop_with_and_without_mirroring_and_turning)
{
    for (int crop = DLS_CROP_SQUASH; crop <= DLS_CROP_RANDOM; crop++) {
        for (int variant = 0; variant < 4; variant++) {
            dls_loader_params params = flow_params();
            params.tail = DLS_TAIL_EXACT;
            params.epochs = 2;
            params.crop = (dls_crop)crop;
            params.flip = variant & 1;
            params.ignore_orientation = variant >> 1;
            expect_epochs(&(struct flow_spec){.records = 60, .turned = true, .progressive = crop == 1},
                          params);
        }
    }
}

Test(pixels, pictures_that_have_the_size_already)
{
    dls_loader_params params = flow_params();

    params.tail = DLS_TAIL_EXACT;
    params.width = 64; /* every fifteenth picture is 64 × 48 */
    params.height = 48;
    expect_epochs(&(struct flow_spec){.records = 45}, params);
    params.flip = 1;
    expect_epochs(&(struct flow_spec){.records = 45, .turned = true}, params);
    params.crop = DLS_CROP_CENTER;
    expect_epochs(&(struct flow_spec){.records = 45, .turned = true}, params);
}

Test(pixels, large_pictures_whose_headers_are_looked_at)
{
    dls_loader_params params = flow_params();

    params.tail = DLS_TAIL_EXACT;
    params.crop = DLS_CROP_CENTER;
    params.memory_bytes = 128u << 20;
    expect_epochs(&(struct flow_spec){.records = 9, .width = 1300, .height = 1000, .turned = true}, params);
    expect_epochs(&(struct flow_spec){.records = 3, .width = 1300, .height = 1000, .progressive = true},
                  params);
}
