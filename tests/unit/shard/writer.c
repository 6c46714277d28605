/* SPDX-License-Identifier: Apache-2.0 */
#include "writer_set.h"

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
