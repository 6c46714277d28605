/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/block.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "shard/build.h"
#include "support/specimen.h"

#define RECORDS 9

static struct dls_schema schema;
static struct dls_block_builder builder;
static struct dls_block_view view;

static void build(void)
{
    static const uint8_t pack_id[16] = "0123456789abcdef";
    uint32_t data_offset;

    for (uint32_t f = 0; f < SPECIMEN_FIELDS; f++)
        cr_assert_eq(dls_schema_add(&schema, specimen_fields[f].name, strlen(specimen_fields[f].name),
                                    specimen_fields[f].type, specimen_fields[f].count),
                     0);
    cr_assert_eq(dls_schema_complete(&schema), 0);
    cr_assert_eq(dls_block_builder_init(&builder, &schema, 3), 0);
    for (uint64_t i = 0; i < RECORDS; i++) {
        struct dls_encoded encoded = {0};
        dls_value values[SPECIMEN_FIELDS];
        specimen_values(i, values);
        cr_assert_eq(dls_block_builder_encode(&builder, values, &encoded), 0, "%s", dls_err_text());
        cr_assert_eq(dls_block_builder_add(&builder, values, &encoded), 0);
        dls_encoded_free(&encoded);
    }
    cr_assert_eq(dls_block_builder_finish(&builder, 7, 1000, pack_id, &data_offset), 0);
    cr_assert_eq(builder.block.length % DLS_ALIGN, 0);
    cr_assert_eq(dls_block_view_init(&view, &schema, 0), 0);
}

static void clean(void)
{
    dls_block_view_free(&view);
    dls_block_builder_free(&builder);
}

TestSuite(block, .init = build, .fini = clean);

static void check_record(uint64_t index, struct dls_cell_scratch *scratch)
{
    dls_value values[SPECIMEN_FIELDS];

    specimen_values(index, values);
    for (uint32_t f = 0; f < SPECIMEN_FIELDS; f++) {
        const uint8_t *data;
        size_t length;
        if (dls_field_has_cell(&schema.fields[f])) {
            struct dls_cell cell;
            dls_block_cell(&view, f, (uint32_t)index, &cell);
            cr_assert_eq(cell.width, values[f].width);
            cr_assert_eq(cell.raw, values[f].length);
            cr_assert_eq(dls_cell_open(&cell, view.data + cell.offset, 1, scratch, &data), 0, "%s",
                         dls_err_text());
            length = cell.raw;
        } else {
            data = dls_block_inline(&view, f, (uint32_t)index, &length);
        }
        cr_assert_eq(length, values[f].length, "record %llu, field %u", (unsigned long long)index, f);
        cr_assert(length == 0 || memcmp(data, values[f].data, length) == 0);
    }
}

Test(block, gives_back_what_was_built)
{
    struct dls_cell_scratch scratch = {0};

    cr_assert_eq(dls_block_view_open(&view, builder.block.bytes, builder.block.length), 0, "%s",
                 dls_err_text());
    cr_assert(view.number == 7 && view.first_record == 1000 && view.records == RECORDS);
    for (uint64_t i = 0; i < RECORDS; i++)
        check_record(i, &scratch);
    dls_cell_scratch_free(&scratch);
}

Test(block, a_head_is_enough_for_the_directory)
{
    uint64_t needed = 0, length = builder.block.length;
    size_t key;

    cr_assert_eq(dls_block_view_open_head(&view, builder.block.bytes, 64, length, &needed), -EMSGSIZE);
    cr_assert(needed > 64 && needed < length);
    uint8_t *head = malloc(needed); /* no byte more, so that a sanitizer sees one that is looked at */
    memcpy(head, builder.block.bytes, needed);
    uint64_t again = 0;
    cr_assert_eq(dls_block_view_open_head(&view, head, needed, length, &again), 0, "%s", dls_err_text());
    cr_assert_not_null(dls_block_inline(&view, (uint32_t)schema.key, 3, &key));
    cr_assert_eq(key, 256);
    free(head);
}

Test(block, no_byte_of_head_or_directory_can_change_unseen)
{
    uint64_t needed = 0;
    cr_assert_eq(dls_block_view_open_head(&view, builder.block.bytes, 64, builder.block.length, &needed),
                 -EMSGSIZE);
    for (uint64_t at = 0; at < needed; at++) {
        builder.block.bytes[at] ^= 0x10;
        int r = dls_block_view_open(&view, builder.block.bytes, builder.block.length);
        /* What lies between the directory and the values is padding. */
        cr_assert(r < 0 ||
                      at >= 64 + (uint64_t)builder.block.bytes[28] + 256 * (uint64_t)builder.block.bytes[29],
                  "byte %llu", (unsigned long long)at);
        builder.block.bytes[at] ^= 0x10;
    }
}

Test(block, a_damaged_value_is_that_value_s_error_alone)
{
    struct dls_cell_scratch scratch = {0};
    struct dls_cell first, second;
    const uint8_t *data;

    cr_assert_eq(dls_block_view_open(&view, builder.block.bytes, builder.block.length), 0);
    dls_block_cell(&view, 0, 0, &first);
    dls_block_cell(&view, 0, 1, &second);
    builder.block.bytes[first.offset + 5] ^= 1;
    cr_assert_eq(dls_cell_open(&first, view.data + first.offset, 1, &scratch, &data), -EBADMSG);
    cr_assert_eq(dls_cell_open(&first, view.data + first.offset, 0, &scratch, &data), 0);
    cr_assert_eq(dls_cell_open(&second, view.data + second.offset, 1, &scratch, &data), 0);
    dls_cell_scratch_free(&scratch);
}

Test(block, a_block_cut_off_is_refused)
{
    for (uint64_t length = 0; length < builder.block.length; length += length < 256 ? 1 : 509)
        cr_assert_lt(dls_block_view_open(&view, builder.block.bytes, length), 0, "%llu",
                     (unsigned long long)length);
}
