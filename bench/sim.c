/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "common/interrupt.h"

#include "base/err.h"
#include "common/emit.h"
#include "disksim/disk.h"

/* A run counts only if nearly all replies were in time. */
#define LATE_SHARE_MOST 0.01

struct sim_options {
    const char *changes;
    int layout;
    bool no_realtime, json, quiet;
};

#define AT(member) offsetof(struct sim_options, member)

const struct tool_option bench_sim_options[] = {
    {.name = "options",
     .letter = 'o',
     .kind = TOOL_TEXT,
     .argument = "NAME=VALUE,...",
     .at = AT(changes),
     .help = "Change numbers of the profile, e.g. span=150G,queue=32."},
    {.name = "layout",
     .kind = TOOL_CHOICE,
     .argument = "inode|name|shuffled",
     .at = AT(layout),
     .preset = "inode",
     .help = "In which order the files lie on the disk."},
    {.name = "no-realtime",
     .kind = TOOL_FLAG,
     .at = AT(no_realtime),
     .help = "Do not ask for real-time scheduling, which keeps replies in time on a busy machine."},
    TOOL_OPTION_JSON(struct sim_options),
    TOOL_OPTION_QUIET(struct sim_options),
    {0},
};
const size_t bench_sim_config_bytes = sizeof(struct sim_options);

static void say_ready(void *user)
{
    const struct tool_call *call = user;
    const struct sim_options *options = call->config;

    if (!options->quiet)
        tool_say(call, "'%s' is ready: '%s' as on %s", call->operands[2], call->operands[1],
                 call->operands[0]);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void print_report(const struct tool_call *call, const struct sim_disk_report *report, bool in_time)
{
    const struct sim_counts *counts = &report->counts;
    double sought = (double)(counts->requests - counts->buffered);
    struct tool_emit emit;

    tool_emit_start(&emit, stdout, ((const struct sim_options *)call->config)->json);
    tool_emit_text(&emit, "schema", "dls-bench-sim-1");
    tool_emit_text(&emit, "profile", call->operands[0]);
    tool_emit_text(&emit, "options",
                   ((const struct sim_options *)call->config)->changes
                       ? ((const struct sim_options *)call->config)->changes
                       : "");
    tool_emit_real(&emit, "seconds", report->seconds, 3);
    tool_emit_count(&emit, "requests", counts->requests);
    tool_emit_count(&emit, "metadata_reads", report->metadata);
    tool_emit_bytes(&emit, "bytes", counts->bytes);
    tool_emit_count(&emit, "from_look_ahead", counts->buffered);
    tool_emit_real(&emit, "busy_share", ratio(counts->busy, report->seconds), 4);
    tool_emit_real(&emit, "seek_ms", ratio(counts->seek * 1e3, sought), 3);
    tool_emit_real(&emit, "rotation_ms", ratio(counts->rotate * 1e3, sought), 3);
    tool_emit_real(&emit, "queue_mean", ratio(counts->queued, (double)counts->requests), 2);
    tool_emit_real(&emit, "late_us_mean", report->late_mean * 1e6, 1);
    tool_emit_real(&emit, "late_us_p99", report->late_p99 * 1e6, 1);
    tool_emit_real(&emit, "late_us_max", report->late_max * 1e6, 1);
    tool_emit_real(&emit, "late_share", ratio((double)report->late, (double)report->replies), 4);
    tool_emit_bool(&emit, "in_time", in_time);
    tool_emit_bool(&emit, "realtime", report->realtime);
    tool_emit_real(&emit, "cpu_s_per_gb", ratio(report->cpu_seconds, (double)counts->bytes / 1e9), 3);
    tool_emit_end(&emit);
}

int bench_command_sim(const struct tool_call *call)
{
    const struct sim_options *options = call->config;
    struct sim_disk_config config = {.layout = (enum sim_layout)options->layout,
                                     .folder = call->operands[1],
                                     .mountpoint = call->operands[2],
                                     .realtime = !options->no_realtime};
    struct sim_disk_report report;

    int r = sim_profile_find(call->operands[0], &config.profile);
    if (r == 0 && options->changes && sim_profile_change(&config.profile, options->changes) < 0)
        return tool_misuse(call, "--options: %s", dls_err_text());
    if (r == 0)
        r = sim_disk_run(&config, interrupt_setup(), say_ready, (void *)call, &report);
    if (r < 0) {
        tool_say(call, "%s", dls_err_text());
        return TOOL_FAILED;
    }
    bool in_time = ratio((double)report.late, (double)report.replies) <= LATE_SHARE_MOST;
    print_report(call, &report, in_time);
    if (!in_time)
        tool_say(call, "too many replies were late: what was measured on this disk is void");
    return in_time ? TOOL_OK : TOOL_FAILED;
}
