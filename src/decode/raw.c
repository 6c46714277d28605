/* SPDX-License-Identifier: Apache-2.0 */
/* Samples as they are: height × width × channels bytes. The size comes from the record's cell, not from the
 * bytes. */
#include "decode/codec.h"

#include "base/bytes.h"
#include "base/err.h"

#include <inttypes.h>

static int check(const struct dls_picture *picture, size_t length)
{
    uint64_t samples;
    if (picture->channels < 1 || picture->channels > 4)
        return dls_err(EBADMSG, "raw: %u channels, but 1 to 4 are possible", picture->channels);
    if (dls_mul_overflows((uint64_t)picture->width * picture->height, picture->channels, &samples) ||
        samples != length)
        return dls_err(EBADMSG, "raw: %zu bytes do not make %" PRIu32 " × %" PRIu32 " pixels of %u channels",
                       length, picture->width, picture->height, picture->channels);
    return 0;
}

static int raw_header(void *state, const uint8_t *data, size_t length, const struct dls_picture *hint,
                      struct dls_picture *ret_picture)
{
    (void)state;
    (void)data;
    if (hint == NULL)
        return dls_err(EINVAL, "raw: the size is not in the bytes and was not given");
    int r = check(hint, length);
    if (r < 0)
        return r;
    ret_picture->width = hint->width;
    ret_picture->height = hint->height;
    ret_picture->channels = hint->channels;
    ret_picture->bits = 8;
    ret_picture->orientation = hint->orientation;
    ret_picture->has_alpha = hint->channels == 2 || hint->channels == 4;
    return 0;
}

static int raw_rgb(void *state, const struct dls_picture *picture, const uint8_t *data, size_t length,
                   const struct dls_box *box, const struct dls_pixels *pixels, struct dls_decode_notes *notes)
{
    (void)state;
    (void)notes;
    int r = check(picture, length);
    if (r < 0)
        return r;
    /* 1 and 2 channels are grey (and alpha), 3 and 4 are RGB (and alpha); alpha is dropped. */
    size_t step = picture->channels;
    size_t green = step >= 3 ? 1 : 0, blue = step >= 3 ? 2 : 0;
    for (uint32_t y = 0; y < box->height; y++) {
        const uint8_t *from = data + ((size_t)(box->y + y) * picture->width + box->x) * step;
        uint8_t *to = pixels->data + y * pixels->stride;
        if (step == 3) {
            memcpy(to, from, 3 * (size_t)box->width);
            continue;
        }
        for (uint32_t x = 0; x < box->width; x++, from += step, to += 3) {
            to[0] = from[0];
            to[1] = from[green];
            to[2] = from[blue];
        }
    }
    return 0;
}

const struct dls_codec_ops dls_codec_raw = {.name = "raw", .header = raw_header, .rgb = raw_rgb};
