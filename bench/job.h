/* SPDX-License-Identifier: Apache-2.0 */
/* A job of a job file as the command line of `dls-bench run`. */
#ifndef DLS_BENCH_JOB_H
#define DLS_BENCH_JOB_H

#include "common/tool.h"
#include "ini.h"

struct bench_job {
    const char *name;
    const char *dataset;
    int argc;
    char **argv;  /* "--name=value" each, then the dataset; NULL at the end */
    void *config; /* what they say: a struct bench_options */
};

/* Checks a job against the options of `run`. `dataset` stands for the job's own where it is not NULL. A
 * message names the file, the line and the job. Free with bench_job_free(), after failure too. */
int bench_job_from(const char *path, const struct ini_job *ini, const struct tool_command *run,
                   const char *dataset, struct bench_job *ret_job);
void bench_job_free(struct bench_job *job);

/* Prints the command that does the same, quoted for a shell. */
void bench_job_print(const struct bench_job *job, FILE *out);

#endif
