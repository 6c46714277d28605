/* SPDX-License-Identifier: Apache-2.0 */
/* Several ranks share an epoch out, and a run goes on from a saved state, with as many ranks or others. */
#include "flow/flow.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS 103
#define SECONDS INT64_C(1000000000)
#define MOST_SAMPLES 512

TestSuite(ranks, .timeout = 200);

/* Samples in the order in which they came. */
struct taken {
    uint64_t count;
    uint64_t records[MOST_SAMPLES];
    uint64_t first_index, next_index; /* of batches */
    uint8_t state[1024];
    int state_size;
};

/* Takes at most `most` batches of the present epoch, then the state. Returns how many there were. */
static uint64_t take(dls_loader *loader, uint64_t most, struct taken *taken)
{
    const dls_batch *batch = NULL;
    uint64_t batches = 0;
    int r = 1;

    taken->count = 0;
    while (batches < most && (r = dls_loader_next(loader, 60 * SECONDS, &batch)) == 1) {
        if (batches++ == 0)
            taken->first_index = batch->index;
        else
            cr_assert_eq(batch->index, taken->next_index);
        taken->next_index = batch->index + 1;
        for (uint32_t i = 0; i < batch->count; i++)
            taken->records[taken->count++] = batch->records[i];
        dls_batch_release(loader, &batch);
    }
    cr_assert_geq(r, 0, "%s", dls_last_error());
    taken->state_size = dls_loader_get_state(loader, taken->state, sizeof(taken->state));
    cr_assert(taken->state_size > 0 && taken->state_size < 1024);
    return batches;
}

static void mark(const struct taken *taken, unsigned *seen)
{
    for (uint64_t i = 0; i < taken->count; i++)
        seen[taken->records[i]]++;
}

static dls_loader_params params_of(uint32_t rank, uint32_t world)
{
    dls_loader_params params = flow_params();

    params.no_decode = 1;
    params.batch_size = 4;
    params.window_blocks = 3;
    params.tail = DLS_TAIL_EXACT;
    params.rank = rank;
    params.world = world;
    params.epochs = 3;
    return params;
}

Test(ranks, each_record_comes_to_one_rank_and_steps_are_even)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));

    for (uint32_t world = 1; world <= 8; world++) {
        for (int tail = DLS_TAIL_DROP; tail <= DLS_TAIL_EXACT; tail++) {
            unsigned seen[RECORDS] = {0};
            uint64_t steps = 0, sum = 0;
            for (uint32_t rank = 0; rank < world; rank++) {
                dls_loader_params params = params_of(rank, world);
                struct taken taken;
                params.tail = (dls_tail)tail;
                dls_loader *loader = flow_start(dataset, &params);
                cr_assert_eq(take(loader, UINT64_MAX, &taken), dls_loader_batches(loader));
                if (rank == 0)
                    steps = dls_loader_batches(loader);
                cr_assert(tail == DLS_TAIL_EXACT || dls_loader_batches(loader) == steps);
                mark(&taken, seen);
                sum += taken.count;
                cr_assert_eq(take(loader, UINT64_MAX, &taken), dls_loader_batches(loader));
                dls_loader_close(&loader);
            }
            for (int i = 0; i < RECORDS; i++)
                cr_assert_leq(seen[i], 1);
            cr_assert_eq(sum, tail == DLS_TAIL_DROP ? RECORDS / world / 4 * 4 * world : RECORDS);
        }
    }
    dls_dataset_close(&dataset);
}

Test(ranks, more_ranks_than_records_pad_with_empty_batches)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 3}));
    uint64_t sum = 0;

    for (uint32_t rank = 0; rank < 5; rank++) {
        dls_loader_params params = params_of(rank, 5);
        const dls_batch *batch = NULL;
        params.tail = DLS_TAIL_PAD;
        params.no_decode = 0;
        dls_loader *loader = flow_start(dataset, &params);
        for (int epoch = 0; epoch < 3; epoch++) {
            cr_assert_eq(dls_loader_next(loader, -1, &batch), 1);
            cr_assert(batch->count <= 1 && batch->index == 0 && batch->size == 4);
            for (uint32_t i = 0; i < 4; i++)
                cr_assert(batch->valid[i] == (i < batch->count));
            for (size_t k = batch->count * flow_image_bytes(batch); k < batch->images_bytes; k++)
                cr_assert_eq(((const uint8_t *)batch->images)[k], 0);
            sum += batch->count;
            dls_batch_release(loader, &batch);
            cr_assert_eq(dls_loader_next(loader, -1, &batch), 0);
        }
        cr_assert_eq(dls_loader_next(loader, -1, &batch), 0);
        dls_loader_close(&loader);
        params.tail = DLS_TAIL_EXACT; /* some have nothing to do at all */
        loader = flow_start(dataset, &params);
        cr_assert_eq(dls_loader_batches(loader), rank == 1 || rank == 3 || rank == 4 ? 1 : 0);
        cr_assert_eq(dls_loader_next(loader, -1, &batch), dls_loader_batches(loader) ? 1 : 0);
        dls_loader_close(&loader);
    }
    cr_assert_eq(sum, 9);
    dls_dataset_close(&dataset);
}

Test(ranks, a_state_saved_at_any_batch_gives_the_rest_of_the_same_run)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));

    for (int order = DLS_ORDER_WINDOW; order <= DLS_ORDER_FULL; order++) {
        for (uint64_t cut = 0; cut <= 3 * 13; cut++) {
            dls_loader_params params = params_of(1, 2);
            struct taken before[4], after[4], whole[4];
            params.order = (dls_order)order;
            params.tail = cut % 2 ? DLS_TAIL_EXACT : DLS_TAIL_DROP;
            dls_loader *loader = flow_start(dataset, &params);
            for (int epoch = 0; epoch < 4; epoch++)
                take(loader, UINT64_MAX, &whole[epoch]);
            uint64_t steps = dls_loader_batches(loader), epoch = cut / 13, in_epoch = cut % 13;
            dls_loader_close(&loader);
            cr_assert_geq(steps, 12);
            loader = flow_start(dataset, &params);
            for (uint64_t i = 0; i < epoch; i++)
                take(loader, UINT64_MAX, &before[i]);
            take(loader, in_epoch, &before[epoch]);
            dls_loader_close(&loader);

            params.state = before[epoch].state;
            params.state_size = (size_t)before[epoch].state_size;
            params.threads = 1 + cut % 3;
            loader = flow_start(dataset, &params);
            for (uint64_t i = epoch; i < 4; i++) {
                uint64_t skip = i == epoch ? before[epoch].count : 0;
                uint64_t batches = take(loader, UINT64_MAX, &after[i]);
                cr_assert_eq(after[i].count, whole[i].count - skip);
                if (batches > 0)
                    cr_assert_eq(after[i].first_index, i == epoch ? in_epoch : 0);
                cr_assert_eq(memcmp(after[i].records, whole[i].records + skip, after[i].count * 8), 0);
            }
            cr_assert_eq(after[3].count, 0);
            dls_loader_close(&loader);
        }
    }
    dls_dataset_close(&dataset);
}

/* Saved at one number of ranks, resumed at others, and once more. */
Test(ranks, a_state_is_taken_over_by_any_number_of_ranks)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    struct dls_rng rng;

    dls_rng_init(&rng, 4, 0, 0);
    for (int run = 0; run < 60; run++) {
        unsigned seen[RECORDS] = {0};
        struct taken taken = {0};
        uint32_t turns = 1 + (uint32_t)dls_rng_below(&rng, 3), before = 0;
        uint64_t index = 0;
        for (uint32_t turn = 0; turn <= turns; turn++) {
            static const uint32_t worlds[] = {4, 2, 3, 8, 1, 5};
            uint32_t world = worlds[dls_rng_below(&rng, 6)];
            uint64_t most = turn == turns ? UINT64_MAX : dls_rng_below(&rng, 5);
            uint8_t saved[1024];
            size_t saved_size = (size_t)taken.state_size;
            memcpy(saved, taken.state, sizeof(saved));
            /* The last rank is asked for the state, so with even steps all have come as far. */
            for (uint32_t rank = 0; rank < world; rank++) {
                dls_loader_params params = params_of(rank, world);
                params.tail = DLS_TAIL_PAD;
                params.batch_size = 1 + (uint32_t)run % 5;
                params.window_blocks = before ? 0 : 1 + (uint32_t)run % 4;
                params.order = before ? DLS_ORDER_AUTO : run % 5 ? DLS_ORDER_WINDOW : run % 2 ? DLS_ORDER_NONE : DLS_ORDER_FULL;
                params.epochs = 1;
                params.state = before ? saved : NULL;
                params.state_size = before ? saved_size : 0;
                dls_loader *loader = flow_start(dataset, &params);
                uint64_t batches = take(loader, most, &taken);
                if (batches > 0)
                    cr_assert_eq(taken.first_index, index);
                mark(&taken, seen);
                dls_loader_close(&loader);
                if (rank + 1 == world)
                    index += batches;
            }
            before = world;
        }
        for (int i = 0; i < RECORDS; i++)
            cr_assert_eq(seen[i], 1, "run %d, record %d: %u times", run, i, seen[i]);
    }
    dls_dataset_close(&dataset);
}

Test(ranks, lent_batches_count_as_used)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of(0, 1);
    const dls_batch *first = NULL, *second = NULL;
    uint8_t state[1024];
    uint64_t expected;

    dls_loader *loader = flow_start(dataset, &params);
    cr_assert_eq(dls_loader_next(loader, -1, &first), 1);
    params.state_size = (size_t)dls_loader_get_state(loader, state, sizeof(state));
    cr_assert_eq(dls_loader_next(loader, -1, &second), 1);
    expected = second->records[0];
    dls_loader_close(&loader);
    params.state = state;
    loader = flow_start(dataset, &params);
    cr_assert_eq(dls_loader_next(loader, -1, &first), 1);
    cr_assert_eq(first->records[0], expected);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(ranks, a_state_that_is_too_long_for_its_place_is_not_written)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of(0, 1);
    dls_loader *loader = flow_start(dataset, &params);
    uint8_t state[200];

    memset(state, 7, sizeof(state));
    int length = dls_loader_get_state(loader, NULL, 0);
    cr_assert_gt(length, 0);
    cr_assert_eq(dls_loader_get_state(loader, state, (size_t)length - 1), length);
    cr_assert(state[0] == 7 && state[length - 2] == 7);
    cr_assert_eq(dls_loader_get_state(loader, state, (size_t)length), length);
    cr_assert_eq(state[length], 7);
    cr_assert_neq(state[0], 7);
    cr_assert_eq(dls_loader_get_state(NULL, state, sizeof(state)), -EINVAL);
    cr_assert_eq(dls_loader_get_state(loader, NULL, 5), -EINVAL);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

Test(ranks, the_environment_says_which_rank_this_is_unless_the_parameters_do)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    dls_loader_params params = params_of(0, 0);
    dls_loader *loader = NULL;
    dls_stats stats;

    setenv("RANK", "2", 1);
    setenv("WORLD_SIZE", "5", 1);
    loader = flow_start(dataset, &params);
    dls_loader_get_stats(loader, &stats);
    cr_assert(stats.rank == 2 && stats.world == 5);
    cr_assert_eq(dls_loader_batches(loader), 5); /* 20 records */
    dls_loader_close(&loader);
    params.world = 1;
    loader = flow_start(dataset, &params);
    cr_assert_eq(dls_loader_batches(loader), 26);
    dls_loader_close(&loader);
    params.world = 0;
    setenv("RANK", "5", 1);
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
    cr_assert_not_null(strstr(dls_last_error(), "WORLD_SIZE=5"));
    dls_dataset_close(&dataset);
}
