/* SPDX-License-Identifier: Apache-2.0 */
#include "common/tool.h"

#include "base/mem.h"
#include "common/help.h"
#include "common/options.h"
#include "common/quote.h"

#include <dlshards/version.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

static void print_line(const char *tool, const char *command, const char *format, va_list args)
{
    char text[8192];
    int length = vsnprintf(text, sizeof(text), format, args);

    if (length < 0)
        return;
    if ((size_t)length >= sizeof(text))
        length = sizeof(text) - 1;
    flockfile(stderr);
    fprintf(stderr, "%s%s%s: ", tool, command ? " " : "", command ? command : "");
    tool_put_shown(stderr, text, (size_t)length);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void tool_say(const struct tool_call *call, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line(call->tool->name, call->command ? call->command->name : NULL, format, args);
    va_end(args);
}

int tool_misuse(const struct tool_call *call, const char *format, ...)
{
    const char *command = call->command ? call->command->name : NULL;
    va_list args;

    va_start(args, format);
    print_line(call->tool->name, command, format, args);
    va_end(args);
    fprintf(stderr, "Try '%s%s%s --help'.\n", call->tool->name, command ? " " : "", command ? command : "");
    return TOOL_USAGE;
}

/* What was printed may still be in memory: a full disk or a closed pipe shows only now. */
static int flush_output(const struct tool_call *call, int exit_code)
{
    int failed = ferror(stdout);

    errno = 0;
    if (fflush(stdout) == 0 && !failed)
        return exit_code;
    tool_say(call, "cannot write to the standard output: %s", strerror(errno ? errno : EIO));
    return exit_code == TOOL_OK ? TOOL_FAILED : exit_code;
}

static int run_command(struct tool_call *call, int argc, char **argv)
{
    const struct tool_command *command = call->command;
    void *config = dls_alloc(DLS_MEM_TOOL, command->config_bytes);
    enum tool_asked asked = TOOL_ASKED_RUN;
    struct tool_complaint complaint;
    int exit_code = TOOL_OK;

    if (!config) {
        tool_say(call, "out of memory");
        return TOOL_FAILED;
    }
    if (!tool_parse(command, argc, argv, config, &call->count, &asked, &complaint)) {
        exit_code = tool_misuse(call, "%s", complaint.text);
    } else if (asked == TOOL_ASKED_HELP) {
        tool_print_command_help(call->tool, command, stdout);
    } else if (asked == TOOL_ASKED_LONG_OPTIONS) {
        tool_print_long_options(command, stdout);
    } else if (asked == TOOL_ASKED_MDOC) {
        tool_print_mdoc(command, stdout);
    } else {
        call->config = config;
        call->operands = (const char *const *)argv;
        exit_code = command->run(call);
    }
    exit_code = flush_output(call, exit_code);
    dls_free(config);
    return exit_code;
}

/* What is closed of 0, 1 and 2 would be given to the next file that is opened, and a message be written into
 * a shard. Its place is taken by something that can be neither read nor written. */
static void take_closed_places(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/", O_PATH | O_CLOEXEC) < 0)
            return;
}

int tool_main(const struct tool *tool, int argc, char **argv)
{
    struct tool_call call = {.tool = tool};
    const char *name = argc > 1 ? argv[1] : NULL;

    take_closed_places();
    if (!name) {
        tool_print_help(tool, stderr);
        return TOOL_USAGE;
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
        tool_print_help(tool, stdout);
    else if (!strcmp(name, "--version"))
        printf("%s %s\n", tool->name, DLS_VERSION_STRING);
    else if (!strcmp(name, "--commands"))
        tool_print_commands(tool, stdout);
    else {
        for (const struct tool_command *command = tool->commands; command->name; command++)
            if (!strcmp(command->name, name)) {
                call.command = command;
                return run_command(&call, argc - 2, argv + 2);
            }
        return tool_misuse(&call, "'%s' is not a command", name);
    }
    return flush_output(&call, TOOL_OK);
}
