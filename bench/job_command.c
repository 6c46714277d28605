/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <dlshards/common.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "common/interrupt.h"
#include "job.h"
#include "json.h"
#include "run.h"
#include "text.h"

struct job_options {
    const char *section;
    bool parse_only, showcmd, json, quiet;
};

#define AT(member) offsetof(struct job_options, member)

const struct tool_option bench_job_options[] = {
    {.name = "section",
     .kind = TOOL_TEXT,
     .argument = "NAME",
     .at = AT(section),
     .preset_note = "all of them",
     .help = "Run this job only."},
    {.name = "parse-only",
     .kind = TOOL_FLAG,
     .at = AT(parse_only),
     .help = "Check the file and run nothing."},
    {.name = "showcmd",
     .kind = TOOL_FLAG,
     .at = AT(showcmd),
     .help = "Print the command of each job and run nothing."},
    TOOL_OPTION_JSON(struct job_options),
    TOOL_OPTION_QUIET(struct job_options),
    {0},
};
const size_t bench_job_config_bytes = sizeof(struct job_options);

struct jobs {
    struct bench_job *list;
    size_t count;
};

static int load(const struct tool_call *call, const struct ini_file *file, const struct tool_command *run,
                struct jobs *ret_jobs)
{
    const struct job_options *options = call->config;
    int r = 0;

    ret_jobs->list = dls_alloc_array(DLS_MEM_TOOL, file->count, sizeof(*ret_jobs->list));
    if (!ret_jobs->list)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < file->count; i++)
        if (!options->section || !strcmp(options->section, file->jobs[i].name))
            r = bench_job_from(call->operands[0], &file->jobs[i], run,
                               call->count > 1 ? call->operands[1] : NULL,
                               &ret_jobs->list[ret_jobs->count++]);
    if (r == 0 && ret_jobs->count == 0)
        r = dls_err(ENOENT, "'%s': there is no job '%s'", call->operands[0], options->section);
    return r;
}

/* One job: its result printed as text, or put into `results`. */
static int run_job(const struct tool_call *call, const struct bench_job *job, const struct tool_command *run,
                   json_t *results)
{
    const struct job_options *options = call->config;
    const char *operands[] = {job->dataset};
    struct tool_call one = {call->tool, run, job->config, operands, 1};
    struct bench_settings settings;
    struct bench_result result;
    int code = bench_settings_from(&one, &settings);

    if (code != TOOL_OK) {
        tool_say(call, "job '%s' cannot be run", job->name);
        return code;
    }
    if (options->quiet || results)
        settings.progress = TOOL_PROGRESS_NONE;
    int r = bench_run(&settings, interrupt_setup(), &result);
    if (results && result.elapsed_ns)
        json_array_append_new(
            results, json_pack("{s:s, s:o}", "job", job->name, "result", bench_result_json(&result)));
    else if (result.elapsed_ns) {
        printf("%s: ", job->name);
        bench_print_text(&result, stdout);
        fflush(stdout);
    }
    if (r < 0) {
        tool_say(call, "job '%s': %s", job->name, result.error_text);
        code = TOOL_FAILED;
    } else if (result.end == BENCH_END_SIGNAL) {
        code = TOOL_INTERRUPTED;
    }
    bench_result_free(&result);
    return code;
}

static int run_all(const struct tool_call *call, const struct jobs *jobs, const struct tool_command *run)
{
    const struct job_options *options = call->config;
    json_t *results = options->json ? json_array() : NULL;
    int worst = TOOL_OK;

    for (size_t i = 0; i < jobs->count && worst != TOOL_INTERRUPTED; i++) {
        int code = run_job(call, &jobs->list[i], run, results);
        worst = code > worst ? code : worst;
    }
    if (results) {
        json_t *all = json_pack("{s:s, s:s, s:O}", "schema", "dls-bench-jobs-1", "version", dls_version(),
                                "jobs", results);
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(all);
        json_decref(results);
    }
    return worst;
}

int bench_command_job(const struct tool_call *call)
{
    const struct job_options *options = call->config;
    const struct tool_command *run = call->tool->commands;
    struct ini_file file;
    struct jobs jobs = {0};
    int code = TOOL_OK;

    while (strcmp(run->name, "run") != 0)
        run++;
    int r = ini_load(call->operands[0], &file);
    if (r == 0)
        r = load(call, &file, run, &jobs);
    if (r < 0) {
        tool_say(call, "%s", dls_err_text());
        code = TOOL_FAILED;
    } else if (options->showcmd) {
        for (size_t i = 0; i < jobs.count; i++)
            bench_job_print(&jobs.list[i], stdout);
    } else if (!options->parse_only) {
        code = run_all(call, &jobs, run);
    }
    for (size_t i = 0; i < jobs.count; i++)
        bench_job_free(&jobs.list[i]);
    dls_free(jobs.list);
    ini_free(&file);
    return code;
}
