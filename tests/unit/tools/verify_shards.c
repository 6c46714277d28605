/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/verify_shards.h"

#include "shard/writer.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 24

static const char *path;
static struct dls_dataset *dataset;
static char told[4096];

/* Many small shards; record 5 is a picture cut off before it was packed, record 7 has another size than it
 * says. */
static void setup(void)
{
    dls_writer_params params;
    dls_writer *writer = NULL;

    path = support_path(support_temp_dir(), "set");
    dls_writer_params_init(&params);
    params.block_bytes = 4096;
    params.shard_bytes = 16384;
    cr_assert_eq(dls_shard_writer_open(path, &params, &writer), 0);
    for (uint32_t i = 0; i < RECORDS; i++) {
        struct support_jpeg spec = {.width = 64, .height = 48, .seed = i};
        int64_t label = i;
        char key[16];
        size_t length;
        uint8_t *jpeg = support_make_jpeg(&spec, &length);
        snprintf(key, sizeof(key), "k%u", i);
        const dls_value values[3] = {
            {.data = jpeg,
             .length = i == 5 ? length / 2 : length,
             .codec = DLS_CODEC_JPEG,
             .width = i == 7 ? 65 : 64,
             .height = 48,
             .channels = 3},
            {.data = &label, .length = sizeof(label)},
            {.data = key, .length = strlen(key)},
        };
        cr_assert_eq(dls_shard_writer_add(writer, values, 3), 0);
        free(jpeg);
    }
    cr_assert_eq(dls_shard_writer_finish(writer), 0);
    dls_shard_writer_close(&writer);
    told[0] = 0;
}

static void teardown(void)
{
    dls_set_close(&dataset);
}

TestSuite(verify_shards, .init = setup, .fini = teardown);

static void tell(void *user, const struct dls_fault *fault)
{
    size_t used = strlen(told);

    snprintf(told + used, sizeof(told) - used, "%s%s:%.*s", used ? "|" : "", fault->kind,
             (int)fault->key_length, fault->key ? fault->key : "");
}

static struct verify_result verify(unsigned threads, bool decode)
{
    struct verify_settings settings = {.threads = threads, .decode = decode, .fault = tell};
    struct verify_result result = {0};

    dls_set_close(&dataset);
    cr_assert_eq(dls_set_open_unchecked(path, &dataset), 0);
    cr_assert_geq(dls_set_manifest(dataset)->shard_count, 4);
    settings.dataset = dataset;
    told[0] = 0;
    cr_assert_eq(verify_shards(&settings, &result), 0);
    return result;
}

Test(verify_shards, without_decoding_only_stored_bytes_count)
{
    struct verify_result result = verify(2, false);

    cr_expect_eq(result.faults, 0);
    cr_expect_geq(result.bytes, dls_set_manifest(dataset)->image_bytes);
    cr_expect_leq(result.bytes, dls_set_manifest(dataset)->bytes);
}

Test(verify_shards, decoding_finds_pictures_damaged_before_they_were_packed)
{
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        struct verify_result result = verify(threads, true);
        cr_expect_eq(result.faults, 2);
        cr_expect_str_eq(told, "record:k5|record:k7", "in order, with %u threads", threads);
    }
}

Test(verify_shards, a_missing_shard_does_not_hide_the_others)
{
    unlink(support_path(path, "shard-00002.dls"));
    struct verify_result result = verify(3, false);
    cr_expect_eq(result.faults, 1);
    cr_expect_str_eq(told, "shard:");
}

static int stop_at_once(void *user, uint64_t bytes)
{
    return 1;
}

Test(verify_shards, can_be_stopped)
{
    struct verify_settings settings = {.threads = 2, .fault = tell, .progress = stop_at_once};
    struct verify_result result;

    cr_assert_eq(dls_set_open_unchecked(path, &dataset), 0);
    settings.dataset = dataset;
    cr_expect_eq(verify_shards(&settings, &result), -ECANCELED);
}
