/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets that something has damaged: nothing may pass for good, crash or read past its memory. Each case damages a
 * small dataset in every possible place. */
#include "shard/block.h"
#include "shard/dataset.h"
#include "shard/verify.h"
#include "support/specimen.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 5

struct copy {
    const char *path, *shard, *manifest;
    uint8_t *bytes;
    size_t length;
    char *text;
    size_t text_length;
};

/* Freed when the case's process ends. */
static void *kept[64];
static unsigned kept_count;

static void free_kept(void)
{
    while (kept_count > 0)
        free(kept[--kept_count]);
}

static void *keep(void *memory)
{
    if (kept_count == 0)
        cr_assert_eq(atexit(free_kept), 0);
    cr_assert_lt(kept_count, sizeof(kept) / sizeof(kept[0]));
    return kept[kept_count++] = memory;
}

static struct copy make(void)
{
    struct copy copy = {.path = support_path(support_temp_dir(), "set")};

    specimen_write(copy.path, RECORDS, 0);
    copy.shard = support_path(copy.path, "shard-00000.dls");
    copy.manifest = support_path(copy.path, "dataset.json");
    copy.bytes = keep(support_read_file(copy.shard, &copy.length));
    copy.text = keep(support_read_file(copy.manifest, &copy.text_length));
    return copy;
}

static void put_byte(const char *path, size_t at, uint8_t value)
{
    int fd = open(path, O_WRONLY);

    cr_assert_geq(fd, 0);
    cr_assert_eq(pwrite(fd, &value, 1, (off_t)at), 1);
    close(fd);
}

struct found {
    unsigned faults, beside_checksum;
    char text[256];
};

static void note(void *user, const struct dls_fault *fault)
{
    struct found *found = user;

    found->faults++;
    cr_assert_lt(fault->code, 0);
    cr_assert_not_null(fault->file);
    cr_assert_gt(strlen(fault->text), 0);
    if (strcmp(fault->kind, "checksum") != 0) {
        found->beside_checksum++;
        snprintf(found->text, sizeof(found->text), "%s", fault->text);
    }
}

static struct found verify(const char *path)
{
    struct found found = {0};
    struct dls_verify how = {.fault = note, .user = &found};
    struct dls_dataset *set = NULL;
    uint64_t faults;

    cr_assert_eq(dls_set_open_unchecked(path, &set), 0, "%s", dls_last_error());
    cr_assert_eq(dls_verify_shard(set, 0, &how, &faults), 0, "%s", dls_last_error());
    cr_assert_eq(faults, found.faults);
    dls_set_close(&set);
    return found;
}

/* What a training run does with a dataset: open, look at all blocks, read all records. The first error. */
static int use(const char *path)
{
    struct dls_dataset *set = NULL;
    int r = dls_set_open(path, &set);

    for (uint64_t b = 0; r == 0 && b < dls_set_manifest(set)->blocks; b++) {
        struct dls_block_view view;
        struct dls_block_at at;
        r = dls_set_block(set, b, &at);
        if (r < 0)
            break;
        uint8_t *data = malloc(at.length);
        int fd = open(dls_set_shard_path(set, at.shard), O_RDONLY);
        cr_assert_eq(pread(fd, data, at.length, (off_t)at.offset), (ssize_t)at.length);
        close(fd);
        dls_block_view_init(&view, dls_set_schema(set), 0);
        r = dls_set_open_block(set, &at, data, &view);
        dls_block_view_free(&view);
        free(data);
    }
    for (uint64_t i = 0; r == 0 && i < dls_set_manifest(set)->records; i++) {
        dls_record *record = NULL;
        r = dls_set_read(set, i, &record);
        dls_set_record_free(&record);
    }
    dls_set_close(&set);
    return r;
}

Test(damage, undamaged_is_without_fault)
{
    struct copy copy = make();

    cr_assert_eq(verify(copy.path).faults, 0);
    cr_assert_eq(use(copy.path), 0, "%s", dls_last_error());
}

/* Not by the checksum of the whole file alone: so the fault has a place. */
Test(damage, every_flipped_byte_of_a_shard_is_found)
{
    struct copy copy = make();
    static const uint8_t flips[] = {0x01, 0x80, 0xff};

    for (size_t i = 0; i < copy.length; i++) {
        put_byte(copy.shard, i, copy.bytes[i] ^ flips[i % 3]);
        struct found found = verify(copy.path);
        cr_assert_gt(found.faults, 0, "byte %zu", i);
        cr_assert_gt(found.beside_checksum, 0, "byte %zu is found by the file's checksum alone", i);
        put_byte(copy.shard, i, copy.bytes[i]);
    }
    cr_assert_eq(verify(copy.path).faults, 0);
}

/* A reader that does not verify the whole file meets wrong bytes, too, except where nothing looks at them: padding. */
Test(damage, every_flipped_byte_that_a_reader_uses_is_refused)
{
    struct copy copy = make();
    unsigned unseen = 0;

    for (size_t i = 0; i < copy.length; i++) {
        put_byte(copy.shard, i, copy.bytes[i] ^ 0x10);
        int r = use(copy.path);
        if (r == 0)
            unseen++;
        if (r == 0)
            cr_assert_eq(copy.bytes[i], 0, "byte %zu is not padding", i);
        else
            cr_assert_eq(r, -EBADMSG, "byte %zu: %d, %s", i, r, dls_last_error());
        if (r < 0)
            cr_assert_not_null(strstr(dls_last_error(), "shard-00000.dls"), "byte %zu: %s", i, dls_last_error());
        put_byte(copy.shard, i, copy.bytes[i]);
    }
    /* The padding at the end of the blocks, and not much more. */
    cr_assert_lt(unseen, 8192);
}

Test(damage, every_flipped_bit_of_a_manifest_is_refused)
{
    struct copy copy = make();
    struct dls_dataset *set = NULL;

    for (size_t i = 0; i < copy.text_length; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            put_byte(copy.manifest, i, (uint8_t)(copy.text[i] ^ 1 << bit));
            cr_assert_eq(dls_set_open(copy.path, &set), -EBADMSG, "byte %zu, bit %u", i, bit);
            cr_assert_null(set);
            cr_assert_not_null(strstr(dls_last_error(), "dataset.json"), "%s", dls_last_error());
            put_byte(copy.manifest, i, (uint8_t)copy.text[i]);
        }
    cr_assert_eq(use(copy.path), 0);
}

Test(damage, a_shard_cut_off_at_any_length_is_refused)
{
    struct copy copy = make();
    struct dls_dataset *set = NULL;

    for (size_t length = copy.length; length-- > 0;) {
        cr_assert_eq(truncate(copy.shard, (off_t)length), 0);
        cr_assert_eq(dls_set_open(copy.path, &set), -EBADMSG, "length %zu", length);
        cr_assert_not_null(strstr(dls_last_error(), "shard-00000.dls"), "%s", dls_last_error());
        if (length % 61 == 0 || length > copy.length - 200)
            cr_assert_gt(verify(copy.path).beside_checksum, 0, "length %zu", length);
    }
}

/* Cut off, and the manifest says that this is its length: the trailer tells. */
Test(damage, a_shard_cut_off_is_known_by_its_end)
{
    struct copy copy = make();
    char *at = strstr(strstr(copy.text, "\"shards\""), "\"bytes\": ") + 9;
    char *total = strstr(copy.text, "\"bytes\": ") + 9;
    size_t digits = strspn(at, "0123456789");

    for (size_t length = copy.length - 1; length >= 10000 && length > copy.length - 5000; length -= 7) {
        char number[32];
        snprintf(number, sizeof(number), "%zu", length);
        cr_assert_eq(strlen(number), digits);
        memcpy(at, number, digits);
        memcpy(total, number, digits);
        reseal_manifest(copy.text, copy.text_length);
        support_write_file(copy.manifest, copy.text, copy.text_length);
        cr_assert_eq(truncate(copy.shard, (off_t)length), 0);
        cr_assert_eq(use(copy.path), -EBADMSG, "length %zu", length);
    }
}

Test(damage, a_manifest_cut_off_at_any_length_is_refused)
{
    struct copy copy = make();
    struct dls_dataset *set = NULL;

    for (size_t length = copy.text_length; length-- > 0;) {
        cr_assert_eq(truncate(copy.manifest, (off_t)length), 0);
        cr_assert_eq(dls_set_open(copy.path, &set), -EBADMSG, "length %zu", length);
    }
}

Test(damage, bytes_behind_the_end_are_refused)
{
    struct copy copy = make();
    struct dls_dataset *set = NULL;

    cr_assert_eq(truncate(copy.shard, (off_t)copy.length + 1), 0);
    cr_assert_eq(dls_set_open(copy.path, &set), -EBADMSG);
    cr_assert_gt(verify(copy.path).beside_checksum, 0);
    cr_assert_eq(truncate(copy.shard, (off_t)copy.length), 0);
    cr_assert_eq(truncate(copy.manifest, (off_t)copy.text_length + 1), 0);
    cr_assert_eq(dls_set_open(copy.path, &set), -EBADMSG);
}

Test(damage, random_bytes_instead_of_a_shard)
{
    struct copy copy = make();
    uint32_t state = 7;

    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < copy.length; i++)
            copy.bytes[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
        /* In half of the rounds with the magics in place and right checksums, so that more of it is looked at. */
        if (round % 2) {
            memcpy(copy.bytes, "\x89" "DLS\r\n\x1a\n", 8);
            memcpy(copy.bytes + copy.length - 8, "DLSTAIL\n", 8);
            reseal_header(copy.bytes);
        }
        support_write_file(copy.shard, copy.bytes, copy.length);
        cr_assert_lt(use(copy.path), 0);
        cr_assert_gt(verify(copy.path).beside_checksum, 0);
    }
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

/* The damages below are hidden behind checksums that are right: each byte has to be looked at for itself. */
Test(damage, every_byte_of_the_header_is_looked_at)
{
    struct copy copy = make();
    uint8_t *changed = malloc(copy.length);

    for (size_t i = 0; i < 4088; i++) {
        memcpy(changed, copy.bytes, copy.length);
        changed[i] ^= 0x04;
        reseal_header(changed);
        reseal_trailer(changed, copy.length);
        support_write_file(copy.shard, changed, copy.length);
        int r = use(copy.path), expected = -EBADMSG;
        if ((i >= 10 && i < 12) || (i >= 24 && i < 32) || (i >= 40 && i < 48))
            expected = 0; /* minor version, compatible features, what blocks do not repeat of the pack ID */
        else if (i == 8 || i == 9 || (i >= 16 && i < 24))
            expected = -ENOTSUP; /* major version, incompatible features */
        cr_assert_eq(r, expected, "byte %zu: %d, %s", i, r, r ? dls_last_error() : "");
    }
    free(changed);
}

Test(damage, every_byte_of_the_trailer_is_looked_at)
{
    struct copy copy = make();
    uint8_t *changed = malloc(copy.length);

    for (size_t i = 0; i < 104; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            if (i >= 48 && i < 56)
                continue; /* the block table's checksum, which the repair undoes */
            memcpy(changed, copy.bytes, copy.length);
            changed[copy.length - 128 + i] ^= (uint8_t)(1 << bit);
            reseal_trailer(changed, copy.length);
            support_write_file(copy.shard, changed, copy.length);
            cr_assert_lt(use(copy.path), 0, "byte %zu, bit %u", i, bit);
        }
    free(changed);
}

Test(damage, every_byte_of_a_block_header_is_looked_at)
{
    struct copy copy = make();
    uint8_t *changed = malloc(copy.length);

    for (size_t i = 0; i < 56; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            if (i >= 40 && i < 48)
                continue; /* the directory's checksum, which the repair undoes */
            memcpy(changed, copy.bytes, copy.length);
            changed[4096 + i] ^= (uint8_t)(1 << bit);
            if (get(changed + 4096 + 28, 4) > 4032)
                continue; /* would have the repair look outside the block; see the fuzz target */
            reseal_block(changed + 4096);
            support_write_file(copy.shard, changed, copy.length);
            cr_assert_lt(use(copy.path), 0, "byte %zu, bit %u", i, bit);
        }
    free(changed);
}

/* Rows are read without a look at the block's directory: verify compares the two. */
Test(damage, every_byte_of_a_page_of_the_record_table_is_looked_at)
{
    struct copy copy = make();
    uint8_t *changed = malloc(copy.length);
    size_t page = get(copy.bytes + copy.length - 128, 8);

    for (size_t i = 8; i < 4096; i++) {
        memcpy(changed, copy.bytes, copy.length);
        changed[page + i] ^= 0x40;
        reseal_page(changed + page);
        support_write_file(copy.shard, changed, copy.length);
        cr_assert_gt(verify(copy.path).beside_checksum, 0, "byte %zu", i);
    }
    free(changed);
}

Test(damage, padding_that_is_not_zero_is_a_fault_of_its_block)
{
    struct copy copy = make();

    cr_assert_eq(copy.bytes[8191], 0);
    put_byte(copy.shard, 8191, 1);
    cr_assert_not_null(strstr(verify(copy.path).text, "padding"));
    cr_assert_eq(use(copy.path), 0); /* readers need not look at it */
}

Test(damage, padding_before_the_trailer_is_a_fault)
{
    const char *path = support_path(support_temp_dir(), "set");
    size_t length;

    /* So many blocks that zstd shrinks their table, to a length that is not a multiple of 8. */
    for (uint64_t records = 60;; records++) {
        cr_assert_lt(records, 200);
        specimen_write(path, records, 0);
        uint8_t *bytes = support_read_file(support_path(path, "shard-00000.dls"), &length);
        uint64_t end = get(bytes + length - 96, 8) + get(bytes + length - 88, 4);
        free(bytes);
        if (end % 8) {
            put_byte(support_path(path, "shard-00000.dls"), end, 1);
            break;
        }
        support_remove_tree(path);
    }
    cr_assert_not_null(strstr(verify(path).text, "padding"));
}
