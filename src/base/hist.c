/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hist.h"

#include <math.h>
#include <stdatomic.h>

/* Values below 64 have a bucket each. Above, the octave [2^n, 2^(n+1)) is cut into 64 equal buckets, found by the six
 * bits behind the leading one. */
static unsigned bucket_of(uint64_t value)
{
    if (value < 64)
        return (unsigned)value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - 6u;
    return shift * 64u + (unsigned)(value >> shift);
}

static uint64_t midpoint_of(unsigned bucket)
{
    if (bucket < 128)
        return bucket;
    unsigned shift = bucket / 64u - 1u;
    return ((uint64_t)(bucket % 64u + 64u) << shift) + (UINT64_C(1) << (shift - 1));
}

static uint64_t load(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

/* There is one writer, so load and store need not be one indivisible step. */
static void store(_Atomic uint64_t *value, uint64_t to)
{
    atomic_store_explicit(value, to, memory_order_relaxed);
}

static uint32_t load_bucket(const struct dls_hist *hist, unsigned bucket)
{
    return atomic_load_explicit(&hist->buckets[bucket], memory_order_relaxed);
}

static void widen(struct dls_hist *hist, uint64_t min, uint64_t max)
{
    uint64_t min_plus_1 = load(&hist->min_plus_1);

    /* The largest value has no successor: it is kept as the one before. */
    if (min == UINT64_MAX)
        min--;
    if (min_plus_1 == 0 || min + 1 < min_plus_1)
        store(&hist->min_plus_1, min + 1);
    if (max > load(&hist->max))
        store(&hist->max, max);
}

void dls_hist_add(struct dls_hist *hist, uint64_t value)
{
    unsigned bucket = bucket_of(value);

    widen(hist, value, value);
    atomic_store_explicit(&hist->buckets[bucket], load_bucket(hist, bucket) + 1, memory_order_relaxed);
    store(&hist->count, load(&hist->count) + 1);
}

void dls_hist_merge(struct dls_hist *into, const struct dls_hist *from)
{
    uint64_t min_plus_1 = load(&from->min_plus_1);

    if (min_plus_1 == 0)
        return;
    widen(into, min_plus_1 - 1, load(&from->max));
    for (unsigned i = 0; i < DLS_HIST_BUCKETS; i++) {
        uint32_t more = load_bucket(from, i);
        if (more != 0)
            atomic_store_explicit(&into->buckets[i], load_bucket(into, i) + more, memory_order_relaxed);
    }
    store(&into->count, load(&into->count) + load(&from->count));
}

uint64_t dls_hist_percentile(const struct dls_hist *hist, double fraction)
{
    uint64_t total = 0, seen = 0, value = 0;

    /* Summed here: while a writer works, `count` may be ahead of or behind the buckets. */
    for (unsigned i = 0; i < DLS_HIST_BUCKETS; i++)
        total += load_bucket(hist, i);
    if (total == 0)
        return 0;
    /* The ends are known exactly. */
    if (fraction <= 0)
        return load(&hist->min_plus_1) - 1;
    if (fraction >= 1)
        return load(&hist->max);
    double wanted = ceil(fraction * (double)total);
    uint64_t rank = wanted < 1 ? 1 : wanted >= (double)total ? total : (uint64_t)wanted;
    for (unsigned i = 0; i < DLS_HIST_BUCKETS && seen < rank; i++) {
        uint32_t here = load_bucket(hist, i);
        seen += here;
        if (here != 0)
            value = midpoint_of(i);
    }

    uint64_t min = load(&hist->min_plus_1) - 1, max = load(&hist->max);
    return value < min ? min : value > max ? max : value;
}

void dls_hist_latency(const struct dls_hist *hist, dls_latency *ret_latency)
{
    uint64_t min_plus_1 = load(&hist->min_plus_1);

    *ret_latency = (dls_latency){
        .count = load(&hist->count),
        .min = min_plus_1 != 0 ? min_plus_1 - 1 : 0,
        .p50 = dls_hist_percentile(hist, 0.5),
        .p90 = dls_hist_percentile(hist, 0.9),
        .p99 = dls_hist_percentile(hist, 0.99),
        .p999 = dls_hist_percentile(hist, 0.999),
        .max = load(&hist->max),
    };
}
