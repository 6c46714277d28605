/* SPDX-License-Identifier: Apache-2.0 */
/* How far a long command has come, on stderr: a bar for people or JSON lines for programs. */
#ifndef TOOLS_COMMON_PROGRESS_H
#define TOOLS_COMMON_PROGRESS_H

#include "common/tool.h"

/* In the order of the words of TOOL_OPTION_PROGRESS. */
enum tool_progress_mode {
    TOOL_PROGRESS_AUTO, /* a bar if stderr is a terminal */
    TOOL_PROGRESS_BAR,
    TOOL_PROGRESS_JSON,
    TOOL_PROGRESS_NONE,
};

/* Thread-safety: one thread at a time. */
struct tool_progress {
    enum tool_progress_mode mode;      /* never AUTO once started */
    const char *what;                  /* the command's name */
    const char *items;                 /* what is counted: "files" */
    uint64_t total_items, total_bytes; /* 0: not known */
    uint64_t started, shown;           /* dls_now() */
    bool on_line;                      /* a bar stands on the current line of the terminal */
    char note[64];                     /* shown behind the rates of a bar; the caller may change it at any time */
};

/* The strings must outlive the progress. */
void tool_progress_start(struct tool_progress *progress, enum tool_progress_mode mode, const char *what,
                         const char *items, uint64_t total_items, uint64_t total_bytes);
/* Cheap enough to be called for every item: it prints at most six times a second (JSON: once a second). */
void tool_progress_update(struct tool_progress *progress, uint64_t items, uint64_t bytes);
/* Takes the bar off the line, before a message is printed; the next update draws it again. */
void tool_progress_clear(struct tool_progress *progress);
/* Shows the last state once more (JSON), or takes the bar away. */
void tool_progress_end(struct tool_progress *progress, uint64_t items, uint64_t bytes);

#endif
