/* SPDX-License-Identifier: Apache-2.0 */
/* Says what is wrong with files: a line each on stderr, and a JSON object each in the report file. */
#ifndef TOOLS_SHARDS_REPORT_H
#define TOOLS_SHARDS_REPORT_H

#include "common/progress.h"
#include "shards/problem.h"

struct report {
    const struct tool_call *call;
    struct tool_progress *progress; /* taken off the terminal's line before a message */
    bool quiet;                     /* errors alone on stderr */
    const char *path;               /* of the report file; NULL if there is none */
    FILE *file;
    const char *root; /* the source, for messages */
    uint64_t count[PROBLEM_KINDS];
};

/* Starts a report; `path` may be NULL. A file that exists is not overwritten. */
int report_open(struct report *report, const char *path);
/* `action`: "failed", "skipped", "kept" or "passed over". */
void report_add(struct report *report, enum problem_kind kind, const char *path, const char *text,
                const char *action);
/* Writes what is pending: 0, or the errno of a report file that could not be written. */
int report_close(struct report *report);

#endif
