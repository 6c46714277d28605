/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "unit/decode/png_build.h"
#include "unit/decode/support.h"

static struct png_build png;

static int decode(struct dls_decoder *decoder, struct dls_picture *ret_picture, uint8_t *rgb,
                  size_t pixels_count, struct dls_decode_notes *notes)
{
    struct dls_pixels pixels;
    int r = decode_whole(decoder, png.bytes, png.length, ret_picture, &pixels, notes);
    if (r < 0)
        return r;
    cr_assert_eq((size_t)pixels.width * pixels.height, pixels_count);
    memcpy(rgb, pixels.data, 3 * pixels_count);
    free(pixels.data);
    return 0;
}

Test(png, filters_and_several_image_chunks)
{
    /* Rows by filter: none, sub, up, average, Paeth; each is 10 20 30 40. */
    static const uint8_t rows[] = {0, 10, 20, 30, 40, 1, 10, 10, 10, 10, 2, 0, 0,
                                   0, 0,  3,  5,  5,  5, 5,  4,  0,  0,  0, 0};
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    struct dls_decode_notes notes;
    uint8_t packed[200], rgb[60];
    uLongf size = sizeof(packed);
    png_start(&png, 4, 5, 8, 0, 0);
    cr_assert_eq(compress(packed, &size, rows, sizeof(rows)), Z_OK);
    for (size_t at = 0; at < size; at++)
        png_chunk(&png, "IDAT", packed + at, 1);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 20, &notes), 0, "%s", dls_err_text());
    for (unsigned i = 0; i < 60; i++)
        cr_assert_eq(rgb[i], 10 * (i / 3 % 4 + 1), "byte %u is %u", i, rgb[i]);
    cr_assert_eq(picture.channels, 1);
    cr_assert_eq(notes.warnings, 0);
    cr_assert_eq(notes.trailing, 0);
    dls_decoder_free(&decoder);
}

/* libspng puts small samples into their places by an OR, so rows must start at zero even where another
 * picture's bytes lay before. */
Test(png, interlaced_one_bit_after_another_picture)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    uint8_t white[6 * 25], rgb[300];
    png_start(&png, 10, 10, 8, 0, 1);
    memset(white, 0xff, sizeof(white));
    /* Passes of 10 × 10: 2×2, 1×2, 3×1, 2×3, 5×2, 5×5, 10×5 samples; filter 0 before each row. */
    static const uint8_t widths[] = {2, 1, 3, 2, 5, 5, 10}, heights[] = {2, 2, 1, 3, 2, 5, 5};
    size_t at = 0;
    for (int pass = 0; pass < 7; pass++) {
        for (int row = 0; row < heights[pass]; row++) {
            white[at] = 0;
            at += 1 + widths[pass];
        }
    }
    png_image(&png, white, at);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 100, NULL), 0, "%s", dls_err_text());
    for (unsigned i = 0; i < 300; i++)
        cr_assert_eq(rgb[i], 255);
    png_start(&png, 10, 10, 1, 0, 1);
    memset(white, 0, sizeof(white));
    for (int pass = 0, start = 0; pass < 7; pass++) {
        for (int row = 0; row < heights[pass]; row++, start += 1 + (widths[pass] + 7) / 8) {
            if (pass == 0 && row == 0)
                white[start + 1] = 0x80; /* the first pixel alone */
        }
        at = (size_t)start;
    }
    png_image(&png, white, at);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 100, NULL), 0, "%s", dls_err_text());
    for (unsigned i = 0; i < 300; i++)
        cr_assert_eq(rgb[i], i < 3 ? 255 : 0, "byte %u", i);
    dls_decoder_free(&decoder);
}

Test(png, palette_entries_that_are_not_there_are_black)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    uint8_t rgb[12];
    png_start(&png, 4, 1, 2, 3, 0);
    png_chunk(&png, "PLTE", "\1\2\3\4\5\6", 6);
    png_chunk(&png, "tRNS", "\0", 1);
    png_image(&png, "\0\x1b", 2); /* 0 1 2 3 */
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 4, NULL), 0, "%s", dls_err_text());
    cr_assert(memcmp(rgb, "\1\2\3\4\5\6\0\0\0\0\0\0", 12) == 0);
    cr_assert(picture.has_alpha);
    cr_assert_eq(picture.bits, 2);
    /* Without any palette there are no colours at all. */
    png_start(&png, 4, 1, 2, 3, 0);
    png_image(&png, "\0\x1b", 2);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 4, NULL), -EBADMSG);
    dls_decoder_free(&decoder);
}

Test(png, a_wrong_checksum_of_the_image_is_a_warning_but_a_wrong_stream_an_error)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    struct dls_decode_notes notes;
    uint8_t packed[100], rgb[18];
    uLongf size = sizeof(packed);
    cr_assert_eq(compress(packed, &size, (const uint8_t *)"\0ab\0cd\0ef", 9), Z_OK);
    png_start(&png, 2, 3, 8, 0, 0);
    size_t image = png.length;
    png_chunk(&png, "IDAT", packed, 8);
    png.bytes[png.length - 1] ^= 1;
    png_chunk(&png, "IDAT", packed + 8, size - 8);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 6, &notes), 0, "%s", dls_err_text());
    cr_assert(memcmp(rgb, "aaabbbcccdddeeefff", 18) == 0);
    cr_assert_eq(notes.warnings, 1);
    cr_assert(strstr(notes.first, "checksum") != NULL);
    png.bytes[image + 8] ^= 0xff; /* the compressed data's first byte */
    cr_assert_eq(decode(decoder, &picture, rgb, 6, &notes), -EBADMSG);
    dls_decoder_free(&decoder);
}

Test(png, too_little_image_data_is_an_error)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    uint8_t rgb[18];
    png_start(&png, 2, 3, 8, 0, 0);
    png_image(&png, "\0ab\0cd", 6);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 6, NULL), -EBADMSG);
    cr_assert(strstr(dls_err_text(), "png: ") != NULL);
    dls_decoder_free(&decoder);
}

Test(png, kinds_that_do_not_exist_are_refused)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    uint8_t rgb[18];
    png_start(&png, 2, 3, 3, 0, 0);
    png_image(&png, "\0ab\0cd\0ef", 9);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 6, NULL), -EBADMSG);
    png_start(&png, 2, 3, 8, 200, 0);
    png_image(&png, "\0ab\0cd\0ef", 9);
    png_end(&png);
    cr_assert_eq(decode(decoder, &picture, rgb, 6, NULL), -EBADMSG);
    dls_decoder_free(&decoder);
}

Test(png, nothing_of_our_own_is_allocated_once_running)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture;
    struct dls_decode_notes notes;
    uint8_t rgb[18];
    uint64_t calls = 0;
    struct dls_pixels pixels = {rgb, 2, 3, 6};
    png_start(&png, 2, 3, 8, 0, 0);
    png_image(&png, "\0ab\0cd\0ef", 9);
    png_end(&png);
    for (int i = 0; i < 6; i++) {
        if (i == 2)
            calls = dls_mem_count(DLS_MEM_TAGS);
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_PNG, png.bytes, png.length, NULL, &picture), 0);
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, png.bytes, png.length, NULL, &pixels, &notes), 0);
    }
    cr_assert_eq(dls_mem_count(DLS_MEM_TAGS), calls);
    cr_assert_gt(notes.codec_allocations, 0);
    dls_decoder_free(&decoder);
}

Test(png, a_lack_of_memory_is_told)
{
    png_start(&png, 2, 3, 8, 0, 0);
    png_image(&png, "\0ab\0cd\0ef", 9);
    png_end(&png);
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct dls_decoder *decoder = make_decoder();
        struct dls_picture picture;
        struct dls_pixels pixels = make_pixels(2, 3);
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_PNG, png.bytes, png.length, NULL, &picture), 0);
        dls_mem_fail(seed, 2);
        int r = dls_decoder_rgb(decoder, &picture, png.bytes, png.length, NULL, &pixels, NULL);
        dls_mem_fail(0, 0);
        cr_assert(r == 0 || r == -ENOMEM, "seed %u: %d: %s", (unsigned)seed, r, dls_err_text());
        free(pixels.data);
        dls_decoder_free(&decoder);
    }
}
