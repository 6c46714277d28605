/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `dls-bench report`. */
#ifndef DLS_BENCH_REPORT_PAGE_H
#define DLS_BENCH_REPORT_PAGE_H

#include <stdio.h>

#include "results.h"

/* -EIO where `out` could not take it. */
int bench_report_write(const struct bench_results *results, FILE *out);

#endif
