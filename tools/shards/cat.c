/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "base/err.h"
#include "common/interrupt.h"
#include "shards/commands.h"
#include "shards/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cat_config {
    const char *field;
    bool number, force;
};

static const struct tool_option options[] = {
    {.name = "field",
     .letter = 'f',
     .kind = TOOL_TEXT,
     .argument = "NAME",
     .at = offsetof(struct cat_config, field),
     .preset = "image",
     .help = "Print this field. Numbers are printed as text, a line each."},
    {.name = "number",
     .letter = 'n',
     .kind = TOOL_FLAG,
     .at = offsetof(struct cat_config, number),
     .help = "KEY is a record's number in stored order, as ls --long shows it, not a key."},
    {.name = "force",
     .kind = TOOL_FLAG,
     .at = offsetof(struct cat_config, force),
     .help = "Print images to a terminal, too."},
    {0},
};

struct search {
    const char *key;
    uint64_t number, found;
};

static int find_key(void *user, const struct walk_item *item)
{
    struct search *search = user;

    if (interrupted())
        return -EINTR;
    if (item->key_length != strlen(search->key) || memcmp(item->key, search->key, item->key_length) != 0)
        return 0;
    search->number = item->number;
    search->found++;
    return 1;
}

static int find_record(const struct tool_call *call, struct dls_dataset *dataset, uint64_t *ret_number)
{
    const struct cat_config *config = call->config;
    struct search search = {.key = call->operands[1]};
    char *end;

    if (config->number) {
        errno = 0;
        *ret_number = strtoull(search.key, &end, 10);
        if (errno || *end || !*search.key || *search.key == '-')
            return dls_err(EINVAL, "'%s' is no record's number", search.key);
        return 0;
    }
    int r = walk_records(dataset, false, find_key, &search);
    if (r < 0)
        return r;
    if (!search.found)
        return dls_err(ENOENT, "'%s': there is no record with the key '%s'", call->operands[0], search.key);
    *ret_number = search.number;
    return 0;
}

static int find_field(const struct dls_schema *schema, const char *name)
{
    for (uint32_t i = 0; i < schema->count; i++)
        if (!strcmp(schema->fields[i].name, name))
            return (int)i;
    return -1;
}

static int print_value(const struct cat_config *config, const struct dls_schema_field *field,
                       const dls_value *value)
{
    const uint8_t *at = value->data;

    if (field->type == DLS_FIELD_INT64 || field->type == DLS_FIELD_FLOAT32) {
        for (uint32_t i = 0; i < field->count; i++) {
            float real;
            memcpy(&real, at + 4 * (size_t)i, field->type == DLS_FIELD_FLOAT32 ? sizeof(real) : 0);
            if (field->type == DLS_FIELD_INT64)
                printf("%lld\n", (long long)dls_get64(at + 8 * (size_t)i));
            else
                printf("%.9g\n", (double)real);
        }
        return 0;
    }
    if (field->type != DLS_FIELD_STRING && isatty(STDOUT_FILENO) && !config->force)
        return dls_err(EINVAL,
                       "field '%s' is binary and would go to a terminal: redirect it, or give --force",
                       field->name);
    fwrite(value->data, 1, value->length, stdout);
    return 0;
}

static int cat_main(const struct tool_call *call)
{
    const struct cat_config *config = call->config;
    struct dls_dataset *dataset = NULL;
    dls_record *record = NULL;
    uint64_t number = 0;
    int field = -1;

    interrupt_setup();
    int r = dls_set_open(call->operands[0], &dataset);
    if (r == -ENOENT)
        r = dls_err_context(r, "not a dataset");
    if (r == 0 && (field = find_field(dls_set_schema(dataset), config->field)) < 0)
        r = dls_err(ENOENT, "'%s': there is no field '%s'", call->operands[0], config->field);
    if (r == 0)
        r = find_record(call, dataset, &number);
    if (r == 0)
        r = dls_set_read(dataset, number, &record);
    if (r == 0)
        r = print_value(config, &dls_set_schema(dataset)->fields[field], &record->values[field]);
    dls_set_record_free(&record);
    dls_set_close(&dataset);
    if (interrupted())
        return interrupt_exit_code();
    if (r < 0) {
        tool_say(call, "%s", dls_err_text());
        return TOOL_FAILED;
    }
    return TOOL_OK;
}

const struct tool_command shards_cat = {
    .name = "cat",
    .operands = "DATASET KEY",
    .least = 2,
    .most = 2,
    .summary = "Prints one field of one record to the standard output",
    .details =
        "The image by default: the bytes of its file. Of equal keys the first in stored order is meant.",
    .options = options,
    .config_bytes = sizeof(struct cat_config),
    .run = cat_main,
};
