/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/launcher.h"

#include "base/err.h"
#include "order/share.h"

#include <stdbool.h>
#include <stdlib.h>

/* Of SLURM the size of the step, not of the job: a batch script that starts one process in a job of many
 * tasks is alone. */
static const struct {
    const char *rank, *world;
} launchers[] = {
    {"RANK", "WORLD_SIZE"}, /* torchrun, and most others for its sake */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
};

static bool parse(const char *text, uint32_t most, uint32_t *ret_number)
{
    char *end;
    unsigned long number;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    number = strtoul(text, &end, 10);
    if (errno != 0 || *end != '\0' || number > most)
        return false;
    *ret_number = (uint32_t)number;
    return true;
}

int dls_launcher_get(uint32_t *ret_rank, uint32_t *ret_world, const char **ret_name)
{
    *ret_rank = *ret_world = 0;
    *ret_name = NULL;
    for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
        const char *rank_text = getenv(launchers[i].rank), *world_text = getenv(launchers[i].world);
        uint32_t rank, world;
        if (rank_text == NULL || world_text == NULL)
            continue;
        if (!parse(world_text, DLS_RANKS_MAX, &world) || !parse(rank_text, DLS_RANKS_MAX, &rank) ||
            rank >= world)
            return dls_err(
                EINVAL,
                "dls_loader_open: the environment says %s=%.20s, %s=%.20s: expected a rank below a world of "
                "1 to %u; or set params.world",
                launchers[i].rank, rank_text, launchers[i].world, world_text, DLS_RANKS_MAX);
        *ret_rank = rank;
        *ret_world = world;
        *ret_name = launchers[i].world;
        return 0;
    }
    return 0;
}
