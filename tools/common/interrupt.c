/* SPDX-License-Identifier: Apache-2.0 */
#include "common/interrupt.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#define SAME_WISH_NS 1000000000ll

/* Lock-free, as handlers need it; handlers of several threads may run at the same time. */
static atomic_int signal_seen;
static atomic_llong first_at; /* by the monotonic clock, in nanoseconds; 0: no signal yet */

static void remember(int number)
{
    struct timespec clock = {0};
    long long now, before = 0;

    clock_gettime(CLOCK_MONOTONIC, &clock);
    now = (long long)clock.tv_sec * 1000000000ll + clock.tv_nsec;
    if (atomic_compare_exchange_strong(&first_at, &before, now)) {
        atomic_store(&signal_seen, number);
    } else if (now - before >= SAME_WISH_NS) {
        signal(number, SIG_DFL);
        raise(number); /* it is blocked now and arrives when this handler returns */
    }
}

const atomic_int *interrupt_setup(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, old;

    memset(&action, 0, sizeof(action));
    action.sa_handler = remember;
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        /* What nohup or a shell's background job ignores stays ignored. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    return &signal_seen;
}

bool interrupted(void)
{
    return atomic_load(&signal_seen) != 0;
}

int interrupt_exit_code(void)
{
    return 128 + atomic_load(&signal_seen);
}
