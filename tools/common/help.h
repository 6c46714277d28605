/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed from the tables: help for people, lists for completions and for the manual page. */
#ifndef TOOLS_COMMON_HELP_H
#define TOOLS_COMMON_HELP_H

#include "common/tool.h"

void tool_print_help(const struct tool *tool, FILE *out);
void tool_print_command_help(const struct tool *tool, const struct tool_command *command, FILE *out);
/* A command a line: name, tab, summary. */
void tool_print_commands(const struct tool *tool, FILE *out);
/* An option a line: "--name" or "--name=", tab, short form or "", tab, argument or "", tab, help. */
void tool_print_long_options(const struct tool_command *command, FILE *out);
/* The option list of the manual page, in mdoc. */
void tool_print_mdoc(const struct tool_command *command, FILE *out);

#endif
