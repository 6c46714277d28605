/* SPDX-License-Identifier: Apache-2.0 */
#include "support/specimen.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder(void)
{
    static const char *path;
    if (!path)
        path = support_temp_dir();
    return path;
}

/* Names in a directory, '.' and '..' apart. */
static int entries(const char *path)
{
    int count = 0;
    DIR *dir = opendir(path);

    cr_assert_not_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;
}

static dls_writer *start(const char *path, const dls_field *fields, uint32_t count, uint32_t block_bytes)
{
    dls_writer_params params;
    dls_writer *writer = NULL;

    dls_writer_params_init(&params);
    params.fields = fields;
    params.field_count = count;
    params.block_bytes = block_bytes;
    if (fields == specimen_fields) {
        params.classes = specimen_classes;
        params.class_count = SPECIMEN_CLASSES;
    }
    cr_assert_eq(dls_writer_open(path, &params, &writer), 0, "%s", dls_last_error());
    return writer;
}

static dls_dataset *open_set(const char *path)
{
    dls_dataset *set = NULL;

    cr_assert_eq(dls_dataset_open(path, &set), 0, "%s", dls_last_error());
    return set;
}

Test(writer, every_type_of_field_comes_back)
{
    const char *path = support_path(folder(), "set");

    for (uint64_t records = 0; records <= 28; records += records < 3 ? 1 : 5) {
        specimen_write(path, records, 0);
        dls_dataset *set = open_set(path);
        cr_assert(specimen_check(set, records));
        dls_dataset_close(&set);
        support_remove_tree(path);
    }
}

Test(writer, records_go_to_as_many_shards_as_their_size_asks_for)
{
    const char *path = support_path(folder(), "set");
    dls_dataset_info info;

    specimen_write(path, 40, 20000);
    dls_dataset *set = open_set(path);
    dls_dataset_get_info(set, &info);
    cr_assert_geq(info.shards, 3);
    cr_assert_eq(entries(path), (int)info.shards + 1);
    for (uint32_t i = 0; i < info.shards; i++) {
        char name[32];
        struct stat st;
        snprintf(name, sizeof(name), "shard-%05u.dls", i);
        cr_assert_eq(stat(support_path(path, name), &st), 0);
        cr_assert_leq(st.st_size, 20000, "%s", name);
    }
    cr_assert(specimen_check(set, 40));
    dls_dataset_close(&set);
}

Test(writer, a_shard_takes_one_block_however_small_its_limit)
{
    const char *path = support_path(folder(), "set");
    dls_dataset_info info;

    specimen_write(path, 9, 1);
    dls_dataset *set = open_set(path);
    dls_dataset_get_info(set, &info);
    cr_assert_eq(info.shards, info.blocks);
    cr_assert(specimen_check(set, 9));
    dls_dataset_close(&set);
}

static char *slurp_set(const char *path, size_t *ret_length)
{
    const char *names[] = {"dataset.json", "shard-00000.dls", "shard-00001.dls"};
    char *all = NULL;

    *ret_length = 0;
    for (unsigned i = 0; i < 3; i++) {
        size_t length;
        uint8_t *bytes = support_read_file(support_path(path, names[i]), &length);
        all = realloc(all, *ret_length + length);
        memcpy(all + *ret_length, bytes, length);
        *ret_length += length;
        free(bytes);
    }
    return all;
}

Test(writer, same_records_give_the_same_bytes)
{
    size_t lengths[2];
    char *sets[2];

    for (unsigned i = 0; i < 2; i++) {
        const char *path = support_path(folder(), i ? "second" : "first");
        specimen_write(path, 30, 20000);
        sets[i] = slurp_set(path, &lengths[i]);
    }
    cr_assert_eq(lengths[0], lengths[1]);
    cr_assert_arr_eq(sets[0], sets[1], lengths[0]);
    free(sets[0]);
    free(sets[1]);
}

Test(writer, a_record_larger_than_a_block_lies_alone_in_one)
{
    static const dls_field fields[] = {{"blob", DLS_FIELD_BYTES, 0}, {"key", DLS_FIELD_STRING, 0}};
    const char *path = support_path(folder(), "set");
    dls_writer *writer = start(path, fields, 2, 4096);
    size_t lengths[] = {10, 1000003, 20, 5000, 0};
    uint8_t *noise = malloc(1000003);
    uint32_t state = 1;
    dls_dataset_info info;

    for (size_t i = 0; i < 1000003; i++)
        noise[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
    for (unsigned i = 0; i < 5; i++) {
        dls_value values[] = {{.data = noise, .length = lengths[i]}, {.data = "k", .length = 1}};
        cr_assert_eq(dls_writer_add(writer, values, 2), 0, "%s", dls_last_error());
    }
    cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
    dls_writer_close(&writer);

    dls_dataset *set = open_set(path);
    dls_dataset_get_info(set, &info);
    cr_assert_eq(info.blocks, 5);
    cr_assert_eq(info.block_bytes, 4096);
    cr_assert_eq(info.largest_block, (1000003 + 64 + 48 + 4095) / 4096 * 4096);
    for (unsigned i = 0; i < 5; i++) {
        dls_record *record = NULL;
        cr_assert_eq(dls_dataset_read(set, i, &record), 0, "%s", dls_last_error());
        cr_assert_eq(record->values[0].length, lengths[i]);
        cr_assert_eq(memcmp(record->values[0].data, noise, lengths[i]), 0);
        dls_record_free(&record);
    }
    dls_dataset_close(&set);
    free(noise);
}

/* 1, 2, 4 … values of number fields, several images and strings a record: every value differs from every other. */
Test(writer, many_fields_a_record)
{
    static const dls_field fields[] = {
        {"n255", DLS_FIELD_INT64, 255}, {"left", DLS_FIELD_IMAGE, 0}, {"f1", DLS_FIELD_FLOAT32, 1},
        {"s1", DLS_FIELD_STRING, 0},    {"right", DLS_FIELD_IMAGE, 0}, {"f255", DLS_FIELD_FLOAT32, 255},
        {"s2", DLS_FIELD_STRING, 0},    {"b", DLS_FIELD_BYTES, 0},     {"n1", DLS_FIELD_INT64, 1},
    };
    const char *path = support_path(folder(), "set");
    dls_writer *writer = start(path, fields, 9, 65536);
    int64_t numbers[255], n1;
    float floats[255], f1;
    char left[16], right[16], s1[16], s2[16], b[16];

    for (int pass = 0; pass < 2; pass++) {
        dls_dataset *set = pass ? open_set(path) : NULL;
        for (int i = 0; i < 50; i++) {
            for (int j = 0; j < 255; j++) {
                numbers[j] = INT64_MIN + i * 1000 + j;
                floats[j] = (float)(i * 1000 - j) / 8;
            }
            n1 = ~i;
            f1 = (float)i;
            dls_value values[] = {
                {.data = numbers, .length = sizeof(numbers)},
                {.data = left, .length = (size_t)snprintf(left, 16, "L%d", i), .codec = DLS_CODEC_WEBP, .width = 1,
                 .height = 2, .channels = 3},
                {.data = &f1, .length = 4},
                {.data = s1, .length = (size_t)snprintf(s1, 16, "one%d", i * i)},
                {.data = right, .length = (size_t)snprintf(right, 16, "R%d", i), .codec = (dls_codec)200, .width = 4,
                 .height = 5, .channels = 1, .orientation = 8},
                {.data = floats, .length = sizeof(floats)},
                {.data = s2, .length = i % 2 ? 0 : (size_t)snprintf(s2, 16, "two%d", i)},
                {.data = b, .length = (size_t)snprintf(b, 16, "bytes%d", i)},
                {.data = &n1, .length = 8},
            };
            if (pass == 0) {
                cr_assert_eq(dls_writer_add(writer, values, 9), 0, "%s", dls_last_error());
                continue;
            }
            dls_record *record = NULL;
            cr_assert_eq(dls_dataset_read(set, (uint64_t)i, &record), 0, "%s", dls_last_error());
            for (int f = 0; f < 9; f++)
                cr_assert(specimen_same(&record->values[f], &values[f]), "record %d, field %d", i, f);
            dls_record_free(&record);
        }
        if (pass == 0) {
            cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
            dls_writer_close(&writer);
        }
        dls_dataset_close(&set);
    }
}

/* No cell, no number: rows of the record table have no bytes, and everything is in the directories. */
Test(writer, strings_alone)
{
    static const dls_field fields[] = {{"key", DLS_FIELD_STRING, 0}};
    const char *path = support_path(folder(), "set");
    dls_writer *writer = start(path, fields, 1, 4096);
    char key[32];

    for (int i = 0; i < 1000; i++) {
        dls_value value = {.data = key, .length = (size_t)snprintf(key, sizeof(key), "%d", i * 7919)};
        cr_assert_eq(dls_writer_add(writer, &value, 1), 0, "%s", dls_last_error());
    }
    cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
    dls_writer_close(&writer);
    dls_dataset *set = open_set(path);
    for (int i = 0; i < 1000; i += 37) {
        dls_record *record = NULL;
        cr_assert_eq(dls_dataset_read(set, (uint64_t)i, &record), 0, "%s", dls_last_error());
        cr_assert_eq((int)record->values[0].length, snprintf(key, sizeof(key), "%d", i * 7919));
        cr_assert_eq(memcmp(record->values[0].data, key, record->values[0].length), 0);
        dls_record_free(&record);
    }
    dls_dataset_close(&set);
}

Test(writer, values_that_do_not_fit_are_refused_and_the_writer_goes_on)
{
    const char *path = support_path(folder(), "set");
    dls_writer *writer = start(path, specimen_fields, SPECIMEN_FIELDS, 4096);
    char *large = calloc(1, (1 << 20) + 1);
    dls_value good[SPECIMEN_FIELDS], bad[SPECIMEN_FIELDS];

    specimen_values(0, good);
#define REFUSED(errno_, field, ...)                                                                            \
    do {                                                                                                       \
        memcpy(bad, good, sizeof(bad));                                                                        \
        bad[field] = (dls_value){__VA_ARGS__};                                                                 \
        cr_assert_eq(dls_writer_add(writer, bad, SPECIMEN_FIELDS), -errno_, #__VA_ARGS__);                     \
        cr_assert_not_null(strstr(dls_last_error(), specimen_fields[field].name), "%s", dls_last_error());     \
    } while (0)
    REFUSED(EINVAL, 0, .data = "x", .length = 1);
    REFUSED(EINVAL, 0, .data = "x", .length = 1, .codec = DLS_CODEC_JPEG, .height = 1, .channels = 3);
    REFUSED(EINVAL, 0, .data = "x", .length = 1, .codec = DLS_CODEC_JPEG, .width = 1, .channels = 3);
    REFUSED(EINVAL, 0, .data = "x", .length = 1, .codec = DLS_CODEC_JPEG, .width = 1, .height = 1);
    REFUSED(EINVAL, 0, .data = "x", .length = 1, .codec = DLS_CODEC_JPEG, .width = 1, .height = 1, .channels = 5);
    REFUSED(EINVAL, 0, .data = "x", .length = 1, .codec = DLS_CODEC_JPEG, .width = 1, .height = 1, .channels = 3,
            .orientation = 9);
    REFUSED(EINVAL, 0, .data = "", .length = 0, .codec = DLS_CODEC_JPEG, .width = 1, .height = 1, .channels = 3);
    REFUSED(EINVAL, 0, .data = NULL, .length = 1, .codec = DLS_CODEC_JPEG, .width = 1, .height = 1, .channels = 3);
    REFUSED(EINVAL, 0, .data = "x", .length = 1, .codec = (dls_codec)6, .width = 1, .height = 1, .channels = 3);
    REFUSED(EINVAL, 0, .data = "x", .length = 1, .codec = (dls_codec)256, .width = 1, .height = 1, .channels = 3);
    REFUSED(ENOTSUP, 0, .data = "x", .length = 1, .codec = DLS_CODEC_COEF, .width = 1, .height = 1, .channels = 3);
    REFUSED(EINVAL, 0, .width = 5);
    REFUSED(EINVAL, 1, .data = "xxxxx", .length = 5, .codec = DLS_CODEC_RAW, .width = 2, .height = 1, .channels = 3);
    REFUSED(EFBIG, 1, .data = "x", .length = 1, .codec = DLS_CODEC_RAW, .width = 65536, .height = 65536,
            .channels = 1);
    REFUSED(EINVAL, 2, .data = "x", .length = 1, .codec = DLS_CODEC_PNG);
    REFUSED(EFBIG, 2, .data = "x", .length = (size_t)UINT32_MAX + 1);
    REFUSED(EINVAL, 3, .data = large, .length = 7);
    REFUSED(EINVAL, 3, .data = large, .length = 16);
    REFUSED(EINVAL, 4, .data = large, .length = 0);
    REFUSED(EINVAL, 5, .data = large, .length = (1 << 20) + 1);
    cr_assert_eq(dls_writer_add(writer, good, SPECIMEN_FIELDS - 1), -EINVAL);
    cr_assert_eq(dls_writer_add(writer, good, SPECIMEN_FIELDS), 0, "%s", dls_last_error());
    cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
    dls_writer_close(&writer);
    free(large);

    dls_dataset *set = open_set(path);
    dls_record *record = NULL;
    dls_dataset_info info;
    dls_dataset_get_info(set, &info);
    cr_assert_eq(info.records, 1);
    cr_assert_eq(dls_dataset_read(set, 0, &record), 0);
    cr_assert(specimen_same(&record->values[0], &good[0]));
    dls_record_free(&record);
    dls_dataset_close(&set);
}

Test(writer, labels_outside_the_classes_are_refused)
{
    static const char *const classes[] = {"a", "b"};
    static const dls_field fields[] = {{"label", DLS_FIELD_INT64, 1}};
    const struct {
        int64_t label;
        int expected;
    } cases[] = {{0, 0}, {1, 0}, {-1, 0}, {2, -EINVAL}, {-2, -EINVAL}, {INT64_MAX, -EINVAL}, {INT64_MIN, -EINVAL}};
    dls_writer_params params;
    dls_writer *writer = NULL;

    dls_writer_params_init(&params);
    params.fields = fields;
    params.field_count = 1;
    params.classes = classes;
    params.class_count = 2;
    cr_assert_eq(dls_writer_open(support_path(folder(), "set"), &params, &writer), 0);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        dls_value value = {.data = &cases[i].label, .length = 8};
        cr_assert_eq(dls_writer_add(writer, &value, 1), cases[i].expected, "label %lld", (long long)cases[i].label);
    }
    dls_writer_close(&writer);
}

Test(writer, parameters_out_of_range_are_refused_and_leave_nothing)
{
    static const dls_field twice[] = {{"a", DLS_FIELD_BYTES, 0}, {"a", DLS_FIELD_BYTES, 0}};
    static const dls_field wide[] = {{"a", DLS_FIELD_INT64, 255}, {"b", DLS_FIELD_INT64, 255}, {"c", DLS_FIELD_INT64, 2}};
    static const char *const slash[] = {"a/b"}, *const empty[] = {""};
    const char *path = support_path(folder(), "set");
    dls_writer_params params;
    dls_writer *writer = NULL;

#define BAD(member, value)                                                                                     \
    do {                                                                                                       \
        dls_writer_params_init(&params);                                                                       \
        params.member = value;                                                                                 \
        if (params.classes)                                                                                    \
            params.class_count = 1;                                                                            \
        cr_assert_eq(dls_writer_open(path, &params, &writer), -EINVAL, #member " " #value);                    \
        cr_assert_null(writer);                                                                                \
    } while (0)
    BAD(block_bytes, 1);
    BAD(block_bytes, 4095);
    BAD(block_bytes, 4097);
    BAD(block_bytes, (256u << 20) + 4096);
    BAD(zstd_level, 20);
    BAD(zstd_level, -1);
    BAD(shard_bytes, UINT64_MAX);
    BAD(class_count, 1);
    BAD(classes, slash);
    BAD(classes, empty);
    BAD(struct_size, 0);
    BAD(struct_size, sizeof(params) + 8);
    dls_writer_params_init(&params);
    params.fields = twice;
    params.field_count = 2;
    cr_assert_eq(dls_writer_open(path, &params, &writer), -EINVAL);
    params.fields = wide; /* rows of 4096 bytes: a page holds 4088 */
    params.field_count = 3;
    cr_assert_eq(dls_writer_open(path, &params, &writer), -EINVAL);
    params.field_count = 2;
    cr_assert_eq(dls_writer_open(path, &params, &writer), 0);
    dls_writer_close(&writer);
    params.fields = twice;
    params.field_count = 0;
    cr_assert_eq(dls_writer_open(path, &params, &writer), -EINVAL);
    cr_assert_eq(entries(folder()), 0);
}

Test(writer, nothing_under_the_final_name_before_finish)
{
    const char *path = support_path(folder(), "set");
    dls_value values[SPECIMEN_FIELDS];
    dls_writer *writer = start(path, specimen_fields, SPECIMEN_FIELDS, 4096);

    specimen_values(0, values);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(dls_writer_add(writer, values, SPECIMEN_FIELDS), 0);
    cr_assert_eq(access(path, F_OK), -1);
    cr_assert_eq(entries(folder()), 1);
    dls_writer_close(&writer);
    cr_assert_null(writer);
    cr_assert_eq(entries(folder()), 0);
    dls_writer_close(&writer);
    dls_writer_close(NULL);
}

Test(writer, an_existing_target_is_left_alone)
{
    const char *path = support_path(folder(), "set");
    dls_writer *writer = NULL;
    size_t length;

    support_write_file(path, "mine", 4);
    cr_assert_eq(dls_writer_open(path, NULL, &writer), -EEXIST);
    cr_assert_not_null(strstr(dls_last_error(), path), "%s", dls_last_error());
    cr_assert_eq(unlink(path), 0);

    /* It comes into being while we write. */
    cr_assert_eq(dls_writer_open(path, NULL, &writer), 0);
    support_write_file(path, "mine", 4);
    cr_assert_eq(dls_writer_finish(writer), -EEXIST);
    dls_writer_close(&writer);
    uint8_t *left = support_read_file(path, &length);
    cr_assert_str_eq((char *)left, "mine");
    free(left);
    cr_assert_eq(entries(folder()), 1);
}

Test(writer, an_empty_directory_is_not_replaced)
{
    const char *path = support_path(folder(), "set");
    dls_writer *writer = NULL;

    cr_assert_eq(dls_writer_open(path, NULL, &writer), 0);
    cr_assert_eq(mkdir(path, 0777), 0);
    cr_assert_eq(dls_writer_finish(writer), -EEXIST);
    dls_writer_close(&writer);
    cr_assert_eq(entries(path), 0);
}

Test(writer, missing_parent_and_impossible_names)
{
    dls_writer *writer = NULL;
    char longest[256];

    cr_assert_eq(dls_writer_open(support_path(folder(), "no/set"), NULL, &writer), -ENOENT);
    cr_assert_eq(dls_writer_open("", NULL, &writer), -EINVAL);
    cr_assert_eq(dls_writer_open("/", NULL, &writer), -EINVAL);
    cr_assert_eq(dls_writer_open(".", NULL, &writer), -EEXIST);
    /* The longest name a file can have, with slashes behind: its temporary name must be shorter. */
    memset(longest, 'n', 255);
    longest[255] = 0;
    const char *path = support_path(support_path(folder(), longest), "/");
    cr_assert_eq(dls_writer_open(path, NULL, &writer), 0, "%s", dls_last_error());
    cr_assert_eq(dls_writer_finish(writer), 0, "%s", dls_last_error());
    dls_writer_close(&writer);
    dls_dataset *set = open_set(path);
    dls_dataset_close(&set);
}

Test(writer, a_finished_writer_takes_no_more)
{
    const char *path = support_path(folder(), "set");
    dls_writer *writer = start(path, specimen_fields, SPECIMEN_FIELDS, 4096);
    dls_value values[SPECIMEN_FIELDS];

    specimen_values(1, values);
    cr_assert_eq(dls_writer_finish(writer), 0);
    cr_assert_eq(dls_writer_add(writer, values, SPECIMEN_FIELDS), -EINVAL);
    cr_assert_eq(dls_writer_finish(writer), -EINVAL);
    dls_writer_close(&writer);
    dls_dataset *set = open_set(path);
    cr_assert(specimen_check(set, 0));
    dls_dataset_close(&set);
}

static int write_until_it_fails(const char *path, int *ret_finish)
{
    dls_writer *writer = start(path, specimen_fields, SPECIMEN_FIELDS, 4096);
    dls_value values[SPECIMEN_FIELDS];
    int r = 0;

    for (uint64_t i = 0; r == 0 && i < 4000; i++) {
        specimen_values(i, values);
        r = dls_writer_add(writer, values, SPECIMEN_FIELDS);
    }
    cr_assert_not_null(strstr(dls_last_error(), "shard-00000.dls"), "%s", dls_last_error());
    *ret_finish = dls_writer_finish(writer);
    dls_writer_close(&writer);
    return r;
}

Test(writer, file_size_limit)
{
    const char *path = support_path(folder(), "set");
    struct rlimit limit = {300000, RLIM_INFINITY};
    int finish;

    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_assert_eq(write_until_it_fails(path, &finish), -EFBIG);
    cr_assert_eq(finish, -EFBIG);
    cr_assert_eq(entries(folder()), 0);
}

Test(writer, full_disk)
{
    const char *disk = support_path(folder(), "disk");
    int finish;

    cr_assert_eq(mkdir(disk, 0777), 0);
    if (mount("none", disk, "tmpfs", 0, "size=256k") < 0)
        cr_skip("mounting a small file system needs privileges");
    int r = write_until_it_fails(support_path(disk, "set"), &finish);
    int left = entries(disk);
    cr_assert_eq(umount(disk), 0);
    cr_assert_eq(r, -ENOSPC);
    cr_assert_eq(finish, -ENOSPC);
    cr_assert_eq(left, 0);
}

/* The disk is full only when tables and manifest are written: every number of free pages from none on. */
Test(writer, disk_full_in_finish)
{
    const char *disk = support_path(folder(), "disk");
    int failures = 0;

    cr_assert_eq(mkdir(disk, 0777), 0);
    for (unsigned pages = 1; pages < 14; pages++) {
        char options[32];
        snprintf(options, sizeof(options), "size=%uk", pages * 4);
        if (mount("none", disk, "tmpfs", 0, options) < 0)
            cr_skip("mounting a small file system needs privileges");
        const char *path = support_path(disk, "set");
        dls_writer *writer = start(path, specimen_fields, SPECIMEN_FIELDS, 4096);
        dls_value values[SPECIMEN_FIELDS];
        int r = 0;
        for (uint64_t i = 0; r == 0 && i < 9; i++) {
            specimen_values(i, values);
            r = dls_writer_add(writer, values, SPECIMEN_FIELDS);
        }
        if (r == 0)
            r = dls_writer_finish(writer);
        dls_writer_close(&writer);
        int left = entries(disk);
        dls_dataset *set = NULL;
        bool whole = r == 0 && dls_dataset_open(path, &set) == 0 && specimen_check(set, 9);
        dls_dataset_close(&set);
        cr_assert_eq(umount(disk), 0);
        cr_assert(r == 0 ? whole && left == 1 : r == -ENOSPC && left == 0, "%u pages: %d, %d left", pages, r, left);
        failures += r < 0;
    }
    cr_assert_gt(failures, 3);
    cr_assert_lt(failures, 13);
}

/* Percentiles of 1100 widths 1 … 1100: 1 per cent of them do not exceed 11. */
Test(writer, percentiles_are_near_enough)
{
    static const dls_field fields[] = {{"image", DLS_FIELD_IMAGE, 0}};
    const char *path = support_path(folder(), "set");
    static const unsigned exact[9] = {1, 11, 55, 275, 550, 825, 1045, 1089, 1100};
    dls_writer *writer = start(path, fields, 1, 1 << 20);
    char list[256];
    size_t length;

    for (uint32_t i = 0; i < 1100; i++) {
        dls_value value = {.data = list, .length = 1 + i % 7, .codec = DLS_CODEC_JPEG, .channels = 1, .height = 5,
                           .width = 1 + i * 7 % 1100}; /* 7 and 1100 have no common divisor: each width once */
        cr_assert_eq(dls_writer_add(writer, &value, 1), 0);
    }
    cr_assert_eq(dls_writer_finish(writer), 0);
    dls_writer_close(&writer);
    char *text = (char *)support_read_file(support_path(path, "dataset.json"), &length);
    const char *at = strstr(text, "\"width\": [");
    cr_assert_not_null(at);
    at += strlen("\"width\": [");
    for (unsigned i = 0; i < 9; i++) {
        unsigned long found = strtoul(at, (char **)&at, 10);
        if (exact[i] < 128 || i == 8)
            cr_assert_eq(found, exact[i]);
        else
            cr_assert_float_eq((double)found, exact[i], exact[i] / 128.0, "percentile %u: %lu", i, found);
        at += 2;
    }
    free(text);
}
