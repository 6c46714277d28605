/* SPDX-License-Identifier: Apache-2.0 */
/* The stage that is made slow is the one that is named. Only shares of the loader's own counters are looked
 * at, with wide margins. */
#include "flow/flow.h"

#include "io/io.h"
#include "loader/pipeline.h"
#include "support/support.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

TestSuite(verdict, .timeout = 100);

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* The pread engine, but each completed read takes two milliseconds more: a disk of about 500 reads a second.
 */
static int slow_wait(struct dls_io *io, int64_t timeout_ns, struct dls_io_request **ret_done)
{
    int r = dls_io_pread.wait(io, timeout_ns, ret_done);

    if (r < 0)
        return r;
    for (struct dls_io_request *request = *ret_done; request != NULL; request = request->next)
        sleep_ms(2);
    return 0;
}

static struct dls_io_ops slow_disk(void)
{
    struct dls_io_ops ops = dls_io_pread;

    ops.wait = slow_wait;
    return ops;
}

/* Runs all epochs; the caller takes `consumer_ms` a batch. */
static void run(dls_dataset *dataset, const dls_loader_params *params, const struct dls_io_ops *ops,
                long consumer_ms, dls_stats *ret_stats, char ret_text[400])
{
    dls_loader *loader = NULL;
    const dls_batch *batch = NULL;

    cr_assert_eq(dls_pipeline_open_with(dataset, params, ops, &loader), 0, "%s", dls_last_error());
    for (uint64_t epoch = 0; epoch < params->epochs; epoch++) {
        int r;
        while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
            if (consumer_ms > 0)
                sleep_ms(consumer_ms);
            dls_batch_release(loader, &batch);
        }
        cr_assert_eq(r, 0, "%s", dls_last_error());
    }
    dls_loader_get_stats(loader, ret_stats);
    dls_loader_verdict(loader, ret_text, 400);
    dls_loader_close(&loader);
}

Test(verdict, a_slow_disk_is_named)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 100}));
    dls_loader_params params = flow_params();
    struct dls_io_ops ops = slow_disk();
    dls_stats stats;
    char text[400];

    params.epochs = 4;
    params.window_blocks = 4;
    params.io_bytes = 4096;
    run(dataset, &params, &ops, 0, &stats, text);
    cr_assert_eq(stats.bound, DLS_BOUND_DISK, "%s", text);
    cr_assert_eq(strncmp(text, "disk-bound: ", 12), 0, "%s", text);
    cr_assert_gt(stats.decode.wait_in_ns, stats.decode.busy_ns);
    cr_assert_gt(stats.read.wait_in_ns, 4 * stats.read.wait_out_ns);
    cr_assert_gt(stats.consume.wait_in_ns, stats.consume.busy_ns);
    dls_dataset_close(&dataset);
}

Test(verdict, a_slow_decoder_is_named)
{
    dls_dataset *dataset = flow_open(
        flow_make(&(struct flow_spec){.records = 32, .width = 900, .height = 700, .block_bytes = 1u << 18}));
    dls_loader_params params = flow_params();
    dls_stats stats;
    char text[400];

    params.epochs = 4;
    params.threads = 1;
    params.batch_size = 4;
    params.window_blocks = 2;
    run(dataset, &params, NULL, 0, &stats, text);
    cr_assert_eq(stats.bound, DLS_BOUND_DECODER, "%s", text);
    cr_assert_eq(strncmp(text, "decoder-bound: ", 15), 0, "%s", text);
    cr_assert_gt(stats.decode.busy_ns, 2 * (stats.decode.wait_in_ns + stats.decode.wait_out_ns));
    cr_assert_gt(stats.consume.wait_in_ns, stats.consume.busy_ns);
    dls_dataset_close(&dataset);
}

Test(verdict, a_slow_consumer_is_named)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 100}));
    dls_loader_params params = flow_params();
    dls_stats stats;
    char text[400];

    params.epochs = 4;
    run(dataset, &params, NULL, 25, &stats, text);
    cr_assert_eq(stats.bound, DLS_BOUND_CONSUMER, "%s", text);
    cr_assert_eq(strncmp(text, "consumer-bound: ", 16), 0, "%s", text);
    cr_assert_gt(stats.consume.busy_ns, 2 * stats.consume.wait_in_ns);
    cr_assert_gt(stats.decode.wait_out_ns, stats.decode.busy_ns);
    dls_dataset_close(&dataset);
}

Test(verdict, two_batches_are_too_few_to_say)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 32}));
    dls_loader_params params = flow_params();
    dls_stats stats;
    char text[400];

    run(dataset, &params, NULL, 0, &stats, text);
    cr_assert_eq(stats.consume.items, 2);
    cr_assert_eq(stats.bound, DLS_BOUND_UNKNOWN);
    cr_assert_eq(strncmp(text, "too little was measured", 23), 0, "%s", text);
    dls_dataset_close(&dataset);
}
