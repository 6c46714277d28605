/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/part.h"

#include "base/err.h"
#include "base/hash.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static void fill(uint8_t *bytes, size_t length, unsigned values)
{
    uint32_t state = 1;

    for (size_t i = 0; i < length; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)((state >> 24) % values);
    }
}

static void round_trip(size_t length, unsigned values, uint8_t encoding)
{
    struct dls_part_encoder encoder;
    struct dls_buffer scratch = {0};
    struct dls_part part;
    uint8_t *raw = malloc(length + 1), *out = malloc(length + 1);
    const uint8_t *stored;
    void *zstd = NULL;

    fill(raw, length, values);
    cr_assert_eq(dls_part_encoder_init(&encoder, 3), 0);
    cr_assert_eq(dls_part_encode(&encoder, 3, raw, length, 50, &scratch, &part, &stored), 0);
    cr_assert_eq(part.encoding, encoding, "%zu bytes of %u values", length, values);
    cr_assert_eq(part.raw, length);
    cr_assert(encoding == DLS_ENCODING_STORED ? part.stored == length : part.stored <= length - length / 50);
    cr_assert_eq(part.checksum, dls_hash64(stored, part.stored));
    cr_assert_eq(dls_part_check(&part), 0);
    cr_assert_eq(dls_part_verify(&part, stored), 0);
    cr_assert_eq(dls_part_decode(&part, stored, &zstd, out), 0, "%s", dls_err_text());
    cr_assert(length == 0 || memcmp(raw, out, length) == 0);
    dls_part_zstd_free(&zstd);
    dls_part_encoder_free(&encoder);
    dls_buffer_free(&scratch);
    free(raw);
    free(out);
}

Test(part, is_compressed_where_that_gains_and_comes_back)
{
    round_trip(0, 2, DLS_ENCODING_STORED);
    round_trip(1, 2, DLS_ENCODING_STORED);
    round_trip(100000, 4, DLS_ENCODING_ZSTD);
    round_trip(100000, 256, DLS_ENCODING_STORED);
}

Test(part, lengths_that_contradict_the_encoding)
{
    cr_assert_eq(dls_part_check(&(struct dls_part){.stored = 5, .raw = 6}), -EBADMSG);
    cr_assert_eq(dls_part_check(&(struct dls_part){.stored = 1, .raw = 32768, .encoding = DLS_ENCODING_ZSTD}), 0);
    cr_assert_eq(dls_part_check(&(struct dls_part){.stored = 1, .raw = 32769, .encoding = DLS_ENCODING_ZSTD}), -EBADMSG);
    cr_assert_eq(dls_part_check(&(struct dls_part){.encoding = DLS_ENCODING_ZSTD_DICT}), -ENOTSUP);
    cr_assert_eq(dls_part_check(&(struct dls_part){.encoding = 3}), -EBADMSG);
}

/* Frames with right checksums that are not what the part says. */
Test(part, frames_that_are_not_what_the_part_says)
{
    uint8_t raw[1000], out[1001], stored[2048];
    void *zstd = NULL;

    fill(raw, sizeof(raw), 4);
    size_t length = ZSTD_compress(stored, sizeof(stored), raw, sizeof(raw), 3);
    cr_assert_not(ZSTD_isError(length));
    struct dls_part part = {.stored = (uint32_t)length, .raw = 1000, .encoding = DLS_ENCODING_ZSTD};
    cr_assert_eq(dls_part_decode(&part, stored, &zstd, out), 0);
    part.raw = 1001;
    cr_assert_eq(dls_part_decode(&part, stored, &zstd, out), -EBADMSG);
    part.raw = 1000;
    part.stored--;
    cr_assert_eq(dls_part_decode(&part, stored, &zstd, out), -EBADMSG);
    part.stored += 2;
    cr_assert_eq(dls_part_decode(&part, stored, &zstd, out), -EBADMSG);
    part.stored = 3;
    cr_assert_eq(dls_part_decode(&part, stored, &zstd, out), -EBADMSG);
    part.stored = (uint32_t)length;
    stored[length / 2] ^= 0xff;
    cr_assert(dls_part_decode(&part, stored, &zstd, out) == -EBADMSG || memcmp(raw, out, sizeof(raw)) != 0);
    stored[0] = 0;
    cr_assert_eq(dls_part_decode(&part, stored, &zstd, out), -EBADMSG);
    dls_part_zstd_free(&zstd);
}

Test(part, a_wrong_checksum_is_named)
{
    struct dls_part part;

    dls_part_store("abc", 3, &part);
    cr_assert_eq(dls_part_verify(&part, (const uint8_t *)"abc"), 0);
    cr_assert_eq(dls_part_verify(&part, (const uint8_t *)"abd"), -EBADMSG);
    cr_assert_not_null(strstr(dls_err_text(), "checksum"));
}
