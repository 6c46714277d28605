/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/tables.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

/* A shard of two blocks, 8192 and 4096 bytes, with 100 and 3 records of 48-byte rows. */
#define SHARD_BYTES (20480u + 4096 + 32 + 128)

static struct dls_schema schema(void)
{
    struct dls_schema own = {0};

    cr_assert_eq(dls_schema_add(&own, "image", 5, DLS_FIELD_IMAGE, 0), 0);
    cr_assert_eq(dls_schema_add(&own, "label", 5, DLS_FIELD_INT64, 1), 0);
    cr_assert_eq(dls_schema_complete(&own), 0);
    return own;
}

static void make_table(uint8_t table[32])
{
    dls_put64(table, 4096);
    dls_put32(table + 8, 2);
    dls_put32(table + 12, 100);
    dls_put64(table + 16, 12288);
    dls_put32(table + 24, 1);
    dls_put32(table + 28, 3);
}

static struct dls_trailer sample(const uint8_t table[32])
{
    struct dls_trailer trailer = {.rows_offset = 16384,
                                  .row_pages = 2,
                                  .row_bytes = 48,
                                  .rows_a_page = 85,
                                  .records = 103,
                                  .table_offset = 16384 + 8192,
                                  .blocks = 2,
                                  .shard_bytes = SHARD_BYTES,
                                  .header_checksum = 99};
    dls_part_store(table, 32, &trailer.table);
    return trailer;
}

Test(tables, trailer_comes_back_as_it_was)
{
    struct dls_schema fields = schema();
    uint8_t table[32], bytes[DLS_TRAILER_BYTES];
    struct dls_trailer read;

    make_table(table);
    struct dls_trailer trailer = sample(table);
    dls_trailer_format(&trailer, bytes);
    cr_assert_eq(dls_trailer_parse(bytes, SHARD_BYTES, &fields, &read), 0, "%s", dls_err_text());
    cr_assert_eq(read.rows_offset, 16384);
    cr_assert_eq(read.records, 103);
    cr_assert_eq(read.blocks, 2);
    cr_assert_eq(read.table.checksum, trailer.table.checksum);
    cr_assert_eq(read.header_checksum, 99);
}

Test(tables, a_trailer_that_does_not_fit_its_file_or_schema)
{
    struct dls_schema fields = schema();
    uint8_t table[32], bytes[DLS_TRAILER_BYTES];
    struct dls_trailer read, good;

    make_table(table);
    good = sample(table);
#define EXPECT_BAD(change)                                                                                     \
    do {                                                                                                       \
        struct dls_trailer trailer = good;                                                                     \
        trailer.change;                                                                                        \
        dls_trailer_format(&trailer, bytes);                                                                   \
        cr_assert_eq(dls_trailer_parse(bytes, SHARD_BYTES, &fields, &read), -EBADMSG, #change);                \
    } while (0)
    EXPECT_BAD(rows_offset = 16385);
    EXPECT_BAD(rows_offset = UINT64_MAX & ~4095ull);
    EXPECT_BAD(row_pages = 3);
    EXPECT_BAD(row_bytes = 40);
    EXPECT_BAD(rows_a_page = 84);
    EXPECT_BAD(records = 0);
    EXPECT_BAD(records = 1ull << 32);
    EXPECT_BAD(table_offset = 16384);
    EXPECT_BAD(blocks = 0);
    EXPECT_BAD(blocks = 104);
    EXPECT_BAD(table.raw = 48);
    EXPECT_BAD(table.stored = UINT32_MAX);
    EXPECT_BAD(shard_bytes = SHARD_BYTES + 1);
#undef EXPECT_BAD
    dls_trailer_format(&good, bytes);
    cr_assert_eq(dls_trailer_parse(bytes, SHARD_BYTES - 1, &fields, &read), -EBADMSG);
    bytes[127] = 0;
    cr_assert_eq(dls_trailer_parse(bytes, SHARD_BYTES, &fields, &read), -EBADMSG);
    cr_assert_not_null(strstr(dls_err_text(), "cut off"));
}

Test(tables, block_table_gives_each_block)
{
    struct dls_table_mark *marks = NULL;
    uint8_t table[32];

    make_table(table);
    struct dls_trailer trailer = sample(table);
    cr_assert_eq(dls_table_parse(&trailer, table, &marks), 0, "%s", dls_err_text());
    struct dls_table_block first = dls_table_get(marks, 0), second = dls_table_get(marks, 1);
    cr_assert(first.offset == 4096 && first.length == 8192 && first.first_record == 0 && first.records == 100);
    cr_assert(second.offset == 12288 && second.length == 4096 && second.first_record == 100 && second.records == 3);
    dls_free(marks);
}

Test(tables, a_block_table_with_gaps_or_wrong_sums)
{
    static const struct {
        unsigned at;
        uint32_t value;
    } changes[] = {{0, 8192}, {8, 3}, {8, 0}, {12, 0}, {12, 101}, {16, 16384}, {24, 2}, {28, 2}, {28, UINT32_MAX}};
    struct dls_table_mark *marks = NULL;
    uint8_t table[32];

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        make_table(table);
        dls_put32(table + changes[i].at, changes[i].value);
        struct dls_trailer trailer = sample(table);
        cr_assert_eq(dls_table_parse(&trailer, table, &marks), -EBADMSG, "change %zu", i);
    }
    make_table(table);
    struct dls_trailer trailer = sample(table);
    table[0] ^= 1;
    cr_assert_eq(dls_table_parse(&trailer, table, &marks), -EBADMSG);
    cr_assert_null(marks);
}

Test(tables, pages_of_the_record_table)
{
    uint8_t table[32], page[DLS_PAGE_BYTES] = {0};

    make_table(table);
    struct dls_trailer trailer = sample(table);
    memset(page + 8, 7, 18 * 48); /* the second page has the rows of the last 18 records */
    dls_put64(page, dls_hash64(page + 8, sizeof(page) - 8));
    cr_assert_eq(dls_row_page_check(&trailer, page, 1), 0, "%s", dls_err_text());
    page[8 + 18 * 48] = 1;
    cr_assert_eq(dls_row_page_check(&trailer, page, 1), -EBADMSG);
    dls_put64(page, dls_hash64(page + 8, sizeof(page) - 8));
    cr_assert_eq(dls_row_page_check(&trailer, page, 1), -EBADMSG);
    cr_assert_not_null(strstr(dls_err_text(), "padding"));
    cr_assert_eq(dls_row_page_check(&trailer, page, 0), 0);
}
