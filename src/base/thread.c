/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include "base/cgroup.h"
#include "base/err.h"
#include "base/mem.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

/* Enough for the largest kernels (CONFIG_NR_CPUS is 8192 at most). */
#define MASK_CPUS 16384

int dls_thread_start(struct dls_thread *thread, const char *name, void *(*main)(void *), void *arg)
{
    sigset_t blocked, before;
    char short_name[16];
    int r;

    snprintf(short_name, sizeof(short_name), "%s", name);
    if (dls_fault())
        return dls_err_sys(EAGAIN, "thread '%s': cannot start", short_name);

    /* A new thread starts with its maker's mask. Faults stay open: blocked ones would kill without a report. */
    sigfillset(&blocked);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    r = pthread_create(&thread->id, NULL, main, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r != 0)
        return dls_err_sys(r, "thread '%s': cannot start", short_name);

    pthread_setname_np(thread->id, short_name);
    thread->running = true;
    return 0;
}

void dls_thread_join(struct dls_thread *thread)
{
    if (!thread->running)
        return;
    pthread_join(thread->id, NULL);
    thread->running = false;
}

int dls_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    int r = pthread_condattr_init(&attributes);

    if (r != 0)
        return dls_err_sys(r, "condition variable");
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    r = pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
    return r != 0 ? dls_err_sys(r, "condition variable") : 0;
}

bool dls_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline)
{
    if (deadline == UINT64_MAX) {
        pthread_cond_wait(cond, mutex);
        return true;
    }
    struct timespec until = {
        .tv_sec = (time_t)(deadline / 1000000000u),
        .tv_nsec = (long)(deadline % 1000000000u),
    };
    return pthread_cond_timedwait(cond, mutex, &until) == 0;
}

unsigned dls_cpu_count(void)
{
    unsigned long mask[MASK_CPUS / (8 * sizeof(unsigned long))] = {0};
    unsigned quota = dls_cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
    int allowed = 1;

    if (sched_getaffinity(0, sizeof(mask), (cpu_set_t *)(void *)mask) == 0)
        allowed = CPU_COUNT_S(sizeof(mask), (cpu_set_t *)(void *)mask);
    unsigned count = allowed > 0 ? (unsigned)allowed : 1;
    return quota != 0 && quota < count ? quota : count;
}
