/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest as text: dls_manifest_format() of manifest.h. */
#include "shard/manifest.h"

#include "base/bytes.h"
#include "base/err.h"
#include "shard/buffer.h"
#include "shard/manifest_json.h"

#include <inttypes.h>

static int append_piece(const char *text, size_t length, void *out)
{
    return dls_buffer_append(out, text, length) < 0 ? -1 : 0;
}

/* One JSON value in ASCII, by jansson, so that escapes are right. */
static int put_value(struct dls_buffer *out, json_t *value)
{
    int r = -1;

    if (value)
        r = json_dump_callback(value, append_piece, out, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_COMPACT);
    json_decref(value);
    return r < 0 ? dls_err(ENOMEM, "no memory for the manifest") : 0;
}

static int put_name(struct dls_buffer *out, const struct dls_manifest_class *class)
{
    json_t *text = json_stringn(class->name, class->length); /* NULL if it is not UTF-8 */
    int r;

    if (text)
        return put_value(out, text);
    r = dls_buffer_printf(out, "{\"hex\": \"");
    for (size_t i = 0; r == 0 && i < class->length; i++)
        r = dls_buffer_printf(out, "%02x", (unsigned char)class->name[i]);
    return r < 0 ? r : dls_buffer_printf(out, "\"}");
}

static int put_fields(struct dls_buffer *out, const struct dls_schema *schema)
{
    int r = dls_buffer_printf(out, "  \"fields\": [");

    for (uint32_t f = 0; r == 0 && f < schema->count; f++) {
        const struct dls_schema_field *field = &schema->fields[f];
        r = dls_buffer_printf(out, "%s\n    {\"name\": \"%s\", \"type\": \"%s\"", f ? "," : "", field->name,
                              dls_field_type_name(field->type));
        if (r == 0 && field->count)
            r = dls_buffer_printf(out, ", \"count\": %" PRIu32, field->count);
        if (r == 0)
            r = dls_buffer_printf(out, "}");
    }
    return r < 0 ? r : dls_buffer_printf(out, "\n  ],\n");
}

static int put_classes(struct dls_buffer *out, const struct dls_manifest *manifest)
{
    int r = dls_buffer_printf(out, "  \"classes\": [");

    for (uint32_t i = 0; r == 0 && i < manifest->class_count; i++) {
        r = dls_buffer_printf(out, "%s", i ? ", " : "");
        if (r == 0)
            r = put_name(out, &manifest->classes[i]);
    }
    if (r == 0)
        r = dls_buffer_printf(out, "],\n  \"class_records\": [");
    for (uint32_t i = 0; r == 0 && i < manifest->class_count; i++)
        r = dls_buffer_printf(out, "%s%" PRIu64, i ? ", " : "", manifest->classes[i].records);
    return r < 0 ? r : dls_buffer_printf(out, "],\n");
}

static int put_totals(struct dls_buffer *out, const struct dls_manifest *manifest)
{
    int r = dls_buffer_printf(out,
                              "  \"records\": %" PRIu64 ",\n  \"blocks\": %" PRIu64 ",\n  \"bytes\": %" PRIu64
                              ",\n  \"block_bytes\": %" PRIu32 ",\n  \"largest_block\": %" PRIu64
                              ",\n  \"directory_bytes\": %" PRIu64 ",\n  \"image_bytes\": %" PRIu64 ",\n  \"largest_pixels\": %" PRIu64
                              ",\n  \"shuffled\": %s,\n  \"seed\": \"%" PRIu64 "\",\n  \"creator\": ",
                              manifest->records, manifest->blocks, manifest->bytes, manifest->block_bytes,
                              manifest->largest_block, manifest->directory_bytes, manifest->image_bytes, manifest->largest_pixels,
                              manifest->shuffled ? "true" : "false", manifest->seed);
    if (r == 0)
        r = put_value(out, json_string(manifest->creator));
    return r < 0 ? r : dls_buffer_printf(out, ",\n");
}

static int put_codecs(struct dls_buffer *out, const struct dls_manifest *manifest)
{
    const char *comma = "";
    int r = dls_buffer_printf(out, "  \"codecs\": {");

    for (unsigned c = 0; r == 0 && c < 256; c++) {
        char word[16];
        if (!manifest->codec_records[c])
            continue;
        dls_codec_word(c, word);
        r = dls_buffer_printf(out, "%s\"%s\": %" PRIu64, comma, word, manifest->codec_records[c]);
        comma = ", ";
    }
    return r < 0 ? r : dls_buffer_printf(out, "},\n");
}

static int put_nine(struct dls_buffer *out, const char *name, const uint64_t *values, const char *end)
{
    int r = dls_buffer_printf(out, "    \"%s\": [", name);

    for (unsigned i = 0; r == 0 && i < 9; i++)
        r = dls_buffer_printf(out, "%s%" PRIu64, i ? ", " : "", values[i]);
    return r < 0 ? r : dls_buffer_printf(out, "]%s\n", end);
}

static int put_sizes(struct dls_buffer *out, const struct dls_manifest *manifest)
{
    int r = dls_buffer_printf(out, "  \"sizes\": {\n    \"percent\": [0, 1, 5, 25, 50, 75, 95, 99, 100],\n");

    if (r == 0)
        r = put_nine(out, "width", manifest->width_percentile, ",");
    if (r == 0)
        r = put_nine(out, "height", manifest->height_percentile, ",");
    if (r == 0)
        r = put_nine(out, "bytes", manifest->bytes_percentile, "");
    if (r == 0)
        r = dls_buffer_printf(out, "  },\n");
    if (r < 0 || !manifest->has_pixels)
        return r;
    r = dls_buffer_printf(out, "  \"pixels\": ");
    if (r == 0)
        r = put_value(out, json_pack("{s:[fff],s:[fff]}", "mean", manifest->mean[0], manifest->mean[1],
                                     manifest->mean[2], "std", manifest->std[0], manifest->std[1], manifest->std[2]));
    return r < 0 ? r : dls_buffer_printf(out, ",\n");
}

static int put_shards(struct dls_buffer *out, const struct dls_manifest *manifest)
{
    int r = dls_buffer_printf(out, "  \"shards\": [");

    for (uint32_t i = 0; r == 0 && i < manifest->shard_count; i++) {
        const struct dls_manifest_shard *shard = &manifest->shards[i];
        r = dls_buffer_printf(out, "%s\n    {\"file\": ", i ? "," : "");
        if (r == 0)
            r = put_value(out, json_string(shard->file));
        if (r == 0)
            r = dls_buffer_printf(out,
                                  ", \"bytes\": %" PRIu64 ", \"records\": %" PRIu64 ", \"blocks\": %" PRIu64
                                  ", \"xxh3\": \"%016" PRIx64 "\"}",
                                  shard->bytes, shard->records, shard->blocks, shard->checksum);
    }
    return r < 0 ? r : dls_buffer_printf(out, "%s],\n", manifest->shard_count ? "\n  " : "");
}

static int put_head(struct dls_buffer *out, const struct dls_manifest *manifest)
{
    int r = dls_buffer_printf(out, "{\n  \"format\": \"dlshards\",\n  \"version\": [1, 0],\n  \"uuid\": \"");

    for (unsigned i = 0; r == 0 && i < 16; i++)
        r = dls_buffer_printf(out, "%02x", manifest->uuid[i]);
    return r < 0 ? r : dls_buffer_printf(out, "\",\n");
}

int dls_manifest_format(const struct dls_manifest *manifest, char **ret_text, size_t *ret_length)
{
    struct dls_buffer out = {0};
    char seal[DLS_SEAL_BYTES + 1];
    int r = put_head(&out, manifest);

    if (r == 0)
        r = put_fields(&out, &manifest->schema);
    if (r == 0)
        r = put_classes(&out, manifest);
    if (r == 0)
        r = put_totals(&out, manifest);
    if (r == 0)
        r = put_codecs(&out, manifest);
    if (r == 0)
        r = put_sizes(&out, manifest);
    if (r == 0)
        r = put_shards(&out, manifest);
    if (r < 0)
        goto fail;
    dls_manifest_seal((const char *)out.bytes, out.length, seal);
    r = dls_buffer_append(&out, seal, DLS_SEAL_BYTES);
    if (r < 0)
        goto fail;
    *ret_length = out.length;
    *ret_text = (char *)out.bytes;
    return 0;
fail:
    dls_buffer_free(&out);
    return r;
}
