/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a whole dataset, made here from docs/format.md alone, against those that the writer writes: whoever changes
 * the writer so that this test fails has changed the format. Nothing of src/shard is used to make them. */
#include "support/support.h"

#include <criterion/criterion.h>
#include <dlshards/writer.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#define SHARD_BYTES 12432u

static uint8_t shard[SHARD_BYTES];

static void u8(size_t at, uint8_t value)
{
    shard[at] = value;
}

static void little(size_t at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        shard[at + i] = (uint8_t)(value >> 8 * i);
}

static void text(size_t at, const char *bytes, size_t length)
{
    memcpy(shard + at, bytes, length);
}

static uint64_t hash(const void *bytes, size_t length)
{
    return XXH3_64bits(bytes, length);
}

static void field(size_t at, const char *name, uint8_t type, uint8_t count)
{
    u8(at, (uint8_t)strlen(name));
    u8(at + 1, type);
    u8(at + 2, count);
    text(at + 8, name, strlen(name));
}

/* Section 4. */
static void make_header(void)
{
    text(0, "\x89" "DLS\r\n\x1a\n", 8);
    little(8, 1, 2);
    little(10, 0, 2);
    little(12, 4096, 4);
    text(32, "fedcba9876543210", 16);
    little(48, 0, 4);
    little(52, 4096, 4);
    little(56, 3, 4);
    field(512, "image", 1, 0);
    field(576, "label", 4, 1);
    field(640, "key", 3, 0);
    little(4088, hash(shard, 4088), 8);
}

struct value {
    const char *bytes;
    uint32_t length, width, height;
    uint8_t codec, orientation, channels;
};
static const struct value images[2] = {{"five!", 5, 640, 480, 1, 6, 3}, {"nine here", 9, 7, 65535, 3, 0, 4}};

/* Section 6.1. */
static void cell(uint8_t *at, const struct value *value, uint64_t offset)
{
    uint64_t checksum = hash(value->bytes, value->length);

    memset(at, 0, 40);
    memcpy(at, &offset, 8);
    memcpy(at + 8, &value->length, 4);
    memcpy(at + 12, &value->length, 4);
    memcpy(at + 16, &checksum, 8);
    memcpy(at + 24, &value->width, 4);
    memcpy(at + 28, &value->height, 4);
    at[32] = value->codec;
    at[34] = value->orientation;
    at[35] = value->channels;
    at[36] = 1;
}

/* Section 5: images at 0 and 8 from the data offset. Returns the data offset. */
static size_t make_block(size_t at)
{
    uint8_t raw[112] = {0}, packed[512];

    cell(raw, &images[0], 0);
    cell(raw + 40, &images[1], 8);
    raw[80] = 1;                /* label 1 */
    memset(raw + 88, 0xff, 8);  /* label -1 */
    raw[96] = 3;                /* two lengths, then the bytes of both keys */
    memcpy(raw + 104, "a/b", 3);
    size_t stored = ZSTD_compress(packed, sizeof(packed), raw, sizeof(raw), 3);
    cr_assert(!ZSTD_isError(stored));
    cr_assert_lt(stored, sizeof(raw));

    size_t data = (64 + stored + 7) / 8 * 8;
    text(at, "DLSB", 4);
    u8(at + 5, 1);
    u8(at + 6, 1);
    little(at + 8, 4096, 8);
    little(at + 16, 0, 4);
    little(at + 20, 0, 4);
    little(at + 24, 2, 4);
    little(at + 28, stored, 4);
    little(at + 32, sizeof(raw), 4);
    little(at + 36, data, 4);
    little(at + 40, hash(packed, stored), 8);
    text(at + 48, "fedcba98", 8);
    little(at + 56, hash(shard + at, 56), 8);
    text(at + 64, (const char *)packed, stored);
    text(at + data, images[0].bytes, images[0].length);
    text(at + data + 8, images[1].bytes, images[1].length);
    return data;
}

/* Section 7. */
static void make_tables(size_t data)
{
    size_t page = 8192;

    cell(shard + page + 8, &images[0], 4096 + data);
    little(page + 48, 1, 8);
    cell(shard + page + 56, &images[1], 4096 + data + 8);
    little(page + 96, UINT64_MAX, 8);
    little(page, hash(shard + page + 8, 4088), 8);
    little(12288, 4096, 8);
    little(12296, 1, 4);
    little(12300, 2, 4);
}

/* Section 8. */
static void make_trailer(size_t at)
{
    little(at, 8192, 8);
    little(at + 8, 1, 8);
    little(at + 16, 48, 4);
    little(at + 20, 85, 4);
    little(at + 24, 2, 8);
    little(at + 32, 12288, 8);
    little(at + 40, 16, 4);
    little(at + 44, 16, 4);
    little(at + 48, hash(shard + 12288, 16), 8);
    u8(at + 56, 0);
    little(at + 60, 1, 4);
    little(at + 96, SHARD_BYTES, 8);
    little(at + 104, hash(shard, 4088), 8);
    little(at + 112, hash(shard + at, 112), 8);
    text(at + 120, "DLSTAIL\n", 8);
}

/* Section 9.1. */
static void make_identity(char ret_digits[33])
{
    uint8_t bytes[256], *at = bytes;
    const uint64_t seed = UINT64_C(18446744073709551615), checksum = hash(shard, SHARD_BYTES);
    static const char names[3][6] = {"image", "label", "key"};
    static const uint8_t types[3] = {1, 4, 3}, counts[3] = {0, 1, 0};
    XXH128_canonical_t digest;

    memcpy(at, "\x03\0\0\0", 4);
    at += 4;
    for (unsigned f = 0; f < 3; f++) {
        *at++ = (uint8_t)strlen(names[f]);
        memcpy(at, names[f], strlen(names[f]));
        at += strlen(names[f]);
        *at++ = types[f];
        *at++ = counts[f];
    }
    memcpy(at, "\x02\0\0\0" "\x03\0\0\0" "cat" "\x02\0\0\0" "\xff\xfe", 17);
    at += 17;
    memcpy(at, &seed, 8);
    memcpy(at + 8, "\x01\0\0\0", 4);
    memcpy(at + 12, &checksum, 8);
    at += 20;
    XXH128_canonicalFromHash(&digest, XXH3_128bits(bytes, (size_t)(at - bytes)));
    for (unsigned i = 0; i < 16; i++)
        snprintf(ret_digits + 2 * i, 3, "%02x", digest.digest[i]);
}

static void write_dataset(const char *path)
{
    static const char *const classes[2] = {"cat", "\xff\xfe"};
    const int64_t labels[2] = {1, -1};
    dls_writer_params params;
    dls_writer *writer = NULL;

    dls_writer_params_init(&params);
    params.block_bytes = 4096;
    params.classes = classes;
    params.class_count = 2;
    params.seed = UINT64_MAX;
    params.shuffled = 1;
    params.creator = "by hand";
    memcpy(params.pack_id, "fedcba9876543210", 16);
    cr_assert_eq(dls_writer_open(path, &params, &writer), 0, "%s", dls_last_error());
    for (unsigned i = 0; i < 2; i++) {
        dls_value values[3] = {{.data = images[i].bytes, .length = images[i].length,
                                .codec = (dls_codec)images[i].codec, .width = images[i].width,
                                .height = images[i].height, .channels = images[i].channels,
                                .orientation = images[i].orientation},
                               {.data = &labels[i], .length = 8},
                               {.data = "a/b", .length = i ? 0 : 3}};
        cr_assert_eq(dls_writer_add(writer, values, 3), 0, "%s", dls_last_error());
    }
    cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
    dls_writer_close(&writer);
}

Test(writer_bytes, shard_is_what_the_format_says)
{
    const char *path = support_path(support_temp_dir(), "set");
    size_t length;

    make_header();
    make_tables(make_block(4096));
    make_trailer(12304);
    write_dataset(path);
    uint8_t *written = support_read_file(support_path(path, "shard-00000.dls"), &length);
    cr_assert_eq(length, SHARD_BYTES);
    for (size_t i = 0; i < length; i++)
        cr_assert_eq(written[i], shard[i], "byte %zu is 0x%02x, not 0x%02x", i, written[i], shard[i]);
    free(written);
}

Test(writer_bytes, manifest_is_what_the_format_says)
{
    const char *path = support_path(support_temp_dir(), "set");
    char expected[4096], digits[33];
    size_t length;

    make_header();
    make_tables(make_block(4096));
    make_trailer(12304);
    make_identity(digits);
    write_dataset(path);
    int end = snprintf(expected, sizeof(expected),
                       "{\n"
                       "  \"format\": \"dlshards\",\n"
                       "  \"version\": [1, 0],\n"
                       "  \"uuid\": \"%s\",\n"
                       "  \"fields\": [\n"
                       "    {\"name\": \"image\", \"type\": \"image\"},\n"
                       "    {\"name\": \"label\", \"type\": \"int64\", \"count\": 1},\n"
                       "    {\"name\": \"key\", \"type\": \"string\"}\n"
                       "  ],\n"
                       "  \"classes\": [\"cat\", {\"hex\": \"fffe\"}],\n"
                       "  \"class_records\": [0, 1],\n"
                       "  \"records\": 2,\n"
                       "  \"blocks\": 1,\n"
                       "  \"bytes\": 12432,\n"
                       "  \"block_bytes\": 4096,\n"
                       "  \"largest_block\": 4096,\n"
                       "  \"directory_bytes\": 112,\n"
                       "  \"image_bytes\": 14,\n"
                       "  \"largest_pixels\": 458745,\n"
                       "  \"shuffled\": true,\n"
                       "  \"seed\": \"18446744073709551615\",\n"
                       "  \"creator\": \"by hand\",\n"
                       "  \"codecs\": {\"jpeg\": 1, \"png\": 1},\n"
                       "  \"sizes\": {\n"
                       "    \"percent\": [0, 1, 5, 25, 50, 75, 95, 99, 100],\n"
                       /* 640 and 65535 within 1/128; the ends are exact */
                       "    \"width\": [7, 7, 7, 7, 7, 640, 640, 640, 640],\n"
                       "    \"height\": [480, 482, 482, 482, 482, 65280, 65280, 65280, 65535],\n"
                       "    \"bytes\": [5, 5, 5, 5, 5, 9, 9, 9, 9]\n"
                       "  },\n"
                       "  \"shards\": [\n"
                       "    {\"file\": \"shard-00000.dls\", \"bytes\": 12432, \"records\": 2, \"blocks\": 1, "
                       "\"xxh3\": \"%016" PRIx64 "\"}\n"
                       "  ],\n",
                       digits, hash(shard, SHARD_BYTES));
    snprintf(expected + end, sizeof(expected) - (size_t)end, "  \"xxh3\": \"%016" PRIx64 "\"\n}\n",
             hash(expected, (size_t)end));
    char *written = (char *)support_read_file(support_path(path, "dataset.json"), &length);
    cr_assert_str_eq(written, expected);
    cr_assert_eq(length, strlen(expected));
    free(written);
}
