/* SPDX-License-Identifier: Apache-2.0 */
/* The expected figures are those of bench/disksim/README.md: data sheets and the measured calibration. */
#include "drive.h"

#include "disksim/hdd_geometry.h"

#define WHOLE 4e12
#define PART 150e9

static struct sim_profile profile;

static void setup(void)
{
    profile = load_profile("hdd-7200");
}

TestSuite(model_hdd, .init = setup);

Test(model_hdd, a_seek_takes_what_the_data_sheet_says)
{
    struct hdd_geometry g;
    hdd_geometry_init(&g, &profile);
    double track = g.track_bytes[0];

    cr_assert_eq(hdd_seek(&g, 0, track / 2), 0);
    ASSERT_NEAR(hdd_seek(&g, 0, track * 1.5), 0.5e-3, 0.05);
    ASSERT_NEAR(hdd_seek(&g, 0, WHOLE - 4096), 16e-3, 0.001);
    ASSERT_NEAR(hdd_seek(&g, WHOLE - 4096, 0), 16e-3, 0.001);
    /* A third of the tracks, counted from the edge, where they are longer than a third of the bytes. */
    double tracks = g.first_track[HDD_ZONES], low = 0, high = WHOLE;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2, passed = 0;
        for (int z = 0; z < HDD_ZONES; z++)
            passed += fmax(0, fmin(middle - WHOLE * z / HDD_ZONES, WHOLE / HDD_ZONES)) / g.track_bytes[z];
        *(passed < tracks / 3 ? &low : &high) = middle;
    }
    cr_assert_gt(low, WHOLE / 3);
    ASSERT_NEAR(hdd_seek(&g, 0, low), 8e-3, 0.001);
}

Test(model_hdd, seeks_grow_with_the_distance)
{
    struct hdd_geometry g;
    hdd_geometry_init(&g, &profile);
    double last = 0;

    for (double to = 1e7; to < WHOLE; to *= 1.5) {
        double seek = hdd_seek(&g, 0, to);
        cr_assert_gt(seek, last, "at %g", to);
        last = seek;
    }
}

Test(model_hdd, the_platter_turns)
{
    struct hdd_geometry g;
    hdd_geometry_init(&g, &profile);
    double turn = 60.0 / 7200;

    ASSERT_NEAR(g.revolution, turn, 1e-9);
    cr_assert_float_eq(hdd_rotation(&g, 0, 0), 0, 1e-9);
    ASSERT_NEAR(hdd_rotation(&g, g.track_bytes[0] / 2, 0), turn / 2, 1e-6);
    ASSERT_NEAR(hdd_rotation(&g, g.track_bytes[0] / 4, turn * 10.5), turn * 0.75, 1e-6);
}

Test(model_hdd, one_stream_runs_at_the_rate_of_its_zone)
{
    struct job outer = {SEQUENTIAL, .length = 1 << 20, .depth = 1, .span = WHOLE};
    struct job inner = {SEQUENTIAL, .length = 1 << 20, .depth = 1, .start = WHOLE * 0.97, .span = WHOLE};
    struct job small = {SEQUENTIAL, .length = 128 << 10, .depth = 1, .span = WHOLE};

    ASSERT_NEAR(megabytes(&profile, &outer), 220, 0.01);
    ASSERT_NEAR(megabytes(&profile, &inner), 110, 0.01);
    ASSERT_NEAR(megabytes(&profile, &small), 220, 0.01);
    outer.depth = 32;
    ASSERT_NEAR(megabytes(&profile, &outer), 220, 0.01);
}

Test(model_hdd, random_reads_one_at_a_time_match_the_calibration)
{
    ASSERT_NEAR(drive(&profile, &(struct job){RANDOM, 4096, 1, .span = WHOLE}), 83, 0.03);
    ASSERT_NEAR(drive(&profile, &(struct job){RANDOM, 131072, 1, .span = WHOLE}), 78, 0.03);
    ASSERT_NEAR(drive(&profile, &(struct job){RANDOM, 4096, 1, .span = PART}), 165, 0.03);
    ASSERT_NEAR(drive(&profile, &(struct job){RANDOM, 131072, 1, .span = PART}), 151, 0.03);
}

Test(model_hdd, random_reads_slow_down_as_the_data_spread)
{
    double spans[] = {1e9, 10e9, 150e9, 1e12, 4e12}, last = 1e9;

    for (int i = 0; i < 5; i++) {
        double iops = drive(&profile, &(struct job){RANDOM, 4096, 1, .span = spans[i]});
        cr_assert_lt(iops, last, "span %g", spans[i]);
        last = iops;
    }
}

Test(model_hdd, a_deep_queue_helps_as_much_as_on_real_disks)
{
    struct job job = {RANDOM, 4096, .depth = 1, .span = WHOLE};
    double one = drive(&profile, &job), four, deep;

    job.depth = 4;
    four = drive(&profile, &job);
    job.depth = 32;
    deep = drive(&profile, &job);
    cr_assert_gt(four, one * 1.2);
    cr_assert_gt(deep, four);
    cr_assert(deep >= one * 1.5 && deep <= one * 2, "%g : %g", deep, one);
    /* The perfect choice among all 32. */
    profile.queue = 32;
    deep = drive(&profile, &job);
    cr_assert(deep >= one * 2.3 && deep <= one * 3.1, "%g : %g", deep, one);
}

Test(model_hdd, long_random_reads_come_near_the_sequential_rate)
{
    struct job job = {RANDOM, .depth = 1, .span = PART};

    job.length = 512 << 10;
    ASSERT_NEAR(megabytes(&profile, &job), 66, 0.07);
    job.length = 1 << 20;
    ASSERT_NEAR(megabytes(&profile, &job), 104, 0.08);
    job.length = 8 << 20;
    cr_assert_gt(megabytes(&profile, &job), 220 * 0.8);
    job.length = 32 << 20;
    cr_assert_gt(megabytes(&profile, &job), 220 * 0.94);
}

Test(model_hdd, several_streams_at_once_ruin_it)
{
    struct job job = {SEQUENTIAL, 131072, .depth = 1, .span = PART};
    double one = megabytes(&profile, &job);

    job.streams = 2;
    double two = megabytes(&profile, &job);
    cr_assert(two > 15 && two < one / 3, "%g MB/s", two);
    /* How bad hangs on how far a disk reads on. */
    profile.read_on = 0;
    double bare = megabytes(&profile, &job);
    cr_assert(bare > 10 && bare < two, "%g MB/s", bare);
}

/* One request alone on a model at `now`. */
static double serve(struct sim_model *model, struct sim_request *request, double now, double address,
                    double length)
{
    *request = (struct sim_request){.address = address, .length = length, .arrived = now};
    sim_model_submit(model, request);
    cr_assert_eq(sim_model_next(model, now), request);
    sim_model_finish(model);
    cr_assert_null(sim_model_next(model, request->due));
    return request->due - now;
}

Test(model_hdd, what_was_just_read_comes_from_the_buffer)
{
    struct sim_model *model = NULL;
    struct sim_request request;

    cr_assert_eq(sim_model_create(&profile, &model), 0);
    cr_assert_gt(serve(model, &request, 1.001, 2e12, 65536), 4e-3);
    double again = serve(model, &request, 2, 2e12, 65536);
    ASSERT_NEAR(again, profile.command + 65536 / profile.interface, 1e-6);
    /* The head has gone on for a second: a segment's length is there, and not a byte more. */
    cr_assert_lt(serve(model, &request, 3, 2e12 + 65536 + 1048576, 65536), 1e-3);
    cr_assert_eq(sim_model_counts(model)->buffered, 2);
    cr_assert_gt(serve(model, &request, 4, 2e12 + 65536 + 64e6, 65536), 1e-3);
    cr_assert_eq(sim_model_counts(model)->buffered, 2);
    cr_assert_eq(sim_model_counts(model)->requests, 4);
    cr_assert_eq(sim_model_counts(model)->bytes, 4 * 65536);
    sim_model_free(&model);
}

Test(model_hdd, a_far_request_is_not_starved_by_near_ones)
{
    struct sim_model *model = NULL;
    struct sim_request near[2] = {0}, far = {.address = WHOLE - 1048576, .length = 4096, .arrived = 1e-3};
    double now = 0, at = 0;

    cr_assert_eq(sim_model_create(&profile, &model), 0);
    for (int i = 0; i < 2; i++, at += 65536) {
        near[i] = (struct sim_request){.address = at, .length = 65536};
        sim_model_submit(model, &near[i]);
    }
    sim_model_submit(model, &far);
    while (now < 10) {
        struct sim_request *done = sim_model_next(model, now);
        now = done->due;
        sim_model_finish(model);
        if (done == &far)
            break;
        *done = (struct sim_request){.address = at, .length = 65536, .arrived = now};
        sim_model_submit(model, done);
        at += 65536;
    }
    cr_assert_gt(now, 1);
    cr_assert_lt(now, profile.patience + 0.1);
    sim_model_free(&model);
}
