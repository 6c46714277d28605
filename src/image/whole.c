/* SPDX-License-Identifier: Apache-2.0 */
#include "image/whole.h"

#include "base/err.h"
#include "base/mem.h"
#include "image/geometry.h"

static int image_create(uint32_t width, uint32_t height, dls_image **ret_image)
{
    dls_image *image = dls_alloc(DLS_MEM_IMAGE, sizeof(*image));

    if (image == NULL)
        return -ENOMEM;
    image->width = width;
    image->height = height;
    image->channels = 3;
    image->bytes = (size_t)width * height * 3; /* the decoder refuses more pixels than 32 bits can count */
    image->pixels = dls_alloc_aligned(DLS_MEM_IMAGE, 64, image->bytes);
    if (image->pixels == NULL) {
        dls_free(image);
        return -ENOMEM;
    }
    *ret_image = image;
    return 0;
}

static struct dls_pixels pixels_of(const dls_image *image)
{
    return (struct dls_pixels){.data = image->pixels,
                               .width = image->width,
                               .height = image->height,
                               .stride = (size_t)image->width * 3};
}

static int turn(uint8_t orientation, dls_image **image)
{
    const bool swaps = dls_orientation_swaps(orientation);
    const struct dls_pixels from = pixels_of(*image);
    dls_image *turned;
    int r = image_create(swaps ? from.height : from.width, swaps ? from.width : from.height, &turned);

    if (r < 0)
        return r;
    const struct dls_pixels to = pixels_of(turned);
    dls_orient(&from, orientation, &to);
    dls_whole_free(image);
    *image = turned;
    return 0;
}

int dls_whole_decode(const dls_value *value, bool as_stored, dls_image **ret_image)
{
    const struct dls_picture hint = {
        .codec = value->codec, .width = value->width, .height = value->height, .channels = value->channels, .bits = 8};
    struct dls_decoder *decoder = NULL;
    struct dls_picture picture;
    dls_image *image = NULL;
    int r = dls_decoder_create(&decoder);

    if (r == 0)
        r = dls_decoder_header(decoder, value->codec, value->data, value->length, &hint, &picture);
    if (r == 0)
        r = image_create(picture.width, picture.height, &image);
    if (r == 0) {
        const struct dls_pixels pixels = pixels_of(image);
        r = dls_decoder_rgb(decoder, &picture, value->data, value->length, NULL, &pixels, NULL);
    }
    if (r == 0 && !as_stored && value->orientation > 1 && value->orientation <= 8)
        r = turn(value->orientation, &image);
    dls_decoder_free(&decoder);
    if (r < 0)
        dls_whole_free(&image);
    else
        *ret_image = image;
    return r;
}

void dls_whole_free(dls_image **image)
{
    if (*image == NULL)
        return;
    dls_free((*image)->pixels);
    dls_free(*image);
    *image = NULL;
}
