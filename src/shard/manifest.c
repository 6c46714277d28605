/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/manifest.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "shard/manifest_json.h"

#include <dlshards/version.h>
#include <inttypes.h>

static int parse_fields(const json_t *root, struct dls_schema *schema)
{
    json_t *fields, *field;
    size_t i;
    int r = dls_json_array(root, "fields", &fields);

    if (r < 0)
        return r;
    json_array_foreach(fields, i, field) {
        const char *name, *type;
        uint64_t count = 0;
        uint32_t id;

        r = dls_json_string(field, "name", &name);
        if (r == 0)
            r = dls_json_string(field, "type", &type);
        if (r < 0)
            return dls_err_context(r, "member 'fields', entry %zu", i);
        for (id = DLS_FIELD_IMAGE; id <= DLS_FIELD_FLOAT32; id++)
            if (strcmp(type, dls_field_type_name(id)) == 0)
                break;
        if (id > DLS_FIELD_FLOAT32)
            return dls_err(EBADMSG, "member 'fields', entry %zu: no type '%s'", i, type);
        if (id == DLS_FIELD_INT64 || id == DLS_FIELD_FLOAT32)
            count = 1;
        if (json_object_get(field, "count") && (r = dls_json_number(field, "count", 255, &count)) < 0)
            return r;
        if (dls_schema_add(schema, name, strlen(name), id, (uint32_t)count) < 0)
            return -EBADMSG;
    }
    return dls_schema_complete(schema) < 0 ? -EBADMSG : 0;
}

static int parse_classes(const json_t *root, struct dls_manifest *manifest)
{
    json_t *names, *counts;
    uint64_t sum = 0;
    int r = dls_json_array(root, "classes", &names);

    if (r == 0)
        r = dls_json_array(root, "class_records", &counts);
    if (r < 0)
        return r;
    size_t count = json_array_size(names);
    if (json_array_size(counts) != count || count > UINT32_MAX)
        return dls_err(EBADMSG, "member 'class_records' has %zu entries for %zu classes", json_array_size(counts), count);
    if (count == 0)
        return 0;
    manifest->classes = dls_alloc_array(DLS_MEM_SHARD, count, sizeof(*manifest->classes));
    if (!manifest->classes)
        return -ENOMEM;
    manifest->class_count = (uint32_t)count;
    for (size_t i = 0; r == 0 && i < count; i++) {
        const json_t *number = json_array_get(counts, i);
        r = dls_json_bytes(json_array_get(names, i), 1023, &manifest->classes[i].name, &manifest->classes[i].length);
        if (r == 0 && (!json_is_integer(number) || json_integer_value(number) < 0))
            r = dls_err(EBADMSG, "not a count");
        if (r < 0)
            return dls_err_context(r, "member 'classes', entry %zu", i);
        manifest->classes[i].records = (uint64_t)json_integer_value(number);
        if (dls_add_overflows(sum, manifest->classes[i].records, &sum) || sum > manifest->records)
            return dls_err(EBADMSG, "member 'class_records': they add up to more than the %" PRIu64 " records",
                           manifest->records);
    }
    return r;
}

static int parse_shard(const json_t *entry, struct dls_manifest_shard *shard)
{
    const char *file, *digits;
    int r = dls_json_string(entry, "file", &file);

    if (r == 0)
        r = dls_json_number(entry, "bytes", DLS_SHARD_MAX, &shard->bytes);
    if (r == 0)
        r = dls_json_number(entry, "records", DLS_RECORDS_MAX, &shard->records);
    if (r == 0)
        r = dls_json_number(entry, "blocks", DLS_BLOCKS_MAX, &shard->blocks);
    if (r == 0)
        r = dls_json_string(entry, "xxh3", &digits);
    if (r == 0)
        r = dls_hex_parse64(digits, &shard->checksum);
    if (r < 0)
        return r;
    size_t length = strlen(file);
    if (length < 1 || length > 255 || file[0] == '.' || strchr(file, '/'))
        return dls_err(EBADMSG, "'%.64s' is not a file name of a shard", file);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)file[i] < 32 || file[i] == 127)
            return dls_err(EBADMSG, "a shard's file name with a control character");
    if (shard->records < 1 || shard->blocks < 1 || shard->blocks > shard->records ||
        shard->bytes < DLS_HEADER_BYTES + shard->blocks * DLS_ALIGN + DLS_TRAILER_BYTES)
        return dls_err(EBADMSG, "%" PRIu64 " records in %" PRIu64 " blocks in %" PRIu64 " bytes", shard->records,
                       shard->blocks, shard->bytes);
    shard->file = dls_strndup(DLS_MEM_SHARD, file, length);
    return shard->file ? 0 : -ENOMEM;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_unique(const struct dls_manifest *manifest)
{
    const char **names = dls_alloc_array(DLS_MEM_SHARD, manifest->shard_count + 1u, sizeof(*names));
    int r = 0;

    if (!names)
        return -ENOMEM;
    for (uint32_t i = 0; i < manifest->shard_count; i++)
        names[i] = manifest->shards[i].file;
    qsort(names, manifest->shard_count, sizeof(*names), compare_files);
    for (uint32_t i = 1; r == 0 && i < manifest->shard_count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            r = dls_err(EBADMSG, "member 'shards': '%s' is listed twice", names[i]);
    dls_free(names);
    return r;
}

static int parse_shards(const json_t *root, struct dls_manifest *manifest)
{
    json_t *shards;
    uint64_t records = 0, blocks = 0, bytes = 0;
    int r = dls_json_array(root, "shards", &shards);

    if (r < 0)
        return r;
    size_t count = json_array_size(shards);
    manifest->shards = dls_alloc_array(DLS_MEM_SHARD, count + 1, sizeof(*manifest->shards));
    if (!manifest->shards)
        return -ENOMEM;
    manifest->shard_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        struct dls_manifest_shard *shard = &manifest->shards[i];
        r = parse_shard(json_array_get(shards, i), shard);
        if (r < 0)
            return dls_err_context(r, "member 'shards', entry %zu", i);
        shard->first_record = records;
        shard->first_block = blocks;
        records += shard->records; /* cannot wrap: 2^26 bytes of text times the limits of a shard */
        blocks += shard->blocks;
        bytes += shard->bytes;
    }
    if (records != manifest->records || blocks != manifest->blocks || bytes != manifest->bytes)
        return dls_err(EBADMSG, "the shards add up to %" PRIu64 " records, %" PRIu64 " blocks, %" PRIu64
                       " bytes, the manifest says %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                       records, blocks, bytes, manifest->records, manifest->blocks, manifest->bytes);
    if (manifest->image_bytes > bytes || manifest->largest_block > bytes ||
        (blocks > 0) != (manifest->largest_block > 0) || (blocks > 0) != (manifest->directory_bytes > 0))
        return dls_err(EBADMSG,
                       "members 'image_bytes' %" PRIu64 ", 'largest_block' %" PRIu64 ", 'directory_bytes' %" PRIu64
                       " are impossible in %" PRIu64 " blocks of %" PRIu64 " bytes in all",
                       manifest->image_bytes, manifest->largest_block, manifest->directory_bytes, blocks, bytes);
    return check_unique(manifest);
}

static int parse_codecs(const json_t *root, struct dls_manifest *manifest)
{
    json_t *codecs = json_object_get(root, "codecs"), *value;
    uint64_t sum = 0;
    const char *name;

    if (!json_is_object(codecs))
        return dls_err(EBADMSG, "member 'codecs' is missing or not an object");
    json_object_foreach(codecs, name, value) {
        int id = dls_codec_id(name);
        if (id < 0 || !json_is_integer(value) || json_integer_value(value) < 0)
            return dls_err(EBADMSG, "member 'codecs': '%.32s' is not a codec with a count", name);
        manifest->codec_records[id] = (uint64_t)json_integer_value(value);
        if (dls_add_overflows(sum, manifest->codec_records[id], &sum) || sum > manifest->records)
            return dls_err(EBADMSG, "member 'codecs': more images than the %" PRIu64 " records", manifest->records);
    }
    return 0;
}

static int parse_sizes(const json_t *root, struct dls_manifest *manifest)
{
    static const uint64_t percent[9] = {0, 1, 5, 25, 50, 75, 95, 99, 100};
    const json_t *sizes = json_object_get(root, "sizes");
    uint64_t found[9];
    int r = dls_json_numbers(sizes, "percent", found, 9);

    if (r == 0 && memcmp(found, percent, sizeof(percent)) != 0)
        r = dls_err(EBADMSG, "member 'percent' is not 0, 1, 5, 25, 50, 75, 95, 99, 100");
    if (r == 0)
        r = dls_json_numbers(sizes, "width", manifest->width_percentile, 9);
    if (r == 0)
        r = dls_json_numbers(sizes, "height", manifest->height_percentile, 9);
    if (r == 0)
        r = dls_json_numbers(sizes, "bytes", manifest->bytes_percentile, 9);
    if (r < 0)
        return dls_err_context(r, "member 'sizes'");
    const json_t *pixels = json_object_get(root, "pixels");
    if (!pixels)
        return 0;
    manifest->has_pixels = 1;
    r = dls_json_reals(pixels, "mean", manifest->mean, 3);
    if (r == 0)
        r = dls_json_reals(pixels, "std", manifest->std, 3);
    return r < 0 ? dls_err_context(r, "member 'pixels'") : 0;
}

static int parse_totals(const json_t *root, struct dls_manifest *manifest)
{
    const char *text;
    uint64_t number;
    int r = dls_json_number(root, "records", INT64_MAX, &manifest->records);

    if (r == 0)
        r = dls_json_number(root, "blocks", INT64_MAX, &manifest->blocks);
    if (r == 0)
        r = dls_json_number(root, "bytes", INT64_MAX, &manifest->bytes);
    if (r == 0)
        r = dls_json_number(root, "largest_block", DLS_BLOCK_MAX, &manifest->largest_block);
    if (r == 0)
        r = dls_json_number(root, "directory_bytes", DLS_DIRECTORY_MAX, &manifest->directory_bytes);
    if (r == 0)
        r = dls_json_number(root, "image_bytes", INT64_MAX, &manifest->image_bytes);
    if (r == 0)
        r = dls_json_number(root, "largest_pixels", INT64_MAX, &manifest->largest_pixels);
    if (r == 0)
        r = dls_json_number(root, "block_bytes", DLS_BLOCK_BYTES_MAX, &number);
    if (r < 0)
        return r;
    manifest->block_bytes = (uint32_t)number;
    if (number < DLS_ALIGN || number % DLS_ALIGN || manifest->largest_block % DLS_ALIGN)
        return dls_err(EBADMSG, "member 'block_bytes' or 'largest_block' is not a multiple of %u", DLS_ALIGN);
    if (!json_is_boolean(json_object_get(root, "shuffled")))
        return dls_err(EBADMSG, "member 'shuffled' is missing or neither true nor false");
    manifest->shuffled = json_is_true(json_object_get(root, "shuffled"));
    r = dls_json_string(root, "seed", &text);
    if (r == 0)
        r = dls_decimal_parse64(text, &manifest->seed);
    if (r < 0)
        return dls_err_context(r, "member 'seed'");
    r = dls_json_string(root, "creator", &text);
    if (r < 0)
        return r;
    if (strlen(text) > 255)
        return dls_err(EBADMSG, "member 'creator' has %zu bytes, at most 255 are allowed", strlen(text));
    manifest->creator = dls_strndup(DLS_MEM_SHARD, text, strlen(text));
    if (!manifest->creator)
        return -ENOMEM;
    r = dls_json_string(root, "uuid", &text);
    return r < 0 ? r : dls_hex_parse(text, manifest->uuid, 16);
}

static int parse_version(const json_t *root)
{
    const char *format;
    const json_t *version = json_object_get(root, "version"), *requires;
    int r = dls_json_string(root, "format", &format);

    if (r < 0)
        return r;
    if (strcmp(format, "dlshards") != 0)
        return dls_err(EBADMSG, "member 'format' is '%.32s', not 'dlshards'", format);
    if (json_array_size(version) != 2 || !json_is_integer(json_array_get(version, 0)) ||
        !json_is_integer(json_array_get(version, 1)) || json_integer_value(json_array_get(version, 1)) < 0)
        return dls_err(EBADMSG, "member 'version' is not a pair of numbers");
    if (json_integer_value(json_array_get(version, 0)) != DLS_FORMAT_MAJOR)
        return dls_err(ENOTSUP, "format version %" JSON_INTEGER_FORMAT ", this library reads %d",
                       json_integer_value(json_array_get(version, 0)), DLS_FORMAT_MAJOR);
    requires = json_object_get(root, "requires");
    if (requires && !json_is_array(requires))
        return dls_err(EBADMSG, "member 'requires' is not a list");
    if (json_array_size(requires) > 0) {
        const char *feature = json_string_value(json_array_get(requires, 0));
        return dls_err(ENOTSUP, "it requires the feature '%.64s', which this version lacks", feature ? feature : "?");
    }
    return 0;
}

static int parse_root(const json_t *root, struct dls_manifest *manifest)
{
    int r = parse_version(root);

    if (r == 0)
        r = parse_totals(root, manifest);
    if (r == 0)
        r = parse_fields(root, &manifest->schema);
    if (r == 0)
        r = parse_classes(root, manifest);
    if (r == 0)
        r = parse_shards(root, manifest);
    if (r == 0)
        r = parse_codecs(root, manifest);
    if (r == 0)
        r = parse_sizes(root, manifest);
    return r;
}

int dls_manifest_parse(const char *text, size_t length, struct dls_manifest *ret_manifest)
{
    json_error_t error;
    json_t *root;
    int r;

    *ret_manifest = (struct dls_manifest){0};
    if (length > DLS_MANIFEST_MAX)
        return dls_err(EBADMSG, "%zu bytes are too many for a manifest", length);
    r = dls_manifest_check_seal(text, length);
    if (r < 0)
        return r;
    root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return dls_err(EBADMSG, "offset %d: %s", error.position, error.text);
    r = json_is_object(root) ? parse_root(root, ret_manifest) : dls_err(EBADMSG, "offset 0: not an object");
    json_decref(root);
    return r;
}

void dls_manifest_free(struct dls_manifest *manifest)
{
    for (uint32_t i = 0; manifest->classes && i < manifest->class_count; i++)
        dls_free(manifest->classes[i].name);
    for (uint32_t i = 0; manifest->shards && i < manifest->shard_count; i++)
        dls_free(manifest->shards[i].file);
    dls_free(manifest->classes);
    dls_free(manifest->shards);
    dls_free(manifest->creator);
    *manifest = (struct dls_manifest){0};
}
