/* SPDX-License-Identifier: Apache-2.0 */
#include "support/specimen.h"

#include "support/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const dls_field specimen_fields[SPECIMEN_FIELDS] = {
    {"image", DLS_FIELD_IMAGE, 0},  {"mask", DLS_FIELD_IMAGE, 0}, {"blob", DLS_FIELD_BYTES, 0},
    {"label", DLS_FIELD_INT64, 1},  {"box", DLS_FIELD_FLOAT32, 4}, {"key", DLS_FIELD_STRING, 0},
    {"caption", DLS_FIELD_STRING, 0},
};
/* The second is not UTF-8. */
const char *const specimen_classes[SPECIMEN_CLASSES] = {"blue \"sky\"", "caf\xe9", "\xc3\xa9t\xc3\xa9"};

static void stop(const char *what, const char *path)
{
    fprintf(stderr, "%s: %s: %s\n", what, path, dls_last_error());
    exit(99);
}

/* Bytes that no compressor shrinks. */
static void fill_noise(uint8_t *bytes, size_t length, uint64_t seed)
{
    for (size_t i = 0; i < length; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(seed >> 56);
    }
}

void specimen_values(uint64_t number, dls_value ret_values[SPECIMEN_FIELDS])
{
    static uint8_t image[4096], mask[4096], blob[4096], key[512];
    static int64_t label;
    static float box[4];
    static char caption[64];
    const unsigned n = (unsigned)(number % 9);
    size_t key_length = 0;

    memset(ret_values, 0, SPECIMEN_FIELDS * sizeof(*ret_values));
    fill_noise(image, sizeof(image), number);
    ret_values[0] = (dls_value){.data = image, .length = 100 + 37 * n, .codec = n % 2 ? DLS_CODEC_PNG : DLS_CODEC_JPEG,
                                .width = 10 + n, .height = 20 + n, .channels = (uint8_t)(1 + n % 4),
                                .orientation = (uint8_t)n};
    for (size_t i = 0; i < sizeof(mask); i++)
        mask[i] = (uint8_t)(i / 64 + number);
    if (n % 3 != 1) /* absent in every third record */
        ret_values[1] = (dls_value){.data = mask, .length = 32 * (n + 1) * 2, .codec = DLS_CODEC_RAW, .width = 32,
                                    .height = n + 1, .channels = 2};
    memset(blob, 'a' + (int)n, sizeof(blob));
    ret_values[2] = (dls_value){.data = blob, .length = n == 4 ? 0 : n == 5 ? 3000 : 40 * n};
    label = n == 8 ? -1 : (int64_t)(n % SPECIMEN_CLASSES);
    ret_values[3] = (dls_value){.data = &label, .length = sizeof(label)};
    for (unsigned i = 0; i < 4; i++)
        box[i] = (float)number / 4 - (float)i;
    ret_values[4] = (dls_value){.data = box, .length = sizeof(box)};
    if (n == 2)
        key_length = 0;
    else if (n == 3)
        for (key_length = 0; key_length < 256; key_length++)
            key[key_length] = (uint8_t)key_length; /* any byte, NUL and line ends too */
    else
        key_length = (size_t)snprintf((char *)key, sizeof(key), "class %u/%06" PRIu64 ".jpg", n % SPECIMEN_CLASSES,
                                      number);
    ret_values[5] = (dls_value){.data = key, .length = key_length};
    ret_values[6] = (dls_value){.data = caption,
                                .length = n % 2 ? 0 : (size_t)snprintf(caption, sizeof(caption), "a picture of %u", n)};
}

void specimen_write(const char *path, uint64_t records, uint64_t shard_bytes)
{
    dls_writer_params params;
    dls_writer *writer = NULL;
    dls_value values[SPECIMEN_FIELDS];

    dls_writer_params_init(&params);
    params.fields = specimen_fields;
    params.field_count = SPECIMEN_FIELDS;
    params.classes = specimen_classes;
    params.class_count = SPECIMEN_CLASSES;
    params.block_bytes = 4096;
    params.shard_bytes = shard_bytes;
    params.seed = UINT64_MAX - 6;
    params.shuffled = 1;
    params.creator = "specimen";
    memcpy(params.pack_id, "0123456789abcdef", 16);
    if (dls_writer_open(path, &params, &writer) < 0)
        stop("dls_writer_open", path);
    for (uint64_t i = 0; i < records; i++) {
        specimen_values(i, values);
        if (dls_writer_add(writer, values, SPECIMEN_FIELDS) < 0)
            stop("dls_writer_add", path);
    }
    if (dls_writer_finish(writer) < 0)
        stop("dls_writer_finish", path);
    dls_writer_close(&writer);
}

bool specimen_same(const dls_value *a, const dls_value *b)
{
    return a->length == b->length && (a->length == 0 || memcmp(a->data, b->data, a->length) == 0) &&
           a->codec == b->codec && a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->orientation == b->orientation;
}

static bool check_record(dls_dataset *dataset, uint64_t number)
{
    dls_value expected[SPECIMEN_FIELDS];
    dls_record *record = NULL;
    bool same = true;

    if (dls_dataset_read(dataset, number, &record) < 0) {
        fprintf(stderr, "record %" PRIu64 ": %s\n", number, dls_last_error());
        return false;
    }
    specimen_values(number, expected);
    if (record->number != number || record->fields != SPECIMEN_FIELDS) {
        fprintf(stderr, "record %" PRIu64 " says it is %" PRIu64 " with %u fields\n", number, record->number,
                record->fields);
        same = false;
    }
    for (uint32_t f = 0; same && f < SPECIMEN_FIELDS; f++) {
        same = specimen_same(&record->values[f], &expected[f]);
        if (!same)
            fprintf(stderr, "record %" PRIu64 ", field %u differs\n", number, f);
    }
    dls_record_free(&record);
    return same;
}

bool specimen_check(dls_dataset *dataset, uint64_t records)
{
    dls_dataset_info info;

    dls_dataset_get_info(dataset, &info);
    if (info.records != records || info.fields != SPECIMEN_FIELDS || info.classes != SPECIMEN_CLASSES) {
        fprintf(stderr, "%" PRIu64 " records, %u fields, %u classes\n", info.records, info.fields, info.classes);
        return false;
    }
    for (uint64_t i = 0; i < records; i++)
        if (!check_record(dataset, i))
            return false;
    return true;
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
}

void reseal_header(uint8_t *shard)
{
    put64(shard + 4088, XXH3_64bits(shard, 4088));
}

void reseal_block(uint8_t *block)
{
    put64(block + 40, XXH3_64bits(block + 64, get(block + 28, 4)));
    put64(block + 56, XXH3_64bits(block, 56));
}

void reseal_page(uint8_t *page)
{
    put64(page, XXH3_64bits(page + 8, 4088));
}

void reseal_trailer(uint8_t *shard, size_t length)
{
    uint8_t *trailer = shard + length - 128;
    uint64_t table = get(trailer + 32, 8), stored = get(trailer + 40, 4);

    memcpy(trailer + 104, shard + 4088, 8);
    if (table <= length && stored <= length - table)
        put64(trailer + 48, XXH3_64bits(shard + table, stored));
    put64(trailer + 112, XXH3_64bits(trailer, 112));
}

void reseal_shard(uint8_t *shard, size_t length)
{
    const uint8_t *trailer = shard + length - 128;
    uint64_t rows_at = get(trailer, 8);

    reseal_header(shard);
    for (uint64_t at = 4096; at + 64 <= rows_at; at += get(shard + at + 8, 8))
        reseal_block(shard + at);
    for (uint64_t page = 0; page < get(trailer + 8, 8); page++)
        reseal_page(shard + rows_at + 4096 * page);
    reseal_trailer(shard, length);
}

void reseal_manifest(char *text, size_t length)
{
    char line[32];

    snprintf(line, sizeof(line), "  \"xxh3\": \"%016" PRIx64 "\"\n}\n", (uint64_t)XXH3_64bits(text, length - 31));
    memcpy(text + length - 31, line, 31);
}

void reseal_dataset(const char *path)
{
    size_t length;
    char *text = (char *)support_read_file(support_path(path, "dataset.json"), &length);
    char *entry = text;

    while ((entry = strstr(entry, "{\"file\": \"")) != NULL) {
        char name[64], digits[17];
        size_t bytes;
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(entry + 10, "\""), entry + 10);
        uint8_t *shard = support_read_file(support_path(path, name), &bytes);
        snprintf(digits, sizeof(digits), "%016" PRIx64, (uint64_t)XXH3_64bits(shard, bytes));
        memcpy(strstr(entry, "\"xxh3\": \"") + 9, digits, 16);
        free(shard);
        entry++;
    }
    reseal_manifest(text, length);
    support_write_file(support_path(path, "dataset.json"), text, length);
    free(text);
}
