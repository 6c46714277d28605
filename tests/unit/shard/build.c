/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/build.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static struct dls_schema schema;
static struct dls_block_builder builder;

static void open_builder(void)
{
    cr_assert_eq(dls_schema_add(&schema, "image", 5, DLS_FIELD_IMAGE, 0), 0);
    cr_assert_eq(dls_schema_add(&schema, "blob", 4, DLS_FIELD_BYTES, 0), 0);
    cr_assert_eq(dls_schema_add(&schema, "label", 5, DLS_FIELD_INT64, 1), 0);
    cr_assert_eq(dls_schema_add(&schema, "key", 3, DLS_FIELD_STRING, 0), 0);
    cr_assert_eq(dls_schema_complete(&schema), 0);
    cr_assert_eq(dls_block_builder_init(&builder, &schema, 3), 0);
}

static void close_builder(void)
{
    dls_block_builder_free(&builder);
}

TestSuite(build, .init = open_builder, .fini = close_builder);

static const int64_t label = 4;
static uint8_t jpeg[500], zeros[8192];

static void fill(dls_value values[4])
{
    for (size_t i = 0; i < sizeof(jpeg); i++)
        jpeg[i] = (uint8_t)(i * i);
    memset(values, 0, 4 * sizeof(*values));
    values[0] = (dls_value){.data = jpeg,
                            .length = sizeof(jpeg),
                            .codec = DLS_CODEC_JPEG,
                            .width = 20,
                            .height = 10,
                            .channels = 3};
    values[1] = (dls_value){.data = zeros, .length = sizeof(zeros)};
    values[2] = (dls_value){.data = &label, .length = 8};
    values[3] = (dls_value){.data = "k", .length = 1};
}

Test(build, images_stay_as_they_are_and_what_shrinks_is_compressed)
{
    struct dls_encoded encoded = {0};
    dls_value values[4];

    fill(values);
    cr_assert_eq(dls_block_builder_encode(&builder, values, &encoded), 0, "%s", dls_err_text());
    cr_assert_eq(encoded.parts[0].encoding, DLS_ENCODING_STORED);
    cr_assert_eq((const void *)encoded.stored[0], (const void *)jpeg);
    cr_assert_eq(encoded.parts[1].encoding, DLS_ENCODING_ZSTD);
    cr_assert_lt(encoded.parts[1].stored, 100);
    cr_assert_eq(encoded.parts[1].raw, sizeof(zeros));
    dls_encoded_free(&encoded);
}

Test(build, the_size_foretold_is_never_too_small)
{
    uint8_t pack_id[16] = {0};
    dls_value values[4];
    uint32_t data_offset;

    fill(values);
    for (int i = 0; i < 40; i++) {
        struct dls_encoded encoded = {0};
        values[0].length = (size_t)(100 + 10 * i);
        cr_assert_eq(dls_block_builder_encode(&builder, values, &encoded), 0);
        uint64_t foretold = dls_block_builder_size(&builder, values, &encoded);
        cr_assert_eq(dls_block_builder_add(&builder, values, &encoded), 0);
        cr_assert_eq(dls_block_builder_finish(&builder, 0, 0, pack_id, &data_offset), 0);
        cr_assert_leq(builder.block.length, foretold);
        cr_assert_eq(builder.records, (uint32_t)i + 1);
        dls_encoded_free(&encoded);
    }
    dls_block_builder_reset(&builder);
    cr_assert_eq(builder.records, 0);
}

Test(build, values_that_do_not_fit_the_schema_are_refused)
{
    static const struct {
        int field;
        dls_value value;
        int error;
        const char *text;
    } cases[] = {
        {0,
         {.data = jpeg, .length = 5, .codec = DLS_CODEC_COEF, .width = 1, .height = 1, .channels = 1},
         -ENOTSUP,
         "coef"},
        {0,
         {.data = jpeg, .length = 5, .codec = (dls_codec)6, .width = 1, .height = 1, .channels = 1},
         -EINVAL,
         "no codec 6"},
        {0,
         {.data = jpeg, .length = 5, .codec = DLS_CODEC_JPEG, .height = 1, .channels = 1},
         -EINVAL,
         "0 x 1 pixels"},
        {0,
         {.data = jpeg, .length = 5, .codec = DLS_CODEC_RAW, .width = 2, .height = 2, .channels = 3},
         -EINVAL,
         "raw pixels"},
        {0,
         {.data = jpeg,
          .length = 5,
          .codec = DLS_CODEC_PNG,
          .width = 2,
          .height = 2,
          .channels = 3,
          .orientation = 9},
         -EINVAL,
         "orientation 9"},
        {0,
         {.data = NULL, .length = 5, .codec = DLS_CODEC_JPEG, .width = 1, .height = 1, .channels = 1},
         -EINVAL,
         "no data"},
        {0, {.width = 4}, -EINVAL, "an absent image with a size"},
        {1, {.data = jpeg, .length = 5, .codec = DLS_CODEC_JPEG}, -EINVAL, "properties of an image"},
        {2, {.data = &label, .length = 4}, -EINVAL, "4 bytes, its numbers take 8"},
        {3, {.data = jpeg, .length = DLS_STRING_MAX + 1}, -EINVAL, "a string of"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dls_encoded encoded = {0};
        dls_value values[4];
        fill(values);
        values[cases[i].field] = cases[i].value;
        cr_expect_eq(dls_block_builder_encode(&builder, values, &encoded), cases[i].error, "case %zu", i);
        cr_expect_not_null(strstr(dls_err_text(), cases[i].text), "case %zu: %s", i, dls_err_text());
        cr_expect_not_null(strstr(dls_err_text(), schema.fields[cases[i].field].name), "case %zu: %s", i,
                           dls_err_text());
        dls_encoded_free(&encoded);
    }
}
