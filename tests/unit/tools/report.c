/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/report.h"

#include "support/support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>

static const struct tool tool = {.name = "t"};
static const struct tool_call call = {.tool = &tool};
static struct tool_progress progress;

static struct report make(void)
{
    return (struct report){.call = &call, .progress = &progress, .quiet = true, .root = "root"};
}

Test(report, every_line_is_an_object)
{
    const char *path = support_path(support_temp_dir(), "report");
    struct report report = make();
    json_t *row;
    char *text, *line;
    size_t length;

    cr_assert_eq(report_open(&report, path), 0);
    report_add(&report, PROBLEM_DAMAGED, "a/\"quoted\"\n.jpg", "cut off", "skipped");
    report_add(&report, PROBLEM_HIDDEN, "\xFF", "hidden", "passed over");
    cr_assert_eq(report_close(&report), 0);
    cr_expect_eq(report.count[PROBLEM_DAMAGED], 1);
    cr_expect_eq(report.count[PROBLEM_HIDDEN], 1);
    text = (char *)support_read_file(path, &length);
    line = strtok(text, "\n");
    row = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(row);
    cr_expect_str_eq(json_string_value(json_object_get(row, "path")), "a/\"quoted\"\n.jpg");
    cr_expect_str_eq(json_string_value(json_object_get(row, "kind")), "damaged");
    cr_expect_str_eq(json_string_value(json_object_get(row, "message")), "cut off");
    cr_expect_str_eq(json_string_value(json_object_get(row, "action")), "skipped");
    json_decref(row);
    line = strtok(NULL, "\n");
    row = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(row);
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(row, "path"), "hex")), "ff");
    json_decref(row);
    cr_expect_null(strtok(NULL, "\n"));
    free(text);
}

Test(report, a_file_that_exists_is_kept)
{
    const char *path = support_path(support_temp_dir(), "picture.jpg");
    struct report report = make();

    support_write_file(path, "keep", 4);
    cr_expect_eq(report_open(&report, path), -EEXIST);
    cr_expect_eq(report_close(&report), 0);
}

Test(report, without_a_file_problems_are_counted)
{
    struct report report = make();

    cr_assert_eq(report_open(&report, NULL), 0);
    report_add(&report, PROBLEM_LOOP, "x", "y", "passed over");
    cr_expect_eq(report.count[PROBLEM_LOOP], 1);
    cr_expect_eq(report_close(&report), 0);
}

Test(report, a_full_disk_is_told_at_the_end)
{
    struct report report = make();

    report.path = "/dev/full";
    report.file = fopen("/dev/full", "w");
    if (!report.file)
        cr_skip_test("/dev/full is not there");
    report_add(&report, PROBLEM_LOOP, "x", "y", "passed over");
    cr_expect_eq(report_close(&report), -ENOSPC);
}
