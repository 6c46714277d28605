/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, locks and condition variables with monotonic time-outs; thin over pthreads. */
#ifndef DLS_BASE_THREAD_H
#define DLS_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct dls_thread {
    pthread_t id;
    bool running;
};

/* All signals but faults are blocked in the new thread, so that the program's handlers run in its own threads. `name` (at
 * most 15 bytes) shows in top and gdb. Returns 0 or a negative errno with text. */
int dls_thread_start(struct dls_thread *thread, const char *name, void *(*main)(void *), void *arg);
/* Waits for its end; harmless on a thread that never started (zeroed). */
void dls_thread_join(struct dls_thread *thread);

/* Condition variable on CLOCK_MONOTONIC. */
int dls_cond_init(pthread_cond_t *cond);
/* deadline: dls_now() based, UINT64_MAX = for ever. False once the deadline has passed. */
bool dls_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline);

/* CPUs this process may use: the smaller of its affinity mask and its cgroup's quota (rounded up), at least 1. */
unsigned dls_cpu_count(void);

#endif
