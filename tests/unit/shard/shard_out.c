/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/shard_out.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "shard/tables.h"
#include "support/support.h"

static struct dls_schema schema;
static struct dls_block_builder builder;
static struct dls_shard_out out;

static void open_all(void)
{
    cr_assert_eq(dls_schema_add(&schema, "image", 5, DLS_FIELD_IMAGE, 0), 0);
    cr_assert_eq(dls_schema_add(&schema, "label", 5, DLS_FIELD_INT64, 1), 0);
    cr_assert_eq(dls_schema_complete(&schema), 0);
    cr_assert_eq(dls_block_builder_init(&builder, &schema, 3), 0);
    cr_assert_eq(dls_shard_out_init(&out), 0);
}

static void close_all(void)
{
    dls_shard_out_free(&out);
    dls_block_builder_free(&builder);
}

TestSuite(shard_out, .init = open_all, .fini = close_all);

static char *copy(const char *path)
{
    return dls_strndup(DLS_MEM_SHARD, path, strlen(path));
}

static void add(int64_t label)
{
    static uint8_t bytes[700];
    struct dls_encoded encoded = {0};
    dls_value values[2] = {{.data = bytes,
                            .length = sizeof(bytes),
                            .codec = DLS_CODEC_JPEG,
                            .width = 8,
                            .height = 8,
                            .channels = 3},
                           {.data = &label, .length = 8}};

    cr_assert_eq(dls_block_builder_encode(&builder, values, &encoded), 0);
    cr_assert_eq(dls_block_builder_add(&builder, values, &encoded), 0);
    dls_encoded_free(&encoded);
}

Test(shard_out, writes_what_tables_and_checksum_say, .timeout = 60)
{
    const char *path = support_path(support_temp_dir(), "shard-00005.dls");
    static const uint8_t pack_id[16] = "abcdefghijklmnop";
    struct dls_manifest_shard listed = {0};
    struct dls_trailer trailer;
    size_t length;

    cr_assert_eq(dls_shard_out_open(&out, copy(path), &schema, 5, 4096, pack_id), 0, "%s", dls_err_text());
    for (int block = 0; block < 3; block++) {
        dls_block_builder_reset(&builder);
        for (int i = 0; i < 4 + block; i++)
            add(10 * block + i);
        cr_assert_eq(dls_shard_out_block(&out, &builder), 0, "%s", dls_err_text());
    }
    uint64_t most = dls_shard_out_size(&out, 0, 0);
    cr_assert_eq(dls_shard_out_close(&out, &builder.encoder, &listed), 0, "%s", dls_err_text());
    cr_assert_eq(out.fd, -1);
    uint8_t *bytes = support_read_file(path, &length);
    cr_assert_eq(length, listed.bytes);
    cr_assert_leq(length, most);
    cr_assert(listed.records == 15 && listed.blocks == 3);
    cr_assert_eq(dls_hash64(bytes, length), listed.checksum);
    cr_assert_eq(dls_trailer_parse(bytes + length - DLS_TRAILER_BYTES, length, &schema, &trailer), 0, "%s",
                 dls_err_text());
    cr_assert(trailer.records == 15 && trailer.blocks == 3 &&
              trailer.rows_a_page == DLS_PAGE_ROWS_BYTES / 48);
    cr_assert_arr_eq(bytes + 16 + 16, pack_id, 16);
    free(bytes);
}

Test(shard_out, a_file_that_exists_is_not_written_over)
{
    const char *path = support_path(support_temp_dir(), "shard-00000.dls");
    static const uint8_t pack_id[16];

    support_write_file(path, "mine", 4);
    cr_assert_eq(dls_shard_out_open(&out, copy(path), &schema, 0, 4096, pack_id), -EEXIST);
    cr_assert_not_null(strstr(dls_err_text(), path));
}
