/* SPDX-License-Identifier: Apache-2.0 */
/* What a writer refuses, and what is left of one that failed. */
#include "writer_set.h"

Test(writer_faults, values_that_do_not_fit_are_refused_and_the_writer_goes_on)
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

Test(writer_faults, labels_outside_the_classes_are_refused)
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

Test(writer_faults, parameters_out_of_range_are_refused_and_leave_nothing)
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

Test(writer_faults, nothing_under_the_final_name_before_finish)
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

Test(writer_faults, an_existing_target_is_left_alone)
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

Test(writer_faults, an_empty_directory_is_not_replaced)
{
    const char *path = support_path(folder(), "set");
    dls_writer *writer = NULL;

    cr_assert_eq(dls_writer_open(path, NULL, &writer), 0);
    cr_assert_eq(mkdir(path, 0777), 0);
    cr_assert_eq(dls_writer_finish(writer), -EEXIST);
    dls_writer_close(&writer);
    cr_assert_eq(entries(path), 0);
}

Test(writer_faults, missing_parent_and_impossible_names)
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

Test(writer_faults, a_finished_writer_takes_no_more)
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

Test(writer_faults, file_size_limit)
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

Test(writer_faults, full_disk)
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
Test(writer_faults, disk_full_in_finish)
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
