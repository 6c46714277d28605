/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/examine.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LANES 48        /* bytes in a step: sixteen pixels */
#define STEPS_MAX 60000 /* steps before a 32-bit sum of squares could overflow: 2^32 / 255² */

void pixel_sums_add(struct pixel_sums *sums, const uint8_t *rgb, uint64_t pixels)
{
    uint64_t bytes = pixels * 3, at = 0;

    sums->pixels += pixels;
    while (bytes - at >= LANES) {
        uint32_t sum[LANES] = {0}, square[LANES] = {0};
        uint64_t steps = (bytes - at) / LANES;
        if (steps > STEPS_MAX)
            steps = STEPS_MAX;
        for (uint64_t i = 0; i < steps; i++, at += LANES)
            for (unsigned lane = 0; lane < LANES; lane++) {
                uint32_t value = rgb[at + lane];
                sum[lane] += value;
                square[lane] += value * value;
            }
        for (unsigned lane = 0; lane < LANES; lane++) {
            sums->sum[lane % 3] += sum[lane];
            sums->square[lane % 3] += square[lane];
        }
    }
    /* LANES is a multiple of 3, so that `at` stands on a pixel. */
    for (; at < bytes; at++) {
        uint32_t value = rgb[at];
        sums->sum[at % 3] += value;
        sums->square[at % 3] += value * value;
    }
}

static int verdict(struct examined *examined, enum problem_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int verdict(struct examined *examined, enum problem_kind kind, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(examined->text, sizeof(examined->text), format, args);
    va_end(args);
    examined->kind = kind;
    return 0;
}

/* A decoder's failure as a verdict; what is not the picture's fault is handed on. */
static int judge(struct examined *examined, int r)
{
    switch (r) {
    case 0:
        return 0;
    case -ENOMEM:
        return r;
    case -ENOTSUP:
        return verdict(examined, PROBLEM_UNSUPPORTED, "%s", dls_err_text());
    case -EFBIG:
        return verdict(examined, PROBLEM_TOO_LARGE, "%s", dls_err_text());
    default:
        return verdict(examined, PROBLEM_DAMAGED, "%s", dls_err_text());
    }
}

/* About what the codec holds besides the pixels that it hands out. */
static uint64_t internal_bytes(const struct dls_picture *picture)
{
    uint64_t pixels = (uint64_t)picture->width * picture->height;

    switch (picture->codec) {
    case DLS_CODEC_JPEG:
        return picture->progressive ? pixels * picture->channels * sizeof(int16_t) : 0;
    case DLS_CODEC_WEBP:
        return pixels * 4;
    case DLS_CODEC_PNG:
        return pixels * 8;
    default:
        return 0;
    }
}

/* Decodes the whole picture into memory of the caller's and adds its pixels up. */
static int decode(struct dls_decoder *decoder, const uint8_t *data, size_t length,
                  const struct examine_memory *memory, struct examined *examined)
{
    const struct dls_picture *picture = &examined->picture;
    uint64_t pixels = (uint64_t)picture->width * picture->height, bytes = pixels * 3,
             internal = internal_bytes(picture);
    struct dls_pixels into = {
        .width = picture->width, .height = picture->height, .stride = 3 * (size_t)picture->width};
    struct dls_decode_notes notes = {0};
    int r;

    into.data = memory->take(memory->user, bytes, internal);
    if (!into.data)
        return -ENOMEM;
    r = dls_decoder_rgb(decoder, picture, data, length, NULL, &into, &notes);
    if (r == 0)
        pixel_sums_add(&examined->sums, into.data, pixels);
    memory->give_back(memory->user, into.data, bytes, internal);
    r = judge(examined, r);
    if (r == 0 && examined->kind == PROBLEM_NONE && notes.warnings)
        return verdict(examined, PROBLEM_WARNING, "decodes, but with %u warning%s: %s", notes.warnings,
                       notes.warnings == 1 ? "" : "s", notes.first);
    if (r == 0 && examined->kind == PROBLEM_NONE && notes.trailing)
        return verdict(examined, PROBLEM_WARNING, "decodes, but %llu byte%s behind the picture's end",
                       (unsigned long long)notes.trailing, notes.trailing == 1 ? " lies" : "s lie");
    return r;
}

/* Content that no codec takes: a picture of another kind, a picture behind something else, or no picture. */
static int refuse_content(const uint8_t *data, size_t length, struct examined *examined)
{
    static const char *const pictures[] = {"gif",       "tiff", "bmp",  "jpeg 2000", "jpeg xl",
                                           "photoshop", "ico",  "qoi",  "dds",       "pnm",
                                           "openexr",   "avif", "heif", "canon raw", "svg"};
    const char *content = dls_content_name(data, length);

    for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++)
        if (!strcmp(content, pictures[i]))
            return verdict(examined, PROBLEM_UNSUPPORTED,
                           "a picture in %s format: only JPEG, PNG and WebP are packed", content);
    if (strstr(content, "behind stray bytes"))
        return verdict(examined, PROBLEM_DAMAGED, "%s", content);
    if (!strcmp(content, "not an image"))
        return verdict(examined, PROBLEM_NOT_IMAGE, "not an image");
    return verdict(examined, PROBLEM_NOT_IMAGE, "not an image (%s)", content);
}

int examine(struct dls_decoder *decoder, const uint8_t *data, size_t length, bool check, uint64_t max_pixels,
            const struct examine_memory *memory, struct examined *ret_examined)
{
    struct examined *examined = ret_examined;
    dls_codec codec = dls_codec_detect(data, length);
    const struct dls_picture *picture = &examined->picture;
    int r;

    memset(examined, 0, sizeof(*examined));
    if (!length)
        return verdict(examined, PROBLEM_EMPTY, "empty: no bytes in it");
    if (codec == DLS_CODEC_NONE)
        return refuse_content(data, length, examined);
    r = dls_decoder_header(decoder, codec, data, length, NULL, &examined->picture);
    if (r < 0)
        return judge(examined, r);
    if ((uint64_t)picture->width * picture->height > max_pixels)
        return verdict(examined, PROBLEM_TOO_LARGE, "%u x %u pixels are more than --max-pixels allows (%llu)",
                       picture->width, picture->height, (unsigned long long)max_pixels);
    return check ? decode(decoder, data, length, memory, examined) : 0;
}
