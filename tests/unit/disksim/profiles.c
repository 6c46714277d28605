/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles against their sources, in virtual time. */
#include "drive.h"

/* A model's rate without the host's own delay between requests. */
static double alone(double rate)
{
    return 1 / (1 / rate - HOST_DELAY);
}

Test(profiles, a_usb_disk_reads_one_command_at_a_time)
{
    struct sim_profile profile = load_profile("hdd-5400-usb");
    struct job sequential = {SEQUENTIAL, 1 << 20, .depth = 2, .span = 1e9};
    struct job random = {RANDOM, 4096, .depth = 1, .span = 2e12};

    ASSERT_NEAR(megabytes(&profile, &sequential), 130, 0.03);
    /* 12 ms on average, half a turn of 11.1 ms, the commands' overhead. */
    double one = drive(&profile, &random);
    ASSERT_NEAR(one, 1 / (12e-3 + 5.55e-3 + 0.3e-3 + 0.3e-3), 0.07);
    random.depth = 32;
    ASSERT_NEAR(drive(&profile, &random), one, 0.05);
}

Test(profiles, an_nvme_matches_its_data_sheet)
{
    struct sim_profile profile = load_profile("nvme");
    struct job small = {RANDOM, 4096, .depth = 1, .span = 1e11, .requests = 20000};
    struct job large = {RANDOM, 1 << 20, .depth = 32, .span = 1e11};

    ASSERT_NEAR(alone(drive(&profile, &small)), 19000, 0.03);
    ASSERT_NEAR(megabytes(&profile, &large), 3500, 0.01);
}

Test(profiles, a_cloud_volume_bursts_until_its_credits_are_gone)
{
    struct sim_profile profile = load_profile("cloud-volume");
    struct job small = {RANDOM, 4096, .depth = 32, .span = 1e11, .requests = 20000};
    struct job large = {RANDOM, 1 << 20, .depth = 8, .span = 1e11};

    ASSERT_NEAR(drive(&profile, &small), 3000, 0.01);
    ASSERT_NEAR(megabytes(&profile, &large), 262, 0.01);
    cr_assert_eq(sim_profile_change(&profile, "credit_ios=0"), 0);
    ASSERT_NEAR(drive(&profile, &small), 1400, 0.01);
    ASSERT_NEAR(megabytes(&profile, &large), 262, 0.01);
    /* 10 000 credits last for these and for what comes back meanwhile. */
    cr_assert_eq(sim_profile_change(&profile, "credit_ios=10k"), 0);
    double fast = 10000 / (1 - 1400 / 3000.0);
    double seconds = fast / 3000 + (40000 - fast) / 1400;
    small.requests = 40000;
    ASSERT_NEAR(drive(&profile, &small), 40000 / seconds, 0.02);
}

Test(profiles, a_file_server_is_a_round_trip_away)
{
    struct sim_profile profile = load_profile("nfs-like");
    struct job small = {RANDOM, 4096, .depth = 1, .span = 1e11};
    struct job large = {SEQUENTIAL, 1 << 20, .depth = 4, .span = 1e11};

    ASSERT_NEAR(alone(drive(&profile, &small)), 1 / (0.5e-3 + 50e-6), 0.03);
    ASSERT_NEAR(megabytes(&profile, &large), 117, 0.01);
}
