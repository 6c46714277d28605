/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting, holding batches, and ending a loader from any state. */
#include "flow/flow.h"

#include "base/thread.h"
#include "io/io.h"
#include "loader/pipeline.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define FOR_EVER (-1)

static dls_dataset *dataset;

static void setup(void)
{
    dataset = flow_open(flow_make(&(struct flow_spec){.records = 160}));
}

static void teardown(void)
{
    dls_dataset_close(&dataset);
    cr_assert_null(dataset);
}

TestSuite(life, .init = setup, .fini = teardown, .timeout = 100);

Test(life, a_caller_that_holds_all_it_may_is_told_so)
{
    dls_loader_params params = flow_params();

    for (uint32_t ring = 2; ring <= 5; ring++) {
        const dls_batch *held[5] = {0}, *batch = NULL;
        params.ring_batches = ring;
        dls_loader *loader = flow_start(dataset, &params);
        for (uint32_t i = 0; i + 1 < ring; i++)
            cr_assert_eq(dls_loader_next(loader, FOR_EVER, &held[i]), 1);
        cr_assert_eq(dls_loader_next(loader, FOR_EVER, &batch), -EDEADLK);
        cr_assert_null(batch);
        cr_assert_eq(dls_loader_next(loader, 0, &batch), -EDEADLK);
        cr_assert_not_null(strstr(dls_last_error(), "release one first"));
        dls_batch_release(loader, &held[0]);
        cr_assert_null(held[0]);
        cr_assert_eq(dls_loader_next(loader, FOR_EVER, &batch), 1);
        cr_assert_eq(batch->index, ring - 1);
        dls_loader_close(&loader);
    }
}

Test(life, a_lent_batch_stays_as_it_is_until_it_is_released)
{
    dls_loader_params params = flow_params();
    const dls_batch *kept = NULL, *batch = NULL;
    static uint8_t copy[16 * 32 * 24 * 3];
    uint64_t records[16];

    params.epochs = 3;
    params.ring_batches = 3;
    dls_loader *loader = flow_start(dataset, &params);
    cr_assert_eq(dls_loader_next(loader, FOR_EVER, &kept), 1);
    memcpy(copy, kept->images, sizeof(copy));
    memcpy(records, kept->records, sizeof(records));
    for (int i = 0; i < 25; i++) {
        int r = dls_loader_next(loader, FOR_EVER, &batch);
        cr_assert_geq(r, 0);
        dls_batch_release(loader, &batch);
    }
    cr_assert(kept->epoch == 0 && kept->index == 0);
    cr_assert_arr_eq(kept->images, copy, sizeof(copy));
    cr_assert_arr_eq(kept->records, records, sizeof(records));
    dls_batch_release(loader, &kept);
    dls_loader_close(&loader);
}

/* The pread engine, but nothing arrives until the gate is opened. */
static atomic_bool gate_open;

static int gated_wait(struct dls_io *io, int64_t timeout_ns, struct dls_io_request **ret_done)
{
    while (!gate_open)
        sched_yield();
    return dls_io_pread.wait(io, timeout_ns, ret_done);
}

Test(life, a_time_out_is_kept_and_a_later_call_gets_the_batch)
{
    dls_loader_params params = flow_params();
    struct dls_io_ops ops = dls_io_pread;
    const dls_batch *batch = NULL;
    dls_loader *loader = NULL;

    ops.wait = gated_wait;
    cr_assert_eq(dls_pipeline_open_with(dataset, &params, &ops, &loader), 0, "%s", dls_last_error());
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(dls_loader_next(loader, 2000000, &batch), -ETIMEDOUT);
        cr_assert_eq(dls_loader_next(loader, 0, &batch), -EAGAIN);
        cr_assert_null(batch);
    }
    gate_open = true;
    for (uint64_t i = 0; i < 10; i++) {
        cr_assert_eq(dls_loader_next(loader, INT64_MAX, &batch), 1);
        cr_assert_eq(batch->index, i);
        dls_batch_release(loader, &batch);
    }
    cr_assert_eq(dls_loader_next(loader, 0, &batch), 0);
    dls_loader_close(&loader);
}

Test(life, the_end_of_an_epoch_comes_once_and_the_end_of_all_for_ever)
{
    dls_loader_params params = flow_params();
    const dls_batch *batch = NULL;

    params.epochs = 3;
    dls_loader *loader = flow_start(dataset, &params);
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        for (uint64_t i = 0; i < dls_loader_batches(loader); i++) {
            cr_assert_eq(dls_loader_next(loader, FOR_EVER, &batch), 1);
            cr_assert(batch->epoch == epoch && batch->index == i);
            dls_batch_release(loader, &batch);
        }
        cr_assert_eq(dls_loader_next(loader, FOR_EVER, &batch), 0);
    }
    for (int i = 0; i < 4; i++)
        cr_assert_eq(dls_loader_next(loader, i % 2 ? FOR_EVER : 0, &batch), 0);
    dls_loader_close(&loader);
}

Test(life, release_takes_null_and_ignores_what_was_not_lent)
{
    dls_loader_params params = flow_params();
    const dls_batch *batch = NULL, *copy;
    dls_batch stranger = {0};

    dls_loader *loader = flow_start(dataset, &params);
    dls_batch_release(loader, NULL);
    dls_batch_release(loader, &batch);
    cr_assert_eq(dls_loader_next(loader, FOR_EVER, &batch), 1);
    copy = batch;
    dls_batch_release(loader, &batch);
    dls_batch_release(loader, &copy); /* a second time */
    cr_assert_null(copy);
    copy = &stranger;
    dls_batch_release(loader, &copy);
    struct flow_run run;
    while (dls_loader_next(loader, FOR_EVER, &batch) > 0)
        dls_batch_release(loader, &batch);
    cr_assert_eq(flow_epoch(loader, &params, &run), 0);
    dls_loader_close(&loader);
}

Test(life, close_works_in_every_state)
{
    for (int engine = DLS_ENGINE_AUTO; engine <= DLS_ENGINE_PREAD; engine += 2) {
        for (uint32_t taken = 0; taken < 24; taken++) {
            for (uint32_t hold = 0; hold <= 3; hold += 3) {
                dls_loader_params params = flow_params();
                const dls_batch *batches[32] = {0};
                dls_loader *loader;
                params.epochs = taken % 3; /* endless, one, two */
                params.engine = (dls_engine)engine;
                params.threads = 1 + taken % 4;
                params.window_blocks = 2;
                loader = flow_start(dataset, &params);
                for (uint32_t i = 0; i < taken; i++) {
                    int r = dls_loader_next(loader, FOR_EVER, &batches[i]);
                    cr_assert(r == 0 || r == 1 || (r == -EDEADLK && hold > 0));
                    if (i >= hold)
                        dls_batch_release(loader, &batches[i]);
                }
                dls_loader_close(&loader);
                cr_assert_null(loader);
            }
        }
    }
    dls_loader *nothing = NULL;
    dls_loader_close(&nothing);
    dls_loader_close(NULL);
}

struct taker {
    struct dls_thread thread;
    dls_loader *loader;
    uint64_t batches, samples;
};

static void *take_all(void *arg)
{
    struct taker *taker = arg;
    const dls_batch *batch = NULL;

    while (dls_loader_next(taker->loader, FOR_EVER, &batch) > 0) {
        taker->batches++;
        taker->samples += batch->count;
        dls_batch_release(taker->loader, &batch);
    }
    return NULL;
}

Test(life, several_threads_may_share_out_the_batches)
{
    dls_loader_params params = flow_params();
    struct taker takers[3] = {0};
    uint64_t batches = 0, samples = 0;

    params.tail = DLS_TAIL_EXACT;
    params.batch_size = 7;
    params.ring_batches = 8;
    dls_loader *loader = flow_start(dataset, &params);
    for (int i = 0; i < 3; i++) {
        takers[i].loader = loader;
        cr_assert_eq(dls_thread_start(&takers[i].thread, "taker", take_all, &takers[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        dls_thread_join(&takers[i].thread);
        batches += takers[i].batches;
        samples += takers[i].samples;
    }
    cr_assert(batches == 23 && samples == 160);
    dls_loader_close(&loader);
}

Test(life, two_loaders_share_a_dataset)
{
    dls_loader_params params = flow_params();
    struct flow_run a, b;

    params.tail = DLS_TAIL_EXACT;
    dls_loader *first = flow_start(dataset, &params), *second = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(first, &params, &a), 0);
    cr_assert_eq(flow_epoch(second, &params, &b), 0);
    cr_assert(flow_same(&a, &b));
    flow_expect_all(&a, 160);
    flow_run_free(&a);
    flow_run_free(&b);
    dls_loader_close(&second);
    dls_loader_close(&first);
}

Test(life, bad_arguments_are_refused)
{
    dls_loader_params params = flow_params();
    dls_loader *loader = NULL;
    const dls_batch *batch = NULL;

    cr_assert_eq(dls_loader_open(NULL, &params, &loader), -EINVAL);
    cr_assert_eq(dls_loader_open(dataset, &params, NULL), -EINVAL);
    params.threads = 5000;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
    cr_assert_not_null(strstr(dls_last_error(), "threads is 5000"));
    cr_assert_null(loader);
    cr_assert_eq(dls_loader_next(NULL, 0, &batch), -EINVAL);
}
