/* SPDX-License-Identifier: Apache-2.0 */
#include "usage.h"

#include <sys/resource.h>

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

void bench_usage_now(struct bench_usage *ret_usage)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    *ret_usage = (struct bench_usage){
        .user_seconds = seconds(usage.ru_utime),
        .system_seconds = seconds(usage.ru_stime),
        .voluntary_switches = (uint64_t)usage.ru_nvcsw,
        .involuntary_switches = (uint64_t)usage.ru_nivcsw,
        .major_faults = (uint64_t)usage.ru_majflt,
        .minor_faults = (uint64_t)usage.ru_minflt,
        .peak_bytes = (uint64_t)usage.ru_maxrss * 1024,
    };
}

void bench_usage_since(const struct bench_usage *before, struct bench_usage *ret_usage)
{
    bench_usage_now(ret_usage);
    ret_usage->user_seconds -= before->user_seconds;
    ret_usage->system_seconds -= before->system_seconds;
    ret_usage->voluntary_switches -= before->voluntary_switches;
    ret_usage->involuntary_switches -= before->involuntary_switches;
    ret_usage->major_faults -= before->major_faults;
    ret_usage->minor_faults -= before->minor_faults;
}
