/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of dlpack-shards, one a file. */
#ifndef TOOLS_SHARDS_COMMANDS_H
#define TOOLS_SHARDS_COMMANDS_H

#include "common/tool.h"

extern const struct tool_command shards_cat, shards_extract, shards_info, shards_ls, shards_pack, shards_verify;

#endif
