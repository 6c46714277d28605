/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "fs.h"
#include "usage.h"

/* Part of its own time by which an answer may be late without doing harm. */
#define LATE_PART 0.1

struct disk {
    const struct sim_disk_config *config;
    const atomic_int *stop;
    struct sim_fs fs;
    struct fuse_session *session;
    struct fuse_buf buffer;
    /* What an answer costs this program, learned as it goes: an answer is begun that much before its time. */
    double answer_fixed, answer_byte;
    struct dls_hist lateness; /* ns */
    double late_sum;
    struct sim_disk_report report;
};

static double clock_seconds(void)
{
    return (double)dls_now() / 1e9;
}

static double lead(const struct disk *disk, const struct sim_question *question)
{
    return disk->answer_fixed + disk->answer_byte * (double)question->length;
}

static void answer(struct disk *disk, struct sim_question *question)
{
    double due = question->request.due, arrived = question->request.arrived;
    double begun = clock_seconds();
    size_t length = question->length;

    sim_fs_answer(&disk->fs, question);
    double now = clock_seconds(), bytes_cost = now - begun - disk->answer_fixed;
    if (length >= 65536 && bytes_cost > 0 && bytes_cost < 4 * disk->answer_byte * (double)length)
        disk->answer_byte += 0.05 * (bytes_cost / (double)length - disk->answer_byte);
    double late = fmax(now - due, 0);
    disk->late_sum += late;
    dls_hist_add(&disk->lateness, (uint64_t)(late * 1e9));
    disk->report.replies++;
    disk->report.late += late > fmax(disk->config->profile.late, LATE_PART * (due - arrived));
}

/* Answers what is due. Returns when to come back, or a negative number if nothing waits. */
static double serve(struct disk *disk)
{
    for (;;) {
        struct sim_question *question =
            (struct sim_question *)sim_model_next(disk->fs.model, clock_seconds());
        if (!question)
            return -1;
        sim_fs_prepare(&disk->fs, question);
        double begin = question->request.due - lead(disk, question);
        if (begin > clock_seconds())
            return begin;
        answer(disk, question);
    }
}

/* Takes in what the kernel asks. Returns false once the file system has been unmounted. */
static bool receive(struct disk *disk)
{
    for (int i = 0; i < 64; i++) {
        int n = fuse_session_receive_buf(disk->session, &disk->buffer);
        if (n == 0 || n == -ENODEV)
            return false;
        if (n < 0)
            return true; /* Nothing more, or a signal: ppoll() looks again. */
        fuse_session_process_buf(disk->session, &disk->buffer);
    }
    return true;
}

static int loop(struct disk *disk)
{
    struct pollfd poll = {.fd = fuse_session_fd(disk->session), .events = POLLIN};

    while (!atomic_load(disk->stop) && !fuse_session_exited(disk->session)) {
        double next = serve(disk);
        /* A signal between the look at *stop and ppoll() must not be slept through. */
        double wait = next < 0 ? 0.2 : fmin(fmax(next - clock_seconds(), 0), 0.2);
        struct timespec timeout = {.tv_nsec = (long)(wait * 1e9)};
        int n = ppoll(&poll, 1, &timeout, NULL);
        if (n < 0 && errno != EINTR)
            return dls_err_sys(errno, "waiting for the kernel");
        if (n > 0 && !receive(disk))
            break;
    }
    return 0;
}

static bool be_punctual(void)
{
    struct sched_param param = {.sched_priority = 10};

    prctl(PR_SET_TIMERSLACK, 1);
    return sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

static int mount_it(struct disk *disk)
{
    char name[] = "dls-bench", options[256], *arguments[] = {name, options, NULL};
    struct fuse_args args = FUSE_ARGS_INIT(2, arguments);

    snprintf(options, sizeof(options),
             "-oro,default_permissions,fsname=disksim,subtype=disksim,max_read=%u%s", SIM_READ_MOST,
             geteuid() == 0 ? ",allow_other" : "");
    disk->session = fuse_session_new(&args, &sim_fs_ops, sizeof(sim_fs_ops), &disk->fs);
    if (!disk->session)
        return dls_err(EIO, "FUSE cannot be started");
    if (fuse_session_mount(disk->session, disk->config->mountpoint) != 0)
        return dls_err(EIO, "'%s': cannot be mounted", disk->config->mountpoint);
    int fd = fuse_session_fd(disk->session);
    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) != 0)
        return dls_err_sys(errno, "the FUSE device");
    return 0;
}

static void fill_report(struct disk *disk, double started, const struct bench_usage *before)
{
    struct sim_disk_report *report = &disk->report;
    struct bench_usage used;
    dls_latency late;

    bench_usage_since(before, &used);
    dls_hist_latency(&disk->lateness, &late);
    report->counts = *sim_model_counts(disk->fs.model);
    report->seconds = clock_seconds() - started;
    report->metadata = disk->fs.metadata;
    report->late_mean = report->replies ? disk->late_sum / (double)report->replies : 0;
    report->late_p99 = (double)late.p99 / 1e9;
    report->late_max = (double)late.max / 1e9;
    report->cpu_seconds = used.user_seconds + used.system_seconds;
}

int sim_disk_run(const struct sim_disk_config *config, const atomic_int *stop, void (*ready)(void *user),
                 void *user, struct sim_disk_report *ret_report)
{
    static struct disk disk; /* the histogram is large */
    struct bench_usage before;

    disk = (struct disk){.config = config, .stop = stop, .answer_fixed = 15e-6, .answer_byte = 2e-10};
    disk.fs.profile = &config->profile;
    disk.fs.clock = clock_seconds;
    int r = sim_fs_open(&disk.fs, config->folder, config->layout);
    if (r == 0)
        r = mount_it(&disk);
    if (r < 0)
        goto end;
    disk.report.realtime = config->realtime && be_punctual();
    bench_usage_now(&before);
    double started = clock_seconds();
    ready(user);
    r = loop(&disk);
    fill_report(&disk, started, &before);
    if (r == 0)
        *ret_report = disk.report;
    fuse_session_unmount(disk.session);
end:
    if (disk.session)
        fuse_session_destroy(disk.session);
    free(disk.buffer.mem);
    sim_fs_close(&disk.fs);
    return r;
}
