/* SPDX-License-Identifier: Apache-2.0 */
#include "photos.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "image/resize.h"

static int decode(struct dls_decoder *decoder, const struct bench_file *file, struct dls_pixels *ret_pixels)
{
    struct dls_picture picture;
    dls_codec codec = dls_codec_detect(file->data, file->length);
    int r = dls_decoder_header(decoder, codec, file->data, file->length, NULL, &picture);

    if (r < 0)
        return r;
    struct dls_pixels pixels = {
        .width = picture.width, .height = picture.height, .stride = (size_t)picture.width * 3};
    pixels.data = dls_alloc_aligned(DLS_MEM_TOOL, 64, pixels.stride * pixels.height);
    if (!pixels.data)
        return -ENOMEM;
    r = dls_decoder_rgb(decoder, &picture, file->data, file->length, NULL, &pixels, NULL);
    if (r < 0)
        dls_free(pixels.data);
    else
        *ret_pixels = pixels;
    return r;
}

int bench_photos_open(const struct bench_files *files, uint32_t longer_side, uint64_t seed,
                      struct bench_photos *ret_photos)
{
    struct dls_decoder *decoder = NULL;

    *ret_photos = (struct bench_photos){.longer_side = longer_side, .seed = seed};
    ret_photos->list = dls_alloc_array(DLS_MEM_TOOL, files->count, sizeof(*ret_photos->list));
    if (!ret_photos->list)
        return -ENOMEM;
    int r = dls_decoder_create(&decoder);
    for (size_t i = 0; r == 0 && i < files->count; i++) {
        struct dls_pixels pixels = {0};
        /* What is no picture is passed over: a notice beside the photos, for one. */
        if (decode(decoder, &files->list[i], &pixels) == 0 && pixels.width >= 64 && pixels.height >= 64)
            ret_photos->list[ret_photos->count++] = pixels;
        else
            dls_free(pixels.data);
    }
    dls_decoder_free(&decoder);
    if (r == 0 && ret_photos->count == 0)
        r = dls_err(EINVAL, "there is no picture of at least 64 x 64 pixels among the files");
    return r;
}

void bench_photos_free(struct bench_photos *photos)
{
    for (size_t i = 0; i < photos->count; i++)
        dls_free(photos->list[i].data);
    dls_free(photos->list);
    *photos = (struct bench_photos){0};
}

struct errors {
    struct jpeg_error_mgr manager;
    jmp_buf failed;
};

static void on_error(j_common_ptr jpeg)
{
    longjmp(((struct errors *)jpeg->err)->failed, 1);
}

static int encode(const struct dls_pixels *pixels, int quality, uint8_t **ret_data, size_t *ret_length)
{
    struct jpeg_compress_struct jpeg;
    struct errors errors;
    unsigned char *volatile data = NULL;
    unsigned char *written = NULL;
    unsigned long length = 0;

    jpeg.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = on_error;
    if (setjmp(errors.failed)) {
        jpeg_destroy_compress(&jpeg);
        free(data);
        return dls_err(ENOMEM, "a JPEG file cannot be made");
    }
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &written, &length);
    data = written;
    jpeg.image_width = pixels->width;
    jpeg.image_height = pixels->height;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = pixels->data + jpeg.next_scanline * pixels->stride;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    *ret_data = written;
    *ret_length = length;
    return 0;
}

/* A part of the photo, of 30 to 100 % of its area, landscape or portrait as it is. */
static struct dls_pixels cut(const struct dls_pixels *photo, struct dls_rng *rng)
{
    double side = sqrt(0.3 + 0.7 * dls_rng_double(rng));
    uint32_t width = (uint32_t)dls_max64(48, (uint32_t)(photo->width * side)),
             height = (uint32_t)dls_max64(48, (uint32_t)(photo->height * side));
    uint32_t left = (uint32_t)dls_rng_below(rng, photo->width - width + 1ull);
    uint32_t top = (uint32_t)dls_rng_below(rng, photo->height - height + 1ull);

    return (struct dls_pixels){.data = photo->data + top * photo->stride + 3 * (size_t)left,
                               .width = width,
                               .height = height,
                               .stride = photo->stride};
}

int bench_photos_make(const struct bench_photos *photos, uint64_t number, uint8_t **ret_data,
                      size_t *ret_length)
{
    struct dls_resizer *resizer = NULL;
    struct dls_rng rng;

    dls_rng_init(&rng, photos->seed, 0, number);
    struct dls_pixels from = cut(&photos->list[dls_rng_below(&rng, photos->count)], &rng);
    /* Most at the full size, some smaller, as in collections from the web. */
    double longer =
        photos->longer_side * (dls_rng_below(&rng, 5) == 0 ? 0.5 + 0.5 * dls_rng_double(&rng) : 1);
    double scale = longer / (uint32_t)dls_max64(from.width, from.height);
    bool flip = dls_rng_below(&rng, 2) == 1;
    int quality = 92 + (int)dls_rng_below(&rng, 7);
    struct dls_pixels to = {.width = (uint32_t)dls_max64(16, (uint32_t)(from.width * scale)),
                            .height = (uint32_t)dls_max64(16, (uint32_t)(from.height * scale))};
    to.stride = (size_t)to.width * 3;
    to.data = dls_alloc_aligned(DLS_MEM_TOOL, 64, to.stride * to.height);
    if (!to.data)
        return -ENOMEM;
    int r = dls_resizer_create(&resizer);
    if (r == 0)
        r = dls_resize(resizer, DLS_FILTER_BILINEAR, &from, flip, &to);
    if (r == 0)
        r = encode(&to, quality, ret_data, ret_length);
    dls_resizer_free(&resizer);
    dls_free(to.data);
    return r;
}
