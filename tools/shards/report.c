/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/report.h"

#include "base/err.h"
#include "common/quote.h"

#include <string.h>

#define SAID_MOST 10 /* of a kind that is no error */

int report_open(struct report *report, const char *path)
{
    report->path = path;
    if (!path)
        return 0;
    /* "x": a name typed wrongly must not cost the user a file. */
    report->file = fopen(path, "wxe");
    return report->file ? 0 : dls_err_sys(errno, "--report: '%s'", path);
}

/* Hidden files are too common for a line each, and so is what there is a lot of: the summary counts them. */
static bool said(const struct report *report, enum problem_kind kind)
{
    return problem_is_error(kind) ||
           (!report->quiet && kind != PROBLEM_HIDDEN && report->count[kind] <= SAID_MOST);
}

void report_add(struct report *report, enum problem_kind kind, const char *path, const char *text,
                const char *action)
{
    report->count[kind]++;
    if (said(report, kind)) {
        tool_progress_clear(report->progress);
        tool_say(report->call, "%s: '%s/%s': %s%s", action, report->root, path, text,
                 !problem_is_error(kind) && report->count[kind] == SAID_MOST
                     ? " (others of this kind are only counted)"
                     : "");
    }
    if (!report->file)
        return;
    fputs("{\"path\":", report->file);
    tool_put_json(report->file, path, strlen(path));
    fprintf(report->file, ",\"kind\":\"%s\",\"message\":", problem_name(kind));
    tool_put_json(report->file, text, strlen(text));
    fprintf(report->file, ",\"action\":\"%s\"}\n", action);
}

int report_close(struct report *report)
{
    int failed, r = 0;

    if (!report->file)
        return 0;
    failed = ferror(report->file);
    errno = 0;
    if (fclose(report->file) != 0 || failed)
        r = dls_err_sys(errno ? errno : EIO, "--report: '%s'", report->path);
    report->file = NULL;
    return r;
}
