/* SPDX-License-Identifier: Apache-2.0 */
#include "order/share.h"

#include "base/rng.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Marks the samples that a share draws. In a run that was not cut between samples, sample i may stand for
 * place first + i, as a permutation of its places. */
static void mark(const struct dls_share *share, uint64_t skip, uint64_t count, unsigned char *seen)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < share->count; i++) {
        const struct dls_piece *piece = &share->pieces[i];
        cr_assert(piece->from < piece->to && piece->to <= piece->end - piece->first);
        for (uint64_t k = piece->from; k < piece->to; k++, at++)
            if (at >= skip && at - skip < count)
                cr_assert_eq(seen[piece->first + k]++, 0);
    }
    cr_assert_eq(at, share->samples);
}

static void measure_agrees(const struct dls_progress *progress, uint64_t records, uint32_t rank,
                           uint32_t ranks, const struct dls_share *share)
{
    struct dls_share_size size;

    dls_share_measure(progress, records, rank, ranks, &size);
    cr_assert_eq(size.mine, share->samples);
    cr_assert(size.least <= size.mine && size.mine <= size.most && size.most - size.least <= 1);
}

/* An epoch that is played through by changing numbers of ranks, each for some samples. */
static void play(struct dls_rng *rng)
{
    uint64_t records = dls_rng_below(rng, 400);
    unsigned char *seen = calloc(records + 1, 1);
    struct dls_progress progress = {0};
    struct dls_share share = {0};
    uint32_t turns = (uint32_t)dls_rng_below(rng, 6), before = 0;

    for (uint32_t turn = 0; turn <= turns; turn++) {
        uint32_t ranks = 1 + (uint32_t)dls_rng_below(rng, 12);
        uint64_t samples = turn == turns ? records : dls_rng_below(rng, 60);
        bool same = ranks == before;
        for (uint32_t rank = 0; rank < ranks; rank++) {
            cr_assert_eq(dls_share_make(&progress, records, rank, ranks, &share), 0);
            measure_agrees(&progress, records, rank, ranks, &share);
            mark(&share, 0, samples, seen);
        }
        if (samples == 0)
            continue;
        before = ranks;
        if (same)
            progress.turns[progress.count - 1].samples += samples;
        else
            progress.turns[progress.count++] = (struct dls_turn){.ranks = ranks, .samples = samples};
    }
    for (uint64_t i = 0; i < records; i++)
        cr_assert_eq(seen[i], 1);
    dls_share_free(&share);
    free(seen);
}

Test(share, each_record_once_whatever_the_numbers_of_ranks_in_turn)
{
    struct dls_rng rng;

    dls_rng_init(&rng, 1, 2, 3);
    for (int i = 0; i < 3000; i++)
        play(&rng);
}

Test(share, ranks_of_a_whole_epoch_get_one_run_of_places_each)
{
    const struct dls_progress none = {0};
    struct dls_share share = {0};

    for (uint32_t rank = 0; rank < 3; rank++) {
        static const struct dls_piece expected[] = {{0, 33, 0, 33}, {33, 66, 0, 33}, {66, 100, 0, 34}};
        cr_assert_eq(dls_share_make(&none, 100, rank, 3, &share), 0);
        cr_assert_eq(share.count, 1);
        cr_assert_eq(memcmp(&share.pieces[0], &expected[rank], sizeof(expected[0])), 0);
    }
    dls_share_free(&share);
}

Test(share, the_largest_numbers_do_not_wrap)
{
    const struct dls_progress none = {0};
    struct dls_share share = {0};
    uint64_t sum = 0;

    for (uint32_t rank = 0; rank < DLS_RANKS_MAX; rank += DLS_RANKS_MAX / 4 - 1) {
        cr_assert_eq(dls_share_make(&none, INT64_MAX, rank, DLS_RANKS_MAX, &share), 0);
        sum = share.pieces[0].end;
        cr_assert_leq(sum, INT64_MAX);
        measure_agrees(&none, INT64_MAX, rank, DLS_RANKS_MAX, &share);
    }
    cr_assert_eq(dls_share_make(&none, INT64_MAX, DLS_RANKS_MAX - 1, DLS_RANKS_MAX, &share), 0);
    cr_assert_eq(share.pieces[0].end, INT64_MAX);
    dls_share_free(&share);
}

Test(share, cut_takes_from_the_end)
{
    const struct dls_progress begun = {.count = 1, .turns = {{.ranks = 4, .samples = 10}}};
    struct dls_share share = {0};

    cr_assert_eq(dls_share_make(&begun, 100, 0, 1, &share), 0);
    cr_assert(share.count == 4 && share.samples == 60);
    dls_share_cut(&share, 31);
    cr_assert(share.count == 3 && share.samples == 31);
    cr_assert(share.pieces[2].first == 50 && share.pieces[2].from == 10 && share.pieces[2].to == 11);
    dls_share_cut(&share, 0);
    cr_assert(share.count == 0 && share.samples == 0);
    dls_share_free(&share);
}
