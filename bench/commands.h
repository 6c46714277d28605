/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of dls-bench. */
#ifndef DLS_BENCH_COMMANDS_H
#define DLS_BENCH_COMMANDS_H

#include <stdatomic.h>

#include "common/tool.h"

/* Catches SIGINT and SIGTERM for the rest of the process: *stop becomes the signal's number, once; a second
 * one ends the process at once. */
const atomic_int *bench_catch_signals(void);

int bench_command_run(const struct tool_call *call);

/* bench/load_decode.c */
extern const struct tool_option bench_decode_options[];
extern const size_t bench_decode_config_bytes;
int bench_command_decode(const struct tool_call *call);

/* bench/sim.c */
extern const struct tool_option bench_sim_options[];
extern const size_t bench_sim_config_bytes;
int bench_command_sim(const struct tool_call *call);

#endif
