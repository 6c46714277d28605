/* SPDX-License-Identifier: Apache-2.0 */
#include "photos.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static struct bench_files files;
static struct bench_photos photos;

static void open_hard(void)
{
    cr_assert_eq(bench_files_load(DLS_TEST_DATA "/hard", &files), 0, "%s", dls_err_text());
    cr_assert_eq(bench_photos_open(&files, 120, 7, &photos), 0, "%s", dls_err_text());
    cr_assert_gt(photos.count, 10);
    cr_assert_lt(photos.count, files.count); /* some are no pictures */
}

static void close_hard(void)
{
    bench_photos_free(&photos);
    bench_files_free(&files);
}

Test(photos, are_pictures_of_the_size_asked_for, .init = open_hard, .fini = close_hard)
{
    struct dls_decoder *decoder = NULL;
    int full = 0;

    cr_assert_eq(dls_decoder_create(&decoder), 0);
    for (uint64_t i = 0; i < 60; i++) {
        struct dls_picture picture;
        uint8_t *data = NULL;
        size_t length;
        cr_assert_eq(bench_photos_make(&photos, i, &data, &length), 0, "%s", dls_err_text());
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_JPEG, data, length, NULL, &picture), 0);
        uint32_t longer = picture.width > picture.height ? picture.width : picture.height;
        cr_assert(longer <= 120 && longer >= 59, "%u x %u", picture.width, picture.height);
        full += longer >= 119;
        free(data);
    }
    cr_assert(full > 30 && full < 60, "%d", full);
    dls_decoder_free(&decoder);
}

Test(photos, are_the_same_each_time_and_differ_from_each_other, .init = open_hard, .fini = close_hard)
{
    uint8_t *data[3];
    size_t length[3];

    cr_assert_eq(bench_photos_make(&photos, 5, &data[0], &length[0]), 0);
    cr_assert_eq(bench_photos_make(&photos, 6, &data[1], &length[1]), 0);
    cr_assert_eq(bench_photos_make(&photos, 5, &data[2], &length[2]), 0);
    cr_assert(length[0] == length[2] && memcmp(data[0], data[2], length[0]) == 0);
    cr_assert(length[0] != length[1] || memcmp(data[0], data[1], length[0]) != 0);
    for (int i = 0; i < 3; i++)
        free(data[i]);
}

Test(photos, files_without_a_picture_are_refused)
{
    uint8_t text[] = "no picture";
    struct bench_file file = {.data = text, .length = sizeof(text)};
    struct bench_files none = {.list = &file, .count = 1};

    cr_assert_eq(bench_photos_open(&none, 120, 0, &photos), -EINVAL);
    bench_photos_free(&photos);
}
