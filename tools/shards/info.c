/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "common/emit.h"
#include "common/units.h"
#include "decode/decode.h"
#include "shard/dataset.h"
#include "shards/commands.h"

#define CLASSES_SHOWN 10

struct info_config {
    bool classes, shards, json;
};

static const struct tool_option options[] = {
    {.name = "classes",
     .letter = 'c',
     .kind = TOOL_FLAG,
     .at = offsetof(struct info_config, classes),
     .help = "List every class with its label and number of records, not only the first ten."},
    {.name = "shards",
     .letter = 's',
     .kind = TOOL_FLAG,
     .at = offsetof(struct info_config, shards),
     .help = "List the shard files with their sizes and checksums."},
    TOOL_OPTION_JSON(struct info_config),
    {0},
};

static const char *type_name(dls_field_type type)
{
    switch (type) {
    case DLS_FIELD_IMAGE:
        return "image";
    case DLS_FIELD_BYTES:
        return "bytes";
    case DLS_FIELD_STRING:
        return "string";
    case DLS_FIELD_INT64:
        return "int64";
    case DLS_FIELD_FLOAT32:
        return "float32";
    }
    return "unknown";
}

static void print_schema(struct tool_emit *emit, const struct dls_schema *schema)
{
    if (emit->json) {
        tool_emit_array(emit, "fields");
        for (uint32_t i = 0; i < schema->count; i++) {
            tool_emit_object(emit, NULL);
            tool_emit_text(emit, "name", schema->fields[i].name);
            tool_emit_text(emit, "type", type_name(schema->fields[i].type));
            if (schema->fields[i].count)
                tool_emit_count(emit, "count", schema->fields[i].count);
            tool_emit_close(emit);
        }
        tool_emit_close(emit);
        return;
    }
    tool_emit_object(emit, "fields");
    for (uint32_t i = 0; i < schema->count; i++)
        if (schema->fields[i].count > 1)
            tool_emit_line(emit, "%-15s %s x %u", schema->fields[i].name, type_name(schema->fields[i].type),
                           schema->fields[i].count);
        else
            tool_emit_line(emit, "%-15s %s", schema->fields[i].name, type_name(schema->fields[i].type));
    tool_emit_close(emit);
}

static void print_classes(struct tool_emit *emit, const struct dls_manifest *manifest, bool all)
{
    uint32_t shown = all || manifest->class_count <= CLASSES_SHOWN ? manifest->class_count : CLASSES_SHOWN;

    if (emit->json) {
        /* Programs get all of them. */
        tool_emit_array(emit, "classes");
        for (uint32_t i = 0; i < manifest->class_count; i++) {
            tool_emit_object(emit, NULL);
            tool_emit_name(emit, "name", manifest->classes[i].name, manifest->classes[i].length);
            tool_emit_count(emit, "records", manifest->classes[i].records);
            tool_emit_close(emit);
        }
        tool_emit_close(emit);
        return;
    }
    if (!manifest->class_count) {
        tool_emit_text(emit, "classes", "none");
        return;
    }
    tool_emit_count(emit, "classes", manifest->class_count);
    tool_emit_object(emit, "  label  records  name");
    for (uint32_t i = 0; i < shown; i++)
        tool_emit_line(emit, "%5u  %7llu  %s", i, (unsigned long long)manifest->classes[i].records,
                       manifest->classes[i].name);
    if (shown < manifest->class_count)
        tool_emit_line(emit, "  ... and %u more: --classes lists all", manifest->class_count - shown);
    tool_emit_close(emit);
}

static void print_percentiles(struct tool_emit *emit, const char *name, const uint64_t values[9])
{
    tool_emit_array(emit, name);
    for (unsigned i = 0; i < 9; i++)
        tool_emit_count(emit, NULL, values[i]);
    tool_emit_close(emit);
}

static void print_images(struct tool_emit *emit, const struct dls_manifest *manifest)
{
    static const uint64_t percents[9] = {0, 1, 5, 25, 50, 75, 95, 99, 100};

    tool_emit_object(emit, "codecs");
    for (unsigned codec = 0; codec < 256; codec++)
        if (manifest->codec_records[codec])
            tool_emit_count(emit, dls_codec_name((dls_codec)codec), manifest->codec_records[codec]);
    tool_emit_close(emit);
    tool_emit_object(emit, "sizes");
    print_percentiles(emit, "percent", percents);
    print_percentiles(emit, "width", manifest->width_percentile);
    print_percentiles(emit, "height", manifest->height_percentile);
    print_percentiles(emit, "bytes", manifest->bytes_percentile);
    tool_emit_close(emit);
    if (!manifest->has_pixels)
        return;
    tool_emit_array(emit, "mean");
    for (unsigned c = 0; c < 3; c++)
        tool_emit_real(emit, NULL, manifest->mean[c], 6);
    tool_emit_close(emit);
    tool_emit_array(emit, "std");
    for (unsigned c = 0; c < 3; c++)
        tool_emit_real(emit, NULL, manifest->std[c], 6);
    tool_emit_close(emit);
}

static void print_shards(struct tool_emit *emit, const struct dls_manifest *manifest)
{
    char sum[17];

    if (emit->json)
        tool_emit_array(emit, "shard_files");
    else
        tool_emit_object(emit, "shard files");
    for (uint32_t i = 0; i < manifest->shard_count; i++) {
        const struct dls_manifest_shard *shard = &manifest->shards[i];
        snprintf(sum, sizeof(sum), "%016llx", (unsigned long long)shard->checksum);
        if (!emit->json) {
            tool_emit_line(emit, "%s  %llu bytes  %llu records  %llu blocks  xxh3 %s", shard->file,
                           (unsigned long long)shard->bytes, (unsigned long long)shard->records,
                           (unsigned long long)shard->blocks, sum);
            continue;
        }
        tool_emit_object(emit, NULL);
        tool_emit_text(emit, "file", shard->file);
        tool_emit_count(emit, "bytes", shard->bytes);
        tool_emit_count(emit, "records", shard->records);
        tool_emit_count(emit, "blocks", shard->blocks);
        tool_emit_text(emit, "xxh3", sum);
        tool_emit_close(emit);
    }
    tool_emit_close(emit);
}

static void print_info(const struct tool_call *call, const struct dls_manifest *manifest)
{
    const struct info_config *config = call->config;
    char uuid[33], seed[21];
    struct tool_emit emit;

    for (unsigned i = 0; i < 16; i++)
        snprintf(uuid + 2 * i, 3, "%02x", manifest->uuid[i]);
    tool_emit_start(&emit, stdout, config->json);
    tool_emit_text(&emit, "dataset", call->operands[0]);
    tool_emit_text(&emit, "uuid", uuid);
    tool_emit_text(&emit, "creator", manifest->creator ? manifest->creator : "");
    tool_emit_count(&emit, "records", manifest->records);
    tool_emit_count(&emit, "shards", manifest->shard_count);
    tool_emit_count(&emit, "blocks", manifest->blocks);
    tool_emit_bytes(&emit, "bytes", manifest->bytes);
    tool_emit_bytes(&emit, "image_bytes", manifest->image_bytes);
    tool_emit_bytes(&emit, "block_size", manifest->block_bytes);
    tool_emit_bytes(&emit, "largest_block", manifest->largest_block);
    tool_emit_bool(&emit, "shuffled", manifest->shuffled);
    /* As a string, because 64 bits do not fit the numbers of every JSON reader. */
    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)manifest->seed);
    tool_emit_text(&emit, "seed", seed);
    tool_emit_text(&emit, "orientation", "kept per record, applied when decoded");
    print_schema(&emit, &manifest->schema);
    print_classes(&emit, manifest, config->classes);
    if (manifest->schema.image >= 0)
        print_images(&emit, manifest);
    if (config->shards || config->json)
        print_shards(&emit, manifest);
    tool_emit_end(&emit);
}

static int info_main(const struct tool_call *call)
{
    struct dls_dataset *dataset = NULL;
    int r = dls_set_open(call->operands[0], &dataset);

    if (r < 0) {
        tool_say(call, r == -ENOENT ? "%s: not a dataset" : "%s", dls_err_text());
        return TOOL_FAILED;
    }
    print_info(call, dls_set_manifest(dataset));
    dls_set_close(&dataset);
    return TOOL_OK;
}

const struct tool_command shards_info = {
    .name = "info",
    .operands = "DATASET",
    .least = 1,
    .most = 1,
    .summary = "Prints what is in a dataset and how it was packed",
    .options = options,
    .config_bytes = sizeof(struct info_config),
    .run = info_main,
};
