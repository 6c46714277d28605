/* SPDX-License-Identifier: Apache-2.0 */
#include "drive.h"

static struct sim_profile profile;

static void setup(void)
{
    profile = load_profile("sata-ssd");
}

TestSuite(model_ssd, .init = setup);

Test(model_ssd, small_reads_match_the_data_sheet)
{
    struct job job = {RANDOM, 4096, .depth = 1, .span = 1e11, .requests = 20000};

    /* The host's own delay comes on top at depth 1. */
    ASSERT_NEAR(1 / (1 / drive(&profile, &job) - HOST_DELAY), 13000, 0.02);
    job.depth = 32;
    ASSERT_NEAR(drive(&profile, &job), 98000, 0.01);
}

Test(model_ssd, large_reads_fill_the_link)
{
    struct job random = {RANDOM, 131072, .depth = 32, .span = 1e11};
    struct job sequential = {SEQUENTIAL, 1 << 20, .depth = 1, .span = 1e11};

    ASSERT_NEAR(megabytes(&profile, &random), 550, 0.01);
    cr_assert_gt(megabytes(&profile, &sequential), 500);
    sequential.depth = 4;
    ASSERT_NEAR(megabytes(&profile, &sequential), 550, 0.01);
}

Test(model_ssd, distance_does_not_matter)
{
    struct job near = {RANDOM, 4096, .depth = 1, .span = 1e9}, far = {RANDOM, 4096, .depth = 1, .span = 1e12};

    ASSERT_NEAR(drive(&profile, &near), drive(&profile, &far), 1e-9);
}

Test(model_ssd, latencies_pass_together_and_the_link_in_order)
{
    struct sim_request a = {.length = 550e3, .arrived = 1}, b = {.length = 4096, .arrived = 1};
    struct sim_model *model = NULL;

    cr_assert_eq(sim_model_create(&profile, &model), 0);
    sim_model_submit(model, &a);
    sim_model_submit(model, &b);
    cr_assert_eq(sim_model_next(model, 1), &a);
    cr_assert_float_eq(a.due, 1 + 66e-6 + 1e-3, 1e-9);
    sim_model_finish(model);
    cr_assert_eq(sim_model_next(model, 1), &b);
    cr_assert_float_eq(b.due, a.due + 1 / 98e3, 1e-9);
    sim_model_finish(model);
    cr_assert_null(sim_model_next(model, 2));
    sim_model_free(&model);
}
