/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "common/interrupt.h"
#include "common/quote.h"
#include "decode/decode.h"
#include "shards/commands.h"
#include "shards/walk.h"

#include <errno.h>

struct ls_config {
    const char *class_name, *match;
    uint64_t limit;
    bool details, json;
};

static const struct tool_option options[] = {
    {.name = "class",
     .letter = 'c',
     .kind = TOOL_TEXT,
     .argument = "NAME",
     .at = offsetof(struct ls_config, class_name),
     .help = "Only records of this class."},
    {.name = "match",
     .kind = TOOL_TEXT,
     .argument = "PATTERN",
     .at = offsetof(struct ls_config, match),
     .help = "Only records whose key matches this pattern of the shell's: * is any text, / included."},
    {.name = "limit",
     .letter = 'n',
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = offsetof(struct ls_config, limit),
     .preset_note = "all",
     .help = "Stop after N records."},
    {.name = "long",
     .letter = 'l',
     .kind = TOOL_FLAG,
     .at = offsetof(struct ls_config, details),
     .help = "Print number, label, codec, size in pixels and in bytes before each key."},
    TOOL_OPTION_JSON(struct ls_config),
    {0},
};

struct ls {
    const struct ls_config *config;
    struct walk_filter filter;
    uint64_t shown;
};

#define ENOUGH 1

static void print_json(const struct walk_item *item)
{
    printf("{\"number\":%llu,\"key\":", (unsigned long long)item->number);
    tool_put_json(stdout, item->key, item->key_length);
    printf(",\"label\":%lld,\"shard\":%u,\"offset\":%llu,\"codec\":\"%s\",\"width\":%u,\"height\":%u,"
           "\"orientation\":%u,"
           "\"bytes\":%u,\"stored\":%u}\n",
           (long long)item->label, item->at->shard,
           (unsigned long long)(item->at->offset + item->image.offset),
           dls_codec_name((dls_codec)item->image.codec), item->image.width, item->image.height,
           item->image.orientation, item->image.raw, item->image.stored);
}

static int print_item(void *user, const struct walk_item *item)
{
    struct ls *ls = user;

    if (interrupted() || ferror(stdout))
        return ENOUGH;
    if (!walk_filter_takes(&ls->filter, item))
        return 0;
    if (ls->config->json) {
        print_json(item);
    } else {
        if (ls->config->details)
            printf("%8llu  %5lld  %-5s  %5u x %-5u  %9u  ", (unsigned long long)item->number,
                   (long long)item->label, dls_codec_name((dls_codec)item->image.codec), item->image.width,
                   item->image.height, item->image.raw);
        tool_put_shown(stdout, item->key, item->key_length);
        putchar('\n');
    }
    return ls->config->limit && ++ls->shown == ls->config->limit ? ENOUGH : 0;
}

static int ls_main(const struct tool_call *call)
{
    struct ls ls = {.config = call->config};
    struct dls_dataset *dataset = NULL;

    interrupt_setup();
    int r = dls_set_open(call->operands[0], &dataset);
    if (r == -ENOENT)
        r = dls_err_context(r, "not a dataset");
    ls.filter = (struct walk_filter){.class_name = ls.config->class_name, .match = ls.config->match};
    if (r == 0)
        r = walk_filter_init(&ls.filter, dataset);
    if (r == 0)
        r = walk_records(dataset, false, print_item, &ls);
    dls_set_close(&dataset);
    if (r < 0) {
        tool_say(call, "%s", dls_err_text());
        return TOOL_FAILED;
    }
    return interrupted() ? interrupt_exit_code() : TOOL_OK;
}

const struct tool_command shards_ls = {
    .name = "ls",
    .operands = "DATASET",
    .least = 1,
    .most = 1,
    .summary = "Lists the records: their keys, and with --long what they are",
    .details = "In stored order, a line each; only the directories of the blocks are read.",
    .options = options,
    .config_bytes = sizeof(struct ls_config),
    .run = ls_main,
};
