/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack-shards: packs picture folders into dlshards datasets, and says what is in them. */
#include "shards/commands.h"

int main(int argc, char **argv)
{
    const struct tool_command commands[] = {shards_pack, shards_info, shards_verify, shards_ls, shards_cat, shards_extract, {0}};
    const struct tool tool = {.name = "dlpack-shards",
                              .summary = "Packs picture folders into dlshards datasets and checks them",
                              .commands = commands};

    return tool_main(&tool, argc, argv);
}
