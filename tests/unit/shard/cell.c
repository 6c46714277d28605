/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/cell.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

static const struct dls_schema_field image = {.name = "image", .type = DLS_FIELD_IMAGE};
static const struct dls_schema_field bytes_field = {.name = "blob", .type = DLS_FIELD_BYTES};

static struct dls_cell sample(void)
{
    return (struct dls_cell){.offset = 4096,
                             .stored = 1000,
                             .raw = 1000,
                             .checksum = 0x1122334455667788,
                             .width = 640,
                             .height = 480,
                             .codec = DLS_CODEC_JPEG,
                             .orientation = 6,
                             .channels = 3};
}

Test(cell, stands_where_the_format_says)
{
    struct dls_cell cell = sample(), back;
    uint8_t bytes[DLS_CELL_BYTES];

    memset(bytes, 0xee, sizeof(bytes));
    dls_cell_put(&cell, bytes);
    cr_assert_eq(dls_get64(bytes), 4096);
    cr_assert_eq(dls_get32(bytes + 8), 1000);
    cr_assert_eq(dls_get32(bytes + 12), 1000);
    cr_assert_eq(dls_get64(bytes + 16), 0x1122334455667788);
    cr_assert_eq(dls_get32(bytes + 24), 640);
    cr_assert_eq(dls_get32(bytes + 28), 480);
    static const uint8_t last[8] = {DLS_CODEC_JPEG, DLS_ENCODING_STORED, 6, 3, 1, 0, 0, 0};
    cr_assert_arr_eq(bytes + 32, last, 8);
    cr_assert_eq(dls_cell_parse(bytes, &image, &back), 0, "%s", dls_err_text());
    cr_assert_eq(memcmp(&back, &cell, sizeof(cell)), 0);
    struct dls_part part = dls_cell_part(&back);
    cr_assert(part.stored == 1000 && part.raw == 1000 && part.checksum == cell.checksum &&
              part.encoding == 0);
}

Test(cell, what_cannot_be_is_refused)
{
    static const struct {
        size_t at;
        uint8_t value;
        int error;
        const char *text;
    } changes[] = {
        {0, 1, -EBADMSG, "offset 4097 is not a multiple of 8"},
        {8, 0, -EBADMSG, NULL},
        {32, DLS_CODEC_NONE, -EBADMSG, NULL},
        {33, 3, -EBADMSG, NULL},
        {33, DLS_ENCODING_ZSTD_DICT, -ENOTSUP, NULL},
        {34, 9, -EBADMSG, "orientation 9"},
        {35, 0, -EBADMSG, "an image of 0 channels"},
        {35, 5, -EBADMSG, "an image of 5 channels"},
        {36, 2, -EBADMSG, "layers 2"},
        {37, 1, -EBADMSG, "reserved bytes 01"},
        {39, 1, -EBADMSG, "reserved bytes 00 00 01"},
        {32, DLS_CODEC_RAW, -EBADMSG, "raw pixels of 640 x 480 x 3"},
    };
    struct dls_cell cell = sample(), back;

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        uint8_t bytes[DLS_CELL_BYTES];
        dls_cell_put(&cell, bytes);
        bytes[changes[i].at] = changes[i].value;
        cr_expect_eq(dls_cell_parse(bytes, &image, &back), changes[i].error, "case %zu: %s", i,
                     dls_err_text());
        if (changes[i].text)
            cr_expect_not_null(strstr(dls_err_text(), changes[i].text), "case %zu: %s", i, dls_err_text());
    }
    cell.width = 0;
    uint8_t bytes[DLS_CELL_BYTES];
    dls_cell_put(&cell, bytes);
    cr_assert_eq(dls_cell_parse(bytes, &image, &back), -EBADMSG);
}

Test(cell, bytes_have_neither_codec_nor_size)
{
    struct dls_cell cell = {.offset = 8, .stored = 5, .raw = 5}, back;
    uint8_t bytes[DLS_CELL_BYTES];

    dls_cell_put(&cell, bytes);
    cr_assert_eq(dls_cell_parse(bytes, &bytes_field, &back), 0, "%s", dls_err_text());
    bytes[32] = DLS_CODEC_JPEG;
    cr_assert_eq(dls_cell_parse(bytes, &bytes_field, &back), -EBADMSG);
    bytes[32] = 0;
    dls_put32(bytes + 24, 7);
    cr_assert_eq(dls_cell_parse(bytes, &bytes_field, &back), -EBADMSG);
}
