/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "decode/codec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const struct dls_codec_ops *const codecs[] = {
    [DLS_CODEC_JPEG] = &dls_codec_jpeg,
    [DLS_CODEC_PNG] = &dls_codec_png,
    [DLS_CODEC_WEBP] = &dls_codec_webp,
    [DLS_CODEC_RAW] = &dls_codec_raw,
};
#define CODECS (sizeof(codecs) / sizeof(*codecs))

struct dls_decoder {
    struct dls_scratch scratch;
    uint64_t pixel_limit;
    void *states[CODECS];
};

int dls_decoder_create(struct dls_decoder **ret_decoder)
{
    struct dls_decoder *decoder = dls_alloc(DLS_MEM_DECODE, sizeof(*decoder));
    if (decoder == NULL)
        return -ENOMEM;
    decoder->pixel_limit = DLS_PICTURE_PIXELS_MAX;
    for (size_t i = 0; i < CODECS; i++) {
        if (codecs[i] == NULL || codecs[i]->create == NULL)
            continue;
        int r = codecs[i]->create(&decoder->scratch, &decoder->states[i]);
        if (r < 0) {
            dls_decoder_free(&decoder);
            return r;
        }
    }
    *ret_decoder = decoder;
    return 0;
}

void dls_decoder_free(struct dls_decoder **decoder)
{
    if (decoder == NULL || *decoder == NULL)
        return;
    for (size_t i = 0; i < CODECS; i++) {
        if ((*decoder)->states[i] != NULL)
            codecs[i]->destroy((*decoder)->states[i]);
    }
    dls_scratch_free(&(*decoder)->scratch);
    dls_free(*decoder);
    *decoder = NULL;
}

void dls_decoder_limit(struct dls_decoder *decoder, uint64_t pixels)
{
    decoder->pixel_limit = pixels != 0 ? pixels : DLS_PICTURE_PIXELS_MAX;
}

void dls_decoder_lend(struct dls_decoder *decoder, uint8_t *memory, size_t size)
{
    decoder->scratch.lent = memory;
    decoder->scratch.lent_size = size;
}

static int find_codec(dls_codec codec, const struct dls_codec_ops **ret_ops)
{
    if (codec == DLS_CODEC_NONE)
        return dls_err(EINVAL, "decode: this record's field is plain bytes, not an image");
    if ((size_t)codec >= CODECS || codecs[codec] == NULL)
        return dls_err(ENOTSUP, "decode: image codec %d (%s) is not decoded by this version", (int)codec,
                       dls_codec_name(codec));
    *ret_ops = codecs[codec];
    return 0;
}

static int check_size(const struct dls_decoder *decoder, const char *name, const struct dls_picture *picture)
{
    uint64_t pixels = (uint64_t)picture->width * picture->height;
    if (pixels == 0)
        return dls_err(EBADMSG, "%s: the header says %" PRIu32 " × %" PRIu32 " pixels", name, picture->width,
                       picture->height);
    if (pixels > decoder->pixel_limit)
        return dls_err(
            EFBIG, "%s: the header says %" PRIu32 " × %" PRIu32 " pixels, more than the limit of %" PRIu64,
            name, picture->width, picture->height, decoder->pixel_limit);
    return 0;
}

int dls_decoder_header(struct dls_decoder *decoder, dls_codec codec, const uint8_t *data, size_t length,
                       const struct dls_picture *hint, struct dls_picture *ret_picture)
{
    const struct dls_codec_ops *ops;
    struct dls_picture picture = {.codec = codec};
    int r = find_codec(codec, &ops);
    if (r < 0)
        return r;
    r = ops->header(decoder->states[codec], data, length, hint, &picture);
    if (r < 0)
        return r;
    r = check_size(decoder, ops->name, &picture);
    if (r < 0)
        return r;
    *ret_picture = picture;
    return 0;
}

uint32_t dls_scaled_side(uint32_t side, uint8_t eighths)
{
    return eighths == 0 ? side : (uint32_t)(((uint64_t)side * eighths + 7) / 8);
}

static bool box_fits(const struct dls_box *box, const struct dls_picture *picture,
                     const struct dls_pixels *pixels)
{
    return box->width > 0 && box->height > 0 && dls_range_ok(box->x, box->width, dls_scaled_side(picture->width, picture->eighths)) &&
           dls_range_ok(box->y, box->height, dls_scaled_side(picture->height, picture->eighths)) && pixels->width == box->width &&
           pixels->height == box->height && pixels->stride >= 3 * (size_t)box->width;
}

int dls_decoder_rgb(struct dls_decoder *decoder, const struct dls_picture *picture, const uint8_t *data,
                    size_t length, const struct dls_box *box, const struct dls_pixels *pixels,
                    struct dls_decode_notes *notes)
{
    const struct dls_codec_ops *ops;
    struct dls_decode_notes own;
    struct dls_box whole = {0, 0, dls_scaled_side(picture->width, picture->eighths),
                            dls_scaled_side(picture->height, picture->eighths)};
    if (notes == NULL)
        notes = &own;
    memset(notes, 0, sizeof(*notes));
    if (box == NULL)
        box = &whole;
    int r = find_codec(picture->codec, &ops);
    if (r < 0)
        return r;
    r = check_size(decoder, ops->name, picture);
    if (r < 0)
        return r;
    if (picture->eighths > 8 || (picture->eighths != 0 && picture->codec != DLS_CODEC_JPEG))
        return dls_err(EINVAL, "%s: cannot be decoded at %u/8 of its size", ops->name, picture->eighths);
    if (!box_fits(box, picture, pixels))
        return dls_err(EINVAL,
                       "decode: box %" PRIu32 " × %" PRIu32 " at (%" PRIu32 ", %" PRIu32
                       ") of a picture of %" PRIu32 " × %" PRIu32 " into %" PRIu32 " × %" PRIu32 " pixels",
                       box->width, box->height, box->x, box->y, picture->width, picture->height,
                       pixels->width, pixels->height);
    r = ops->rgb(decoder->states[picture->codec], picture, data, length, box, pixels, notes);
    dls_scratch_trim(&decoder->scratch);
    return r;
}

const char *dls_codec_name(dls_codec codec)
{
    switch (codec) {
    case DLS_CODEC_NONE:
        return "none";
    case DLS_CODEC_JPEG:
        return "jpeg";
    case DLS_CODEC_COEF:
        return "coef";
    case DLS_CODEC_PNG:
        return "png";
    case DLS_CODEC_WEBP:
        return "webp";
    case DLS_CODEC_RAW:
        return "raw";
    }
    return "unknown";
}

void dls_notes_warn(struct dls_decode_notes *notes, const char *format, ...)
{
    if (notes->warnings++ > 0)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(notes->first, sizeof(notes->first), format, args);
    va_end(args);
}
