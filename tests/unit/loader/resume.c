/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/resume.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct dls_plan_facts facts = {
    .uuid = {7}, .records = 1000, .blocks = 50, .cpus = 1, .has_image = true};

/* A plan with all but the memory. */
static struct dls_plan plan_of(uint64_t batch, dls_tail tail, uint32_t rank, uint32_t world)
{
    struct dls_plan plan = {.params = {.batch_size = (uint32_t)batch,
                                       .tail = tail,
                                       .rank = rank,
                                       .world = world,
                                       .order = DLS_ORDER_WINDOW,
                                       .window_blocks = 4,
                                       .epochs = 9}};

    dls_resume_cut(&facts, &plan);
    memcpy(plan.order.uuid, facts.uuid, 16);
    return plan;
}

Test(resume, ranks_do_as_many_batches_with_drop_and_pad)
{
    for (uint32_t world = 1; world < 40; world++) {
        struct dls_plan first[3];
        uint64_t samples[3] = {0};
        for (uint32_t rank = 0; rank < world; rank++) {
            for (int tail = 0; tail < 3; tail++) {
                struct dls_plan plan = plan_of(16, (dls_tail)tail, rank, world);
                if (rank == 0)
                    first[tail] = plan;
                samples[tail] += plan.whole.samples;
                cr_assert(tail == DLS_TAIL_EXACT || plan.whole.batches == first[tail].whole.batches);
                cr_assert(plan.begun.batches == plan.whole.batches &&
                          plan.begun.samples == plan.whole.samples);
            }
        }
        cr_assert_eq(samples[DLS_TAIL_DROP], 1000 / world / 16 * 16 * world);
        cr_assert_eq(samples[DLS_TAIL_PAD], 1000);
        cr_assert_eq(samples[DLS_TAIL_EXACT], 1000);
    }
}

static int reopen(struct dls_plan *plan, const uint8_t *bytes, size_t length)
{
    plan->params.state = bytes;
    plan->params.state_size = length;
    return dls_resume_read(&facts, plan);
}

Test(resume, parameters_at_their_defaults_are_those_saved_and_others_must_agree)
{
    struct dls_plan plan = plan_of(16, DLS_TAIL_DROP, 0, 2);
    struct dls_state state;
    uint8_t bytes[DLS_STATE_MAX];
    size_t length;

    plan.params.seed = 5;
    plan.params.first_epoch = 3;
    plan.start_epoch = 3;
    cr_assert_eq(dls_resume_state(&plan, 4, 7, &state), 0);
    length = dls_state_format(&state, bytes);
    struct dls_plan later = {0};
    cr_assert_eq(reopen(&later, bytes, length), 0);
    cr_assert(later.params.seed == 5 && later.params.first_epoch == 3 && later.params.window_blocks == 4 &&
              later.params.order == DLS_ORDER_WINDOW);
    cr_assert(later.start_epoch == 4 && later.begun.before == 7 && later.progress.count == 1);
    cr_assert(later.progress.turns[0].ranks == 2 && later.progress.turns[0].samples == 112);
    later = (struct dls_plan){.params = {.seed = 5, .first_epoch = 3, .window_blocks = 4}};
    cr_assert_eq(reopen(&later, bytes, length), 0);
    later = (struct dls_plan){.params = {.seed = 6}};
    cr_assert_eq(reopen(&later, bytes, length), -EINVAL);
    cr_assert_str_eq(dls_err_text(), "dls_loader_open: seed is 6: the state has 5");
    later = (struct dls_plan){.params = {.window_blocks = 5}};
    cr_assert_eq(reopen(&later, bytes, length), -EINVAL);
    later = (struct dls_plan){.params = {.order = DLS_ORDER_NONE}};
    cr_assert_eq(reopen(&later, bytes, length), -EINVAL);
    later = (struct dls_plan){.params = {.first_epoch = 1}};
    cr_assert_eq(reopen(&later, bytes, length), -EINVAL);
    later = (struct dls_plan){.params = {.state_size = 4}};
    cr_assert_eq(dls_resume_read(&facts, &later), -EINVAL);
    bytes[20] ^= 1;
    later = (struct dls_plan){0};
    cr_assert_eq(reopen(&later, bytes, length), -EINVAL);
}

Test(resume, a_state_is_of_one_dataset)
{
    struct dls_plan plan = plan_of(16, DLS_TAIL_DROP, 0, 1), later = {0};
    struct dls_state state;
    uint8_t bytes[DLS_STATE_MAX];

    plan.order.uuid[3] = 1;
    cr_assert_eq(dls_resume_state(&plan, 0, 1, &state), 0);
    cr_assert_eq(reopen(&later, bytes, dls_state_format(&state, bytes)), -EINVAL);
    cr_assert_not_null(strstr(dls_err_text(), "another dataset"));
}

/* What drop leaves out at the end of an epoch is not dealt out by a later loader with fewer ranks. */
Test(resume, an_epoch_that_was_finished_is_over)
{
    struct dls_plan plan = plan_of(16, DLS_TAIL_DROP, 0, 8), later;
    struct dls_state state;
    uint8_t bytes[DLS_STATE_MAX];

    cr_assert_eq(plan.whole.batches, 7);
    for (uint64_t batch = 6; batch <= 7; batch++) {
        cr_assert_eq(dls_resume_state(&plan, 0, batch, &state), 0);
        cr_assert_eq(state.finished, batch == 7);
        size_t length = dls_state_format(&state, bytes);
        later = (struct dls_plan){.params = {.batch_size = 16, .world = 1, .tail = DLS_TAIL_DROP}};
        cr_assert_eq(reopen(&later, bytes, length), 0);
        dls_resume_cut(&facts, &later);
        cr_assert_eq(later.begun.batches, batch == 7 ? 0 : (1000 - 8 * 96) / 16);
        cr_assert_eq(later.begun.before, batch);
        cr_assert_eq(later.whole.batches, 62);
    }
}
