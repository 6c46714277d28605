/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"
#include "base/cgroup.h"
#include "base/clock.h"
#include "base/err.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct report {
    char name[32];
    sigset_t blocked;
};

static void *report_self(void *arg)
{
    struct report *report = arg;

    pthread_getname_np(pthread_self(), report->name, sizeof(report->name));
    pthread_sigmask(SIG_SETMASK, NULL, &report->blocked);
    return NULL;
}

/* The name is set by the starter, after the start: wait for it. */
static void *wait_for_name(void *arg)
{
    struct report *report = arg;

    do
        report_self(report);
    while (strncmp(report->name, "dls-", 4) != 0 && usleep(1000) == 0);
    return NULL;
}

Test(thread, has_its_name_cut_at_15_bytes)
{
    struct report report;
    struct dls_thread thread = {0};

    cr_assert_eq(dls_thread_start(&thread, "dls-decode-number-12", wait_for_name, &report), 0);
    cr_assert(thread.running);
    dls_thread_join(&thread);
    cr_assert(!thread.running);
    cr_assert_str_eq(report.name, "dls-decode-numb");
}

Test(thread, leaves_signals_to_the_program)
{
    struct report report;
    struct dls_thread thread = {0};
    sigset_t mine;

    cr_assert_eq(dls_thread_start(&thread, "dls-x", report_self, &report), 0);
    dls_thread_join(&thread);
    cr_assert(sigismember(&report.blocked, SIGINT));
    cr_assert(sigismember(&report.blocked, SIGTERM));
    cr_assert(sigismember(&report.blocked, SIGUSR1));
    cr_assert(sigismember(&report.blocked, SIGCHLD));
    cr_assert(!sigismember(&report.blocked, SIGSEGV));
    cr_assert(!sigismember(&report.blocked, SIGBUS));
    pthread_sigmask(SIG_SETMASK, NULL, &mine);
    cr_assert(!sigismember(&mine, SIGINT), "the starter's mask is as before");
}

Test(thread, join_of_one_never_started_does_nothing)
{
    struct dls_thread thread = {0};

    dls_thread_join(&thread);
    cr_assert(!thread.running);
}

Test(thread, condition_times_out_at_the_deadline)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond;
    uint64_t deadline = dls_now() + 3000000;

    cr_assert_eq(dls_cond_init(&cond), 0);
    pthread_mutex_lock(&mutex);
    cr_assert(!dls_cond_wait(&cond, &mutex, 0));
    cr_assert(!dls_cond_wait(&cond, &mutex, dls_now() - 1));
    while (dls_cond_wait(&cond, &mutex, deadline))
        continue;
    cr_assert_geq(dls_now(), deadline);
    pthread_mutex_unlock(&mutex);
    pthread_cond_destroy(&cond);
}

struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    bool open; /* guarded by mutex */
};

static void *open_gate(void *arg)
{
    struct gate *gate = arg;

    pthread_mutex_lock(&gate->mutex);
    gate->open = true;
    pthread_cond_signal(&gate->cond);
    pthread_mutex_unlock(&gate->mutex);
    return NULL;
}

static void check_woken(uint64_t deadline)
{
    struct gate gate = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct dls_thread thread = {0};
    bool woken = true;

    cr_assert_eq(dls_cond_init(&gate.cond), 0);
    pthread_mutex_lock(&gate.mutex);
    cr_assert_eq(dls_thread_start(&thread, "opener", open_gate, &gate), 0);
    while (!gate.open && woken)
        woken = dls_cond_wait(&gate.cond, &gate.mutex, deadline);
    cr_assert(woken);
    pthread_mutex_unlock(&gate.mutex);
    dls_thread_join(&thread);
    pthread_cond_destroy(&gate.cond);
}

Test(thread, condition_wakes_before_the_deadline)
{
    check_woken(UINT64_MAX);
    check_woken(dls_now() + UINT64_C(60000000000));
    /* The last deadline that is one: far beyond what a clock reaches. */
    check_woken(UINT64_MAX - 1);
}

Test(thread, cpu_count_honours_affinity)
{
    cpu_set_t before, one;
    unsigned all = dls_cpu_count();
    int cpu = 0;

    cr_assert_eq(sched_getaffinity(0, sizeof(before), &before), 0);
    cr_assert_geq(all, 1);
    cr_assert_leq(all, (unsigned)CPU_COUNT(&before));
    while (!CPU_ISSET(cpu, &before))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof(one), &one), 0);
    cr_assert_eq(dls_cpu_count(), 1);
    cr_assert_eq(sched_setaffinity(0, sizeof(before), &before), 0);
    cr_assert_eq(dls_cpu_count(), all);
}
