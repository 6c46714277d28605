/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/codec.h"
#include "unit/decode/support.h"

Test(decode, codecs_that_are_not_decoded_are_refused)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture = {.codec = DLS_CODEC_COEF, .width = 1, .height = 1};
    uint8_t rgb[3];
    struct dls_pixels pixels = {rgb, 1, 1, 3};
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_NONE, rgb, 3, NULL, &picture), -EINVAL);
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_COEF, rgb, 3, NULL, &picture), -ENOTSUP);
    cr_assert(strstr(dls_err_text(), "coef") != NULL);
    cr_assert_eq(dls_decoder_header(decoder, (dls_codec)77, rgb, 3, NULL, &picture), -ENOTSUP);
    cr_assert_eq(dls_decoder_header(decoder, (dls_codec)-1, rgb, 3, NULL, &picture), -ENOTSUP);
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, rgb, 3, NULL, &pixels, NULL), -ENOTSUP);
    picture.codec = DLS_CODEC_NONE;
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, rgb, 3, NULL, &pixels, NULL), -EINVAL);
    dls_decoder_free(&decoder);
}

Test(decode, freeing_nothing_is_harmless)
{
    struct dls_decoder *decoder = NULL;
    dls_decoder_free(&decoder);
    dls_decoder_free(NULL);
    cr_assert_null(decoder);
}

Test(decode, boxes_outside_the_picture_are_refused)
{
    static const struct dls_box wrong[] = {
        {0, 0, 0, 1}, {0, 0, 1, 0},          {0, 0, 5, 1},          {4, 0, 1, 1},
        {0, 3, 1, 1}, {1, 1, UINT32_MAX, 1}, {UINT32_MAX, 0, 1, 1},
    };
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture = {.codec = DLS_CODEC_RAW, .width = 4, .height = 3, .channels = 1};
    const uint8_t data[12] = {0};
    uint8_t rgb[36];
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct dls_pixels pixels = {rgb, wrong[i].width, wrong[i].height, SIZE_MAX};
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, 12, &wrong[i], &pixels, NULL), -EINVAL,
                     "box %zu", i);
    }
    struct dls_box box = {0, 0, 4, 3};
    struct dls_pixels small = {rgb, 4, 2, 12}, narrow = {rgb, 4, 3, 11}, fits = {rgb, 4, 3, 12};
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, 12, &box, &small, NULL), -EINVAL);
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, 12, &box, &narrow, NULL), -EINVAL);
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, 12, &box, &fits, NULL), 0);
    dls_decoder_free(&decoder);
}

Test(decode, the_pixel_limit_holds_for_header_and_decode)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture hint = {.width = 13377, .height = 13378, .channels = 1}, picture = hint;
    /* 13377 × 13378 = 178,957,506 is just above Pillow's 178,956,970; RAW checks its length first, so JPEG's
     * turn is in the hard files. */
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, NULL, 178957506, &hint, &picture), -EFBIG);
    cr_assert(strstr(dls_err_text(), "178956970") != NULL, "%s", dls_err_text());
    hint.height = 13377;
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, NULL, 178944129, &hint, &picture), 0);
    dls_decoder_limit(decoder, 99);
    hint = (struct dls_picture){.width = 10, .height = 10, .channels = 1};
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, NULL, 100, &hint, &picture), -EFBIG);
    hint.codec = DLS_CODEC_RAW;
    uint8_t data[100] = {0}, rgb[300];
    struct dls_pixels pixels = {rgb, 10, 10, 30};
    cr_assert_eq(dls_decoder_rgb(decoder, &hint, data, 100, NULL, &pixels, NULL), -EFBIG);
    dls_decoder_limit(decoder, 0);
    cr_assert_eq(dls_decoder_rgb(decoder, &hint, data, 100, NULL, &pixels, NULL), 0);
    dls_decoder_free(&decoder);
}

Test(decode, a_picture_of_no_pixels_is_damaged)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture hint = {.width = 0, .height = 10, .channels = 1}, picture;
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_RAW, NULL, 0, &hint, &picture), -EBADMSG);
    dls_decoder_free(&decoder);
}

Test(decode, the_first_warning_is_kept)
{
    struct dls_decode_notes notes = {0};
    dls_notes_warn(&notes, "%s %d", "first", 1);
    dls_notes_warn(&notes, "second");
    cr_assert_eq(notes.warnings, 2);
    cr_assert_str_eq(notes.first, "first 1");
}

Test(decode, names)
{
    static const char *const names[] = {"none", "jpeg", "coef", "png", "webp", "raw", "unknown"};
    for (int i = 0; i < 7; i++)
        cr_assert_str_eq(dls_codec_name((dls_codec)i), names[i]);
}
