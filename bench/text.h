/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLS_BENCH_TEXT_H
#define DLS_BENCH_TEXT_H

#include <stdio.h>

#include "run.h"

/* The result for people, in fio's manner. */
void bench_print_text(const struct bench_result *result, FILE *out);

/* Names of enum values, as the options spell them. */
const char *bench_order_name(dls_order order);
const char *bench_tail_name(dls_tail tail);
const char *bench_crop_name(dls_crop crop);
const char *bench_dtype_name(dls_dtype dtype);
const char *bench_layout_name(dls_layout layout);
const char *bench_direct_name(dls_direct direct);
const char *bench_engine_name(dls_engine engine);
/* With those that the library does not know. */
const char *bench_engine_asked(const struct bench_settings *settings);
const char *bench_bound_name(dls_bound bound);
const char *bench_end_name(enum bench_end end);

#endif
