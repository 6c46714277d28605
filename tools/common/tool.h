/* SPDX-License-Identifier: Apache-2.0 */
/* A command-line tool as tables: its commands, and for each command its options. Parsing, --help,
 * --long-options (for completions) and --mdoc (for the manual page) all read the same rows, so that they
 * cannot disagree. */
#ifndef TOOLS_COMMON_TOOL_H
#define TOOLS_COMMON_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What every tool exits with; 130 after SIGINT, as shells say it. */
enum {
    TOOL_OK = 0,
    TOOL_FAILED = 1,
    TOOL_USAGE = 2,
    TOOL_INTERRUPTED = 130,
};

/* What an option's value is and what it is kept as in the command's config struct. */
enum tool_kind {
    TOOL_FLAG,   /* bool: true when given */
    TOOL_COUNT,  /* uint64_t */
    TOOL_BYTES,  /* uint64_t; 4k, 8MiB, 2G */
    TOOL_TIME,   /* uint64_t nanoseconds; 500ms, 30s, 2m */
    TOOL_REAL,   /* double; least and most are not checked */
    TOOL_CHOICE, /* int: the index of the word among those of `argument`, which are parted by '|' */
    TOOL_TEXT,   /* const char *: the argument itself */
};

/* One option. Rows end with a row whose name is NULL. Members left out are 0. */
struct tool_option {
    const char *name; /* without the dashes */
    char letter;      /* of the short form, or 0 */
    enum tool_kind kind;
    const char *argument;    /* as help shows it: "N", "SIZE", "FILE", "fail|skip"; NULL for a flag */
    size_t at;               /* offsetof() its place in the config struct */
    const char *preset;      /* the default, in the words a user would type; NULL: zeros */
    const char *preset_note; /* shown as the default in place of `preset`: "the CPUs of this process" */
    const char *unit;        /* shown with the range: "bytes", "pictures"; may be NULL */
    uint64_t least, most;    /* COUNT, BYTES, TIME: allowed range; most 0 = no limit */
    uint64_t multiple;       /* COUNT, BYTES: a value must be a multiple of it, if not 0 */
    const char *help;        /* a sentence or two, without a default or range, which are put behind it */
};

struct tool;
struct tool_command;

/* One run of one command. */
struct tool_call {
    const struct tool *tool;
    const struct tool_command *command;
    const void *config;          /* filled from the presets and the command line */
    const char *const *operands; /* what is not an option, in order */
    unsigned count;
};

struct tool_command {
    const char *name;
    const char *operands; /* names as help shows them: "SRC OUT"; "" for none */
    unsigned least, most; /* how many operands */
    const char *summary;  /* one line, no full stop */
    const char *details;  /* lines below the summary in help; may be NULL */
    const struct tool_option *options;
    size_t config_bytes;                      /* size of the config struct */
    int (*run)(const struct tool_call *call); /* returns one of the exit codes above */
};

struct tool {
    const char *name;
    const char *summary;
    const struct tool_command *commands; /* ends with a row whose name is NULL */
};

/* The whole main(): returns the exit code. Also checks that what was printed reached the standard output. */
int tool_main(const struct tool *tool, int argc, char **argv);

/* "tool command: message" on stderr; bytes that would disturb a terminal are shown as \xNN. */
void tool_say(const struct tool_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As tool_say(), with a hint at --help behind; returns TOOL_USAGE. For what the table cannot check. */
int tool_misuse(const struct tool_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rows that several commands share; `type` is the config struct, which needs the member named here. */
#define TOOL_OPTION_JSON(type)                                                                               \
    {                                                                                                        \
        .name = "json", .kind = TOOL_FLAG, .at = offsetof(type, json),                                       \
        .help = "Print JSON in place of text."                                                               \
    }
#define TOOL_OPTION_THREADS(type)                                                                            \
    {                                                                                                        \
        .name = "threads", .letter = 'j', .kind = TOOL_COUNT, .argument = "N",                               \
        .at = offsetof(type, threads), .least = 1, .most = 1024,                                             \
        .preset_note = "the CPUs this process may use", .help = "Work with N threads."                       \
    }
#define TOOL_OPTION_QUIET(type)                                                                              \
    {                                                                                                        \
        .name = "quiet", .letter = 'q', .kind = TOOL_FLAG, .at = offsetof(type, quiet),                      \
        .help = "Print errors and nothing else."                                                             \
    }
#define TOOL_OPTION_PROGRESS(type)                                                                           \
    {                                                                                                        \
        .name = "progress", .kind = TOOL_CHOICE, .argument = "auto|bar|json|none",                           \
        .at = offsetof(type, progress), .preset = "auto",                                                    \
        .help = "Show progress on stderr: as a bar, as a JSON object a line for programs, or not at all; "   \
                "auto is a "                                                                                 \
                "bar if stderr is a terminal."                                                               \
    }

#endif
