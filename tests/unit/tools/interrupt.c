/* SPDX-License-Identifier: Apache-2.0 */
#include "common/interrupt.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Runs `child` in a process of its own, whose signals are as at the start, and gives how it ended. */
static int status_of(void (*child)(void))
{
    int status = 0;
    pid_t pid = fork();

    cr_assert(pid >= 0);
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        child();
        _exit(99);
    }
    cr_assert(waitpid(pid, &status, 0) == pid);
    return status;
}

static void twice_at_once(void)
{
    const atomic_int *seen = interrupt_setup();

    if (interrupted() || atomic_load(seen) != 0)
        _exit(1);
    raise(SIGTERM);
    raise(SIGTERM);
    raise(SIGINT);
    _exit(interrupted() && atomic_load(seen) == SIGTERM ? interrupt_exit_code() : 2);
}

static void again_later(void)
{
    const struct timespec second = {1, 10000000};

    interrupt_setup();
    raise(SIGINT);
    nanosleep(&second, NULL);
    raise(SIGHUP);
}

static void ignored_before(void)
{
    signal(SIGHUP, SIG_IGN);
    interrupt_setup();
    raise(SIGHUP);
    _exit(interrupted() ? 1 : 0);
}

Test(interrupt, a_signal_sent_twice_at_once_is_one)
{
    int status = status_of(twice_at_once);

    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM, "status %x", (unsigned)status);
}

Test(interrupt, another_one_later_ends_the_process)
{
    int status = status_of(again_later);

    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP, "status %x", (unsigned)status);
}

Test(interrupt, what_was_ignored_stays_ignored)
{
    int status = status_of(ignored_before);

    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
}
