/* SPDX-License-Identifier: Apache-2.0 */
/* Results of `dls-bench run` and `job` read back from files. */
#ifndef DLS_BENCH_RESULTS_H
#define DLS_BENCH_RESULTS_H

#include <jansson.h>
#include <stddef.h>

struct bench_loaded {
    char *name; /* of the job, or else of the file */
    json_t *result;
};

struct bench_results {
    struct bench_loaded *list;
    size_t count, room;
    json_t *sweeps; /* an array of the results of `sweep`; NULL: none */
};

/* Adds all results of a file: one object or several in a row, each a run's or a job file's. An error names
 * the file, and the line where it is no JSON. */
int bench_results_load(const char *path, struct bench_results *results);
void bench_results_free(struct bench_results *results);

/* The member at a dotted path, or NULL. */
json_t *bench_at(const json_t *result, const char *path);
/* Its number, or NAN where there is none. */
double bench_number_at(const json_t *result, const char *path);

#endif
