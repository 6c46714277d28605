/* SPDX-License-Identifier: Apache-2.0 */
#include "ini.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static int parse(const char *text, struct ini_file *ret_file)
{
    return ini_parse("x.job", text, strlen(text), ret_file);
}

static const char *value(const struct ini_job *job, const char *name)
{
    const struct ini_setting *setting = ini_find(job, name);
    return setting ? setting->value : NULL;
}

Test(ini, jobs_have_the_settings_of_global_before_their_own)
{
    struct ini_file file;

    cr_assert_eq(
        parse("; fio\n[global]\nbs = 4k \nflip\n\n[one]\n  depth=3 # three\n[global]\nbs=8k\n[two]\nbs=16k\n"
              "text=a#b;c",
              &file),
        0, "%s", dls_err_text());
    cr_assert_eq(file.count, 2);
    cr_assert_str_eq(file.jobs[0].name, "one");
    cr_assert_eq(file.jobs[0].line, 6);
    cr_assert_str_eq(value(&file.jobs[0], "bs"), "4k");
    cr_assert_str_eq(value(&file.jobs[0], "depth"), "3");
    cr_assert_not_null(ini_find(&file.jobs[0], "flip"));
    cr_assert_null(value(&file.jobs[0], "flip"));
    cr_assert_str_eq(value(&file.jobs[1], "bs"), "16k");
    cr_assert_eq(ini_find(&file.jobs[1], "bs")->line, 11);
    cr_assert_str_eq(value(&file.jobs[1], "text"), "a#b;c");
    cr_assert_null(ini_find(&file.jobs[1], "depth"));
    ini_free(&file);
}

Test(ini, the_environment_is_put_into_values)
{
    struct ini_file file;

    setenv("DLS_TEST_WHERE", "/data", 1);
    unsetenv("DLS_TEST_NOWHERE");
    cr_assert_eq(parse("[a]\ndataset=${DLS_TEST_WHERE}/x.dls$\nopen=${DLS", &file), 0);
    cr_assert_str_eq(value(&file.jobs[0], "dataset"), "/data/x.dls$");
    cr_assert_str_eq(value(&file.jobs[0], "open"), "${DLS");
    ini_free(&file);
    cr_assert_eq(parse("[a]\n\ndataset=${DLS_TEST_NOWHERE}\n", &file), -ENOENT);
    cr_assert_str_eq(dls_err_text(), "'x.job', line 3: the environment has no 'DLS_TEST_NOWHERE'");
    ini_free(&file);
}

Test(ini, what_is_wrong_is_named_with_its_line)
{
    static const struct {
        const char *text;
        int error;
        const char *message;
    } cases[] = {
        {"", -EINVAL, "'x.job': there is no job in it"},
        {"[global]\nbs=4k\n", -EINVAL, "'x.job': there is no job in it"},
        {"bs=4k\n[a]\n", -EINVAL, "'x.job', line 1: 'bs=4k' stands before the first [section]"},
        {"[a]\n[b", -EINVAL, "'x.job', line 2: '[b' is no section: expected [NAME] alone on the line"},
        {"[a] b=1\n", -EINVAL, "'x.job', line 1: '[a] b=1' is no section: expected [NAME] alone on the line"},
        {"[]\n", -EINVAL, "'x.job', line 1: '[]' is no section: expected [NAME] alone on the line"},
        {"[a]\n =5\n", -EINVAL, "'x.job', line 2: there is no name before '='"},
        {"[a]\n[b]\n\n[a]\n", -EEXIST, "'x.job', line 4: there is a job 'a' in line 1 already"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ini_file file;
        cr_expect_eq(parse(cases[i].text, &file), cases[i].error, "case %zu", i);
        cr_expect_str_eq(dls_err_text(), cases[i].message);
        ini_free(&file);
    }
}

Test(ini, long_lines_and_nul_bytes_are_refused)
{
    struct ini_file file;
    static char text[5000];

    memset(text, 'x', sizeof(text) - 1);
    memcpy(text, "[a]\n", 4);
    cr_assert_eq(parse(text, &file), -E2BIG);
    cr_assert_not_null(strstr(dls_err_text(), "line 2: longer than 4095 bytes"));
    ini_free(&file);
    cr_assert_eq(ini_parse("x.job", "[a]\nb=\0", 7, &file), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "line 2: a NUL byte"));
    ini_free(&file);
}

Test(ini, an_absent_file_is_named)
{
    struct ini_file file;

    cr_assert_eq(ini_load("/nowhere/x.job", &file), -ENOENT);
    cr_assert_not_null(strstr(dls_err_text(), "'/nowhere/x.job'"));
    ini_free(&file);
}
