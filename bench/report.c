/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "report_page.h"

struct report_options {
    const char *output;
};

const struct tool_option bench_report_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .argument = "FILE",
     .at = offsetof(struct report_options, output),
     .preset_note = "the standard output",
     .help = "Write the page to FILE, in place of what it holds."},
    {0},
};
const size_t bench_report_config_bytes = sizeof(struct report_options);

/* A temporary file beside `path` that takes its place once it is whole. */
static int write_file(const struct bench_results *results, const char *path)
{
    char temporary[4096];
    mode_t mask = umask(0);
    int r;

    umask(mask);
    if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
        return dls_err(ENAMETOOLONG, "'%s'", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return dls_err_sys(errno, "'%s'", temporary);
    fchmod(fd, 0666 & ~mask);
    FILE *out = fdopen(fd, "w");
    errno = 0;
    r = bench_report_write(results, out);
    if (fclose(out) != 0 || r < 0)
        r = dls_err_sys(errno ? errno : EIO, "'%s'", temporary);
    if (r == 0 && rename(temporary, path) != 0)
        r = dls_err_sys(errno, "'%s'", path);
    if (r < 0)
        unlink(temporary);
    return r;
}

int bench_command_report(const struct tool_call *call)
{
    const struct report_options *options = call->config;
    struct bench_results results = {0};
    int r = 0;

    for (unsigned i = 0; r == 0 && i < call->count; i++)
        r = bench_results_load(call->operands[i], &results);
    if (r == 0 && results.count == 0 && !results.sweeps)
        r = dls_err(EINVAL, "'%s': no result in it", call->operands[0]);
    if (r == 0 && options->output)
        r = write_file(&results, options->output);
    else if (r == 0)
        bench_report_write(&results, stdout); /* whether it arrived is looked at for all commands */
    if (r < 0)
        tool_say(call, "%s", dls_err_text());
    bench_results_free(&results);
    return r < 0 ? TOOL_FAILED : TOOL_OK;
}
