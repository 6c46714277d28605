/* SPDX-License-Identifier: Apache-2.0 */
#include "results.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

#define RUN "{\"schema\": \"dls-bench-run-1\", \"run\": {\"images_per_second\": 12.5}}"

static int load(const char *text, struct bench_results *ret_results)
{
    char path[] = "/tmp/dls-results-XXXXXX.json";
    int fd = mkstemps(path, 5);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    memset(ret_results, 0, sizeof(*ret_results));
    int r = bench_results_load(path, ret_results);
    unlink(path);
    return r;
}

Test(results, of_runs_in_a_row_and_of_jobs_are_read)
{
    struct bench_results results;

    cr_assert_eq(load(RUN "\n" RUN
                          "{\"schema\": \"dls-bench-jobs-1\", \"jobs\": [{\"job\": \"a\", \"result\": " RUN
                          "}]}\n",
                      &results),
                 0, "%s", dls_err_text());
    cr_assert_eq(results.count, 3);
    cr_assert_eq(strncmp(results.list[0].name, "dls-results-", 12), 0);
    cr_assert_null(strchr(results.list[0].name, '.'));
    cr_assert_str_eq(results.list[2].name, "a");
    cr_assert_eq(bench_number_at(results.list[2].result, "run.images_per_second"), 12.5);
    cr_assert(isnan(bench_number_at(results.list[2].result, "run.nothing.at_all")));
    cr_assert(isnan(bench_number_at(results.list[2].result, "schema")));
    bench_results_free(&results);
}

Test(results, what_is_none_is_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "empty"},
        {" \n", "empty"},
        {"{\"schema\": \"other\"}", "not a result of 'dls-bench run --json' (schema 'other')"},
        {"[1]", "not a result of 'dls-bench run --json' (schema '')"},
        {"{\"schema\": \"dls-bench-run-1\", \"run\": 5}", "not a result of"},
        {RUN "\n{", "line 1"},
        {"{\"schema\": \"dls-bench-jobs-1\", \"jobs\": [{}]}", "not a result of"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bench_results results;
        cr_expect_eq(load(cases[i].text, &results), -EINVAL, "case %zu", i);
        cr_expect_not_null(strstr(dls_err_text(), cases[i].message), "case %zu: %s", i, dls_err_text());
        bench_results_free(&results);
    }
}
