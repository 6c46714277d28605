/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "common/emit.h"
#include "difference.h"
#include "results.h"

struct compare_options {
    bool json;
};

const struct tool_option bench_compare_options[] = {TOOL_OPTION_JSON(struct compare_options), {0}};
const size_t bench_compare_config_bytes = sizeof(struct compare_options);

/* What is compared, and which way is better. */
static const struct {
    const char *path, *label, *unit;
    double scale;
    int better; /* 1: more, -1: less */
} measures[] = {
    {"run.images_per_second", "images", "/s", 1, 1},
    {"run.read_bytes_per_second", "read", "MB/s", 1e-6, 1},
    {"cpu.seconds_per_1000_images", "cpu", "s/1000 images", 1, -1},
    {"cpu.seconds_per_gb_read", "cpu", "s/GB", 1, -1},
    {"run.first_batch_seconds", "first batch", "s", 1, -1},
    {"stages.consume.wait_in_share", "trainer waits", "%", 100, -1},
    {"stages.read.latency_ns.p99", "read p99", "ms", 1e-6, -1},
    {"cpu.peak_rss_bytes", "memory", "MB", 1e-6, -1},
};

/* A difference below this is none that anybody would act on. */
#define SAME 0.01

/* Results differ for a reason where one of these does. */
static const char *const circumstances[] = {"environment", "dataset.uuid", "settings", "engine.name"};

/* One value a run where there are runs enough; else, for rates, the stretches of time within the runs. */
enum source { FROM_RUNS, FROM_EPOCHS, FROM_STRETCHES };

static const char *const source_names[] = {"runs", "epochs", "stretches of time"};

struct values {
    double *list;
    size_t count, room;
};

static void put(struct values *values, double value)
{
    if (!isfinite(value))
        return;
    if (values->count == values->room) {
        size_t room = values->room ? values->room * 2 : 64;
        double *list = dls_realloc(DLS_MEM_TOOL, values->list, room * sizeof(*list));
        if (!list)
            return;
        values->list = list;
        values->room = room;
    }
    values->list[values->count++] = value;
}

static void put_list(struct values *values, const json_t *list, const char *member, bool only_whole)
{
    size_t i;
    json_t *item;

    json_array_foreach(list, i, item)
    {
        if (only_whole &&
            (!json_is_true(json_object_get(item, "whole")) || (i == 0 && json_array_size(list) > 3)))
            continue;
        put(values, bench_number_at(item, member));
    }
}

static void gather(const struct bench_results *results, const char *path, enum source source,
                   struct values *values)
{
    const char *member = strrchr(path, '.') + 1;

    values->count = 0;
    for (size_t i = 0; i < results->count; i++) {
        const json_t *result = results->list[i].result;
        if (source == FROM_RUNS)
            put(values, bench_number_at(result, path));
        else if (source == FROM_EPOCHS)
            put_list(values, bench_at(result, "run.epochs"), member, true);
        else
            put_list(values, bench_at(result, "run.samples"), member, false);
    }
}

/* The finest source is not the best: stretches of one run are not independent of each other. */
static enum source choose(const struct bench_results sides[2], const char *path, struct values values[2])
{
    bool rate = !strncmp(path, "run.", 4) && strstr(path, "per_second");

    for (int source = FROM_RUNS; source <= (rate ? FROM_STRETCHES : FROM_RUNS); source++) {
        for (int side = 0; side < 2; side++)
            gather(&sides[side], path, (enum source)source, &values[side]);
        if (values[0].count >= 3 && values[1].count >= 3)
            return (enum source)source;
    }
    for (int side = 0; side < 2; side++)
        gather(&sides[side], path, FROM_RUNS, &values[side]);
    return FROM_RUNS;
}

static const char *verdict(const struct bench_difference *difference, int better)
{
    if (difference->low > 1 - SAME && difference->high < 1 + SAME)
        return "the same";
    if (!difference->certain)
        return "not to be told from noise";
    return difference->certain == better ? "better" : "worse";
}

static void show_spread(struct tool_emit *emit, const char *name, const struct bench_spread *spread)
{
    tool_emit_object(emit, name);
    tool_emit_count(emit, "values", spread->count);
    tool_emit_real(emit, "least", spread->least, 3);
    tool_emit_real(emit, "median", spread->median, 3);
    tool_emit_real(emit, "most", spread->most, 3);
    tool_emit_close(emit);
}

static void show(struct tool_emit *emit, size_t m, enum source source, struct values values[2])
{
    struct bench_spread spread[2];
    struct bench_difference difference;

    if (!values[0].count || !values[1].count)
        return;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < values[side].count; i++)
            values[side].list[i] *= measures[m].scale;
        bench_spread_of(values[side].list, values[side].count, &spread[side]);
    }
    if (!(spread[0].least > 0))
        return; /* no ratio to nothing */
    bench_difference_of(values[0].list, values[0].count, values[1].list, values[1].count, &difference);
    if (emit->json) {
        tool_emit_object(emit, NULL);
        tool_emit_text(emit, "measure", measures[m].path);
        tool_emit_text(emit, "unit", measures[m].unit);
        tool_emit_text(emit, "values_of", source_names[source]);
        show_spread(emit, "base", &spread[0]);
        show_spread(emit, "new", &spread[1]);
        tool_emit_real(emit, "ratio", difference.ratio, 4);
        tool_emit_real(emit, "ratio_low", difference.low, 4);
        tool_emit_real(emit, "ratio_high", difference.high, 4);
        tool_emit_text(emit, "verdict", verdict(&difference, measures[m].better));
        tool_emit_close(emit);
        return;
    }
    printf("%-14s %-13s %10.3f (%.3f-%.3f)  %10.3f (%.3f-%.3f)  x%.3f (%.3f-%.3f)  %s; %zu and %zu %s\n",
           measures[m].label, measures[m].unit, spread[0].median, spread[0].least, spread[0].most,
           spread[1].median, spread[1].least, spread[1].most, difference.ratio, difference.low,
           difference.high, verdict(&difference, measures[m].better), spread[0].count, spread[1].count,
           source_names[source]);
}

/* Names each member that the first results of both sides have differently. */
static void show_difference(struct tool_emit *emit, const char *path, const json_t *base, const json_t *new)
{
    const char *name;
    json_t *value;
    char longer[256];

    if (json_equal(base, new))
        return;
    if (json_is_object(base) && json_is_object(new)) {
        json_object_foreach((json_t *)base, name, value)
        {
            snprintf(longer, sizeof(longer), "%s.%s", path, name);
            show_difference(emit, longer, value, json_object_get(new, name));
        }
        return;
    }
    char *was = base ? json_dumps(base, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    char *is = new ? json_dumps(new, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    if (emit->json) {
        tool_emit_object(emit, NULL);
        tool_emit_text(emit, "member", path);
        tool_emit_text(emit, "base", was ? was : "");
        tool_emit_text(emit, "new", is ? is : "");
        tool_emit_close(emit);
    } else {
        printf("differs: %s: %s, %s\n", path, was ? was : "nothing", is ? is : "nothing");
    }
    free(was);
    free(is);
}

static void show_all(const struct tool_call *call, const struct bench_results sides[2])
{
    const struct compare_options *options = call->config;
    struct values values[2] = {0};
    struct tool_emit emit = {.out = stdout, .json = options->json};

    if (emit.json) {
        tool_emit_start(&emit, stdout, true);
        tool_emit_text(&emit, "schema", "dls-bench-compare-1");
        tool_emit_array(&emit, "measures");
    } else {
        printf("median (least-most): %s, %s; ratio (95 %% of resampled ratios)\n", call->operands[0],
               call->operands[1]);
    }
    for (size_t m = 0; m < sizeof(measures) / sizeof(measures[0]); m++) {
        enum source source = choose(sides, measures[m].path, values);
        show(&emit, m, source, values);
    }
    if (emit.json) {
        tool_emit_close(&emit);
        tool_emit_array(&emit, "differs");
    }
    for (size_t i = 0; i < sizeof(circumstances) / sizeof(circumstances[0]); i++)
        show_difference(&emit, circumstances[i], bench_at(sides[0].list[0].result, circumstances[i]),
                        bench_at(sides[1].list[0].result, circumstances[i]));
    if (emit.json) {
        tool_emit_close(&emit);
        tool_emit_end(&emit);
    }
    dls_free(values[0].list);
    dls_free(values[1].list);
}

int bench_command_compare(const struct tool_call *call)
{
    struct bench_results sides[2] = {0};
    int code = TOOL_OK;

    for (int side = 0; side < 2 && code == TOOL_OK; side++) {
        if (bench_results_load(call->operands[side], &sides[side]) < 0) {
            tool_say(call, "%s", dls_err_text());
            code = TOOL_FAILED;
        } else if (sides[side].count == 0) {
            tool_say(call, "'%s': no result in it", call->operands[side]);
            code = TOOL_FAILED;
        }
    }
    if (code == TOOL_OK)
        show_all(call, sides);
    bench_results_free(&sides[0]);
    bench_results_free(&sides[1]);
    return code;
}
