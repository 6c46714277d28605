/* SPDX-License-Identifier: Apache-2.0 */
/* What this process has used of the machine. */
#ifndef DLS_BENCH_USAGE_H
#define DLS_BENCH_USAGE_H

#include <stdint.h>

struct bench_usage {
    double user_seconds, system_seconds; /* of all threads */
    uint64_t voluntary_switches, involuntary_switches;
    uint64_t major_faults, minor_faults;
    uint64_t peak_bytes; /* the largest resident set so far, not a difference */
};

void bench_usage_now(struct bench_usage *ret_usage);
/* What was used since *before. */
void bench_usage_since(const struct bench_usage *before, struct bench_usage *ret_usage);

#endif
