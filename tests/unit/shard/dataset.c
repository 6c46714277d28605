/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/dataset.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "support/specimen.h"
#include "support/support.h"

#define RECORDS 200

static const char *path;
static struct dls_dataset *set;

static void open_set(void)
{
    path = support_path(support_temp_dir(), "set.dls");
    specimen_write(path, RECORDS, 65536);
    cr_assert_eq(dls_set_open(path, &set), 0, "%s", dls_err_text());
}

static void close_set(void)
{
    dls_set_close(&set);
    cr_assert_null(set);
}

TestSuite(dataset, .init = open_set, .fini = close_set);

Test(dataset, blocks_of_all_shards_stand_in_one_row)
{
    const struct dls_manifest *manifest = dls_set_manifest(set);
    uint64_t first = 0;
    uint32_t shard = 0;

    cr_assert_gt(manifest->shard_count, 1);
    for (uint64_t b = 0; b < manifest->blocks; b++) {
        struct dls_block_at at;
        cr_assert_eq(dls_set_block(set, b, &at), 0, "%s", dls_err_text());
        cr_assert_eq(at.first_record, first);
        cr_assert(at.records > 0 && at.length % DLS_ALIGN == 0 && at.length <= dls_set_largest_block(set));
        cr_assert(at.shard == shard || (at.shard == shard + 1 && at.block == 0));
        shard = at.shard;
        first += at.records;
    }
    cr_assert_eq(first, RECORDS);
    cr_assert_eq(shard + 1, manifest->shard_count);
    struct dls_block_at at;
    cr_assert_eq(dls_set_block(set, manifest->blocks, &at), -ERANGE);
}

Test(dataset, keys_are_read_alone_and_cut_to_the_room)
{
    dls_value values[SPECIMEN_FIELDS];
    char key[300], small[4];

    for (uint64_t i = 0; i < RECORDS; i += 7) {
        specimen_values(i, values);
        cr_assert_eq(dls_set_read_key(set, i, key, sizeof(key)), (int)values[5].length);
        cr_assert(values[5].length == 0 || memcmp(key, values[5].data, values[5].length) == 0);
    }
    specimen_values(4, values);
    cr_assert_eq(dls_set_read_key(set, 4, small, sizeof(small)), 4);
    cr_assert_arr_eq(small, values[5].data, 4);
    cr_assert_lt(dls_set_read_key(set, RECORDS, key, sizeof(key)), 0);
}

Test(dataset, a_shard_that_is_missing_is_named_unless_it_is_not_asked_for)
{
    struct dls_dataset *other = NULL;
    char file[64];

    snprintf(file, sizeof(file), "%s", dls_set_manifest(set)->shards[1].file);
    cr_assert_eq(remove(support_path(path, file)), 0);
    cr_assert_eq(dls_set_open(path, &other), -ENOENT);
    cr_assert_not_null(strstr(dls_err_text(), file));
    cr_assert_eq(dls_set_open_unchecked(path, &other), 0);
    cr_assert_eq(dls_set_manifest(other)->records, RECORDS);
    dls_set_close(&other);
}
