/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/decode.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define CASE(bytes, codec, name)                                                                             \
    {                                                                                                        \
        bytes, sizeof(bytes) - 1, codec, name                                                                \
    }
static const struct {
    const char *bytes;
    size_t length;
    dls_codec codec;
    const char *name;
} cases[] = {
    CASE("\xff\xd8\xff\xe0", DLS_CODEC_JPEG, "jpeg"),
    CASE("\xff\xd8\xff", DLS_CODEC_JPEG, "jpeg"),
    CASE("\xff\xd8", DLS_CODEC_NONE, "not an image"),
    CASE("\x89PNG\r\n\x1a\n", DLS_CODEC_PNG, "png"),
    CASE("\x89PNG\n\x1a\n", DLS_CODEC_NONE, "png with a damaged signature"),
    CASE("RIFF\1\2\3\4WEBPVP8 ", DLS_CODEC_WEBP, "webp"),
    CASE("RIFF\1\2\3\4WAVEfmt ", DLS_CODEC_NONE, "not an image"),
    CASE("RIFF\1\2\3\4WEB", DLS_CODEC_NONE, "not an image"),
    CASE("GIF89a", DLS_CODEC_NONE, "gif"),
    CASE("II*\0", DLS_CODEC_NONE, "tiff"),
    CASE("MM\0*", DLS_CODEC_NONE, "tiff"),
    CASE("BM\1\2\3\4", DLS_CODEC_NONE, "bmp"),
    CASE("\0\0\0\x1c"
         "ftypavif",
         DLS_CODEC_NONE, "avif"),
    CASE("\0\0\0\x1c"
         "ftypheic",
         DLS_CODEC_NONE, "heif"),
    CASE("\0\0\0\x1c"
         "ftypisom",
         DLS_CODEC_NONE, "mp4 or another media file"),
    CASE("\0\0\0\x0cjP  \r\n\x87\n", DLS_CODEC_NONE, "jpeg 2000"),
    CASE("\xff\x0a\1", DLS_CODEC_NONE, "jpeg xl"),
    CASE("%PDF-1.7", DLS_CODEC_NONE, "pdf"),
    CASE("P6\n2 2\n255\n", DLS_CODEC_NONE, "pnm"),
    CASE("\0\5\x16\7\0\2\0\0", DLS_CODEC_NONE, "AppleDouble companion file"),
    CASE("\r\n\xff\xd8\xff\xe0", DLS_CODEC_NONE, "jpeg behind stray bytes"),
    CASE("\xef\xbb\xbf\x89PNG\r\n\x1a\n", DLS_CODEC_NONE, "png behind stray bytes"),
    CASE("  <!DOCTYPE HTML>\n<html>", DLS_CODEC_NONE, "html"),
    CASE("<HTML><body>404", DLS_CODEC_NONE, "html"),
    CASE("<?xml version='1.0'?>", DLS_CODEC_NONE, "xml"),
    CASE("<svg xmlns=''>", DLS_CODEC_NONE, "svg"),
    CASE("version https://git-lfs.github.com/spec/v1\n", DLS_CODEC_NONE, "git lfs pointer"),
    CASE("image/img_0001.jpg 3\n", DLS_CODEC_NONE, "text"),
    CASE("\1\2\3\4\5\6\7\x08", DLS_CODEC_NONE, "not an image"),
    CASE("", DLS_CODEC_NONE, "empty file"),
    CASE("\0", DLS_CODEC_NONE, "not an image"),
};

Test(detect, content_decides)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        /* In memory of the exact size, so that a look beyond it shows in a sanitizer build. */
        uint8_t *data = malloc(cases[i].length + (cases[i].length == 0));
        cr_assert_not_null(data);
        memcpy(data, cases[i].bytes, cases[i].length);
        cr_expect_eq(dls_codec_detect(data, cases[i].length), cases[i].codec, "case %zu", i);
        cr_expect_str_eq(dls_content_name(data, cases[i].length), cases[i].name, "case %zu: %s", i,
                         dls_content_name(data, cases[i].length));
        free(data);
    }
}
