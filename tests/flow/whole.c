/* SPDX-License-Identifier: Apache-2.0 */
/* dls_record_decode(): single records, whole. */
#include "flow/flow.h"

#include "image/geometry.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

TestSuite(whole, .timeout = 60);

/* The image field is the first. */
#define IMAGE 0u

static dls_record *record_of(dls_dataset *dataset, uint64_t number)
{
    dls_record *record = NULL;

    cr_assert_eq(dls_dataset_read(dataset, number, &record), 0, "%s", dls_last_error());
    return record;
}

Test(whole, a_picture_is_upright_and_has_the_decoder_s_pixels)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 16, .turned = true}));
    unsigned turned = 0;

    for (uint64_t number = 0; number < 16; number++) {
        dls_record *record = record_of(dataset, number);
        const dls_value *value = &record->values[IMAGE];
        struct dls_decoder *decoder = NULL;
        struct dls_picture picture;
        dls_image *stored = NULL, *upright = NULL;
        cr_assert_eq(dls_record_decode(record, IMAGE, 1, &stored), 0);
        cr_assert_eq(dls_record_decode(record, IMAGE, 0, &upright), 0);
        cr_assert(stored->width == value->width && stored->height == value->height && stored->channels == 3);
        cr_assert_eq(stored->bytes, (size_t)stored->width * stored->height * 3);

        struct dls_pixels wanted = {.data = malloc(stored->bytes),
                                    .width = stored->width,
                                    .height = stored->height,
                                    .stride = stored->width * 3u};
        cr_assert_eq(dls_decoder_create(&decoder), 0);
        cr_assert_eq(dls_decoder_header(decoder, value->codec, value->data, value->length, NULL, &picture), 0);
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, value->data, value->length, NULL, &wanted, NULL), 0);
        cr_assert_arr_eq(stored->pixels, wanted.data, stored->bytes);

        bool swaps = dls_orientation_swaps(value->orientation);
        cr_assert_eq(upright->width, swaps ? stored->height : stored->width);
        cr_assert_eq(upright->height, swaps ? stored->width : stored->height);
        struct dls_pixels to = {.data = malloc(stored->bytes),
                                .width = upright->width,
                                .height = upright->height,
                                .stride = upright->width * 3u};
        dls_orient(&wanted, value->orientation ? value->orientation : 1, &to);
        cr_assert_arr_eq(upright->pixels, to.data, upright->bytes);
        turned += memcmp(upright->pixels, stored->pixels, stored->bytes) != 0;

        free(wanted.data);
        free(to.data);
        dls_decoder_free(&decoder);
        dls_record_free(&record);
        upright->pixels[0] ^= 1; /* it is the caller's, and needs no record */
        dls_image_free(&stored);
        dls_image_free(&upright);
        cr_assert_null(upright);
    }
    cr_assert_geq(turned, 10);
    dls_dataset_close(&dataset);
}

Test(whole, what_is_no_image_or_damaged_is_refused_by_name)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 3}));
    dls_record *record = record_of(dataset, 2);
    dls_image *image = NULL;

    cr_assert_eq(dls_record_decode(record, 1, 0, &image), -ERANGE); /* the label */
    cr_assert_eq(dls_record_decode(record, 9, 0, &image), -ERANGE);
    cr_assert_eq(dls_record_decode(NULL, IMAGE, 0, &image), -EINVAL);
    cr_assert_eq(dls_record_decode(record, IMAGE, 0, NULL), -EINVAL);
    memset((void *)(uintptr_t)record->values[IMAGE].data, 0, 2);
    cr_assert_eq(dls_record_decode(record, IMAGE, 0, &image), -EBADMSG);
    cr_assert_not_null(strstr(dls_last_error(), "record 2"), "%s", dls_last_error());
    cr_assert_null(image);
    dls_image_free(&image);
    dls_image_free(NULL);
    dls_record_free(&record);
    dls_dataset_close(&dataset);
}
