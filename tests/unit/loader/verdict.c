/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/verdict.h"

#include <criterion/criterion.h>
#include <string.h>

#define SECOND 1000000000ull

/* Ten seconds in which each stage did what is given, in percent of its time. */
static dls_stats stats_of(unsigned disk_idle, unsigned decoder_busy, unsigned decoder_wait_in,
                          unsigned consumer_wait)
{
    return (dls_stats){
        .elapsed_ns = 10 * SECOND,
        .read = {.threads = 1,
                 .items = 100,
                 .busy_ns = SECOND / 10,
                 .wait_in_ns = (100 - disk_idle) * SECOND / 10 - SECOND / 10,
                 .wait_out_ns = disk_idle * SECOND / 10},
        .decode = {.threads = 4,
                   .items = 1000,
                   .busy_ns = 4 * decoder_busy * SECOND / 10,
                   .wait_in_ns = 4 * decoder_wait_in * SECOND / 10,
                   .wait_out_ns = 4 * (100 - decoder_busy - decoder_wait_in) * SECOND / 10},
        .consume = {.threads = 1,
                    .items = 50,
                    .busy_ns = (100 - consumer_wait) * SECOND / 10,
                    .wait_in_ns = consumer_wait * SECOND / 10},
    };
}

static void expect(const dls_stats *stats, dls_bound bound, int decoded, unsigned cpus, const char *text)
{
    char got[400];
    int length = dls_verdict_text(stats, decoded, cpus, got, sizeof(got));

    cr_assert_eq(dls_verdict_bound(stats), bound);
    cr_assert_str_eq(got, text);
    cr_assert_eq((size_t)length, strlen(text));
}

Test(verdict, the_disk_is_named_when_the_decoder_waits_for_records)
{
    dls_stats stats = stats_of(0, 25, 71, 90);

    expect(&stats, DLS_BOUND_DISK, 1, 4,
           "disk-bound: the decoder waited 71 % of its time for records; a faster disk or smaller records "
           "would give up "
           "to 4.0x; more threads would not help");
}

Test(verdict, the_decoder_is_named_when_disk_and_consumer_wait_for_it)
{
    dls_stats stats = stats_of(51, 98, 1, 80);

    expect(&stats, DLS_BOUND_DECODER, 1, 8,
           "decoder-bound: the decoder worked 98 % of its time and the consumer waited 80 % of its own; more "
           "threads would "
           "give up to 2.0x; a faster disk would not help");
    expect(&stats, DLS_BOUND_DECODER, 1, 4,
           "decoder-bound: the decoder worked 98 % of its time and the consumer waited 80 % of its own; "
           "smaller pictures "
           "or more CPUs would give up to 2.0x; a faster disk would not help");
    stats = stats_of(90, 98, 1, 95);
    expect(&stats, DLS_BOUND_DECODER, 1, 6,
           "decoder-bound: the decoder worked 98 % of its time and the consumer waited 95 % of its own; more "
           "threads "
           "would give up to 1.5x; a faster disk would not help");
}

/* Pins a flaw: with all read early in the run, the I/O thread counts no more time, and the little that it had
 * counted was all work: the disk was blamed although the decoder never waited. */
Test(verdict, a_disk_that_was_done_early_is_not_blamed)
{
    dls_stats stats = stats_of(50, 99, 1, 100);

    stats.read.busy_ns = SECOND / 100;
    stats.read.wait_in_ns = 2 * SECOND / 100;
    stats.read.wait_out_ns = 0;
    expect(&stats, DLS_BOUND_DECODER, 1, 4,
           "decoder-bound: the decoder worked 99 % of its time and the consumer waited 100 % of its own; "
           "smaller "
           "pictures or more CPUs would give 10x or more; a faster disk would not help");
}

Test(verdict, the_consumer_is_named_when_all_wait_for_it)
{
    dls_stats stats = stats_of(80, 30, 1, 3);

    expect(&stats, DLS_BOUND_CONSUMER, 1, 4,
           "consumer-bound: it waited only 3 % of its time for batches; the loader could go up to 3.2x as "
           "fast; no setting "
           "of the loader would help");
}

Test(verdict, with_records_that_are_not_decoded_there_is_no_decoder)
{
    dls_stats stats = stats_of(0, 10, 88, 95);
    char text[400];

    dls_verdict_text(&stats, 0, 4, text, sizeof(text));
    cr_assert_not_null(strstr(text, "the checker waited 88 %"));
}

Test(verdict, a_stage_that_took_no_time_does_not_make_the_gain_infinite)
{
    dls_stats stats = stats_of(0, 0, 100, 100);
    char text[400];

    dls_verdict_text(&stats, 1, 4, text, sizeof(text));
    cr_assert_not_null(strstr(text, "would give 10x or more;"));
}

Test(verdict, too_little_is_unknown)
{
    dls_stats stats = stats_of(0, 25, 71, 90), none = {0};

    stats.consume.items = 2;
    stats.consume.wait_in_ns = 2 * SECOND;
    stats.consume.busy_ns = SECOND / 2;
    expect(&stats, DLS_BOUND_UNKNOWN, 1, 4,
           "too little was measured to name a bottleneck: 2 batches in 2.50 s");
    expect(&none, DLS_BOUND_UNKNOWN, 1, 4,
           "too little was measured to name a bottleneck: 0 batches in 0.00 s");
}

Test(verdict, the_text_is_cut_as_snprintf_cuts)
{
    dls_stats none = {0};
    char text[9] = "xxxxxxxx";

    cr_assert_gt(dls_verdict_text(&none, 1, 4, text, sizeof(text)), 50);
    cr_assert_str_eq(text, "too litt");
    cr_assert_gt(dls_verdict_text(&none, 1, 4, NULL, 0), 50);
}
