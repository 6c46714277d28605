/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/header.h"

#include "base/err.h"
#include "support/specimen.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static struct dls_shard_header sample(void)
{
    struct dls_shard_header header = {.number = 7, .block_bytes = 65536};

    memcpy(header.pack_id, "0123456789abcdef", 16);
    cr_assert_eq(dls_schema_add(&header.schema, "image", 5, DLS_FIELD_IMAGE, 0), 0);
    cr_assert_eq(dls_schema_add(&header.schema, "label", 5, DLS_FIELD_INT64, 255), 0);
    cr_assert_eq(dls_schema_complete(&header.schema), 0);
    return header;
}

Test(header, comes_back_as_it_was)
{
    struct dls_shard_header header = sample(), read;
    uint8_t bytes[DLS_HEADER_BYTES];

    dls_header_format(&header, bytes);
    cr_assert_eq(dls_header_parse(bytes, &read), 0, "%s", dls_err_text());
    cr_assert_eq(read.number, 7);
    cr_assert_eq(read.block_bytes, 65536);
    cr_assert_eq(read.checksum, header.checksum);
    cr_assert_eq(memcmp(read.pack_id, "0123456789abcdef", 16), 0);
    cr_assert(dls_schema_equal(&read.schema, &header.schema));
    cr_assert_eq(read.schema.image, 0);
    cr_assert_eq(read.schema.label, 1);
    cr_assert_eq(read.schema.key, -1);
}

/* One byte of a header with a right checksum, and what is said of it. */
static void expect(size_t at, uint8_t value, int code, const char *text)
{
    struct dls_shard_header header = sample(), read;
    uint8_t bytes[DLS_HEADER_BYTES];

    dls_header_format(&header, bytes);
    bytes[at] = value;
    reseal_header(bytes);
    int r = dls_header_parse(bytes, &read);
    cr_assert_eq(r, code, "byte %zu: %d, %s", at, r, dls_err_text());
    if (code < 0)
        cr_assert_not_null(strstr(dls_err_text(), text), "byte %zu: %s", at, dls_err_text());
}

Test(header, what_readers_reject)
{
    expect(0, 'x', -EBADMSG, "magic");
    expect(8, 2, -ENOTSUP, "version 2.0");
    expect(10, 9, 0, ""); /* a later minor version is read */
    expect(12, 1, -EBADMSG, "offset 12");
    expect(16, 4, -ENOTSUP, "feature bit 2");
    expect(16, 1, -ENOTSUP, "feature bit 0");
    expect(24, 1, 0, ""); /* a compatible feature is ignored */
    expect(55, 0x7f, -EBADMSG, "block size");
    expect(56, 0, -EBADMSG, "0 fields");
    expect(56, 33, -EBADMSG, "33 fields");
    expect(60, 1, -EBADMSG, "reserved");
    expect(64, 1, -EBADMSG, "reserved");
    expect(511, 1, -EBADMSG, "reserved");
    expect(512, 0, -EBADMSG, "offset 512");
    expect(512, 40, -EBADMSG, "offset 512");
    expect(513, 9, -EBADMSG, "no type 9");
    expect(514, 1, -EBADMSG, "count 1");
    expect(515, 1, -EBADMSG, "reserved");
    expect(525, 'x', -EBADMSG, "offset 512"); /* behind the name's end */
    expect(575, 1, -EBADMSG, "reserved");
    expect(640, 1, -EBADMSG, "reserved"); /* behind the last field */
    expect(4087, 1, -EBADMSG, "reserved");
}

Test(header, any_flipped_bit_is_noticed)
{
    struct dls_shard_header header = sample(), read;
    uint8_t bytes[DLS_HEADER_BYTES];

    dls_header_format(&header, bytes);
    for (size_t bit = 0; bit < DLS_HEADER_BYTES * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cr_assert_lt(dls_header_parse(bytes, &read), 0, "bit %zu", bit);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}
