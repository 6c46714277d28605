/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "advice.h"
#include "base/err.h"
#include "base/thread.h"
#include "common/emit.h"
#include "common/interrupt.h"
#include "common/options.h"
#include "run.h"

struct advise_options {
    double trainer_ms, trainer_rate;
    uint64_t seconds_ns;
    const char *folder;
    bool json, quiet;
};

/* Start-up and the first window's filling are not what lasts. */
#define RAMP_NS 1000000000

#define AT(member) offsetof(struct advise_options, member)

const struct tool_option bench_advise_options[] = {
    {.name = "trainer-ms",
     .kind = TOOL_REAL,
     .argument = "MS",
     .at = AT(trainer_ms),
     .help = "What the trainer needs for a batch of --batch pictures (see run); 0: not known."},
    {.name = "trainer-rate",
     .kind = TOOL_REAL,
     .argument = "N",
     .at = AT(trainer_rate),
     .help = "The same as images a second."},
    {.name = "folder",
     .kind = TOOL_TEXT,
     .argument = "DIR",
     .at = AT(folder),
     .help = "The pictures as files, on the same disk: measures reading them one by one as well, and with "
             "how many workers."},
    {.name = "seconds",
     .letter = 's',
     .kind = TOOL_TIME,
     .argument = "TIME",
     .at = AT(seconds_ns),
     .preset = "3s",
     .least = 1000000,
     .help = "Length of each measurement."},
    TOOL_OPTION_JSON(struct advise_options),
    TOOL_OPTION_QUIET(struct advise_options),
    {0},
};
const size_t bench_advise_config_bytes = sizeof(struct advise_options);

/* One run with the options behind "--", changed by `change`. */
struct wish {
    const char *data;
    bool read_only, files;
    uint64_t threads;
};

static int measure(const struct tool_call *call, const struct bench_options *base, const struct wish *wish,
                   struct bench_result *ret_result)
{
    const struct advise_options *options = call->config;
    struct bench_options changed = *base;
    struct bench_settings settings;
    struct tool_call run = *call;

    changed.read_only = wish->read_only;
    changed.seconds_ns = options->seconds_ns;
    if (!changed.ramp_ns)
        changed.ramp_ns = RAMP_NS;
    if (wish->threads)
        changed.threads = wish->threads;
    run.config = &changed;
    run.operands = &wish->data;
    run.count = 1;
    int code = bench_settings_from(&run, &settings);
    if (code != TOOL_OK)
        return code;
    settings.files = wish->files;
    settings.progress = TOOL_PROGRESS_NONE;
    if (wish->files) { /* the classic loader makes bytes; a folder that is worth packing is larger than memory
                        */
        settings.params.direct = DLS_DIRECT_ON;
        settings.params.dtype = DLS_DTYPE_UINT8;
        settings.params.layout = DLS_LAYOUT_NHWC;
    }
    int r = bench_run(&settings, interrupt_setup(), ret_result);
    if (r < 0) {
        tool_say(call, "%s", ret_result->error_text);
        return TOOL_FAILED;
    }
    return ret_result->end == BENCH_END_SIGNAL ? TOOL_INTERRUPTED : TOOL_OK;
}

static double rate(uint64_t count, uint64_t ns)
{
    return ns ? (double)count * 1e9 / (double)ns : 0;
}

static int measure_disk(const struct tool_call *call, const struct bench_options *base,
                        struct bench_advice *advice)
{
    struct bench_result result = {0};
    int code = measure(call, base, &(struct wish){.data = call->operands[0], .read_only = true}, &result);

    if (code == TOOL_OK) {
        advice->record_bytes =
            result.dataset.records ? (double)result.dataset.bytes / (double)result.dataset.records : 0;
        advice->disk_bytes = rate(result.stats.read.bytes, result.elapsed_ns);
        advice->disk = advice->record_bytes > 0 ? advice->disk_bytes / advice->record_bytes : 0;
    }
    bench_result_free(&result);
    return code;
}

/* What the decoder could do is told by what a picture costs a thread, however much it has to wait. */
static int measure_decoder(const struct tool_call *call, const struct bench_options *base,
                           struct bench_advice *advice)
{
    struct bench_result result = {0};
    int code = measure(call, base, &(struct wish){.data = call->operands[0]}, &result);

    if (code == TOOL_OK) {
        advice->loader = rate(result.images, result.elapsed_ns);
        advice->threads = result.stats.decode.threads;
        advice->decoder_thread = rate(result.stats.decode.items, result.stats.decode.busy_ns);
        advice->batch = result.params.batch_size;
    }
    bench_result_free(&result);
    return code;
}

static int measure_folder(const struct tool_call *call, const struct bench_options *base,
                          struct bench_advice *advice)
{
    const struct advise_options *options = call->config;
    struct bench_options changed = *base;
    int code = TOOL_OK;

    if (!options->folder)
        return TOOL_OK;
    changed.batch = base->batch ? base->batch : 64;
    for (uint32_t workers = 1; workers <= 16 && code == TOOL_OK; workers *= 2) {
        struct bench_result result = {0};
        code = measure(call, &changed,
                       &(struct wish){.data = options->folder, .files = true, .threads = workers}, &result);
        if (code == TOOL_OK)
            advice->folder[advice->folder_count++] =
                (struct bench_folder_rate){workers, rate(result.images, result.elapsed_ns)};
        bench_result_free(&result);
    }
    return code;
}

static void print_line(void *user, const char *text)
{
    struct tool_emit *emit = user;

    if (emit->json)
        tool_emit_text(emit, NULL, text);
    else
        printf("- %s\n", text);
}

static void show(const struct tool_call *call, const struct bench_advice *advice)
{
    const struct advise_options *options = call->config;
    struct tool_emit emit;

    tool_emit_start(&emit, stdout, options->json);
    if (options->json)
        tool_emit_text(&emit, "schema", "dls-bench-advise-1");
    tool_emit_real(&emit, "disk_images_per_second", advice->disk, 1);
    tool_emit_real(&emit, "disk_mb_per_second", advice->disk_bytes / 1e6, 1);
    tool_emit_real(&emit, "record_bytes", advice->record_bytes, 0);
    tool_emit_count(&emit, "threads", advice->threads);
    tool_emit_real(&emit, "decoder_images_per_second", advice->decoder_thread * advice->threads, 1);
    tool_emit_real(&emit, "loader_images_per_second", advice->loader, 1);
    tool_emit_real(&emit, "trainer_images_per_second", advice->trainer > 0 ? advice->trainer : NAN, 1);
    if (options->json) {
        tool_emit_array(&emit, "folder");
        for (size_t i = 0; i < advice->folder_count; i++) {
            tool_emit_object(&emit, NULL);
            tool_emit_count(&emit, "workers", advice->folder[i].workers);
            tool_emit_real(&emit, "images_per_second", advice->folder[i].images, 1);
            tool_emit_close(&emit);
        }
        tool_emit_close(&emit);
    } else {
        for (size_t i = 0; i < advice->folder_count; i++)
            tool_emit_line(&emit, "files, %2u worker%s %.1f images/s", advice->folder[i].workers,
                           advice->folder[i].workers == 1 ? " " : "s", advice->folder[i].images);
    }
    if (options->json)
        tool_emit_array(&emit, "advice");
    bench_advice_say(advice, print_line, &emit);
    if (options->json)
        tool_emit_close(&emit);
    tool_emit_end(&emit);
}

int bench_command_advise(const struct tool_call *call)
{
    const struct advise_options *options = call->config;
    const struct tool_command run = {.name = "run",
                                     .operands = "",
                                     .options = bench_run_options,
                                     .config_bytes = sizeof(struct bench_options)};
    struct bench_options base = {0};
    struct tool_complaint complaint;
    enum tool_asked asked;
    unsigned operands;
    struct bench_advice advice = {.cpus = dls_cpu_count()};

    if (options->trainer_ms < 0 || options->trainer_rate < 0 ||
        (options->trainer_ms > 0 && options->trainer_rate > 0))
        return tool_misuse(call,
                           "--trainer-ms and --trainer-rate are 0 or more, and one of them at most is given");
    if (!tool_parse(&run, (int)call->count - 1, (char **)call->operands + 1, &base, &operands, &asked,
                    &complaint))
        return tool_misuse(call, "%s", complaint.text);
    int code = measure_disk(call, &base, &advice);
    if (code == TOOL_OK)
        code = measure_decoder(call, &base, &advice);
    if (code == TOOL_OK)
        code = measure_folder(call, &base, &advice);
    if (code != TOOL_OK)
        return code;
    advice.trainer =
        options->trainer_ms > 0 ? advice.batch * 1000 / options->trainer_ms : options->trainer_rate;
    show(call, &advice);
    return TOOL_OK;
}
