/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "settings.h"

static const struct tool_command run = {.name = "run",
                                        .operands = "DATASET",
                                        .least = 1,
                                        .most = 1,
                                        .options = bench_run_options,
                                        .config_bytes = sizeof(struct bench_options)};
static struct ini_file file;

static int make(const char *text, const char *dataset, struct bench_job *ret_job)
{
    cr_assert_eq(ini_parse("x.job", text, strlen(text), &file), 0, "%s", dls_err_text());
    return bench_job_from("x.job", &file.jobs[0], &run, dataset, ret_job);
}

static void shown(const struct bench_job *job, char *room, size_t size)
{
    FILE *out = fmemopen(room, size, "w");
    bench_job_print(job, out);
    fclose(out);
}

Test(job, is_the_command_line_that_it_shows)
{
    struct bench_job job;
    char text[512];

    cr_assert_eq(make("[global]\nflip\nbatch=8\nflip-vertical\n[a]\nbatch=16\nflip-vertical=0\nread-only="
                      "1\ndataset=a b\n"
                      "description=why\n",
                      NULL, &job),
                 0, "%s", dls_err_text());
    shown(&job, text, sizeof(text));
    cr_assert_str_eq(text, "dls-bench run --flip --batch=16 --read-only -- 'a b'\n");
    const struct bench_options *options = job.config;
    cr_assert_eq(options->batch, 16);
    cr_assert(options->flip && options->read_only && !options->flip_vertical);
    bench_job_free(&job);
    ini_free(&file);
}

Test(job, takes_the_words_of_fio)
{
    struct bench_job job;

    cr_assert_eq(make("[a]\nbs=64k\niodepth=7\nioengine=io_uring\ndirect=1\nruntime=3\nloops=2\nrandseed="
                      "5\nramp_time=250ms\n",
                      "it's.dls", &job),
                 0, "%s", dls_err_text());
    const struct bench_options *options = job.config;
    cr_assert_eq(options->io_size, 65536);
    cr_assert_eq(options->depth, 7);
    cr_assert_eq(options->engine, 1);
    cr_assert_eq(options->direct, 1);
    cr_assert_eq(options->seconds_ns, 3000000000);
    cr_assert_eq(options->epochs, 2);
    cr_assert_eq(options->seed, 5);
    cr_assert_eq(options->ramp_ns, 250000000);
    cr_assert_str_eq(job.dataset, "it's.dls");
    char text[512];
    shown(&job, text, sizeof(text));
    cr_assert_not_null(strstr(text, " -- 'it'\\''s.dls'\n"));
    bench_job_free(&job);
    ini_free(&file);
}

Test(job, what_is_wrong_is_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[a]\n",
         "'x.job', line 1, job 'a': there is no dataset: give one as dataset=DIR or behind the file"},
        {"[a]\ndataset=d\nnonsense=4\n",
         "'x.job', line 3, job 'a': 'dls-bench run' has no option 'nonsense'"},
        {"[a]\ndataset=d\nflip=yes\n", "'x.job', line 3, job 'a': flip is 1 or 0, not 'yes'"},
        {"[a]\ndataset=d\nbatch\n", "'x.job', line 3, job 'a': batch needs a value: batch=N"},
        {"\n[a]\ndataset=d\nbs=5000\n",
         "'x.job', line 2, job 'a': --io-size: '5000' cannot be used: expected bytes such as "
         "4096, 64k, 8MiB or 2G, 4k to 64M, a multiple of 4k"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bench_job job;
        cr_expect_eq(make(cases[i].text, NULL, &job), -EINVAL, "case %zu", i);
        cr_expect_str_eq(dls_err_text(), cases[i].message);
        bench_job_free(&job);
        ini_free(&file);
    }
}
