/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t signal_seen;

static void remember(int number)
{
    signal_seen = number;
}

void interrupt_setup(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, old;

    memset(&action, 0, sizeof(action));
    action.sa_handler = remember;
    action.sa_flags = (int)SA_RESETHAND;
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        /* What nohup or a shell's background job ignores stays ignored. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
}

bool interrupted(void)
{
    return signal_seen != 0;
}

int interrupt_exit_code(void)
{
    return 128 + (int)signal_seen;
}
