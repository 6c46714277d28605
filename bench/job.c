/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "common/options.h"

/* What fio calls it, and what we do. */
static const struct {
    const char *fio, *ours;
} aliases[] = {
    {"bs", "io-size"},    {"blocksize", "io-size"}, {"iodepth", "depth"},   {"ioengine", "engine"},
    {"loops", "epochs"},  {"ramp_time", "ramp"},    {"runtime", "seconds"}, {"randseed", "seed"},
    {"numjobs", "ranks"}, {"directory", "dataset"},
};

/* Likewise for values. */
static const struct {
    const char *name, *fio, *ours;
} value_aliases[] = {
    {"engine", "io_uring", "uring"},
    {"direct", "1", "on"},
    {"direct", "0", "off"},
};

static const char *own_name(const char *name)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (!strcmp(name, aliases[i].fio))
            return aliases[i].ours;
    return name;
}

static const char *own_value(const char *name, const char *value)
{
    for (size_t i = 0; value && i < sizeof(value_aliases) / sizeof(value_aliases[0]); i++)
        if (!strcmp(name, value_aliases[i].name) && !strcmp(value, value_aliases[i].fio))
            return value_aliases[i].ours;
    return value;
}

static const struct tool_option *find_option(const struct tool_command *command, const char *name)
{
    for (const struct tool_option *option = command->options; option->name; option++)
        if (!strcmp(option->name, name))
            return option;
    return NULL;
}

/* "1" or nothing switches a flag on, "0" off: so that a job can take back what [global] says. */
static int flag_value(const char *value)
{
    if (!value || !strcmp(value, "1"))
        return 1;
    return strcmp(value, "0") == 0 ? 0 : -1;
}

static bool is_last(const struct ini_job *ini, size_t i)
{
    for (size_t j = i + 1; j < ini->count; j++)
        if (!strcmp(own_name(ini->settings[j].name), own_name(ini->settings[i].name)))
            return false;
    return true;
}

/* Turns one setting into an argument, or none for a flag that is off. */
static int add_argument(const char *path, const struct ini_job *ini, const struct ini_setting *setting,
                        const struct tool_command *run, struct bench_job *job)
{
    const char *name = own_name(setting->name), *value = own_value(name, setting->value);
    const struct tool_option *option = find_option(run, name);
    int flag = 1;

    if (!strcmp(name, "dataset")) {
        job->dataset = value;
        return 0;
    }
    if (!strcmp(name, "description"))
        return 0;
    if (!option)
        return dls_err(EINVAL, "'%s', line %u, job '%s': 'dls-bench run' has no option '%s'", path,
                       setting->line, ini->name, setting->name);
    if (option->kind == TOOL_FLAG) {
        flag = flag_value(value);
        value = NULL;
    } else if (!value) {
        return dls_err(EINVAL, "'%s', line %u, job '%s': %s needs a value: %s=%s", path, setting->line,
                       ini->name, setting->name, setting->name, option->argument);
    }
    if (flag < 0)
        return dls_err(EINVAL, "'%s', line %u, job '%s': %s is 1 or 0, not '%s'", path, setting->line,
                       ini->name, setting->name, setting->value);
    if (flag == 0)
        return 0;
    size_t size = strlen(name) + (value ? strlen(value) : 0) + 4;
    char *argument = dls_alloc(DLS_MEM_TOOL, size);
    if (!argument)
        return -ENOMEM;
    snprintf(argument, size, "--%s%s%s", name, value ? "=" : "", value ? value : "");
    job->argv[job->argc++] = argument;
    return 0;
}

/* Has the arguments parsed, as those of a command line. The parser moves them, so it gets a list of its own.
 */
static int parse(const char *path, const struct ini_job *ini, const struct tool_command *run,
                 struct bench_job *job)
{
    struct tool_complaint complaint;
    enum tool_asked asked;
    unsigned operands;
    int r = 0;

    char **list = dls_alloc_array(DLS_MEM_TOOL, (size_t)job->argc, sizeof(*list));
    job->config = dls_alloc(DLS_MEM_TOOL, run->config_bytes);
    if (!list || !job->config) {
        r = -ENOMEM;
    } else {
        memcpy(list, job->argv, (size_t)job->argc * sizeof(*list));
        if (!tool_parse(run, job->argc, list, job->config, &operands, &asked, &complaint))
            r = dls_err(EINVAL, "'%s', line %u, job '%s': %s", path, ini->line, ini->name, complaint.text);
    }
    dls_free(list);
    return r;
}

int bench_job_from(const char *path, const struct ini_job *ini, const struct tool_command *run,
                   const char *dataset, struct bench_job *ret_job)
{
    struct bench_job *job = ret_job;
    int r = 0;

    *job = (struct bench_job){.name = ini->name};
    job->argv = dls_alloc_array(DLS_MEM_TOOL, ini->count + 3, sizeof(*job->argv));
    if (!job->argv)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < ini->count; i++)
        if (is_last(ini, i))
            r = add_argument(path, ini, &ini->settings[i], run, job);
    if (r < 0)
        return r;
    if (dataset)
        job->dataset = dataset;
    if (!job->dataset || !job->dataset[0])
        return dls_err(
            EINVAL,
            "'%s', line %u, job '%s': there is no dataset: give one as dataset=DIR or behind the file", path,
            ini->line, ini->name);
    job->argv[job->argc++] = dls_strndup(DLS_MEM_TOOL, "--", 2);
    job->argv[job->argc++] = dls_strndup(DLS_MEM_TOOL, job->dataset, strlen(job->dataset));
    if (!job->argv[job->argc - 2] || !job->argv[job->argc - 1])
        return -ENOMEM;
    return parse(path, ini, run, job);
}

void bench_job_free(struct bench_job *job)
{
    for (int i = 0; i < job->argc; i++)
        dls_free(job->argv[i]);
    dls_free(job->argv);
    dls_free(job->config);
    *job = (struct bench_job){0};
}

static void print_quoted(const char *text, FILE *out)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+";

    if (text[0] && !text[strspn(text, safe)]) {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

void bench_job_print(const struct bench_job *job, FILE *out)
{
    fputs("dls-bench run", out);
    for (int i = 0; i < job->argc; i++) {
        fputc(' ', out);
        print_quoted(job->argv[i], out);
    }
    fputc('\n', out);
}
