/* SPDX-License-Identifier: Apache-2.0 */
/* Which samples come, in which order, with which pixels. */
#include "flow/flow.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(order, each_record_comes_once_an_epoch_whatever_the_order_the_tail_and_the_batch_size)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 103}));
    static const uint32_t sizes[] = {1, 7, 16, 103, 104, 500};

    for (int order = DLS_ORDER_WINDOW; order <= DLS_ORDER_FULL; order++) {
        for (int tail = DLS_TAIL_DROP; tail <= DLS_TAIL_EXACT; tail++) {
            for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                dls_loader_params params = flow_params();
                uint64_t whole = 103 / sizes[i], left = 103 % sizes[i];
                struct flow_run run;
                dls_loader *loader;
                if (tail == DLS_TAIL_DROP && whole == 0)
                    continue;
                params.order = (dls_order)order;
                params.tail = (dls_tail)tail;
                params.batch_size = sizes[i];
                params.window_blocks = 3;
                params.epochs = 2;
                loader = flow_start(dataset, &params);
                cr_assert_eq(dls_loader_batches(loader), whole + (tail != DLS_TAIL_DROP && left > 0));
                for (uint64_t epoch = 0; epoch < 2; epoch++) {
                    cr_assert_eq(flow_epoch(loader, &params, &run), 0, "%s", dls_last_error());
                    cr_assert_eq(run.batches, dls_loader_batches(loader));
                    if (tail != DLS_TAIL_DROP || left == 0) {
                        flow_expect_all(&run, 103);
                        cr_assert_eq(run.last_count, left > 0 ? left : sizes[i]);
                    } else {
                        cr_assert_eq(run.count, whole * sizes[i]);
                    }
                    cr_assert_eq(run.epoch, epoch);
                    flow_run_free(&run);
                }
                cr_assert_eq(flow_epoch(loader, &params, &run), 0);
                cr_assert_eq(run.batches, 0);
                flow_run_free(&run);
                dls_loader_close(&loader);
            }
        }
    }
    dls_dataset_close(&dataset);
}

Test(order, dropping_the_tail_takes_the_same_samples_without_the_last_ones)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 103}));
    dls_loader_params params = flow_params();
    struct flow_run whole, cut;
    dls_loader *loader;

    params.batch_size = 25;
    params.window_blocks = 2;
    params.tail = DLS_TAIL_EXACT;
    loader = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(loader, &params, &whole), 0);
    dls_loader_close(&loader);
    params.tail = DLS_TAIL_DROP;
    loader = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(loader, &params, &cut), 0);
    dls_loader_close(&loader);
    cr_assert(whole.count == 103 && cut.count == 100);
    for (uint64_t i = 0; i < cut.count; i++)
        cr_assert(whole.samples[i].record == cut.samples[i].record &&
                  whole.samples[i].pixels == cut.samples[i].pixels);
    flow_run_free(&whole);
    flow_run_free(&cut);
    dls_dataset_close(&dataset);
}

Test(order, order_none_is_the_stored_order)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 90}));
    dls_loader_params params = flow_params();
    struct flow_run run;

    params.order = DLS_ORDER_NONE;
    params.tail = DLS_TAIL_EXACT;
    params.window_blocks = 2;
    dls_loader *loader = flow_start(dataset, &params);
    cr_assert_eq(flow_epoch(loader, &params, &run), 0);
    cr_assert_eq(run.count, 90);
    for (uint64_t i = 0; i < run.count; i++)
        cr_assert_eq(run.samples[i].record, i);
    flow_run_free(&run);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

static void run_two_epochs(dls_dataset *dataset, const dls_loader_params *params, struct flow_run runs[2])
{
    dls_loader *loader = flow_start(dataset, params);

    for (int i = 0; i < 2; i++)
        cr_assert_eq(flow_epoch(loader, params, &runs[i]), 0, "%s", dls_last_error());
    dls_loader_close(&loader);
}

Test(order, threads_engines_and_memory_change_neither_order_nor_pixels)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 120, .turned = true}));
    static const uint32_t threads[] = {1, 2, 8};
    struct flow_run first[2], again[2];
    dls_loader_params params = flow_params();

    params.epochs = 2;
    params.crop = DLS_CROP_RANDOM;
    params.flip = 1;
    params.tail = DLS_TAIL_PAD;
    params.window_blocks = 4;
    params.engine = DLS_ENGINE_PREAD;
    run_two_epochs(dataset, &params, first);
    for (size_t t = 0; t < 3; t++) {
        for (int engine = DLS_ENGINE_AUTO; engine <= DLS_ENGINE_PREAD; engine += 2) {
            for (int variant = 0; variant < 3; variant++) {
                dls_loader_params other = params;
                other.threads = threads[t];
                other.engine = (dls_engine)engine;
                if (variant == 1) {
                    other.ring_batches = 2;
                    other.io_depth = 1;
                    other.io_bytes = 4096;
                } else if (variant == 2) {
                    other.memory_bytes = 256u << 20;
                    other.direct = DLS_DIRECT_OFF;
                    other.ring_batches = 9;
                }
                run_two_epochs(dataset, &other, again);
                for (int i = 0; i < 2; i++) {
                    cr_assert(flow_same(&first[i], &again[i]), "%u threads, engine %d, variant %d",
                              threads[t], engine, variant);
                    flow_run_free(&again[i]);
                }
            }
        }
    }
    cr_assert_not(flow_same(&first[0], &first[1]));
    flow_run_free(&first[0]);
    flow_run_free(&first[1]);
    dls_dataset_close(&dataset);
}

Test(order, seed_and_epoch_number_decide_and_any_epoch_can_come_first)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 100}));
    dls_loader_params params = flow_params();
    struct flow_run runs[2], later[2], other[2];

    params.epochs = 2;
    params.crop = DLS_CROP_RANDOM;
    params.window_blocks = 3;
    run_two_epochs(dataset, &params, runs);
    params.first_epoch = 1;
    run_two_epochs(dataset, &params, later);
    cr_assert(flow_same(&runs[1], &later[0]));
    cr_assert(runs[1].epoch == 1 && later[0].epoch == 1 && later[1].epoch == 2);
    cr_assert_not(flow_same(&later[0], &later[1]));
    params.seed = 8;
    run_two_epochs(dataset, &params, other);
    cr_assert_not(flow_same(&later[0], &other[0]));
    for (int i = 0; i < 2; i++) {
        flow_run_free(&runs[i]);
        flow_run_free(&later[i]);
        flow_run_free(&other[i]);
    }
    dls_dataset_close(&dataset);
}

Test(order, without_decoding_the_same_samples_come_without_images)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 200}));
    dls_loader_params params = flow_params();
    struct flow_run decoded[2], bare[2];

    params.epochs = 2;
    params.tail = DLS_TAIL_EXACT;
    run_two_epochs(dataset, &params, decoded);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        params.no_decode = 1;
        params.threads = threads;
        params.no_verify = threads == 2;
        run_two_epochs(dataset, &params, bare);
        for (int i = 0; i < 2; i++) {
            flow_expect_all(&bare[i], 200);
            for (uint64_t k = 0; k < 200; k++) {
                cr_assert_eq(bare[i].samples[k].record, decoded[i].samples[k].record);
                cr_assert_eq(bare[i].samples[k].pixels, 0);
            }
            flow_run_free(&bare[i]);
        }
    }
    flow_run_free(&decoded[0]);
    flow_run_free(&decoded[1]);
    dls_dataset_close(&dataset);
}

Test(order, an_empty_dataset_has_epochs_without_batches)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.none = true}));
    dls_loader_params params = flow_params();
    const dls_batch *batch = NULL;
    dls_stats stats;

    for (int tail = DLS_TAIL_DROP; tail <= DLS_TAIL_EXACT; tail++) {
        params.tail = (dls_tail)tail;
        dls_loader *loader = flow_start(dataset, &params);
        cr_assert_eq(dls_loader_batches(loader), 0);
        for (int i = 0; i < 3; i++)
            cr_assert_eq(dls_loader_next(loader, -1, &batch), 0);
        cr_assert_null(batch);
        dls_loader_get_stats(loader, &stats);
        cr_assert_str_eq(stats.engine, "none");
        dls_loader_close(&loader);
    }
    dls_dataset_close(&dataset);
}
