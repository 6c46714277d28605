/* SPDX-License-Identifier: Apache-2.0 */
/* Disks, engines and memory that fail under a running loader. */
#include "flow/flow.h"

#include "base/mem.h"
#include "loader/pipeline.h"
#include "support/faulty_io.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define RECORDS 110

static dls_dataset *dataset;

static void setup(void)
{
    dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
}

static void teardown(void)
{
    dls_dataset_close(&dataset);
}

TestSuite(faults, .init = setup, .fini = teardown, .timeout = 100);

static dls_loader_params two_epochs(void)
{
    dls_loader_params params = flow_params();

    params.epochs = 2;
    params.tail = DLS_TAIL_EXACT;
    params.window_blocks = 3;
    params.io_bytes = 4096;
    params.direct = DLS_DIRECT_OFF;
    return params;
}

Test(faults, late_short_and_interrupted_reads_change_nothing)
{
    dls_loader_params params = two_epochs();
    struct flow_run plain[2], run;
    dls_loader *loader = flow_start(dataset, &params);

    for (int i = 0; i < 2; i++)
        cr_assert_eq(flow_epoch(loader, &params, &plain[i]), 0);
    dls_loader_close(&loader);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct faulty_io plan = {.seed = seed,
                                 .short_in = 3,
                                 .interrupt_in = 5,
                                 .again_in = 7,
                                 .io_error_in = 9,
                                 .spurious_in = 4,
                                 .late = true};
        dls_stats stats;
        faulty_io_next = &plan;
        params.threads = 1 + seed % 4;
        cr_assert_eq(dls_pipeline_open_with(dataset, &params, &faulty_io_ops, &loader), 0, "%s",
                     dls_last_error());
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(flow_epoch(loader, &params, &run), 0, "%s", dls_last_error());
            cr_assert(flow_same(&run, &plain[i]), "seed %lu", seed);
            flow_run_free(&run);
        }
        dls_loader_get_stats(loader, &stats);
        cr_assert_gt(stats.read_retries, 0);
        dls_loader_close(&loader);
        cr_assert_gt(plan.faults, 0);
    }
    flow_run_free(&plain[0]);
    flow_run_free(&plain[1]);
}

Test(faults, a_bad_sector_is_named_by_shard_and_offset)
{
    dls_loader_params params = two_epochs();
    struct faulty_io plan = {.seed = 1, .bad_from = 16384, .bad_to = 16385};
    struct flow_run run;
    const dls_batch *batch = NULL;
    dls_loader *loader = NULL;

    faulty_io_next = &plan;
    cr_assert_eq(dls_pipeline_open_with(dataset, &params, &faulty_io_ops, &loader), 0, "%s",
                 dls_last_error());
    cr_assert_eq(flow_epoch(loader, &params, &run), -EIO);
    cr_assert_not_null(strstr(dls_last_error(), "/shard-0000"), "%s", dls_last_error());
    cr_assert_not_null(strstr(dls_last_error(), "offset 16384: Input/output error"), "%s", dls_last_error());
    cr_assert_eq(dls_loader_next(loader, -1, &batch), -EIO);
    flow_run_free(&run);
    dls_loader_close(&loader);
}

/* The pread engine, whose wait() fails for good after some calls. */
static _Atomic int waits_left;

static int failing_wait(struct dls_io *io, int64_t timeout_ns, struct dls_io_request **ret_done)
{
    if (waits_left-- <= 0)
        return -ENODEV;
    return dls_io_pread.wait(io, timeout_ns, ret_done);
}

Test(faults, an_engine_that_fails_ends_the_run_with_its_error)
{
    dls_loader_params params = two_epochs();
    struct dls_io_ops ops = dls_io_pread;

    params.epochs = 0; /* endless */
    ops.wait = failing_wait;
    for (int after = 0; after < 40; after += 3) {
        dls_loader *loader = NULL;
        const dls_batch *batch = NULL;
        struct flow_run run;
        waits_left = after;
        cr_assert_eq(dls_pipeline_open_with(dataset, &params, &ops, &loader), 0, "%s", dls_last_error());
        int r;
        do {
            r = flow_epoch(loader, &params, &run);
            flow_run_free(&run);
        } while (r == 0);
        cr_assert_eq(r, -ENODEV);
        cr_assert_not_null(strstr(dls_last_error(), "the read engine failed: No such device"), "%s",
                           dls_last_error());
        cr_assert_eq(dls_loader_next(loader, -1, &batch), -ENODEV);
        dls_loader_close(&loader);
    }
}

Test(faults, memory_that_runs_out_is_an_error_and_nothing_is_left_behind)
{
    dls_loader_params params = two_epochs();
    int opened = 0, refused = 0;

    for (uint64_t seed = 1; seed <= 150; seed++) {
        dls_loader *loader = NULL;
        struct flow_run run;
        dls_mem_fail(seed, 100);
        int r = dls_loader_open(dataset, &params, &loader);
        if (r == 0) {
            opened++;
            r = flow_epoch(loader, &params, &run);
            cr_assert(r == 0 || r == -ENOMEM, "%d: %s", r, dls_last_error());
            flow_run_free(&run);
        } else {
            refused++;
            /* A thread that cannot be started is short of memory, too. */
            cr_assert(r == -ENOMEM || r == -EAGAIN, "%d: %s", r, dls_last_error());
            cr_assert_null(loader);
        }
        dls_mem_fail(0, 0);
        dls_loader_close(&loader);
    }
    cr_assert(opened > 10 && refused > 10, "%d opened, %d refused", opened, refused);
}

/* Breaks in the ascending order of a file's reads during an epoch with groups of so many blocks. */
static uint32_t order_breaks(uint32_t window_blocks)
{
    struct faulty_io plan = {.seed = 1};
    dls_loader_params params = two_epochs();
    dls_loader *loader = NULL;
    struct flow_run run;

    params.epochs = 1;
    params.window_blocks = window_blocks;
    faulty_io_next = &plan;
    cr_assert_eq(dls_pipeline_open_with(dataset, &params, &faulty_io_ops, &loader), 0, "%s", dls_last_error());
    cr_assert_eq(flow_epoch(loader, &params, &run), 0, "%s", dls_last_error());
    dls_loader_close(&loader);
    flow_expect_all(&run, RECORDS);
    flow_run_free(&run);
    return plan.order_breaks;
}

Test(faults, a_group_is_read_in_one_sweep_over_the_disk)
{
    cr_assert_gt(order_breaks(1), 0); /* blocks one by one, in permuted order */
    cr_assert_eq(order_breaks(4096), 0);
}
