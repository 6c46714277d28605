/* SPDX-License-Identifier: Apache-2.0 */
/* A picture, and behind it eight bytes that choose a box and a size: what decodes as a whole must decode in the box, to
 * the same pixels; at a part of its size it must not crash. Included by each target, as each is a program of its own. */
#ifndef DLS_TESTS_FUZZ_PICTURE_H
#define DLS_TESTS_FUZZ_PICTURE_H

#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

#define BOX_BYTES 8
/* Small pictures reach the same code as large ones, sooner. */
#define PIXELS_MAX (1u << 15)

static struct dls_decoder *decoder;
static uint8_t whole[3 * PIXELS_MAX], part[3 * PIXELS_MAX];

static uint32_t fuzz_choose(const uint8_t *bytes, uint32_t below)
{
    return ((uint32_t)bytes[0] << 8 | bytes[1]) % below;
}

static void fuzz_decode(const struct dls_picture *picture, const uint8_t *data, size_t length,
                   const uint8_t *bytes)
{
    struct dls_box box;
    struct dls_pixels pixels = {whole, picture->width, picture->height, 3 * (size_t)picture->width};
    int r = dls_decoder_rgb(decoder, picture, data, length, NULL, &pixels, NULL);
    box.width = 1 + fuzz_choose(bytes, picture->width);
    box.height = 1 + fuzz_choose(bytes + 2, picture->height);
    box.x = fuzz_choose(bytes + 4, picture->width - box.width + 1);
    box.y = fuzz_choose(bytes + 6, picture->height - box.height + 1);
    struct dls_pixels boxed = {part, box.width, box.height, 3 * (size_t)box.width};
    int boxed_r = dls_decoder_rgb(decoder, picture, data, length, &box, &boxed, NULL);
    if (r < 0)
        return;
    if (boxed_r < 0)
        abort();
    for (uint32_t y = 0; y < box.height; y++) {
        if (memcmp(part + y * boxed.stride, whole + (box.y + y) * pixels.stride + 3 * (size_t)box.x,
                   boxed.stride) != 0)
            abort();
    }
}

/* Small JPEGs at a part of their size: only that nothing breaks. */
static void fuzz_scaled(struct dls_picture picture, const uint8_t *data, size_t length, uint8_t choice)
{
    picture.eighths = 1 + choice % 8;
    struct dls_pixels pixels = {part, dls_scaled_side(picture.width, picture.eighths),
                                dls_scaled_side(picture.height, picture.eighths), 0};
    pixels.stride = 3 * (size_t)pixels.width;
    (void)dls_decoder_rgb(decoder, &picture, data, length, NULL, &pixels, NULL);
}

/* codec NONE: what the bytes show. */
static int fuzz_picture(dls_codec codec, const uint8_t *data, size_t size)
{
    struct dls_picture picture, hint = {.width = 5, .height = 3, .channels = 3};
    if (size < BOX_BYTES)
        return 0;
    if (decoder == NULL) {
        if (dls_decoder_create(&decoder) < 0)
            abort();
        dls_decoder_limit(decoder, PIXELS_MAX);
    }
    size_t length = size - BOX_BYTES;
    /* In memory of its own, so that a look beyond the picture is not hidden by the bytes behind it. */
    uint8_t *exact = malloc(length + 1);
    if (exact == NULL)
        return 0;
    memcpy(exact + 1, data, length);
    if (codec == DLS_CODEC_NONE)
        codec = dls_codec_detect(exact + 1, length);
    if (codec == DLS_CODEC_NONE) {
        (void)dls_content_name(exact + 1, length);
        codec = DLS_CODEC_RAW;
    }
    if (codec == DLS_CODEC_RAW)
        hint.channels = (uint8_t)(length / 15);
    if (dls_decoder_header(decoder, codec, exact + 1, length, &hint, &picture) == 0) {
        fuzz_decode(&picture, exact + 1, length, data + length);
        picture.indexes = codec == DLS_CODEC_PNG;
        if (picture.indexes)
            fuzz_decode(&picture, exact + 1, length, data + length);
        if (codec == DLS_CODEC_JPEG)
            fuzz_scaled(picture, exact + 1, length, data[length]);
    }
    free(exact);
    return 0;
}

#endif
