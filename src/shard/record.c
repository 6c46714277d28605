/* SPDX-License-Identifier: Apache-2.0 */
/* One record by its number: dls_set_read() of dataset.h. */
#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "shard/cell.h"
#include "shard/file.h"
#include "shard/set.h"

#include <inttypes.h>
#include <unistd.h>

struct record {
    dls_record view; /* first: what the caller sees */
    dls_value *values;
    uint8_t **memory; /* of each value */
};

/* A shard that is being read for one record. */
struct source {
    struct dls_dataset *set;
    const struct dls_schema *schema;
    const struct dls_shard *shard;
    struct dls_table_block place; /* of the record's block */
    uint32_t block, in_block;
    uint64_t in_shard;
    int fd;
};

static int keep(struct record *record, uint32_t field, const void *bytes, size_t length)
{
    record->memory[field] = dls_alloc(DLS_MEM_SHARD, length + 1);
    if (!record->memory[field])
        return -ENOMEM;
    if (length)
        memcpy(record->memory[field], bytes, length);
    record->values[field].data = record->memory[field];
    record->values[field].length = length;
    return 0;
}

static int read_cell(const struct source *source, const uint8_t *bytes, uint32_t field, struct record *record)
{
    const struct dls_schema_field *schema = &source->schema->fields[field];
    const struct dls_table_block *block = &source->place;
    struct dls_cell_scratch scratch = {0};
    const uint8_t *data;
    uint8_t *stored = NULL;
    struct dls_cell cell;
    int r = dls_cell_parse(bytes, schema, &cell);

    if (r == 0 && (cell.offset < block->offset || !dls_range_ok(cell.offset - block->offset, cell.stored, block->length)))
        r = dls_err(EBADMSG, "%" PRIu32 " bytes at offset %" PRIu64 " are outside the record's block", cell.stored,
                    cell.offset);
    if (r < 0)
        return r;
    stored = dls_alloc(DLS_MEM_SHARD, cell.stored + 1ull);
    r = stored ? dls_file_read(source->fd, source->shard->path, stored, cell.stored, cell.offset) : -ENOMEM;
    if (r == 0) {
        r = dls_cell_open(&cell, stored, 1, &scratch, &data);
        if (r < 0)
            dls_err_context(r, "offset %" PRIu64, cell.offset);
    }
    if (r == 0)
        r = keep(record, field, data, cell.raw);
    if (r == 0) {
        record->values[field].codec = cell.codec;
        record->values[field].width = cell.width;
        record->values[field].height = cell.height;
        record->values[field].channels = cell.channels;
        record->values[field].orientation = cell.orientation;
        if ((int)field == source->schema->image)
            record->view.offset = cell.offset;
    }
    dls_cell_scratch_free(&scratch);
    dls_free(stored);
    return r;
}

static int read_row(const struct source *source, struct record *record)
{
    const struct dls_trailer *trailer = &source->shard->trailer;
    const struct dls_schema *schema = source->schema;
    uint8_t page[DLS_PAGE_BYTES];

    if (trailer->rows_a_page == 0)
        return 0;
    uint64_t number = source->in_shard / trailer->rows_a_page;
    int r = dls_file_read(source->fd, source->shard->path, page, sizeof(page),
                          trailer->rows_offset + number * DLS_PAGE_BYTES);
    if (r == 0)
        r = dls_row_page_check(trailer, page, number);
    const uint8_t *at = page + 8 + source->in_shard % trailer->rows_a_page * trailer->row_bytes;
    for (uint32_t f = 0; r == 0 && f < schema->count; f++) {
        if (dls_field_has_cell(&schema->fields[f]))
            r = read_cell(source, at, f, record);
        else if (schema->fields[f].type != DLS_FIELD_STRING)
            r = keep(record, f, at, dls_field_row_bytes(&schema->fields[f]));
        if (r < 0)
            dls_err_context(r, "field '%s'", schema->fields[f].name);
        at += dls_field_row_bytes(&schema->fields[f]);
    }
    return r;
}

/* Strings are in the block's directory alone: reads so much of the block as that takes. */
static int read_strings(const struct source *source, struct record *record)
{
    const struct dls_schema *schema = source->schema;
    const struct dls_table_block *block = &source->place;
    struct dls_block_view view = {0};
    uint64_t available = dls_min64(block->length, 64 << 10), needed = 0;
    uint8_t *head = NULL;
    int r = dls_block_view_init(&view, schema, 0);

    while (r == 0) {
        dls_free(head);
        head = dls_alloc(DLS_MEM_SHARD, available);
        r = head ? dls_file_read(source->fd, source->shard->path, head, available, block->offset) : -ENOMEM;
        if (r < 0)
            break;
        r = dls_block_view_open_head(&view, head, available, block->length, &needed);
        if (r != -EMSGSIZE)
            break;
        available = needed;
        r = 0;
    }
    if (r == 0)
        r = dls_set_check_block(source->set, source->shard, source->block, block, &view);
    for (uint32_t f = 0; r == 0 && f < schema->count; f++) {
        size_t length;
        if (schema->fields[f].type != DLS_FIELD_STRING)
            continue;
        const uint8_t *text = dls_block_inline(&view, f, source->in_block, &length);
        r = keep(record, f, text, length);
    }
    if (r < 0)
        dls_err_context(r, "block %" PRIu32 " at offset %" PRIu64, source->block, block->offset);
    dls_block_view_free(&view);
    dls_free(head);
    return r;
}

static int has_strings(const struct dls_schema *schema)
{
    for (uint32_t f = 0; f < schema->count; f++)
        if (schema->fields[f].type == DLS_FIELD_STRING)
            return 1;
    return 0;
}

static int find_source(struct dls_dataset *set, uint64_t number, struct source *source)
{
    uint32_t index = dls_set_find_record(set, number);
    int r = dls_set_shard(set, index, &source->shard);

    if (r < 0)
        return r;
    source->in_shard = number - set->manifest.shards[index].first_record;
    r = dls_set_table(set, index, source->in_shard, &source->block, &source->place);
    if (r < 0)
        return r;
    source->in_block = (uint32_t)(source->in_shard - source->place.first_record);
    return dls_file_open(source->shard->path, &source->fd);
}

static int read_record(struct dls_dataset *set, uint64_t number, struct record *record)
{
    struct source source = {.set = set, .schema = &set->manifest.schema, .fd = -1};
    int r = find_source(set, number, &source);

    if (r < 0)
        return r;
    record->view.shard = dls_set_find_record(set, number);
    record->view.offset = source.place.offset;
    r = read_row(&source, record);
    if (r == 0 && has_strings(source.schema))
        r = read_strings(&source, record);
    close(source.fd);
    return r < 0 ? dls_err_context(r, "'%s', record %" PRIu64, source.shard->path, number) : 0;
}

int dls_set_read(struct dls_dataset *dataset, uint64_t number, dls_record **ret_record)
{
    uint32_t fields = dataset->manifest.schema.count;
    struct record *record;
    dls_record *view;
    int r = -ENOMEM;

    if (number >= dataset->manifest.records)
        return dls_err(ERANGE, "record %" PRIu64 ": '%s' has %" PRIu64, number, dataset->path,
                       dataset->manifest.records);
    record = dls_alloc(DLS_MEM_SHARD, sizeof(*record));
    if (!record)
        return r;
    view = &record->view;
    view->number = number;
    view->fields = fields;
    record->values = dls_alloc_array(DLS_MEM_SHARD, fields, sizeof(*record->values));
    record->memory = dls_alloc_array(DLS_MEM_SHARD, fields, sizeof(*record->memory));
    view->values = record->values;
    if (record->values && record->memory)
        r = read_record(dataset, number, record);
    if (r < 0) {
        dls_set_record_free(&view);
        return r;
    }
    *ret_record = view;
    return 0;
}

void dls_set_record_free(dls_record **view)
{
    struct record *record = (struct record *)*view;

    if (!record)
        return;
    for (uint32_t f = 0; record->memory && f < record->view.fields; f++)
        dls_free(record->memory[f]);
    dls_free(record->memory);
    dls_free(record->values);
    dls_free(record);
    *view = NULL;
}

int dls_set_read_key(struct dls_dataset *dataset, uint64_t number, char *ret_key, size_t size)
{
    struct source source = {.set = dataset, .schema = &dataset->manifest.schema, .fd = -1};
    dls_value values[DLS_FIELDS_MAX] = {0};
    uint8_t *memory[DLS_FIELDS_MAX] = {0};
    struct record record = {.values = values, .memory = memory};
    size_t length = 0;
    int r, key = source.schema->key;

    if (key < 0)
        return 0;
    if (number >= dataset->manifest.records)
        return dls_err(ERANGE, "record %" PRIu64 ": '%s' has %" PRIu64, number, dataset->path, dataset->manifest.records);
    r = find_source(dataset, number, &source);
    if (r < 0)
        return r;
    r = read_strings(&source, &record);
    close(source.fd);
    if (r == 0) {
        length = values[key].length < size ? values[key].length : size;
        memcpy(ret_key, values[key].data, length);
    }
    for (uint32_t f = 0; f < source.schema->count; f++)
        dls_free(memory[f]);
    return r < 0 ? r : (int)length;
}
