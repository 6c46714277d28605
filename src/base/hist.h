/* SPDX-License-Identifier: Apache-2.0 */
/* A log-linear histogram as fio's: 64 linear buckets an octave, so a percentile is within 1/128 of the truth. */
#ifndef DLS_BASE_HIST_H
#define DLS_BASE_HIST_H

#include <dlshards/stats.h>
#include <stdint.h>

#define DLS_HIST_BUCKETS (59 * 64)

/* Zeroed memory is an empty histogram. One writer at a time; readers see a recent state (relaxed atomics). */
struct dls_hist {
    _Atomic uint64_t count, min_plus_1, max;
    _Atomic uint32_t buckets[DLS_HIST_BUCKETS];
};

void dls_hist_add(struct dls_hist *hist, uint64_t value);
void dls_hist_merge(struct dls_hist *into, const struct dls_hist *from);
/* The value below or at which `fraction` (0 … 1) of the samples lie: the midpoint of its bucket, kept within min and
 * max (which 0 and 1 give exactly); 0 if empty. */
uint64_t dls_hist_percentile(const struct dls_hist *hist, double fraction);
void dls_hist_latency(const struct dls_hist *hist, dls_latency *ret_latency);

#endif
