/* SPDX-License-Identifier: Apache-2.0 */
/* WebP by libwebp. Of an animation it is the first frame, on black where the frame leaves the canvas free. */
#include "decode/codec.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "decode/exif.h"

#include <inttypes.h>
#include <string.h>

#include <webp/decode.h>

#define RIFF_HEAD 12
#define CHUNK_HEAD 8
#define FRAME_HEAD 16 /* of an ANMF chunk: place, size, duration, flags */

struct webp {
    struct dls_scratch *scratch;
};

/* What a walk over the RIFF chunks finds. */
struct facts {
    const uint8_t
        *image; /* the chunks libwebp is to decode, and no byte behind them that it could take for image */
    size_t image_length;
    struct dls_box place; /* of the image on the canvas; empty = all of it */
    uint32_t width, height;
    bool animated, alpha;
    size_t end; /* just behind the RIFF structure */
    struct dls_side_data side;
};

static uint32_t get24(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

static int read_frame(const uint8_t *data, size_t size, size_t at, struct facts *facts)
{
    if (size < FRAME_HEAD)
        return dls_err(EBADMSG, "webp: the frame at byte %zu is too short", at);
    if (facts->image != NULL)
        return 0; /* the first one is all that is asked for */
    facts->place =
        (struct dls_box){2 * get24(data), 2 * get24(data + 3), get24(data + 6) + 1, get24(data + 9) + 1};
    if (!dls_range_ok(facts->place.x, facts->place.width, facts->width) ||
        !dls_range_ok(facts->place.y, facts->place.height, facts->height))
        return dls_err(EBADMSG, "webp: the frame at byte %zu leaves the canvas", at);
    facts->image = data + FRAME_HEAD;
    facts->image_length = size - FRAME_HEAD;
    return 0;
}

/* A still picture is a VP8 or VP8L chunk, with its alpha in a chunk before it. */
static void read_still(const uint8_t *chunk, size_t size, bool alpha, struct facts *facts)
{
    if (facts->image_length != 0)
        return;
    if (facts->image == NULL)
        facts->image = chunk;
    if (!alpha)
        facts->image_length = (size_t)(chunk - facts->image) + CHUNK_HEAD + size;
}

static int read_chunk(const uint8_t *data, size_t size, size_t at, struct facts *facts)
{
    const uint8_t *body = data + at + CHUNK_HEAD;
    if (memcmp(data + at, "VP8X", 4) == 0 && at == RIFF_HEAD) {
        if (size < 10)
            return dls_err(EBADMSG, "webp: the VP8X chunk is too short");
        facts->animated = (body[0] & 2) != 0;
        facts->alpha = (body[0] & 16) != 0;
        facts->width = get24(body + 4) + 1;
        facts->height = get24(body + 7) + 1;
    } else if (memcmp(data + at, "ANMF", 4) == 0 && facts->animated) {
        return read_frame(body, size, at, facts);
    } else if (memcmp(data + at, "ALPH", 4) == 0 && !facts->animated) {
        read_still(data + at, size, true, facts);
    } else if ((memcmp(data + at, "VP8 ", 4) == 0 || memcmp(data + at, "VP8L", 4) == 0) && !facts->animated) {
        read_still(data + at, size, false, facts);
    } else if (memcmp(data + at, "EXIF", 4) == 0 && facts->side.exif == NULL) {
        facts->side.exif = body;
        facts->side.exif_length = size;
    } else if (memcmp(data + at, "XMP ", 4) == 0 && facts->side.xmp == NULL) {
        facts->side.xmp = body;
        facts->side.xmp_length = size;
    }
    return 0;
}

static int walk(const uint8_t *data, size_t length, struct facts *ret_facts)
{
    struct facts facts = {0};
    if (length < RIFF_HEAD || memcmp(data, "RIFF", 4) != 0 || memcmp(data + 8, "WEBP", 4) != 0)
        return dls_err(EBADMSG, "webp: the RIFF header is missing");
    uint64_t end = (uint64_t)dls_get32(data + 4) + CHUNK_HEAD;
    if (end > length)
        return dls_err(EBADMSG, "webp: the file is cut off: %zu bytes of %" PRIu64, length, end);
    facts.end = (size_t)end;
    for (size_t at = RIFF_HEAD; at + CHUNK_HEAD <= end;) {
        size_t size = dls_get32(data + at + 4);
        if (size > end - at - CHUNK_HEAD)
            return dls_err(EBADMSG, "webp: the chunk at byte %zu is cut off", at);
        int r = read_chunk(data, size, at, &facts);
        if (r < 0)
            return r;
        at += CHUNK_HEAD + size + (size & 1);
    }
    if (facts.image_length == 0)
        return dls_err(EBADMSG, "webp: %s",
                       facts.animated ? "an animation without a frame" : "there is no image data");
    *ret_facts = facts;
    return 0;
}

static int lib_error(VP8StatusCode code)
{
    switch (code) {
    case VP8_STATUS_OUT_OF_MEMORY:
        return dls_err(ENOMEM, "webp: no memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return dls_err(ENOTSUP, "webp: a feature that libwebp does not decode");
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return dls_err(EBADMSG, "webp: the image data is cut off");
    default:
        return dls_err(EBADMSG, "webp: the image data is damaged");
    }
}

static int webp_create(struct dls_scratch *scratch, void **ret_state)
{
    struct webp *webp = dls_alloc(DLS_MEM_DECODE, sizeof(*webp));
    if (webp == NULL)
        return -ENOMEM;
    webp->scratch = scratch;
    *ret_state = webp;
    return 0;
}

static void webp_destroy(void *state)
{
    dls_free(state);
}

/* Reads the structure and the image's own header, and sets facts to the canvas's size. */
static int read_facts(const uint8_t *data, size_t length, struct facts *ret_facts)
{
    WebPBitstreamFeatures features;
    int r = walk(data, length, ret_facts);
    if (r < 0)
        return r;
    VP8StatusCode code = WebPGetFeatures(ret_facts->image, ret_facts->image_length, &features);
    if (code != VP8_STATUS_OK)
        return lib_error(code);
    uint32_t width = (uint32_t)features.width, height = (uint32_t)features.height;
    if (!ret_facts->animated) {
        if (ret_facts->width == 0) { /* no VP8X chunk: the image is all there is */
            ret_facts->width = width;
            ret_facts->height = height;
        }
        ret_facts->place = (struct dls_box){0, 0, ret_facts->width, ret_facts->height};
    }
    if (width != ret_facts->place.width || height != ret_facts->place.height)
        return dls_err(EBADMSG,
                       "webp: the image is %" PRIu32 " × %" PRIu32 ", its place %" PRIu32 " × %" PRIu32,
                       width, height, ret_facts->place.width, ret_facts->place.height);
    ret_facts->alpha |= features.has_alpha != 0;
    return 0;
}

static int webp_header(void *state, const uint8_t *data, size_t length, const struct dls_picture *hint,
                       struct dls_picture *ret_picture)
{
    struct facts facts;
    (void)state;
    (void)hint;
    int r = read_facts(data, length, &facts);
    if (r < 0)
        return r;
    ret_picture->width = facts.width;
    ret_picture->height = facts.height;
    ret_picture->channels = facts.alpha ? 4 : 3;
    ret_picture->bits = 8;
    ret_picture->orientation = dls_side_orientation(&facts.side);
    ret_picture->animated = facts.animated;
    ret_picture->has_alpha = facts.alpha;
    return 0;
}

/* Decodes part `part` of the image, in the image's own coordinates; its corner is even. */
static int decode_into(const struct facts *facts, const struct dls_box *part, uint8_t *to, size_t stride)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return dls_err(ENOTSUP, "webp: libwebp's version does not fit its header");
    config.options.use_cropping = part->width < facts->place.width || part->height < facts->place.height;
    config.options.crop_left = (int)part->x;
    config.options.crop_top = (int)part->y;
    config.options.crop_width = (int)part->width;
    config.options.crop_height = (int)part->height;
    config.output.colorspace = MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = to;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * (part->height - 1) + 3 * (size_t)part->width;
    VP8StatusCode code = WebPDecode(facts->image, facts->image_length, &config);
    WebPFreeDecBuffer(&config.output);
    return code != VP8_STATUS_OK ? lib_error(code) : 0;
}

/* What two lengths on a line share: [*ret_start, *ret_start + result), or nothing if 0. */
static uint32_t shared(uint32_t a, uint32_t a_length, uint32_t b, uint32_t b_length, uint32_t *ret_start)
{
    uint32_t start = a > b ? a : b;
    uint32_t end = a + a_length < b + b_length ? a + a_length : b + b_length;
    *ret_start = start;
    return end > start ? end - start : 0;
}

/* Widens [*start, *start + *length) by what smooth chroma upsampling looks at, to an even start, within [0,
 * whole). */
static void widen(uint32_t *start, uint32_t *length, uint32_t whole)
{
    uint32_t end = *start + *length;
    *start = *start > 2 ? (*start - 2) & ~1u : 0;
    end = whole - end > 2 ? end + 2 : whole;
    *length = end - *start;
}

/* The box of a canvas on which the image covers a place: black, and over it what they share. */
static int decode_box(struct webp *webp, const struct facts *facts, const struct dls_box *box,
                      const struct dls_pixels *pixels)
{
    const struct dls_box *place = &facts->place;
    struct dls_box both, part;
    both.width = shared(box->x, box->width, place->x, place->width, &both.x);
    both.height = shared(box->y, box->height, place->y, place->height, &both.y);
    for (uint32_t y = 0; facts->animated && y < box->height; y++)
        memset(pixels->data + y * pixels->stride, 0, 3 * (size_t)box->width);
    if (both.width == 0 || both.height == 0)
        return 0;
    part = (struct dls_box){both.x - place->x, both.y - place->y, both.width, both.height};
    widen(&part.x, &part.width, place->width);
    widen(&part.y, &part.height, place->height);
    size_t stride = 3 * (size_t)part.width;
    uint8_t *image = dls_scratch_get(webp->scratch, stride * part.height);
    if (image == NULL)
        return -ENOMEM;
    int r = decode_into(facts, &part, image, stride);
    if (r < 0)
        return r;
    image += (both.y - place->y - part.y) * stride + 3 * (size_t)(both.x - place->x - part.x);
    for (uint32_t y = 0; y < both.height; y++)
        memcpy(pixels->data + (both.y - box->y + y) * pixels->stride + 3 * (size_t)(both.x - box->x),
               image + y * stride, 3 * (size_t)both.width);
    return 0;
}

static int webp_rgb(void *state, const struct dls_picture *picture, const uint8_t *data, size_t length,
                    const struct dls_box *box, const struct dls_pixels *pixels,
                    struct dls_decode_notes *notes)
{
    struct webp *webp = state;
    struct facts facts;
    int r = read_facts(data, length, &facts);
    if (r < 0)
        return r;
    if (facts.width != picture->width || facts.height != picture->height)
        return dls_err(EBADMSG, "webp: the picture is %" PRIu32 " × %" PRIu32 ", not %" PRIu32 " × %" PRIu32,
                       facts.width, facts.height, picture->width, picture->height);
    notes->trailing = length - facts.end;
    const struct dls_box whole = {0, 0, facts.place.width, facts.place.height};
    if (memcmp(box, &facts.place, sizeof(*box)) == 0 && pixels->stride <= INT32_MAX)
        return decode_into(&facts, &whole, pixels->data, pixels->stride);
    return decode_box(webp, &facts, box, pixels);
}

const struct dls_codec_ops dls_codec_webp = {
    .name = "webp", .create = webp_create, .destroy = webp_destroy, .header = webp_header, .rgb = webp_rgb};
