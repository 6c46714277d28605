/* SPDX-License-Identifier: Apache-2.0 */
#include "emulated.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "page_cache.h"

/* How long the child may take to mount. */
#define START_NS 30000000000

/* In the child: becomes `dls-bench sim`, whose report goes to `out` and whose complaints to `err`. */
static void become_sim(const char *profile, const char *options, const char *folder, const char *mountpoint,
                       int out, int err)
{
    const char *arguments[9] = {"dls-bench", "sim", "--json"};
    int n = 3;

    /* A Ctrl-C is for the parent, which then ends this process in its own time; and it ends with the parent.
     */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (options) {
        arguments[n++] = "--options";
        arguments[n++] = options;
    }
    arguments[n++] = profile;
    arguments[n++] = folder;
    arguments[n++] = mountpoint;
    execv("/proc/self/exe", (char *const *)arguments);
    _exit(127);
}

/* Waits for the line that says that the disk is there; a different line is the reason why it is not. */
static int wait_ready(int fd, const char *profile)
{
    char text[1024];
    size_t used = 0;
    uint64_t deadline = dls_now() + START_NS;

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        uint64_t now = dls_now();
        if (now >= deadline)
            return dls_err(ETIMEDOUT, "the emulated disk '%s' did not start", profile);
        if (poll(&wait, 1, (int)((deadline - now) / 1000000) + 1) < 0 && errno != EINTR)
            return dls_err_sys(errno, "poll()");
        if (!wait.revents)
            continue;
        ssize_t n = read(fd, text + used, sizeof(text) - 1 - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0)
            used += (size_t)n;
        text[used] = '\0';
        char *end = strchr(text, '\n');
        if (end)
            *end = '\0';
        if (end && strstr(text, "is ready"))
            return 0;
        if (n <= 0 || end || used + 1 == sizeof(text))
            return dls_err(EIO, "the emulated disk '%s': %s", profile,
                           used ? text : "it ended without a word");
    }
}

int bench_emulated_start(const char *profile, const char *options, const char *folder,
                         struct bench_emulated *ret_emulated)
{
    struct bench_emulated *emulated = ret_emulated;
    const char *temporary = getenv("TMPDIR");
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    int r = page_cache_fill(folder);

    if (r < 0)
        return r;
    if (!temporary || strlen(temporary) > 40)
        temporary = "/tmp";
    snprintf(emulated->mountpoint, sizeof(emulated->mountpoint), "%s/dls-disk-XXXXXX", temporary);
    if (!mkdtemp(emulated->mountpoint))
        return dls_err_sys(errno, "'%s'", emulated->mountpoint);
    if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0) {
        r = dls_err_sys(errno, "pipe2()");
        goto end;
    }
    pid_t child = fork();
    if (child < 0) {
        r = dls_err_sys(errno, "fork()");
        goto end;
    }
    if (child == 0)
        become_sim(profile, options, folder, emulated->mountpoint, out[1], err[1]);
    emulated->child = child;
    emulated->report = out[0];
    emulated->words = err[0];
    out[0] = err[0] = -1;
    close(err[1]);
    err[1] = -1;
    r = wait_ready(emulated->words, profile);
end:
    for (int i = 0; i < 2; i++) {
        if (out[i] >= 0)
            close(out[i]);
        if (err[i] >= 0)
            close(err[i]);
    }
    if (r < 0 && emulated->child)
        bench_emulated_stop(emulated, NULL);
    else if (r < 0)
        rmdir(emulated->mountpoint);
    return r;
}

/* A disk that ended badly leaves its mount behind. */
static void leave_mountpoint(const char *mountpoint)
{
    char program[] = "fusermount3", how[] = "-uzq", where[64];
    char *const arguments[] = {program, how, where, NULL};
    pid_t pid;

    if (rmdir(mountpoint) == 0)
        return;
    snprintf(where, sizeof(where), "%s", mountpoint);
    if (posix_spawnp(&pid, program, NULL, NULL, arguments, environ) == 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    rmdir(mountpoint);
}

int bench_emulated_stop(struct bench_emulated *emulated, json_t **ret_report)
{
    json_t *report = NULL;
    FILE *stream;

    if (ret_report)
        *ret_report = NULL;
    if (!emulated->child)
        return 0;
    kill(emulated->child, SIGTERM);
    stream = fdopen(emulated->report, "r");
    if (stream) {
        report = json_loadf(stream, 0, NULL);
        fclose(stream);
    } else {
        close(emulated->report);
    }
    while (waitpid(emulated->child, NULL, 0) < 0 && errno == EINTR)
        ;
    close(emulated->words);
    emulated->child = 0;
    leave_mountpoint(emulated->mountpoint);
    if (ret_report)
        *ret_report = report;
    else
        json_decref(report);
    if (!report && ret_report)
        return dls_err(EIO, "the emulated disk gave no report");
    return 0;
}
