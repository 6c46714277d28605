/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/manifest.h"

#include "base/err.h"
#include "base/mem.h"
#include "shard/manifest_json.h"
#include "support/specimen.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *specimen(size_t *ret_length)
{
    const char *path = support_path(support_temp_dir(), "set");

    specimen_write(path, 9, 16384);
    return (char *)support_read_file(support_path(path, "dataset.json"), ret_length);
}

Test(manifest, comes_back_as_it_was)
{
    struct dls_manifest manifest;
    size_t length, again_length;
    char *text = specimen(&length), *again = NULL;

    cr_assert_eq(dls_manifest_parse(text, length, &manifest), 0, "%s", dls_err_text());
    cr_assert_eq(manifest.records, 9);
    cr_assert_eq(manifest.schema.count, SPECIMEN_FIELDS);
    cr_assert_eq(manifest.class_count, SPECIMEN_CLASSES);
    cr_assert_eq(manifest.classes[1].length, 4);
    cr_assert_str_eq(manifest.classes[1].name, "caf\xe9");
    cr_assert_eq(manifest.seed, UINT64_MAX - 6);
    cr_assert_eq(manifest.shuffled, 1);
    cr_assert_eq(manifest.largest_pixels, 18 * 28);
    cr_assert_eq(manifest.codec_records[DLS_CODEC_JPEG] + manifest.codec_records[DLS_CODEC_PNG], 9);
    cr_assert_geq(manifest.shard_count, 2);
    cr_assert_eq(manifest.shards[1].first_record, manifest.shards[0].records);
    cr_assert_eq(manifest.shards[1].first_block, manifest.shards[0].blocks);
    cr_assert_eq(dls_manifest_format(&manifest, &again, &again_length), 0);
    cr_assert_eq(again_length, length);
    cr_assert_eq(memcmp(again, text, length), 0);
    dls_free(again);
    dls_manifest_free(&manifest);
    free(text);
}

/* Writes `to` over `from`, which has the same length, and expects the errno and a word of the reason. */
static void expect(const char *from, const char *to, int code, const char *reason)
{
    struct dls_manifest manifest;
    size_t length;
    char *text = specimen(&length), *at = strstr(text, from);

    cr_assert_not_null(at, "%s", from);
    cr_assert_eq(strlen(from), strlen(to), "%s", to);
    memcpy(at, to, strlen(to));
    reseal_manifest(text, length);
    int r = dls_manifest_parse(text, length, &manifest);
    cr_assert_eq(r, code, "%s: %d, %s", to, r, dls_err_text());
    if (code < 0)
        cr_assert_not_null(strstr(dls_err_text(), reason), "%s: %s", to, dls_err_text());
    dls_manifest_free(&manifest);
    free(text);
}

Test(manifest, what_readers_reject)
{
    expect("\"format\": \"dlshards\"", "\"format\": \"dlsharts\"", -EBADMSG, "format");
    expect("[1, 0]", "[1, 7]", 0, "");
    expect("[1, 0]", "[9, 0]", -ENOTSUP, "version 9");
    expect("[1, 0]", "[1.0]\n", -EBADMSG, "version");
    expect("\"creator\": \"specimen\"", "\"requires\": [\"wings\"]", -ENOTSUP, "wings");
    expect("\"creator\": \"specimen\"", "\"Creator\": \"specimen\"", -EBADMSG, "creator");
    expect("\"records\": 9", "\"records\": 8", -EBADMSG, "add up");
    expect("\"records\": 9", "\"records\":-9", -EBADMSG, "records");
    expect("\"block_bytes\": 4096", "\"block_bytes\": 4097", -EBADMSG, "block_bytes");
    expect("\"seed\": \"1", "\"seed\": \"9", -EBADMSG, "seed"); /* beyond 64 bits */
    expect("\"type\": \"image\"", "\"type\": \"imago\"", -EBADMSG, "imago");
    expect("\"name\": \"mask\"", "\"name\": \"blob\"", -EBADMSG, "blob");
    expect("{\"hex\": \"636166e9\"}", "{\"hex\": \"636166E9\"}", -EBADMSG, "classes");
    expect("{\"hex\": \"636166e9\"}", "{\"hex\": \"63616600\"}", -EBADMSG, "classes");
    expect("{\"hex\": \"636166e9\"}", "{\"hex\": \"2f6166e9\"}", -EBADMSG, "classes");
    expect("\"shard-00001.dls\"", "\"shard-00000.dls\"", -EBADMSG, "twice");
    expect("\"shard-00001.dls\"", "\"../rd-00001.dls\"", -EBADMSG, "file name");
    expect("\"shard-00001.dls\"", "\".hard-00001.dls\"", -EBADMSG, "file name");
    expect("\"percent\"", "\"Percent\"", -EBADMSG, "percent");
    expect("\"width\"", "\"Width\"", -EBADMSG, "width");
    expect("\"jpeg\":", "\"jpog\":", -EBADMSG, "jpog");
}

Test(manifest, every_length_but_the_right_one_is_refused)
{
    struct dls_manifest manifest;
    size_t length;
    char *text = specimen(&length);

    for (size_t n = 0; n < length; n++) {
        cr_assert_eq(dls_manifest_parse(text, n, &manifest), -EBADMSG, "%zu bytes", n);
        dls_manifest_free(&manifest);
    }
    free(text);
}

Test(manifest, numbers_in_words)
{
    uint8_t bytes[2];
    uint64_t value = 0;

    cr_assert_eq(dls_hex_parse("0aff", bytes, 2), 0);
    cr_assert(bytes[0] == 0x0a && bytes[1] == 0xff);
    cr_assert_eq(dls_hex_parse("0af", bytes, 2), -EBADMSG);
    cr_assert_eq(dls_hex_parse("0afg", bytes, 2), -EBADMSG);
    cr_assert_eq(dls_hex_parse64("0123456789abcdef", &value), 0);
    cr_assert_eq(value, 0x0123456789abcdef);
    cr_assert_eq(dls_decimal_parse64("18446744073709551615", &value), 0);
    cr_assert_eq(value, UINT64_MAX);
    cr_assert_eq(dls_decimal_parse64("18446744073709551616", &value), -EBADMSG);
    cr_assert_eq(dls_decimal_parse64("", &value), -EBADMSG);
    cr_assert_eq(dls_decimal_parse64("-1", &value), -EBADMSG);
    cr_assert_eq(dls_codec_id("webp"), DLS_CODEC_WEBP);
    cr_assert_eq(dls_codec_id("codec-200"), 200);
    cr_assert_eq(dls_codec_id("codec-300"), -1);
}
