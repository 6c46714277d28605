/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/decode/support.h"

static const struct {
    unsigned channels;
    const char *samples, *rgb; /* 2 × 2 pixels */
} cases[] = {
    {1, "abcd", "aaabbbcccddd"},
    {2, "a1b2c3d4", "aaabbbcccddd"},
    {3, "abcdefghijkl", "abcdefghijkl"},
    {4, "abc1def2ghi3jkl4", "abcdefghijkl"},
};

Test(raw, one_to_four_channels)
{
    struct dls_decoder *decoder = make_decoder();
    for (size_t i = 0; i < 4; i++) {
        const uint8_t *data = (const uint8_t *)cases[i].samples;
        size_t length = strlen(cases[i].samples);
        struct dls_picture hint = {
            .width = 2, .height = 2, .channels = (uint8_t)cases[i].channels, .orientation = 6};
        struct dls_picture picture;
        uint8_t rgb[12];
        struct dls_pixels pixels = {rgb, 2, 2, 6};
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, data, length, &hint, &picture), 0);
        cr_assert_eq(picture.orientation, 6);
        cr_assert_eq(picture.bits, 8);
        cr_assert_eq(picture.has_alpha, cases[i].channels % 2 == 0);
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, length, NULL, &pixels, NULL), 0);
        cr_assert(memcmp(rgb, cases[i].rgb, 12) == 0, "%u channels", cases[i].channels);
        struct dls_box box = {1, 1, 1, 1};
        struct dls_pixels pixel = {rgb, 1, 1, 3};
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, length, &box, &pixel, NULL), 0);
        cr_assert(memcmp(rgb, cases[i].rgb + 9, 3) == 0);
    }
    dls_decoder_free(&decoder);
}

Test(raw, sizes_that_do_not_fit_are_refused)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture hint = {.width = 2, .height = 2, .channels = 3}, picture;
    const uint8_t data[13] = {0};
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, data, 11, &hint, &picture), -EBADMSG);
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, data, 13, &hint, &picture), -EBADMSG);
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, data, 12, NULL, &picture), -EINVAL);
    hint.channels = 0;
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, data, 0, &hint, &picture), -EBADMSG);
    hint.channels = 5;
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, data, 20, &hint, &picture), -EBADMSG);
    /* 2^31 × 2^31 × 4 is 2^64: a product that wraps must not look like nothing. */
    hint = (struct dls_picture){.width = 1u << 31, .height = 1u << 31, .channels = 4};
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, data, 0, &hint, &picture), -EBADMSG);
    dls_decoder_free(&decoder);
}
