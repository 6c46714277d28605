/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "unit/decode/support.h"

#include <webp/encode.h>

/* Wraps chunks into a file; the 12 bytes of RIFF header come first. */
static size_t finish_riff(uint8_t *file, size_t length)
{
    memcpy(file, "RIFF", 4);
    dls_put32(file + 4, (uint32_t)(length - 8));
    memcpy(file + 8, "WEBP", 4);
    return length;
}

static size_t put_chunk(uint8_t *at, const char *type, const void *data, size_t length)
{
    memcpy(at, type, 4);
    dls_put32(at + 4, (uint32_t)length);
    memcpy(at + 8, data, length);
    at[8 + length] = 0;
    return 8 + length + (length & 1);
}

static size_t put_vp8x(uint8_t *at, uint8_t flags, uint32_t width, uint32_t height)
{
    uint8_t body[10] = {flags};
    body[4] = (uint8_t)(width - 1);
    body[5] = (uint8_t)((width - 1) >> 8);
    body[7] = (uint8_t)(height - 1);
    body[8] = (uint8_t)((height - 1) >> 8);
    return put_chunk(at, "VP8X", body, 10);
}

Test(webp, lossless_gives_back_what_went_in)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;
    dls_rng_init(&rng, 4, 0, 0);
    uint8_t *rgb = support_make_pixels(61, 43, 5), *file;
    size_t length = WebPEncodeLosslessRGB(rgb, 61, 43, 61 * 3, &file);
    struct dls_picture picture;
    struct dls_pixels pixels;
    struct dls_decode_notes notes;
    cr_assert_eq(decode_whole(decoder, file, length, &picture, &pixels, &notes), 0, "%s", dls_err_text());
    cr_assert(memcmp(pixels.data, rgb, (size_t)61 * 43 * 3) == 0);
    cr_assert_eq(picture.codec, DLS_CODEC_WEBP);
    cr_assert_eq(picture.has_alpha, 0);
    cr_assert_eq(notes.trailing, 0);
    check_boxes(decoder, &picture, file, length, &pixels, 30, &rng, "lossless");
    free(pixels.data);
    free(rgb);
    WebPFree(file);
    dls_decoder_free(&decoder);
}

Test(webp, boxes_of_a_lossy_picture)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;
    dls_rng_init(&rng, 5, 0, 0);
    for (uint32_t i = 0; i < 6; i++) {
        int width = 1 + (int)dls_rng_below(&rng, 120), height = 1 + (int)dls_rng_below(&rng, 120);
        uint8_t *rgb = support_make_pixels((unsigned)width, (unsigned)height, i), *file;
        size_t length = WebPEncodeRGB(rgb, width, height, width * 3, 70, &file);
        struct dls_picture picture;
        struct dls_pixels pixels;
        cr_assert_eq(decode_whole(decoder, file, length, &picture, &pixels, NULL), 0, "%s", dls_err_text());
        check_boxes(decoder, &picture, file, length, &pixels, 30, &rng, "lossy");
        free(pixels.data);
        free(rgb);
        WebPFree(file);
    }
    dls_decoder_free(&decoder);
}

Test(webp, alpha_is_dropped_not_applied)
{
    struct dls_decoder *decoder = make_decoder();
    uint8_t rgba[4 * 6] = {1, 2, 3, 255, 40, 50, 60, 128, 7, 8, 9, 1}, *file;
    WebPConfig config;
    WebPPicture source;
    WebPMemoryWriter writer;
    cr_assert(WebPConfigInit(&config) && WebPPictureInit(&source));
    config.lossless = 1;
    config.exact = 1;
    source.use_argb = 1;
    source.width = 3;
    source.height = 2;
    WebPMemoryWriterInit(&writer);
    source.writer = WebPMemoryWrite;
    source.custom_ptr = &writer;
    cr_assert(WebPPictureImportRGBA(&source, rgba, 12) && WebPEncode(&config, &source));
    file = writer.mem;
    struct dls_picture picture;
    struct dls_pixels pixels;
    cr_assert_eq(decode_whole(decoder, file, writer.size, &picture, &pixels, NULL), 0);
    for (size_t i = 0; i < 6; i++)
        cr_assert(memcmp(pixels.data + 3 * i, rgba + 4 * i, 3) == 0, "pixel %zu", i);
    cr_assert(picture.has_alpha);
    cr_assert_eq(picture.channels, 4);
    free(pixels.data);
    WebPPictureFree(&source);
    WebPMemoryWriterClear(&writer);
    dls_decoder_free(&decoder);
}

/* An animation of 20 × 10 whose first frame of 6 × 4 lies at (8, 2), with EXIF and XMP. */
static size_t make_animation(uint8_t *file, uint32_t frame_width, const uint8_t *rgb)
{
    static const char exif[] = "Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\3\0\0\0\0\0\0";
    uint8_t frame[2000] = {4, 0, 0, 1, 0, 0, (uint8_t)(frame_width - 1), 0, 0, 3}, *still;
    size_t length = WebPEncodeLosslessRGB(rgb, 6, 4, 18, &still), at = 12;
    memcpy(frame + 16, still + 12, length - 12);
    at += put_vp8x(file + at, 2 | 8, 20, 10);
    at += put_chunk(file + at, "ANIM", "\xff\xff\xff\xff\0\0", 6);
    at += put_chunk(file + at, "ANMF", frame, 16 + length - 12);
    at += put_chunk(file + at, "EXIF", exif, sizeof(exif) - 1);
    WebPFree(still);
    return finish_riff(file, at);
}

Test(webp, the_first_frame_of_an_animation_lies_on_black)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;
    dls_rng_init(&rng, 6, 0, 0);
    uint8_t file[4000], *rgb = support_make_pixels(6, 4, 9);
    size_t length = make_animation(file, 6, rgb);
    struct dls_picture picture;
    struct dls_pixels pixels;
    cr_assert_eq(decode_whole(decoder, file, length, &picture, &pixels, NULL), 0, "%s", dls_err_text());
    cr_assert_eq(picture.width, 20);
    cr_assert_eq(picture.height, 10);
    cr_assert_eq(picture.orientation, 3);
    cr_assert(picture.animated);
    for (unsigned y = 0; y < 10; y++) {
        for (unsigned x = 0; x < 20; x++) {
            static const uint8_t black[3];
            bool inside = x >= 8 && x < 14 && y >= 2 && y < 6;
            const uint8_t *expected = inside ? rgb + 3 * ((y - 2) * 6 + x - 8) : black;
            cr_assert(memcmp(pixels.data + 3 * (y * 20 + x), expected, 3) == 0, "pixel (%u, %u)", x, y);
        }
    }
    check_boxes(decoder, &picture, file, length, &pixels, 60, &rng, "animation");
    free(pixels.data);
    free(rgb);
    dls_decoder_free(&decoder);
}

Test(webp, damaged_structures_are_refused)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    uint8_t file[4000], *rgb = support_make_pixels(6, 4, 9);
    size_t length = make_animation(file, 14, rgb);
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_WEBP, file, length, NULL, &picture), -EBADMSG);
    cr_assert(strstr(dls_err_text(), "leaves the canvas") != NULL, "%s", dls_err_text());
    length = make_animation(file, 7, rgb);
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_WEBP, file, length, NULL, &picture), -EBADMSG);
    cr_assert(strstr(dls_err_text(), "its place") != NULL, "%s", dls_err_text());
    length = 12 + put_vp8x(file + 12, 2, 20, 10);
    finish_riff(file, length);
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_WEBP, file, length, NULL, &picture), -EBADMSG);
    cr_assert(strstr(dls_err_text(), "without a frame") != NULL, "%s", dls_err_text());
    length = make_animation(file, 6, rgb);
    for (size_t cut = 0; cut < length; cut++) {
        uint8_t *exact = malloc(cut + 1);
        cr_assert_not_null(exact);
        memcpy(exact + 1, file, cut);
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_WEBP, exact + 1, cut, NULL, &picture), -EBADMSG,
                     "%zu", cut);
        free(exact);
    }
    free(rgb);
    dls_decoder_free(&decoder);
}

Test(webp, bytes_behind_the_end_are_counted)
{
    struct dls_decoder *decoder = make_decoder();
    uint8_t rgb[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, *file, more[1000] = {0};
    size_t length = WebPEncodeLosslessRGB(rgb, 2, 2, 6, &file);
    struct dls_picture picture;
    struct dls_pixels pixels;
    struct dls_decode_notes notes;
    memcpy(more, file, length);
    cr_assert_eq(decode_whole(decoder, more, length + 17, &picture, &pixels, &notes), 0);
    cr_assert_eq(notes.trailing, 17);
    cr_assert(memcmp(pixels.data, rgb, 12) == 0);
    free(pixels.data);
    WebPFree(file);
    dls_decoder_free(&decoder);
}
