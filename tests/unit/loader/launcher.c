/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/launcher.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void clear(void)
{
    static const char *const names[] = {"RANK",
                                        "WORLD_SIZE",
                                        "SLURM_PROCID",
                                        "SLURM_NTASKS",
                                        "SLURM_STEP_NUM_TASKS",
                                        "OMPI_COMM_WORLD_RANK",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "OMPI_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unsetenv(names[i]);
}

TestSuite(launcher, .init = clear);

static int get(uint32_t *ret_rank, uint32_t *ret_world)
{
    const char *name;
    return dls_launcher_get(ret_rank, ret_world, &name);
}

Test(launcher, says_nothing_where_there_is_none)
{
    uint32_t rank = 7, world = 7;
    const char *name = "x";

    cr_assert_eq(dls_launcher_get(&rank, &world, &name), 0);
    cr_assert(rank == 0 && world == 0 && name == NULL);
}

Test(launcher, each_kind_is_known)
{
    static const char *const kinds[][2] = {{"RANK", "WORLD_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                           {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"}};

    for (size_t i = 0; i < 4; i++) {
        uint32_t rank, world;
        const char *name;
        clear();
        setenv(kinds[i][0], "3", 1);
        cr_assert_eq(get(&rank, &world), 0);
        cr_assert_eq(world, 0); /* a rank alone says nothing */
        setenv(kinds[i][1], "8", 1);
        cr_assert_eq(dls_launcher_get(&rank, &world, &name), 0);
        cr_assert(rank == 3 && world == 8);
        cr_assert_str_eq(name, kinds[i][1]);
    }
}

/* A batch script of a job with many tasks sees SLURM_NTASKS, but is one process. */
Test(launcher, a_slurm_job_without_a_step_is_one_process)
{
    uint32_t rank, world;

    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_NTASKS", "16", 1);
    cr_assert_eq(get(&rank, &world), 0);
    cr_assert_eq(world, 0);
}

Test(launcher, what_does_not_fit_together_is_refused)
{
    static const char *const cases[][2] = {{"4", "4"}, {"-1", "4"}, {"0", "0"},      {"a", "4"},
                                           {"1", ""},  {"1", "4x"}, {"0", "100000"}, {"", "3"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint32_t rank, world;
        setenv("RANK", cases[i][0], 1);
        setenv("WORLD_SIZE", cases[i][1], 1);
        cr_assert_eq(get(&rank, &world), -EINVAL, "%s of %s", cases[i][0], cases[i][1]);
        cr_assert_not_null(strstr(dls_err_text(), "WORLD_SIZE="));
    }
}
