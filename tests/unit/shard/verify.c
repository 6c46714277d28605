/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/verify.h"

#include "shard/block.h"
#include "support/specimen.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORDS 40

static struct {
    unsigned faults, pictures, progress_calls;
    uint64_t progress_bytes;
    struct {
        char kind[16], text[512], key[64];
        int64_t block, record, offset;
        size_t key_length;
        int code;
    } seen[80];
    int stop_after, picture_answer;
} log_;

static void on_fault(void *user, const struct dls_fault *fault)
{
    cr_assert_eq(user, &log_);
    cr_assert_lt(log_.faults, 80);
    snprintf(log_.seen[log_.faults].kind, 16, "%s", fault->kind);
    snprintf(log_.seen[log_.faults].text, 512, "%s", fault->text);
    log_.seen[log_.faults].block = fault->block;
    log_.seen[log_.faults].record = fault->record;
    log_.seen[log_.faults].offset = fault->offset;
    log_.seen[log_.faults].code = fault->code;
    log_.seen[log_.faults].key_length = fault->key_length;
    if (fault->key)
        snprintf(log_.seen[log_.faults].key, 64, "%.*s", (int)fault->key_length, fault->key);
    log_.faults++;
}

static int on_picture(void *user, const struct dls_cell *cell, const uint8_t *data)
{
    cr_assert_eq(user, &log_);
    cr_assert_gt(cell->raw, 0);
    cr_assert_not_null(data);
    log_.pictures++;
    return log_.picture_answer;
}

static int on_progress(void *user, uint64_t bytes)
{
    cr_assert_eq(user, &log_);
    log_.progress_bytes += bytes;
    return ++log_.progress_calls == (unsigned)log_.stop_after;
}

static int verify(const char *path, uint64_t *ret_faults)
{
    const struct dls_verify how = {.fault = on_fault, .picture = on_picture, .progress = on_progress, .user = &log_};
    struct dls_dataset *set = NULL;
    int stop_after = log_.stop_after, answer = log_.picture_answer;

    memset(&log_, 0, sizeof(log_));
    log_.stop_after = stop_after;
    log_.picture_answer = answer;
    cr_assert_eq(dls_set_open_unchecked(path, &set), 0, "%s", dls_last_error());
    int r = dls_verify_shard(set, 0, &how, ret_faults);
    dls_set_close(&set);
    return r;
}

static const char *path, *shard;
static uint8_t *bytes;
static size_t length;

static void make(void)
{
    path = support_path(support_temp_dir(), "set");
    shard = support_path(path, "shard-00000.dls");
    specimen_write(path, RECORDS, 0);
    bytes = support_read_file(shard, &length);
}

static void save(void)
{
    support_write_file(shard, bytes, length);
}

/* Where block `number` and a value of one of its records lie. */
static uint64_t block_at(uint64_t number, struct dls_block_at *ret_at)
{
    struct dls_dataset *set = NULL;

    cr_assert_eq(dls_set_open(path, &set), 0, "%s", dls_last_error());
    cr_assert_eq(dls_set_block(set, number, ret_at), 0, "%s", dls_last_error());
    dls_set_close(&set);
    return ret_at->offset;
}

static uint64_t value_at(uint64_t number, uint32_t field, uint32_t index, uint64_t *ret_record)
{
    struct dls_dataset *set = NULL;
    struct dls_block_view view;
    struct dls_block_at at;
    struct dls_cell cell;

    cr_assert_eq(dls_set_open(path, &set), 0, "%s", dls_last_error());
    cr_assert_eq(dls_set_block(set, number, &at), 0);
    cr_assert_eq(dls_block_view_init(&view, dls_set_schema(set), 0), 0);
    cr_assert_eq(dls_set_open_block(set, &at, bytes + at.offset, &view), 0, "%s", dls_last_error());
    cr_assert_lt(index, view.records);
    dls_block_cell(&view, field, index, &cell);
    cr_assert_gt(cell.stored, 0);
    *ret_record = at.first_record + index;
    dls_block_view_free(&view);
    dls_set_close(&set);
    return at.offset + cell.offset;
}

Test(verify, good_shard)
{
    uint64_t faults = 9;

    make();
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 0);
    cr_assert_eq(log_.faults, 0);
    /* 40 images and the masks that two of three records have */
    cr_assert_eq(log_.pictures, 40 + 27);
    cr_assert_gt(log_.progress_calls, 3);
    cr_assert_eq(log_.progress_bytes % 4096, 0);
    cr_assert_lt(log_.progress_bytes, length);
}

Test(verify, damaged_value_is_named_and_the_rest_looked_at)
{
    uint64_t faults, record, first, second;

    make();
    first = value_at(1, 0, 0, &record);
    bytes[first] ^= 1;
    second = value_at(3, 0, 1, &record);
    /* value_at() checks nothing of values */
    bytes[second] ^= 1;
    save();
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 3);
    cr_assert_str_eq(log_.seen[0].kind, "record");
    cr_assert_eq(log_.seen[0].block, 1);
    cr_assert_eq(log_.seen[0].offset, (int64_t)first);
    cr_assert_eq(log_.seen[0].code, -EBADMSG);
    cr_assert_not_null(strstr(log_.seen[0].text, "'image'"), "%s", log_.seen[0].text);
    cr_assert_str_eq(log_.seen[1].kind, "record");
    cr_assert_eq(log_.seen[1].block, 3);
    cr_assert_eq(log_.seen[1].record, (int64_t)record);
    cr_assert_eq(log_.seen[1].offset, (int64_t)second);
    dls_value values[SPECIMEN_FIELDS];
    specimen_values(record, values);
    cr_assert_eq(log_.seen[1].key_length, values[5].length);
    cr_assert_eq(strncmp(log_.seen[1].key, values[5].data, values[5].length), 0);
    cr_assert_str_eq(log_.seen[2].kind, "checksum");
    cr_assert_eq(log_.pictures, 40 + 27 - 2);
}

Test(verify, damaged_block_is_named_and_the_others_looked_at)
{
    struct dls_block_at at;
    uint64_t faults;

    make();
    uint64_t offset = block_at(2, &at);
    bytes[offset + 70] ^= 1;
    save();
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 2);
    cr_assert_str_eq(log_.seen[0].kind, "block");
    cr_assert_eq(log_.seen[0].block, 2);
    cr_assert_eq(log_.seen[0].offset, (int64_t)offset);
    cr_assert_eq(log_.seen[0].record, -1);
    cr_assert_gt(log_.pictures, 30);
}

Test(verify, two_blocks_in_the_wrong_order)
{
    struct dls_block_at first, second;
    uint64_t faults;

    make();
    block_at(1, &first);
    block_at(2, &second);
    cr_assert_eq(first.length, second.length);
    uint8_t *kept = malloc(first.length);
    memcpy(kept, bytes + first.offset, first.length);
    memcpy(bytes + first.offset, bytes + second.offset, second.length);
    memcpy(bytes + second.offset, kept, first.length);
    free(kept);
    save();
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 3);
    cr_assert_eq(log_.seen[0].block, 1);
    cr_assert_eq(log_.seen[1].block, 2);
}

/* Tables and trailer are gone: the blocks are looked at all the same. */
Test(verify, blocks_are_found_without_the_tables)
{
    struct dls_block_at at;
    uint64_t faults, record, damaged;

    make();
    damaged = value_at(2, 0, 0, &record);
    block_at(4, &at);
    bytes[damaged] ^= 1;
    memset(bytes + at.offset, 0, at.length);
    memset(bytes + length - 128, 0, 128);
    save();
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 4);
    cr_assert_str_eq(log_.seen[0].kind, "shard");
    cr_assert_not_null(strstr(log_.seen[0].text, "trailer"), "%s", log_.seen[0].text);
    cr_assert_str_eq(log_.seen[1].kind, "record");
    cr_assert_eq(log_.seen[1].record, (int64_t)record);
    cr_assert_eq(log_.seen[1].offset, (int64_t)damaged);
    cr_assert_str_eq(log_.seen[2].kind, "shard");
    cr_assert_not_null(strstr(log_.seen[2].text, "blocks 4 to 4"), "%s", log_.seen[2].text);
    cr_assert_str_eq(log_.seen[3].kind, "checksum");
    cr_assert_gt(log_.pictures, 50);
}

Test(verify, cut_off_shard)
{
    struct dls_block_at at;
    uint64_t faults;

    make();
    block_at(3, &at);
    length = at.offset + 100;
    save();
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 3);
    cr_assert_not_null(strstr(log_.seen[0].text, "cut off"), "%s", log_.seen[0].text);
    cr_assert_not_null(strstr(log_.seen[1].text, "blocks 3 to"), "%s", log_.seen[1].text);
    cr_assert_str_eq(log_.seen[2].kind, "checksum");
}

Test(verify, missing_shard_and_things_that_are_no_file)
{
    uint64_t faults;

    make();
    cr_assert_eq(unlink(shard), 0);
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 1);
    cr_assert_eq(log_.seen[0].code, -ENOENT);
    /* A pipe, at which a careless open() would wait for ever. */
    cr_assert_eq(mknod(shard, S_IFIFO | 0600, 0), 0);
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 1);
    cr_assert_eq(log_.seen[0].code, -EBADMSG);
}

Test(verify, pictures_can_be_refused_and_the_run_stopped)
{
    uint64_t faults;

    make();
    log_.picture_answer = -EBADMSG;
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_eq(faults, 40 + 27);
    log_.picture_answer = 0;
    log_.stop_after = 2;
    cr_assert_eq(verify(path, &faults), -ECANCELED);
    cr_assert_eq(log_.progress_calls, 2);
}

/* A manifest that promises less than the shard needs would have a loader reserve too little. */
Test(verify, manifest_that_understates_the_directories)
{
    size_t text_length;
    uint64_t faults;

    make();
    char *text = (char *)support_read_file(support_path(path, "dataset.json"), &text_length);
    char *at = strstr(text, "\"directory_bytes\": ");
    cr_assert_not_null(at);
    at += strlen("\"directory_bytes\": ");
    /* 1048 becomes 1000: less, and as many digits. */
    cr_assert_neq(strtoul(at, NULL, 10), 1000);
    memset(at + 1, '0', strspn(at, "0123456789") - 1);
    reseal_manifest(text, text_length);
    support_write_file(support_path(path, "dataset.json"), text, text_length);
    free(text);
    cr_assert_eq(verify(path, &faults), 0);
    cr_assert_gt(faults, 0);
    cr_assert_str_eq(log_.seen[0].kind, "block");
    cr_assert_not_null(strstr(log_.seen[0].text, "directory"), "%s", log_.seen[0].text);
}
