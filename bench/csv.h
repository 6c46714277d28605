/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLS_BENCH_CSV_H
#define DLS_BENCH_CSV_H

#include <stdio.h>

#include "run.h"

/* The result as two lines of comma-separated values: the names of the columns, and the values. */
void bench_print_csv(const struct bench_result *result, FILE *out);

#endif
