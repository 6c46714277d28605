/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "common/emit.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "common/units.h"
#include "difference.h"
#include "job.h"
#include "run.h"

#define LIST_MOST 16
#define ROUNDS_MOST 64
/* A setting is good enough if it gives this much of the best. */
#define ENOUGH 0.95

struct sweep_options {
    const char *depth, *io_size, *threads;
    uint64_t rounds, seconds_ns;
    bool json, quiet;
};

#define AT(member) offsetof(struct sweep_options, member)

const struct tool_option bench_sweep_options[] = {
    {.name = "depth",
     .letter = 'd',
     .kind = TOOL_TEXT,
     .argument = "N,...",
     .at = AT(depth),
     .preset = "1,4,16,64",
     .help = "Reads in flight."},
    {.name = "io-size",
     .kind = TOOL_TEXT,
     .argument = "SIZE,...",
     .at = AT(io_size),
     .preset = "128k,1M",
     .help = "Longest single reads."},
    {.name = "threads",
     .letter = 'j',
     .kind = TOOL_TEXT,
     .argument = "N,...",
     .at = AT(threads),
     .preset_note = "the CPUs this process may use",
     .help = "Decode threads."},
    {.name = "rounds",
     .kind = TOOL_COUNT,
     .argument = "N",
     .at = AT(rounds),
     .least = 1,
     .most = ROUNDS_MOST,
     .preset = "3",
     .help = "Measure each point N times, a round over all of them after the other."},
    {.name = "seconds",
     .letter = 's',
     .kind = TOOL_TIME,
     .argument = "TIME",
     .at = AT(seconds_ns),
     .preset = "2s",
     .least = 1000000,
     .help = "Length of each run."},
    TOOL_OPTION_JSON(struct sweep_options),
    TOOL_OPTION_QUIET(struct sweep_options),
    {0},
};
const size_t bench_sweep_config_bytes = sizeof(struct sweep_options);

struct list {
    uint64_t values[LIST_MOST];
    size_t count;
};

struct point {
    uint64_t depth, io_size, threads;
    double values[ROUNDS_MOST];
    struct bench_spread spread;
};

struct sweep {
    struct bench_options base;
    const char *dataset;
    struct point *points;
    size_t count;
    bool read_only;
};

/* "1,4,16": each as `run` takes it for the option of this name. */
static bool parse_list(const struct tool_call *call, const char *name, const char *text,
                       struct list *ret_list)
{
    char word[32];
    struct tool_complaint complaint;

    ret_list->count = 0;
    while (text) {
        const char *comma = strchr(text, ',');
        size_t length = comma ? (size_t)(comma - text) : strlen(text);
        struct bench_options options = {0};
        char argument[64], *arguments[1] = {argument};
        enum tool_asked asked;
        unsigned operands;
        const struct tool_command run = {
            .operands = "", .options = bench_run_options, .config_bytes = sizeof(options)};
        if (length >= sizeof(word) || ret_list->count == LIST_MOST) {
            tool_misuse(call, "--%s: too long: expected at most %d values", name, LIST_MOST);
            return false;
        }
        memcpy(word, text, length);
        word[length] = '\0';
        snprintf(argument, sizeof(argument), "--%s=%s", name, word);
        if (!tool_parse(&run, 1, arguments, &options, &operands, &asked, &complaint)) {
            tool_misuse(call, "%s", complaint.text);
            return false;
        }
        ret_list->values[ret_list->count++] = !strcmp(name, "depth")     ? options.depth
                                              : !strcmp(name, "threads") ? options.threads
                                                                         : options.io_size;
        text = comma ? comma + 1 : NULL;
    }
    return true;
}

/* The options behind "--" are those of `run`. */
static int parse_base(const struct tool_call *call, struct sweep *sweep)
{
    const struct tool_command run = {
        .name = "run", .operands = "", .options = bench_run_options, .config_bytes = sizeof(sweep->base)};
    struct tool_complaint complaint;
    enum tool_asked asked;
    unsigned operands;

    if (!tool_parse(&run, (int)call->count - 1, (char **)call->operands + 1, &sweep->base, &operands, &asked,
                    &complaint))
        return tool_misuse(call, "%s", complaint.text);
    sweep->base.seconds_ns = ((const struct sweep_options *)call->config)->seconds_ns;
    sweep->base.quiet = true;
    sweep->read_only = sweep->base.read_only;
    sweep->dataset = call->operands[0];
    return TOOL_OK;
}

static int lay_out(const struct tool_call *call, struct sweep *sweep)
{
    const struct sweep_options *options = call->config;
    struct list depths, sizes, threads = {.count = 1};

    if (!parse_list(call, "depth", options->depth, &depths) ||
        !parse_list(call, "io-size", options->io_size, &sizes) ||
        (options->threads && !parse_list(call, "threads", options->threads, &threads)))
        return TOOL_USAGE;
    sweep->points =
        dls_alloc_array(DLS_MEM_TOOL, depths.count * sizes.count * threads.count, sizeof(*sweep->points));
    if (!sweep->points) {
        tool_say(call, "out of memory");
        return TOOL_FAILED;
    }
    for (size_t t = 0; t < threads.count; t++)
        for (size_t s = 0; s < sizes.count; s++)
            for (size_t d = 0; d < depths.count; d++)
                sweep->points[sweep->count++] = (struct point){
                    .depth = depths.values[d], .io_size = sizes.values[s], .threads = threads.values[t]};
    return TOOL_OK;
}

static int measure(const struct tool_call *call, const struct sweep *sweep, struct point *point,
                   double *ret_value)
{
    struct bench_options options = sweep->base;
    struct tool_call run = *call;
    struct bench_settings settings;
    struct bench_result result;

    options.depth = point->depth;
    options.io_size = point->io_size;
    options.threads = point->threads;
    run.config = &options;
    run.count = 1;
    int code = bench_settings_from(&run, &settings);
    if (code != TOOL_OK)
        return code;
    settings.progress = TOOL_PROGRESS_NONE;
    int r = bench_run(&settings, interrupt_setup(), &result);
    if (r < 0) {
        tool_say(call, "%s", result.error_text);
        code = TOOL_FAILED;
    } else if (result.end == BENCH_END_SIGNAL) {
        code = TOOL_INTERRUPTED;
    }
    double seconds = (double)result.elapsed_ns / 1e9;
    if (code == TOOL_OK)
        *ret_value = sweep->read_only ? (double)result.stats.read.bytes / 1e6 / seconds
                                      : (double)result.images / seconds;
    point->threads = result.stats.decode.threads ? result.stats.decode.threads : point->threads;
    bench_result_free(&result);
    return code;
}

/* Of the points that give enough, the one with the fewest bytes in flight, then the fewest threads. */
static const struct point *find_knee(const struct sweep *sweep, const struct point **ret_best)
{
    const struct point *best = sweep->points, *knee = NULL;

    for (size_t i = 1; i < sweep->count; i++)
        if (sweep->points[i].spread.median > best->spread.median)
            best = &sweep->points[i];
    for (size_t i = 0; i < sweep->count; i++) {
        const struct point *point = &sweep->points[i];
        if (point->spread.median < ENOUGH * best->spread.median)
            continue;
        uint64_t bytes = point->depth * point->io_size;
        if (!knee || point->threads < knee->threads ||
            (point->threads == knee->threads && bytes < knee->depth * knee->io_size))
            knee = point;
    }
    *ret_best = best;
    return knee;
}

static void emit_point(struct tool_emit *emit, const char *name, const struct point *point)
{
    tool_emit_object(emit, name);
    tool_emit_count(emit, "depth", point->depth);
    tool_emit_count(emit, "io_size", point->io_size);
    tool_emit_count(emit, "threads", point->threads);
    tool_emit_real(emit, "median", point->spread.median, 3);
    tool_emit_real(emit, "least", point->spread.least, 3);
    tool_emit_real(emit, "most", point->spread.most, 3);
    tool_emit_close(emit);
}

static void show(const struct tool_call *call, const struct sweep *sweep)
{
    const struct sweep_options *options = call->config;
    const char *unit = sweep->read_only ? "MB/s" : "images/s";
    const struct point *best, *knee = find_knee(sweep, &best);
    char size[TOOL_UNIT_ROOM], verdict[256];

    snprintf(verdict, sizeof(verdict),
             "depth %llu with reads of %s and %llu thread%s is enough: %.0f %s, %.0f %% of the best",
             (unsigned long long)knee->depth, tool_exact_bytes(knee->io_size, size),
             (unsigned long long)knee->threads, knee->threads == 1 ? "" : "s", knee->spread.median, unit,
             100 * knee->spread.median / best->spread.median);
    if (options->json) {
        struct tool_emit emit;
        tool_emit_start(&emit, stdout, true);
        tool_emit_text(&emit, "schema", "dls-bench-sweep-1");
        tool_emit_text(&emit, "unit", unit);
        tool_emit_count(&emit, "rounds", options->rounds);
        tool_emit_array(&emit, "points");
        for (size_t i = 0; i < sweep->count; i++)
            emit_point(&emit, NULL, &sweep->points[i]);
        tool_emit_close(&emit);
        emit_point(&emit, "best", best);
        emit_point(&emit, "knee", knee);
        tool_emit_text(&emit, "verdict", verdict);
        tool_emit_end(&emit);
        return;
    }
    printf("%8s %8s %8s  %s, median (least-most) of %llu\n", "depth", "io-size", "threads", unit,
           (unsigned long long)options->rounds);
    for (size_t i = 0; i < sweep->count; i++) {
        const struct point *point = &sweep->points[i];
        char spread[64];
        int bar = (int)(30 * point->spread.median / best->spread.median + 0.5);
        snprintf(spread, sizeof(spread), "%.1f (%.1f-%.1f)", point->spread.median, point->spread.least,
                 point->spread.most);
        printf("%8llu %8s %8llu  %-28s %.*s%s\n", (unsigned long long)point->depth,
               tool_exact_bytes(point->io_size, size), (unsigned long long)point->threads, spread, bar,
               "##############################", point == knee ? " <" : "");
    }
    printf("%s\n", verdict);
}

int bench_command_sweep(const struct tool_call *call)
{
    const struct sweep_options *options = call->config;
    struct sweep sweep = {0};
    int code = parse_base(call, &sweep);

    if (code == TOOL_OK)
        code = lay_out(call, &sweep);
    for (uint64_t round = 0; round < options->rounds && code == TOOL_OK; round++) {
        for (size_t i = 0; i < sweep.count && code == TOOL_OK; i++) {
            /* The order rotates, so that no point always follows the same one. */
            struct point *point = &sweep.points[(i + round) % sweep.count];
            code = measure(call, &sweep, point, &point->values[round]);
        }
        if (!options->quiet && code == TOOL_OK)
            tool_say(call, "round %llu of %llu", (unsigned long long)round + 1,
                     (unsigned long long)options->rounds);
    }
    for (size_t i = 0; i < sweep.count && code == TOOL_OK; i++)
        bench_spread_of(sweep.points[i].values, options->rounds, &sweep.points[i].spread);
    if (code == TOOL_OK)
        show(call, &sweep);
    dls_free(sweep.points);
    return code;
}
