/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/layout.h"

#include "base/err.h"

#include <string.h>

uint32_t dls_field_row_bytes(const struct dls_schema_field *field)
{
    switch (field->type) {
    case DLS_FIELD_IMAGE:
    case DLS_FIELD_BYTES:
        return DLS_CELL_BYTES;
    case DLS_FIELD_INT64:
        return field->count * 8;
    case DLS_FIELD_FLOAT32:
        return field->count * 4;
    case DLS_FIELD_STRING:
        break;
    }
    return 0;
}

uint32_t dls_schema_row_bytes(const struct dls_schema *schema)
{
    uint32_t bytes = 0;
    for (uint32_t f = 0; f < schema->count; f++)
        bytes += dls_field_row_bytes(&schema->fields[f]);
    return bytes;
}

static bool name_char_ok(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

static int check_name(const struct dls_schema *schema, const char *name, size_t length)
{
    if (length < 1 || length > DLS_FIELD_NAME_MAX)
        return dls_err(EINVAL, "field %u: its name has %zu bytes, not 1 to %u", schema->count, length,
                       DLS_FIELD_NAME_MAX);
    for (size_t i = 0; i < length; i++)
        if (!name_char_ok(name[i]))
            return dls_err(EINVAL, "field %u: byte 0x%02x in its name; allowed are letters, digits, '_', '.', '-'",
                           schema->count, (unsigned char)name[i]);
    for (uint32_t f = 0; f < schema->count; f++)
        if (strlen(schema->fields[f].name) == length && memcmp(schema->fields[f].name, name, length) == 0)
            return dls_err(EINVAL, "fields %u and %u are both named '%s'", f, schema->count, schema->fields[f].name);
    return 0;
}

int dls_schema_add(struct dls_schema *schema, const char *name, size_t name_length, uint32_t type, uint32_t count)
{
    if (schema->count >= DLS_FIELDS_MAX)
        return dls_err(EINVAL, "more than %u fields", DLS_FIELDS_MAX);
    int r = check_name(schema, name, name_length);
    if (r < 0)
        return r;
    if (type < DLS_FIELD_IMAGE || type > DLS_FIELD_FLOAT32)
        return dls_err(EINVAL, "field %u: there is no type %u", schema->count, type);
    bool number = type == DLS_FIELD_INT64 || type == DLS_FIELD_FLOAT32;
    if (number ? count < 1 || count > 255 : count != 0)
        return dls_err(EINVAL, "field %u: count %u; number fields have 1 to 255, others 0", schema->count, count);
    struct dls_schema_field *field = &schema->fields[schema->count++];
    memset(field, 0, sizeof(*field));
    memcpy(field->name, name, name_length);
    field->type = (dls_field_type)type;
    field->count = count;
    return 0;
}

static int first_of(const struct dls_schema *schema, dls_field_type type, const char *name)
{
    for (uint32_t f = 0; f < schema->count; f++)
        if (schema->fields[f].type == type && (!name || strcmp(schema->fields[f].name, name) == 0))
            return (int)f;
    return -1;
}

int dls_schema_complete(struct dls_schema *schema)
{
    if (schema->count == 0)
        return dls_err(EINVAL, "a schema needs at least one field");
    schema->image = first_of(schema, DLS_FIELD_IMAGE, NULL);
    schema->label = first_of(schema, DLS_FIELD_INT64, "label");
    schema->key = first_of(schema, DLS_FIELD_STRING, "key");
    if (dls_schema_row_bytes(schema) > DLS_PAGE_ROWS_BYTES)
        return dls_err(EINVAL, "a row of the record table would have %u bytes; at most %u are possible",
                       dls_schema_row_bytes(schema), DLS_PAGE_ROWS_BYTES);
    return 0;
}

bool dls_schema_equal(const struct dls_schema *a, const struct dls_schema *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t f = 0; f < a->count; f++)
        if (strcmp(a->fields[f].name, b->fields[f].name) != 0 || a->fields[f].type != b->fields[f].type ||
            a->fields[f].count != b->fields[f].count)
            return false;
    return true;
}
