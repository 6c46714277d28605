/* SPDX-License-Identifier: Apache-2.0 */
/* The timed part of a run, of one loader. */
#ifndef DLS_BENCH_MEASURE_H
#define DLS_BENCH_MEASURE_H

#include "run.h"

/* Opens what lies at `path`, measures and closes. *result has its settings and samples; the rest is filled as
 * far as it comes. Any thread; *stop as in bench_run(). */
int bench_measure(const char *path, const atomic_int *stop, struct bench_result *result);

#endif
