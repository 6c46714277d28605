/* SPDX-License-Identifier: Apache-2.0 */
/* How well each order shuffles a dataset, and what it costs: dls_loader_quality() for some orders side by
 * side. */
#include "commands.h"

#include <dlshards/dlshards.h>
#include <inttypes.h>
#include <jansson.h>

#include "text.h"

struct quality_options {
    uint64_t batch, window, memory, seed;
    int order;
    bool json;
};

#define AT(member) offsetof(struct quality_options, member)
#define ROWS_MOST 8

const struct tool_option bench_quality_options[] = {
    {.name = "batch",
     .letter = 'b',
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(batch),
     .least = 1,
     .most = 65536,
     .preset_note = "256, or all there are",
     .unit = "pictures",
     .help = "Pictures in a batch of one rank."},
    {.name = "order",
     .kind = TOOL_CHOICE,
     .argument = "auto|window|none|full",
     .at = AT(order),
     .preset = "auto",
     .help = "One order alone; auto: what the loader would take, and others to compare with."},
    {.name = "window",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(window),
     .least = 1,
     .most = 4096,
     .unit = "blocks",
     .preset_note = "what half the memory holds twice, at most 24",
     .help = "Blocks that are shuffled together."},
    {.name = "memory",
     .letter = 'm',
     .kind = TOOL_BYTES,
     .argument = "SIZE",
     .at = AT(memory),
     .preset_note = "1 GiB, or a quarter of the memory allowed if that is less",
     .help = "All that a loader may hold."},
    {.name = "seed",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(seed),
     .preset_note = "0",
     .help = "Of the order."},
    TOOL_OPTION_JSON(struct quality_options),
    {0},
};
const size_t bench_quality_config_bytes = sizeof(struct quality_options);

struct table {
    dls_dataset_info info;
    dls_quality rows[ROWS_MOST];
    size_t count;
};

static int add_row(dls_dataset *dataset, dls_loader_params params, dls_order order, uint32_t window,
                   struct table *table)
{
    params.order = order;
    params.window_blocks = window;
    int r = dls_loader_quality(dataset, &params, &table->rows[table->count]);

    table->count += r == 0;
    return r;
}

/* Rows that do not fit the memory are left out, but for the one that was asked for. */
static int fill(dls_dataset *dataset, const struct quality_options *options, struct table *table)
{
    static const uint32_t windows[] = {1, 4, 64};
    dls_loader_params params;

    dls_dataset_get_info(dataset, &table->info);
    dls_loader_params_init(&params);
    params.seed = options->seed;
    params.memory_bytes = options->memory;
    params.world = 1;
    params.no_decode = 1;
    params.tail = DLS_TAIL_PAD;
    params.batch_size = options->batch              ? (uint32_t)options->batch
                        : table->info.records < 256 ? (uint32_t)table->info.records
                                                    : 256;
    int r = add_row(dataset, params, (dls_order)options->order, (uint32_t)options->window, table);
    if (r < 0 || options->order != DLS_ORDER_AUTO)
        return r;
    const dls_quality *chosen = &table->rows[0];
    add_row(dataset, params, DLS_ORDER_NONE, 0, table);
    for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++)
        if (chosen->order != DLS_ORDER_WINDOW || windows[i] < chosen->window_blocks ||
            (windows[i] > chosen->window_blocks && chosen->window_blocks < table->info.blocks))
            add_row(dataset, params, DLS_ORDER_WINDOW, windows[i], table);
    if (chosen->order != DLS_ORDER_FULL)
        add_row(dataset, params, DLS_ORDER_FULL, 0, table);
    return 0;
}

static void print_text(const struct tool_call *call, const struct table *table)
{
    printf("dls-bench quality: %s\n", call->operands[0]);
    printf("  dataset  : %" PRIu64 " records, %" PRIu64 " blocks, %u shards, %u classes, %s\n",
           table->info.records, table->info.blocks, table->info.shards, table->info.classes,
           table->info.shuffled ? "shuffled" : "not shuffled: taken to lie class after class");
    printf(
        "  batch    : %u; a true permutation gives %.1f classes in it and %.3f %% of mates together again\n",
        table->rows[0].batch_size, table->rows[0].classes_expected, 100 * table->rows[0].mates_expected);
    printf("  %-8s %7s %10s %9s %7s %8s %7s\n", "order", "window", "memory", "classes", "ratio", "mates",
           "lag");
    for (size_t i = 0; i < table->count; i++) {
        const dls_quality *row = &table->rows[i];
        double ratio = row->classes_expected > 0 ? row->classes / row->classes_expected : 1;
        printf("  %-8s ", bench_order_name((dls_order)row->order));
        if (row->order == DLS_ORDER_WINDOW)
            printf("%7u", row->window_blocks);
        else
            printf("%7s", "-");
        printf(" %7.1f MB %9.1f %7.3f %6.2f %% %7.3f%s\n", (double)row->window_bytes / 1e6, row->classes,
               ratio, 100 * row->mates, row->lag,
               i == 0 && table->count > 1 ? "  <- what the loader takes" : "");
    }
}

static int print_json(const struct tool_call *call, const struct table *table)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < table->count; i++) {
        const dls_quality *row = &table->rows[i];
        json_array_append_new(rows, json_pack("{s:s, s:I, s:I, s:f, s:f, s:f, s:f, s:f}", "order",
                                              bench_order_name((dls_order)row->order), "window",
                                              (json_int_t)row->window_blocks, "window_bytes",
                                              (json_int_t)row->window_bytes, "classes", row->classes,
                                              "classes_expected", row->classes_expected, "mates", row->mates,
                                              "mates_expected", row->mates_expected, "lag", row->lag));
    }
    json_t *json =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:b, s:I, s:o}", "schema", "dls-bench-quality-1", "dataset",
                  call->operands[0], "records", (json_int_t)table->info.records, "blocks",
                  (json_int_t)table->info.blocks, "classes", (json_int_t)table->info.classes, "shuffled",
                  table->info.shuffled, "batch", (json_int_t)table->rows[0].batch_size, "orders", rows);
    if (!json) {
        tool_say(call, "out of memory, or the dataset's name is not UTF-8");
        return TOOL_FAILED;
    }
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stdout);
    json_decref(json);
    return TOOL_OK;
}

int bench_command_quality(const struct tool_call *call)
{
    const struct quality_options *options = call->config;
    struct table table = {.count = 0};
    dls_dataset *dataset = NULL;
    int code = TOOL_OK, r = dls_dataset_open(call->operands[0], &dataset);

    if (r == 0)
        r = fill(dataset, options, &table);
    if (r < 0) {
        tool_say(call, "%s", dls_last_error());
        code = TOOL_FAILED;
    } else if (options->json) {
        code = print_json(call, &table);
    } else {
        print_text(call, &table);
    }
    dls_dataset_close(&dataset);
    return code;
}
