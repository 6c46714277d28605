/* SPDX-License-Identifier: Apache-2.0 */
/* Every file of tests/data/hard, one by one, through one decoder. */
#include "base/hash.h"
#include "config.h"
#include "unit/decode/hard_table.h"
#include "unit/decode/support.h"

#define HARD_FILES (sizeof(hard_files) / sizeof(*hard_files))

static uint8_t *read_hard(const struct hard_file *file, size_t *ret_length)
{
    return support_read_file(support_path(DLS_TEST_DATA "/hard", file->name), ret_length);
}

/* Whether this build has the codec; the table is about those that are there. */
static bool is_missing(const struct hard_file *file)
{
    return (!DLS_HAVE_PNG && strcmp(file->content, "png") == 0) ||
           (!DLS_HAVE_WEBP && strcmp(file->content, "webp") == 0);
}

Test(hard, each_file_gives_pillows_pixels_or_its_error)
{
    struct dls_decoder *decoder = make_decoder();
    for (size_t i = 0; i < HARD_FILES; i++) {
        const struct hard_file *file = &hard_files[i];
        struct dls_picture picture;
        struct dls_pixels pixels;
        struct dls_decode_notes notes;
        size_t length;
        uint8_t *data = read_hard(file, &length);
        cr_expect_str_eq(dls_content_name(data, length), file->content, "%s", file->name);
        int r =
            is_missing(file) ? file->result : decode_whole(decoder, data, length, &picture, &pixels, &notes);
        cr_expect_eq(r, file->result, "%s: %d: %s", file->name, r, dls_err_text());
        if (is_missing(file)) {
            free(data);
            continue;
        }
        if (r < 0) {
            cr_expect(strstr(dls_err_text(), file->error) != NULL, "%s: \"%s\"", file->name, dls_err_text());
        } else {
            cr_expect_eq(picture.width, file->width, "%s", file->name);
            cr_expect_eq(picture.height, file->height, "%s", file->name);
            cr_expect_eq(picture.orientation, file->orientation, "%s: %u", file->name, picture.orientation);
            cr_expect_eq(notes.warnings, file->warnings, "%s: %u warnings: %s", file->name, notes.warnings,
                         notes.first);
            cr_expect_eq(notes.trailing, file->trailing, "%s", file->name);
            uint64_t hash = dls_hash64(pixels.data, pixels.stride * pixels.height);
            cr_expect_eq(hash, file->hash, "%s: other pixels", file->name);
            free(pixels.data);
        }
        free(data);
    }
    dls_decoder_free(&decoder);
}

Test(hard, boxes_show_what_the_whole_shows)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;
    dls_rng_init(&rng, 3, 0, 0);
    for (size_t i = 0; i < HARD_FILES; i++) {
        const struct hard_file *file = &hard_files[i];
        struct dls_picture picture;
        struct dls_pixels pixels;
        size_t length;
        if (file->result < 0 || is_missing(file))
            continue;
        uint8_t *data = read_hard(file, &length);
        cr_assert_eq(decode_whole(decoder, data, length, &picture, &pixels, NULL), 0);
        check_boxes(decoder, &picture, data, length, &pixels, 12, &rng, file->name);
        free(pixels.data);
        free(data);
    }
    dls_decoder_free(&decoder);
}

/* Cut anywhere, a file is decoded or refused with a text, and a larger cut never turns an error into pixels.
 */
Test(hard, every_cut_is_survived)
{
    struct dls_decoder *decoder = make_decoder();
    for (size_t i = 0; i < HARD_FILES; i++) {
        const struct hard_file *file = &hard_files[i];
        size_t length;
        if (file->result < 0 || is_missing(file) || (size_t)file->width * file->height > 20000)
            continue;
        uint8_t *data = read_hard(file, &length);
        size_t step = length / 60 + 1;
        bool failed = false;
        for (size_t cut = length - 1; cut > 12; cut = cut > step ? cut - step : 0) {
            struct dls_picture picture;
            struct dls_pixels pixels;
            uint8_t *exact = malloc(cut);
            cr_assert_not_null(exact);
            memcpy(exact, data, cut);
            dls_err_clear();
            int r = decode_whole(decoder, exact, cut, &picture, &pixels, NULL);
            free(exact);
            if (r < 0)
                cr_assert_eq(r, -EBADMSG, "%s cut to %zu: %d, %s", file->name, cut, r, dls_err_text());
            else
                free(pixels.data);
            cr_assert(!failed || r < 0, "%s cut to %zu", file->name, cut);
            failed = failed || r < 0;
        }
        cr_assert(failed, "%s", file->name);
        free(data);
    }
    dls_decoder_free(&decoder);
}
