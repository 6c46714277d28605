/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the decoder tests. */
#ifndef DLS_TESTS_DECODE_SUPPORT_H
#define DLS_TESTS_DECODE_SUPPORT_H

#include "base/err.h"
#include "base/rng.h"
#include "decode/decode.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static inline struct dls_decoder *make_decoder(void)
{
    struct dls_decoder *decoder = NULL;
    cr_assert_eq(dls_decoder_create(&decoder), 0);
    return decoder;
}

static inline struct dls_pixels make_pixels(uint32_t width, uint32_t height)
{
    struct dls_pixels pixels = {malloc(3 * (size_t)width * height), width, height, 3 * (size_t)width};
    cr_assert_not_null(pixels.data);
    return pixels;
}

/* Decodes the whole picture; its pixels are to be freed. */
static inline int decode_whole(struct dls_decoder *decoder, const uint8_t *data, size_t length,
                               struct dls_picture *ret_picture, struct dls_pixels *ret_pixels,
                               struct dls_decode_notes *notes)
{
    *ret_pixels = (struct dls_pixels){0};
    int r = dls_decoder_header(decoder, dls_codec_detect(data, length), data, length, NULL, ret_picture);
    if (r < 0)
        return r;
    struct dls_pixels pixels = make_pixels(ret_picture->width, ret_picture->height);
    r = dls_decoder_rgb(decoder, ret_picture, data, length, NULL, &pixels, notes);
    if (r < 0) {
        free(pixels.data);
        return r;
    }
    *ret_pixels = pixels;
    return 0;
}

/* Random boxes must show what the whole shows in the same place, and touch nothing around themselves. */
static inline void check_boxes(struct dls_decoder *decoder, const struct dls_picture *picture,
                               const uint8_t *data, size_t length, const struct dls_pixels *whole,
                               unsigned count, struct dls_rng *rng, const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        struct dls_box box;
        box.width = 1 + (uint32_t)dls_rng_below(rng, picture->width);
        box.height = 1 + (uint32_t)dls_rng_below(rng, picture->height);
        box.x = (uint32_t)dls_rng_below(rng, picture->width - box.width + 1);
        box.y = (uint32_t)dls_rng_below(rng, picture->height - box.height + 1);
        size_t stride = 3 * (size_t)box.width + 5, size = stride * box.height;
        uint8_t *memory = malloc(size);
        cr_assert_not_null(memory);
        memset(memory, 0xa5, size);
        struct dls_pixels pixels = {memory, box.width, box.height, stride};
        cr_assert_eq(dls_decoder_rgb(decoder, picture, data, length, &box, &pixels, NULL), 0, "%s: %s", name,
                     dls_err_text());
        for (uint32_t y = 0; y < box.height; y++) {
            const uint8_t *row = memory + y * stride;
            cr_assert(memcmp(row, whole->data + (box.y + y) * whole->stride + 3 * (size_t)box.x,
                             3 * (size_t)box.width) == 0,
                      "%s: box %u × %u at (%u, %u), row %u", name, box.width, box.height, box.x, box.y, y);
            for (size_t gap = 3 * (size_t)box.width; gap < stride; gap++)
                cr_assert_eq(row[gap], 0xa5, "%s: wrote behind row %u", name, y);
        }
        free(memory);
    }
}

#endif
