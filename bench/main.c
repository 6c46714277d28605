/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "commands.h"
#include "common/interrupt.h"
#include "common/quote.h"
#include "csv.h"
#include "json.h"
#include "run.h"
#include "text.h"

static void on_log(void *user, dls_log_level level, const char *message)
{
    static const char *const names[] = {"", "error", "warning", "info", "debug"};

    flockfile(stderr);
    fprintf(stderr, "dls-bench: %s: ", level <= DLS_LOG_DEBUG ? names[level] : "");
    tool_put_shown(stderr, message, strlen(message));
    fputc('\n', stderr);
    funlockfile(stderr);
}

static int print_json(const struct tool_call *call, const struct bench_result *result)
{
    json_t *json = bench_result_json(result);

    if (!json) {
        tool_say(call, "out of memory");
        return TOOL_FAILED;
    }
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stdout);
    json_decref(json);
    return TOOL_OK;
}

int bench_command_run(const struct tool_call *call)
{
    struct bench_settings settings;
    struct bench_result result;
    int code = bench_settings_from(call, &settings);

    if (code != TOOL_OK)
        return code;
    dls_set_log(on_log, NULL,
                settings.verbose ? DLS_LOG_DEBUG
                : settings.quiet ? DLS_LOG_NONE
                                 : DLS_LOG_WARNING);
    int r = bench_run(&settings, interrupt_setup(), &result);
    /* A run that never began has nothing to show but its error. */
    if (result.elapsed_ns) {
        if (settings.json)
            code = print_json(call, &result);
        else if (settings.csv)
            bench_print_csv(&result, stdout);
        else
            bench_print_text(&result, stdout);
    }
    if (r < 0) {
        tool_say(call, "%s", result.error_text);
        code = TOOL_FAILED;
    } else if (result.end == BENCH_END_SIGNAL && code == TOOL_OK) {
        code = TOOL_INTERRUPTED;
    }
    bench_result_free(&result);
    return code;
}

int main(int argc, char **argv)
{
    const struct tool_command commands[] = {
        {.name = "run",
         .operands = "DATASET",
         .least = 1,
         .most = 1,
         .summary = "Stream a dataset through the loader and say who waited for whom",
         .details = "The result goes to stdout; Ctrl-C ends the run early and still prints it.",
         .options = bench_run_options,
         .config_bytes = sizeof(struct bench_options),
         .run = bench_command_run},
        {.name = "job",
         .operands = "FILE DATASET",
         .least = 1,
         .most = 2,
         .summary = "Run the jobs of a file in fio's manner, one after the other",
         .details = "The settings of a job are the options of run. DATASET stands for the jobs' own.",
         .options = bench_job_options,
         .config_bytes = bench_job_config_bytes,
         .run = bench_command_job},
        {.name = "compare",
         .operands = "BASE NEW",
         .least = 2,
         .most = 2,
         .summary = "Compare two files of results, and tell a difference from noise",
         .details = "Both hold what run or job printed with --json, of one run or of several in a row.",
         .options = bench_compare_options,
         .config_bytes = bench_compare_config_bytes,
         .run = bench_command_compare},
        {.name = "report",
         .operands = "FILE...",
         .least = 1,
         .most = 1000,
         .summary = "Make a page with tables and plots of results",
         .details = "The page needs nothing but itself: no scripts, no network.",
         .options = bench_report_options,
         .config_bytes = bench_report_config_bytes,
         .run = bench_command_report},
        {.name = "sweep",
         .operands = "DATASET OPTION...",
         .least = 1,
         .most = 64,
         .summary =
             "Measure over reads in flight, read sizes and threads, and name the settings that are enough",
         .details =
             "Behind -- come options of run for all of the runs: sweep DATASET --depth=1,8 -- --read-only",
         .options = bench_sweep_options,
         .config_bytes = bench_sweep_config_bytes,
         .run = bench_command_sweep},
        {.name = "advise",
         .operands = "DATASET OPTION...",
         .least = 1,
         .most = 64,
         .summary = "Measure disk, decoder and trainer, and say what would lift the rate",
         .details = "Behind -- come options of run for all of the runs: advise DATASET -- --crop=random "
                    "--disk=hdd-7200",
         .options = bench_advise_options,
         .config_bytes = bench_advise_config_bytes,
         .run = bench_command_advise},
        {.name = "dataset",
         .operands = "PHOTOS FOLDER",
         .least = 2,
         .most = 2,
         .summary = "Make a folder of any number of photo-like JPEG files out of a few real photos",
         .details = "Always the same for a seed and a version of libjpeg, so that others can repeat what was "
                    "measured.",
         .options = bench_dataset_options,
         .config_bytes = bench_dataset_config_bytes,
         .run = bench_command_dataset},
        {.name = "decode",
         .operands = "FOLDER",
         .least = 1,
         .most = 1,
         .summary = "Decode the JPEG files of a folder from memory with bare libjpeg-turbo",
         .details = "The yardstick for decoding: all files are read first, then decoded whole to RGB, over "
                    "and over.",
         .options = bench_decode_options,
         .config_bytes = bench_decode_config_bytes,
         .run = bench_command_decode},
        {.name = "quality",
         .operands = "DATASET",
         .least = 1,
         .most = 1,
         .summary = "Say how well each order would shuffle a dataset",
         .details =
             "Nothing is read but the manifest. For each order: the memory of its window, different "
             "classes in a\n"
             "batch and their ratio to what a true permutation of all records gives, the share of batch "
             "mates\n"
             "that are together again in the next epoch, and how the places of neighbours in the source "
             "correlate.",
         .options = bench_quality_options,
         .config_bytes = bench_quality_config_bytes,
         .run = bench_command_quality},
        {.name = "sim",
         .operands = "PROFILE DIR MOUNTPOINT",
         .least = 3,
         .most = 3,
         .summary = "Show a folder as if it lay on an emulated disk, such as hdd-7200 or sata-ssd",
         .details =
             "Any program can read the files below MOUNTPOINT, each read taking as long as on that disk. It "
             "runs\n"
             "until it is unmounted or gets Ctrl-C or SIGTERM, and then reports what was read and whether "
             "its\n"
             "own replies were in time; if they were not, it exits with 1 and what was measured is void.",
         .options = bench_sim_options,
         .config_bytes = bench_sim_config_bytes,
         .run = bench_command_sim},
        {0},
    };
    const struct tool tool = {.name = "dls-bench",
                              .summary = "Measure what the disk, the decoder and the trainer can each do",
                              .commands = commands};

    return tool_main(&tool, argc, argv);
}
