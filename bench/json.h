/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLS_BENCH_JSON_H
#define DLS_BENCH_JSON_H

#include <jansson.h>

#include "run.h"

/* The result as the JSON object that bench/README.md describes: a new reference, or NULL when memory is
 * short. */
json_t *bench_result_json(const struct bench_result *result);

#endif
