/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of dls-bench. */
#ifndef DLS_BENCH_COMMANDS_H
#define DLS_BENCH_COMMANDS_H

#include "common/tool.h"

int bench_command_run(const struct tool_call *call);

/* bench/job_command.c */
extern const struct tool_option bench_job_options[];
extern const size_t bench_job_config_bytes;
int bench_command_job(const struct tool_call *call);

/* bench/compare.c */
extern const struct tool_option bench_compare_options[];
extern const size_t bench_compare_config_bytes;
int bench_command_compare(const struct tool_call *call);

/* bench/report.c */
extern const struct tool_option bench_report_options[];
extern const size_t bench_report_config_bytes;
int bench_command_report(const struct tool_call *call);

/* bench/sweep.c */
extern const struct tool_option bench_sweep_options[];
extern const size_t bench_sweep_config_bytes;
int bench_command_sweep(const struct tool_call *call);

/* bench/advise.c */
extern const struct tool_option bench_advise_options[];
extern const size_t bench_advise_config_bytes;
int bench_command_advise(const struct tool_call *call);

/* bench/dataset.c */
extern const struct tool_option bench_dataset_options[];
extern const size_t bench_dataset_config_bytes;
int bench_command_dataset(const struct tool_call *call);

/* bench/load_decode.c */
extern const struct tool_option bench_decode_options[];
extern const size_t bench_decode_config_bytes;
int bench_command_decode(const struct tool_call *call);

/* bench/quality.c */
extern const struct tool_option bench_quality_options[];
extern const size_t bench_quality_config_bytes;
int bench_command_quality(const struct tool_call *call);

/* bench/sim.c */
extern const struct tool_option bench_sim_options[];
extern const size_t bench_sim_config_bytes;
int bench_command_sim(const struct tool_call *call);

#endif
