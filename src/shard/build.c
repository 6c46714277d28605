/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/build.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"
#include "shard/cell.h"

#include <inttypes.h>

/* A value is compressed if that saves a fiftieth; a directory if it saves anything. */
#define VALUE_GAIN 50
#define DIRECTORY_GAIN UINT32_MAX

int dls_block_builder_init(struct dls_block_builder *builder, const struct dls_schema *schema, int level)
{
    *builder = (struct dls_block_builder){.schema = schema};
    return dls_part_encoder_init(&builder->encoder, level);
}

void dls_block_builder_free(struct dls_block_builder *builder)
{
    for (uint32_t f = 0; f < DLS_FIELDS_MAX; f++) {
        dls_buffer_free(&builder->columns[f]);
        dls_buffer_free(&builder->strings[f]);
    }
    dls_buffer_free(&builder->data);
    dls_buffer_free(&builder->directory);
    dls_buffer_free(&builder->scratch);
    dls_buffer_free(&builder->block);
    dls_part_encoder_free(&builder->encoder);
}

void dls_encoded_free(struct dls_encoded *encoded)
{
    for (uint32_t f = 0; f < DLS_FIELDS_MAX; f++)
        dls_buffer_free(&encoded->bytes[f]);
}

static int check_image(const dls_value *value, const char *name)
{
    if (value->codec == DLS_CODEC_NONE && value->length == 0)
        return value->width || value->height || value->channels || value->orientation
                   ? dls_err(EINVAL, "field '%s': an absent image with a size", name)
                   : 0;
    if (value->codec == DLS_CODEC_COEF)
        return dls_err(ENOTSUP, "field '%s': codec 2 (coef) is reserved for a later version", name);
    /* 128 and above are for private use. */
    if (value->codec <= DLS_CODEC_NONE || value->codec > 255 ||
        (value->codec > DLS_CODEC_RAW && value->codec < 128))
        return dls_err(EINVAL, "field '%s': there is no codec %d", name, (int)value->codec);
    if (!value->width || !value->height || !value->length)
        return dls_err(EINVAL, "field '%s': an image of %" PRIu32 " x %" PRIu32 " pixels in %zu bytes", name,
                       value->width, value->height, value->length);
    if ((uint64_t)value->width * value->height > INT64_MAX)
        return dls_err(EFBIG, "field '%s': an image of %" PRIu32 " x %" PRIu32 " pixels", name, value->width,
                       value->height);
    if (value->channels < 1 || value->channels > 4 || value->orientation > 8)
        return dls_err(EINVAL, "field '%s': %u channels, orientation %u", name, value->channels, value->orientation);
    if (value->codec == DLS_CODEC_RAW &&
        (uint64_t)value->width * value->height > UINT32_MAX / value->channels)
        return dls_err(EFBIG, "field '%s': more than 4 GiB of pixels", name);
    if (value->codec == DLS_CODEC_RAW &&
        (uint64_t)value->width * value->height * value->channels != value->length)
        return dls_err(EINVAL, "field '%s': %" PRIu32 " x %" PRIu32 " x %u raw pixels in %zu bytes", name,
                       value->width, value->height, value->channels, value->length);
    return 0;
}

static int check_value(const struct dls_schema_field *field, const dls_value *value)
{
    if (value->length > UINT32_MAX)
        return dls_err(EFBIG, "field '%s': %zu bytes, at most 4 GiB - 1 are possible", field->name, value->length);
    if (!value->data && value->length)
        return dls_err(EINVAL, "field '%s': no data", field->name);
    switch (field->type) {
    case DLS_FIELD_IMAGE:
        return check_image(value, field->name);
    case DLS_FIELD_BYTES:
        return value->codec || value->width || value->height || value->channels || value->orientation
                   ? dls_err(EINVAL, "field '%s': bytes with the properties of an image", field->name)
                   : 0;
    case DLS_FIELD_STRING:
        return value->length > DLS_STRING_MAX
                   ? dls_err(EINVAL, "field '%s': a string of %zu bytes, at most %u are possible", field->name,
                             value->length, DLS_STRING_MAX)
                   : 0;
    default:
        return value->length != dls_field_row_bytes(field)
                   ? dls_err(EINVAL, "field '%s': %zu bytes, its numbers take %" PRIu32, field->name, value->length,
                             dls_field_row_bytes(field))
                   : 0;
    }
}

int dls_block_builder_encode(struct dls_block_builder *builder, const dls_value *values, struct dls_encoded *encoded)
{
    uint64_t sum = 0;

    for (uint32_t f = 0; f < builder->schema->count; f++) {
        const struct dls_schema_field *field = &builder->schema->fields[f];
        int r = check_value(field, &values[f]);
        if (r < 0)
            return r;
        if (!dls_field_has_cell(field))
            continue;
        /* The image codecs are entropy coded already: trying zstd on them costs time and gains nothing. */
        bool try = values[f].codec == DLS_CODEC_NONE || values[f].codec == DLS_CODEC_RAW;
        if (!try || values[f].length == 0) {
            dls_part_store(values[f].data, values[f].length, &encoded->parts[f]);
            encoded->stored[f] = values[f].data;
        } else {
            r = dls_part_encode(&builder->encoder, builder->encoder.level, values[f].data, values[f].length, VALUE_GAIN,
                                &encoded->bytes[f], &encoded->parts[f], &encoded->stored[f]);
            if (r < 0)
                return r;
        }
        sum += encoded->parts[f].stored;
    }
    return sum > UINT32_MAX ? dls_err(EFBIG, "a record of %" PRIu64 " bytes, at most 4 GiB - 1 are possible", sum) : 0;
}

uint64_t dls_block_builder_size(const struct dls_block_builder *builder, const dls_value *values,
                                const struct dls_encoded *encoded)
{
    uint64_t size = DLS_BLOCK_HEADER_BYTES + builder->data.length;

    for (uint32_t f = 0; f < builder->schema->count; f++) {
        const struct dls_schema_field *field = &builder->schema->fields[f];
        uint64_t column = builder->columns[f].length + builder->strings[f].length;
        if (field->type == DLS_FIELD_STRING)
            column += 4 + values[f].length;
        else
            column += dls_field_row_bytes(field);
        size += dls_align_up(column, 8);
        if (dls_field_has_cell(field))
            size += dls_align_up(encoded->parts[f].stored, DLS_DATA_ALIGN);
    }
    return dls_align_up(size, DLS_ALIGN);
}

static int add_cell(struct dls_block_builder *builder, uint32_t f, const dls_value *value,
                    const struct dls_encoded *encoded)
{
    uint8_t bytes[DLS_CELL_BYTES];
    int r = dls_buffer_pad(&builder->data, DLS_DATA_ALIGN);
    struct dls_cell cell = {
        .offset = builder->data.length,
        .stored = encoded->parts[f].stored,
        .raw = encoded->parts[f].raw,
        .checksum = encoded->parts[f].checksum,
        .encoding = encoded->parts[f].encoding,
        .width = value->width,
        .height = value->height,
        .codec = (uint8_t)value->codec,
        .orientation = value->orientation,
        .channels = value->channels,
    };

    dls_cell_put(&cell, bytes);
    if (r == 0)
        r = dls_buffer_append(&builder->columns[f], bytes, sizeof(bytes));
    return r < 0 ? r : dls_buffer_append(&builder->data, encoded->stored[f], cell.stored);
}

int dls_block_builder_add(struct dls_block_builder *builder, const dls_value *values,
                          const struct dls_encoded *encoded)
{
    for (uint32_t f = 0; f < builder->schema->count; f++) {
        const struct dls_schema_field *field = &builder->schema->fields[f];
        int r;

        if (dls_field_has_cell(field)) {
            r = add_cell(builder, f, &values[f], encoded);
        } else if (field->type == DLS_FIELD_STRING) {
            uint32_t length = (uint32_t)values[f].length;
            r = dls_buffer_append(&builder->columns[f], &length, 4);
            if (r == 0)
                r = dls_buffer_append(&builder->strings[f], values[f].data, length);
        } else {
            r = dls_buffer_append(&builder->columns[f], values[f].data, values[f].length);
        }
        if (r < 0)
            return r;
    }
    builder->records++;
    return 0;
}

static int join_columns(struct dls_block_builder *builder)
{
    int r = 0;

    builder->directory.length = 0;
    for (uint32_t f = 0; r == 0 && f < builder->schema->count; f++) {
        r = dls_buffer_append(&builder->directory, builder->columns[f].bytes, builder->columns[f].length);
        if (r == 0)
            r = dls_buffer_append(&builder->directory, builder->strings[f].bytes, builder->strings[f].length);
        if (r == 0)
            r = dls_buffer_pad(&builder->directory, 8);
    }
    return r;
}

int dls_block_builder_finish(struct dls_block_builder *builder, uint32_t number, uint32_t first_record,
                             const uint8_t pack_id[16], uint32_t *ret_data_offset)
{
    struct dls_buffer *block = &builder->block;
    const uint8_t *stored;
    struct dls_part part;
    int r = join_columns(builder);

    if (r == 0)
        r = dls_part_encode(&builder->encoder, builder->encoder.level, builder->directory.bytes,
                            builder->directory.length, DIRECTORY_GAIN, &builder->scratch, &part, &stored);
    block->length = 0;
    if (r == 0)
        r = dls_buffer_append_zeros(block, DLS_BLOCK_HEADER_BYTES);
    if (r == 0)
        r = dls_buffer_append(block, stored, part.stored);
    if (r == 0)
        r = dls_buffer_pad(block, DLS_DATA_ALIGN);
    *ret_data_offset = (uint32_t)block->length;
    if (r == 0)
        r = dls_buffer_append(block, builder->data.bytes, builder->data.length);
    if (r == 0)
        r = dls_buffer_pad(block, DLS_ALIGN);
    if (r < 0)
        return r;
    memcpy(block->bytes, DLS_MAGIC_BLOCK, 4);
    block->bytes[5] = part.encoding;
    block->bytes[6] = 1;
    dls_put64(block->bytes + 8, block->length);
    dls_put32(block->bytes + 16, number);
    dls_put32(block->bytes + 20, first_record);
    dls_put32(block->bytes + 24, builder->records);
    dls_put32(block->bytes + 28, part.stored);
    dls_put32(block->bytes + 32, part.raw);
    dls_put32(block->bytes + 36, *ret_data_offset);
    dls_put64(block->bytes + 40, part.checksum);
    memcpy(block->bytes + 48, pack_id, 8);
    dls_put64(block->bytes + 56, dls_hash64(block->bytes, 56));
    return 0;
}

void dls_block_builder_reset(struct dls_block_builder *builder)
{
    for (uint32_t f = 0; f < builder->schema->count; f++)
        builder->columns[f].length = builder->strings[f].length = 0;
    builder->data.length = 0;
    builder->records = 0;
}
