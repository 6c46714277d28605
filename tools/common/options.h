/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a command line by an option table. */
#ifndef TOOLS_COMMON_OPTIONS_H
#define TOOLS_COMMON_OPTIONS_H

#include "common/tool.h"

enum tool_asked {
    TOOL_ASKED_RUN,
    TOOL_ASKED_HELP,
    TOOL_ASKED_LONG_OPTIONS,
    TOOL_ASKED_MDOC,
};

/* What went wrong, ready to be shown: names the option, the value and what was expected. */
struct tool_complaint {
    char text[512];
};

/* Fills config (zeroed, command->config_bytes long) with the presets and then with argv[0, argc), the
 * arguments behind the command's name. Operands are moved to the front of argv and counted; "--" ends the
 * options. Returns false, with the reason in *ret_complaint, when the command line cannot be used. */
bool tool_parse(const struct tool_command *command, int argc, char **argv, void *config,
                unsigned *ret_operands, enum tool_asked *ret_asked, struct tool_complaint *ret_complaint);

/* "4k to 256M bytes, a multiple of 4k", or "" when everything is allowed. Writes at most `size` bytes. */
void tool_range_text(const struct tool_option *option, char *room, size_t size);

/* The number of the word text[0, length) in "a|b|c", or -1. */
int tool_choice_find(const char *choices, const char *text, size_t length);

#endif
