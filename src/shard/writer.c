/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/writer.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/mem.h"
#include "shard/file.h"
#include "shard/identity.h"
#include "shard/place.h"
#include "shard/shard_out.h"

#include <dlshards/version.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

struct dls_writer {
    struct dls_manifest manifest; /* filled as records come */
    struct dls_place place;
    uint8_t pack_id[16];
    uint64_t shard_bytes;
    struct dls_block_builder builder;
    struct dls_encoded encoded;
    struct dls_shard_out out;
    uint32_t shard_room;
    int failed; /* an error that a write may have left half done: only close() is possible */
    int finished;
    struct dls_hist widths, heights, bytes;
};

static const dls_field default_fields[] = {
    {"image", DLS_FIELD_IMAGE, 0}, {"label", DLS_FIELD_INT64, 1}, {"key", DLS_FIELD_STRING, 0}};

static int copy_schema(struct dls_schema *schema, const dls_writer_params *params)
{
    const dls_field *fields = params->fields ? params->fields : default_fields;
    uint32_t count = params->fields ? params->field_count : 3;

    for (uint32_t f = 0; f < count; f++) {
        if (!fields[f].name)
            return dls_err(EINVAL, "field %" PRIu32 " has no name", f);
        int r = dls_schema_add(schema, fields[f].name, strlen(fields[f].name), fields[f].type, fields[f].count);
        if (r < 0)
            return r;
    }
    return dls_schema_complete(schema);
}

static int copy_classes(struct dls_manifest *manifest, const dls_writer_params *params)
{
    if (params->class_count == 0)
        return 0;
    if (!params->classes)
        return dls_err(EINVAL, "class_count is %" PRIu32 " without classes", params->class_count);
    manifest->classes = dls_alloc_array(DLS_MEM_SHARD, params->class_count, sizeof(*manifest->classes));
    if (!manifest->classes)
        return -ENOMEM;
    manifest->class_count = params->class_count;
    for (uint32_t i = 0; i < params->class_count; i++) {
        const char *name = params->classes[i];
        size_t length = params->class_lengths ? params->class_lengths[i] : name ? strlen(name) : 0;
        if (!name || length < 1 || length > 1023 || memchr(name, 0, length) || memchr(name, '/', length))
            return dls_err(EINVAL, "class %" PRIu32 ": its name is not 1 to 1023 bytes without NUL and '/'", i);
        manifest->classes[i].name = dls_strndup(DLS_MEM_SHARD, name, length);
        if (!manifest->classes[i].name)
            return -ENOMEM;
        manifest->classes[i].length = length;
    }
    return 0;
}

static int take_params(struct dls_writer *writer, const dls_writer_params *params)
{
    struct dls_manifest *manifest = &writer->manifest;
    const char *creator = params->creator ? params->creator : "libdlshards " DLS_VERSION_STRING;
    int r;

    writer->shard_bytes = params->shard_bytes ? params->shard_bytes : DLS_SHARD_BYTES_DEFAULT;
    manifest->block_bytes = params->block_bytes ? params->block_bytes : DLS_BLOCK_BYTES_DEFAULT;
    if (manifest->block_bytes < DLS_ALIGN || manifest->block_bytes > DLS_BLOCK_BYTES_MAX ||
        manifest->block_bytes % DLS_ALIGN)
        return dls_err(EINVAL, "block_bytes is %" PRIu32 ": expected a multiple of %u from %u to %u",
                       manifest->block_bytes, DLS_ALIGN, DLS_ALIGN, DLS_BLOCK_BYTES_MAX);
    if (writer->shard_bytes > DLS_SHARD_MAX / 2)
        return dls_err(EINVAL, "shard_bytes is %" PRIu64 ": expected at most %llu", writer->shard_bytes,
                       DLS_SHARD_MAX / 2);
    if (params->zstd_level < 0 || params->zstd_level > 19)
        return dls_err(EINVAL, "zstd_level is %d: expected 1 to 19", params->zstd_level);
    if (strlen(creator) > 255)
        return dls_err(EINVAL, "creator has more than 255 bytes");
    manifest->creator = dls_strndup(DLS_MEM_SHARD, creator, strlen(creator));
    manifest->seed = params->seed;
    manifest->shuffled = params->shuffled != 0;
    memcpy(writer->pack_id, params->pack_id, 16);
    r = manifest->creator ? copy_schema(&manifest->schema, params) : -ENOMEM;
    if (r == 0)
        r = copy_classes(manifest, params);
    if (r == 0)
        r = dls_block_builder_init(&writer->builder, &manifest->schema, params->zstd_level ? params->zstd_level : 3);
    return r;
}

int dls_shard_writer_open(const char *path, const dls_writer_params *params, dls_writer **ret_writer)
{
    struct dls_writer *writer = dls_alloc(DLS_MEM_SHARD, sizeof(*writer));
    int r = writer ? dls_shard_out_init(&writer->out) : -ENOMEM;

    if (r == 0)
        r = take_params(writer, params);
    if (r == 0)
        r = dls_place_open(&writer->place, path);
    if (r < 0) {
        dls_shard_writer_close(&writer);
        return r;
    }
    *ret_writer = writer;
    return 0;
}

static struct dls_manifest_shard *last_shard(struct dls_writer *writer)
{
    return &writer->manifest.shards[writer->manifest.shard_count - 1];
}

static int close_shard(struct dls_writer *writer)
{
    struct dls_manifest_shard *shard = last_shard(writer);
    int r = dls_shard_out_close(&writer->out, &writer->builder.encoder, shard);

    if (r == 0) {
        writer->manifest.bytes += shard->bytes;
        writer->manifest.blocks += shard->blocks;
        writer->manifest.records += shard->records;
    }
    return r;
}

static int open_shard(struct dls_writer *writer)
{
    struct dls_manifest *manifest = &writer->manifest;
    char name[32], *path;

    if (manifest->shard_count == writer->shard_room) {
        uint32_t room = writer->shard_room ? writer->shard_room * 2 : 16;
        void *larger = dls_realloc(DLS_MEM_SHARD, manifest->shards, room * sizeof(*manifest->shards));
        if (!larger)
            return -ENOMEM;
        manifest->shards = larger;
        writer->shard_room = room;
    }
    snprintf(name, sizeof(name), "shard-%05" PRIu32 ".dls", manifest->shard_count);
    struct dls_manifest_shard *shard = &manifest->shards[manifest->shard_count];
    *shard = (struct dls_manifest_shard){.file = dls_strndup(DLS_MEM_SHARD, name, strlen(name))};
    if (!shard->file)
        return -ENOMEM;
    manifest->shard_count++;
    path = dls_place_file(&writer->place, name);
    if (!path)
        return -ENOMEM;
    return dls_shard_out_open(&writer->out, path, &manifest->schema, manifest->shard_count - 1, manifest->block_bytes,
                              writer->pack_id);
}

static int flush_block(struct dls_writer *writer)
{
    struct dls_block_builder *builder = &writer->builder;
    /* An upper bound: the columns as they are, though zstd will make them smaller. */
    uint64_t most = builder->data.length + DLS_BLOCK_HEADER_BYTES + DLS_ALIGN;
    int r = 0;

    if (builder->records == 0)
        return 0;
    for (uint32_t f = 0; f < writer->manifest.schema.count; f++)
        most += builder->columns[f].length + builder->strings[f].length + 8;
    if (writer->out.fd >= 0 &&
        (dls_shard_out_size(&writer->out, most, builder->records) > writer->shard_bytes ||
         writer->out.blocks == DLS_BLOCKS_MAX || writer->out.records + builder->records > DLS_RECORDS_MAX))
        r = close_shard(writer);
    if (r == 0 && writer->out.fd < 0)
        r = open_shard(writer);
    if (r == 0)
        r = dls_shard_out_block(&writer->out, builder);
    if (r < 0)
        return r;
    writer->manifest.largest_block = dls_max64(writer->manifest.largest_block, builder->block.length);
    writer->manifest.directory_bytes = dls_max64(writer->manifest.directory_bytes, builder->directory.length);
    dls_block_builder_reset(builder);
    return 0;
}

static int check_label(const struct dls_writer *writer, const dls_value *values, int64_t *ret_label)
{
    const struct dls_manifest *manifest = &writer->manifest;

    *ret_label = -1;
    if (manifest->schema.label < 0 || manifest->class_count == 0 || values[manifest->schema.label].length < 8)
        return 0;
    *ret_label = (int64_t)dls_get64(values[manifest->schema.label].data);
    if (*ret_label < -1 || *ret_label >= (int64_t)manifest->class_count)
        return dls_err(EINVAL, "label %" PRId64 ": there are %" PRIu32 " classes (-1 stands for none)", *ret_label,
                       manifest->class_count);
    return 0;
}

static void count_record(struct dls_writer *writer, const dls_value *values, int64_t label)
{
    struct dls_manifest *manifest = &writer->manifest;
    int image = manifest->schema.image;

    if (label >= 0)
        manifest->classes[label].records++;
    if (image < 0 || values[image].codec == DLS_CODEC_NONE)
        return;
    manifest->codec_records[values[image].codec]++;
    manifest->image_bytes += writer->encoded.parts[image].stored;
    manifest->largest_pixels =
        dls_max64(manifest->largest_pixels, (uint64_t)values[image].width * values[image].height);
    dls_hist_add(&writer->widths, values[image].width);
    dls_hist_add(&writer->heights, values[image].height);
    dls_hist_add(&writer->bytes, writer->encoded.parts[image].stored);
}

static int check_usable(const struct dls_writer *writer)
{
    if (writer->failed)
        return dls_err(-writer->failed, "the writer failed before and can only be closed");
    return writer->finished ? dls_err(EINVAL, "the writer has finished and can only be closed") : 0;
}

int dls_shard_writer_add(dls_writer *writer, const dls_value *values, uint32_t count)
{
    int64_t label = -1;
    int r;

    int usable = check_usable(writer);
    if (usable < 0)
        return usable;
    if (count != writer->manifest.schema.count)
        return dls_err(EINVAL, "%" PRIu32 " values for %" PRIu32 " fields", count, writer->manifest.schema.count);
    r = dls_block_builder_encode(&writer->builder, values, &writer->encoded);
    if (r == 0)
        r = check_label(writer, values, &label);
    if (r < 0)
        return r;
    if (dls_block_builder_size(&writer->builder, values, &writer->encoded) > writer->manifest.block_bytes)
        r = flush_block(writer);
    if (r == 0)
        r = dls_block_builder_add(&writer->builder, values, &writer->encoded);
    if (r < 0) {
        writer->failed = r;
        return r;
    }
    count_record(writer, values, label);
    return 0;
}

static void fill_percentiles(const struct dls_hist *hist, uint64_t ret_values[9])
{
    static const double percent[9] = {0, 1, 5, 25, 50, 75, 95, 99, 100};
    dls_latency ends;

    /* A hair less: 11 of 1100 are 1 per cent, but 0.01 × 1100 is more than 11 in binary. */
    for (unsigned i = 0; i < 9; i++)
        ret_values[i] = dls_hist_percentile(hist, percent[i] / 100 * (1 - 1e-12));
    dls_hist_latency(hist, &ends);
    ret_values[0] = ends.min;
    ret_values[8] = ends.max;
}

static int write_manifest(struct dls_writer *writer)
{
    char *path = dls_place_file(&writer->place, "dataset.json"), *text = NULL;
    size_t length;
    int fd = -1, r = path ? dls_manifest_format(&writer->manifest, &text, &length) : -ENOMEM;

    if (r == 0) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        r = fd < 0 ? dls_err_sys(errno, "'%s': cannot create", path) : dls_file_write(fd, path, text, length);
    }
    if (r == 0 && fsync(fd) < 0)
        r = dls_err_sys(errno, "'%s': cannot flush to the disk", path);
    if (fd >= 0 && close(fd) < 0 && r == 0)
        r = dls_err_sys(errno, "'%s': cannot write", path);
    dls_free(text);
    dls_free(path);
    return r;
}

int dls_shard_writer_finish(dls_writer *writer)
{
    struct dls_manifest *manifest = &writer->manifest;
    int r;

    r = check_usable(writer);
    if (r < 0)
        return r;
    writer->finished = 1; /* whatever comes of it, nothing can be added after this */
    r = flush_block(writer);
    if (r == 0 && writer->out.fd >= 0)
        r = close_shard(writer);
    if (r < 0)
        return r;
    fill_percentiles(&writer->widths, manifest->width_percentile);
    fill_percentiles(&writer->heights, manifest->height_percentile);
    fill_percentiles(&writer->bytes, manifest->bytes_percentile);
    r = dls_manifest_identify(manifest);
    if (r == 0)
        r = write_manifest(writer);
    return r < 0 ? r : dls_place_commit(&writer->place);
}

void dls_shard_writer_set_pixels(dls_writer *writer, const double mean[3], const double std[3])
{
    writer->manifest.has_pixels = 1;
    memcpy(writer->manifest.mean, mean, sizeof(writer->manifest.mean));
    memcpy(writer->manifest.std, std, sizeof(writer->manifest.std));
}

void dls_shard_writer_close(dls_writer **writer_at)
{
    struct dls_writer *writer = *writer_at;

    if (!writer)
        return;
    dls_shard_out_free(&writer->out);
    dls_place_close(&writer->place, &writer->manifest);
    dls_block_builder_free(&writer->builder);
    dls_encoded_free(&writer->encoded);
    dls_manifest_free(&writer->manifest);
    dls_free(writer);
    *writer_at = NULL;
}
