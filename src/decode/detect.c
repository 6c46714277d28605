/* SPDX-License-Identifier: Apache-2.0 */
/* What bytes are, by themselves: names of files are not asked. */
#include "decode/decode.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static bool has(const uint8_t *data, size_t length, size_t at, const char *bytes, size_t count)
{
    return length >= at + count && memcmp(data + at, bytes, count) == 0;
}
#define HAS(at, text) has(data, length, at, text, sizeof(text) - 1)

dls_codec dls_codec_detect(const uint8_t *data, size_t length)
{
    if (HAS(0, "\xff\xd8\xff"))
        return DLS_CODEC_JPEG;
    if (HAS(0, "\x89PNG\r\n\x1a\n"))
        return DLS_CODEC_PNG;
    if (HAS(0, "RIFF") && HAS(8, "WEBP"))
        return DLS_CODEC_WEBP;
    return DLS_CODEC_NONE;
}

/* Kinds told by fixed bytes at a fixed place. */
static const struct {
    uint16_t at, count;
    const char *bytes, *name;
} kinds[] = {
    {0, 4, "GIF8", "gif"},
    {0, 4, "II*\0", "tiff"},
    {0, 4, "MM\0*", "tiff"},
    {0, 4, "II+\0", "tiff"},
    {0, 4, "MM\0+", "tiff"},
    {0, 2, "BM", "bmp"},
    {0, 12, "\0\0\0\x0cjP  \r\n\x87\n", "jpeg 2000"},
    {0, 4, "\xff\x4f\xff\x51", "jpeg 2000"},
    {0, 12, "\0\0\0\x0cJXL \r\n\x87\n", "jpeg xl"},
    {0, 2, "\xff\x0a", "jpeg xl"},
    {0, 4, "8BPS", "photoshop"},
    {0, 4, "\0\0\1\0", "ico"},
    {0, 4, "qoif", "qoi"},
    {0, 4, "DDS ", "dds"},
    {0, 4, "v/1\1", "openexr"},
    {0, 4, "\x89PNG", "png with a damaged signature"},
    {0, 5, "%PDF-", "pdf"},
    {0, 4, "%!PS", "postscript"},
    {0, 4, "PK\3\4", "zip archive"},
    {0, 2, "\x1f\x8b", "gzip file"},
    {0, 4, "\x28\xb5\x2f\xfd", "zstd file"},
    {0, 4, "Rar!", "rar archive"},
    {0, 6, "7z\xbc\xaf\x27\x1c", "7z archive"},
    {257, 5, "ustar", "tar archive"},
    {0, 4, "\x1a\x45\xdf\xa3", "matroska video"},
    {0, 4, "\0\5\x16\7", "AppleDouble companion file"},
    {0, 4, "\0\5\x16\0", "AppleSingle file"},
    {0, 5, "Exif\0", "bare EXIF block"},
};

/* Files of the ISO base media family name their brand behind "ftyp". */
static const char *media_name(const uint8_t *data, size_t length)
{
    if (HAS(8, "avif") || HAS(8, "avis"))
        return "avif";
    if (HAS(8, "heic") || HAS(8, "heix") || HAS(8, "hevc") || HAS(8, "heim") || HAS(8, "heis") ||
        HAS(8, "mif1") || HAS(8, "msf1"))
        return "heif";
    if (HAS(8, "crx "))
        return "canon raw";
    return "mp4 or another media file";
}

static bool starts_with(const uint8_t *data, size_t length, const char *word)
{
    size_t count = strlen(word);
    return length >= count && strncasecmp((const char *)data, word, count) == 0;
}

static const char *text_name(const uint8_t *data, size_t length)
{
    size_t head = length < 512 ? length : 512;
    for (size_t i = 0; i < head; i++) {
        if ((data[i] < 0x20 && !isspace(data[i])) || data[i] >= 0xf5)
            return NULL; /* no byte of a text in ASCII or UTF-8 */
    }
    while (length > 0 && isspace(*data)) {
        data++;
        length--;
    }
    if (starts_with(data, length, "<!doctype html") || starts_with(data, length, "<html") ||
        starts_with(data, length, "<head"))
        return "html";
    if (starts_with(data, length, "<svg"))
        return "svg";
    if (starts_with(data, length, "<?xml"))
        return "xml";
    if (starts_with(data, length, "version https://git-lfs"))
        return "git lfs pointer";
    return "text";
}

const char *dls_content_name(const uint8_t *data, size_t length)
{
    dls_codec codec = dls_codec_detect(data, length);
    if (codec != DLS_CODEC_NONE)
        return dls_codec_name(codec);
    if (length == 0)
        return "empty file";
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (has(data, length, kinds[i].at, kinds[i].bytes, kinds[i].count))
            return kinds[i].name;
    }
    if (HAS(4, "ftyp"))
        return media_name(data, length);
    if (length >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7' && isspace(data[2]))
        return "pnm";
    for (size_t at = 1; at < 64; at++) {
        if (HAS(at, "\xff\xd8\xff"))
            return "jpeg behind stray bytes";
        if (HAS(at, "\x89PNG\r\n\x1a\n"))
            return "png behind stray bytes";
    }
    const char *text = text_name(data, length);
    return text != NULL ? text : "not an image";
}
