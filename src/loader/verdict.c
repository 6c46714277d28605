/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/verdict.h"

#include <stdio.h>

/* With less than this, the start-up is most of what was measured. */
#define BATCHES_NEEDED 3
#define BUSY_NEEDED_NS 5000000ull

/* The share of its time in which each stage was the one that others could have waited for. */
struct use {
    double disk, decoder, consumer;
};

static double share(uint64_t part, uint64_t rest)
{
    return part + rest > 0 ? (double)part / (double)(part + rest) : 0;
}

static struct use measure(const dls_stats *s)
{
    /* While the I/O thread waits for the disk, the disk works; while it waits for memory, the disk idles, as
     * it does once all has been read and the thread counts nothing any more. */
    uint64_t disk = s->read.busy_ns + s->read.wait_in_ns, run = s->consume.busy_ns + s->consume.wait_in_ns;
    uint64_t idle = run > disk && run - disk > s->read.wait_out_ns ? run - disk : s->read.wait_out_ns;

    return (struct use){
        .disk = share(disk, idle),
        .decoder = share(s->decode.busy_ns, s->decode.wait_in_ns + s->decode.wait_out_ns),
        .consumer = share(s->consume.busy_ns, s->consume.wait_in_ns),
    };
}

dls_bound dls_verdict_bound(const dls_stats *stats)
{
    struct use use = measure(stats);

    if (stats->consume.items < BATCHES_NEEDED ||
        stats->consume.busy_ns + stats->consume.wait_in_ns < BUSY_NEEDED_NS)
        return DLS_BOUND_UNKNOWN;
    if (use.consumer >= use.decoder && use.consumer >= use.disk)
        return DLS_BOUND_CONSUMER;
    return use.decoder >= use.disk ? DLS_BOUND_DECODER : DLS_BOUND_DISK;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* How many times as fast the whole could go if the slowest stage took no time: until the next one is fully
 * used. */
static double gain(double slowest, double next)
{
    double times = next > 0.01 ? slowest / next : slowest / 0.01;

    return larger(times, 1);
}

#define TIMES_ROOM 32

/* Beyond 10 the number depends on what little the other stages did, and is no promise worth making. */
static const char *times_text(double times, char *ret_text)
{
    if (times < 10)
        snprintf(ret_text, TIMES_ROOM, "up to %.1fx", times);
    else
        snprintf(ret_text, TIMES_ROOM, "10x or more");
    return ret_text;
}

static int percent(double value)
{
    return (int)(value * 100 + 0.5);
}

/* More threads help no further than there are CPUs to run them. */
static double thread_gain(const dls_stats *stats, double gain_at_most, unsigned cpus)
{
    double times = stats->decode.threads > 0 ? (double)cpus / stats->decode.threads : 1;

    return times > 1 && times < gain_at_most ? times : gain_at_most;
}

int dls_verdict_text(const dls_stats *stats, int decoded, unsigned cpus, char *ret_text, size_t size)
{
    struct use use = measure(stats);
    const char *maker = decoded ? "decoder" : "checker";
    char times[TIMES_ROOM];
    double waited_in = share(stats->decode.wait_in_ns, stats->decode.busy_ns + stats->decode.wait_out_ns);

    switch (dls_verdict_bound(stats)) {
    case DLS_BOUND_DISK:
        return snprintf(
            ret_text, size,
            "disk-bound: the %s waited %d %% of its time for records; a faster disk or smaller records would "
            "give %s; more threads would not help",
            maker, percent(waited_in), times_text(gain(use.disk, larger(use.decoder, use.consumer)), times));
    case DLS_BOUND_DECODER:
        return snprintf(
            ret_text, size,
            "decoder-bound: the %s worked %d %% of its time and the consumer waited %d %% of its own; %s "
            "would give %s; a faster disk would not help",
            maker, percent(use.decoder), percent(1 - use.consumer),
            stats->decode.threads < cpus ? "more threads" : "smaller pictures or more CPUs",
            times_text(thread_gain(stats, gain(use.decoder, larger(use.disk, use.consumer)), cpus), times));
    case DLS_BOUND_CONSUMER:
        return snprintf(
            ret_text, size,
            "consumer-bound: it waited only %d %% of its time for batches; the loader could go %s as "
            "fast; no setting of the loader would help",
            percent(1 - use.consumer), times_text(gain(use.consumer, larger(use.decoder, use.disk)), times));
    default:
        return snprintf(ret_text, size,
                        "too little was measured to name a bottleneck: %llu batches in %.2f s",
                        (unsigned long long)stats->consume.items,
                        (double)(stats->consume.busy_ns + stats->consume.wait_in_ns) / 1e9);
    }
}
