/* SPDX-License-Identifier: Apache-2.0 */
#include "order/share.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <errno.h>

/* Where the part of rank `rank` begins: records × rank / ranks, without overflow. */
static uint64_t boundary(uint64_t records, uint32_t rank, uint32_t ranks)
{
    return records / ranks * rank + records % ranks * rank / ranks;
}

static uint64_t part(uint64_t records, uint32_t rank, uint32_t ranks)
{
    return boundary(records, rank + 1, ranks) - boundary(records, rank, ranks);
}

/* What is left of `records` after the ranks took `samples` each: parts differ by one at most. */
static uint64_t left_after(uint64_t records, const struct dls_turn *turn)
{
    uint64_t least = records / turn->ranks, longer = records % turn->ranks;

    return (least > turn->samples ? (least - turn->samples) * (turn->ranks - longer) : 0) +
           (least + 1 > turn->samples ? (least + 1 - turn->samples) * longer : 0);
}

/* Are the last turn's ranks the present ones, so that each goes on with what it had? */
static bool goes_on(const struct dls_progress *progress, uint32_t ranks)
{
    return progress->count > 0 && progress->turns[progress->count - 1].ranks == ranks;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

void dls_share_measure(const struct dls_progress *progress, uint64_t records, uint32_t rank, uint32_t ranks,
                       struct dls_share_size *ret_size)
{
    bool same = goes_on(progress, ranks);
    uint64_t taken = same ? progress->turns[progress->count - 1].samples : 0;

    for (uint32_t i = 0; i + same < progress->count; i++)
        records = left_after(records, &progress->turns[i]);
    ret_size->mine = less(part(records, rank, ranks), taken);
    ret_size->least = less(records / ranks, taken);
    ret_size->most = less(records / ranks + (records % ranks != 0), taken);
}

static int append(struct dls_share *share, const struct dls_piece *piece)
{
    if (piece->from == piece->to)
        return 0;
    if (share->count == share->room) {
        uint32_t room = share->room ? 2 * share->room : 8;
        struct dls_piece *more = dls_realloc(DLS_MEM_ORDER, share->pieces, room * sizeof(*more));
        if (more == NULL)
            return -ENOMEM;
        share->pieces = more;
        share->room = room;
    }
    share->pieces[share->count++] = *piece;
    share->samples += piece->to - piece->from;
    return 0;
}

/* Appends the samples [begin, end) of `all` to *share, as one rank's part. A run that nobody has begun is cut
 * between records of a block, so that its groups are read by one rank; of one that was begun the cut is
 * between samples, and the ranks on both sides read that group. */
static int take_part(const struct dls_share *all, uint64_t begin, uint64_t end, struct dls_share *share)
{
    uint64_t at = 0;
    int r = 0;

    for (uint32_t i = 0; r == 0 && i < all->count && at < end; i++) {
        struct dls_piece piece = all->pieces[i];
        uint64_t length = piece.to - piece.from;
        uint64_t low = begin > at ? dls_min64(begin - at, length) : 0, high = dls_min64(end - at, length);
        if (piece.from == 0 && piece.to == piece.end - piece.first)
            piece = (struct dls_piece){piece.first + low, piece.first + high, 0, high - low};
        else
            piece = (struct dls_piece){piece.first, piece.end, piece.from + low, piece.from + high};
        if (low < high)
            r = append(share, &piece);
        at += length;
    }
    return r;
}

/* Takes `samples` off the beginning of the pieces from number `first` on. */
static void consume(struct dls_share *share, uint32_t first, uint64_t samples)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < share->count; i++) {
        struct dls_piece piece = share->pieces[i];
        uint64_t taken = dls_min64(samples, piece.to - piece.from);
        piece.from += taken;
        samples -= taken;
        share->samples -= taken;
        if (piece.from < piece.to)
            share->pieces[kept++] = piece;
    }
    share->count = kept;
}

/* What all ranks of a turn have left, side by side. */
static int play(const struct dls_share *all, const struct dls_turn *turn, struct dls_share *ret_left)
{
    int r = 0;

    ret_left->count = 0;
    ret_left->samples = 0;
    for (uint32_t rank = 0; r == 0 && rank < turn->ranks; rank++) {
        uint32_t before = ret_left->count;
        r = take_part(all, boundary(all->samples, rank, turn->ranks),
                      boundary(all->samples, rank + 1, turn->ranks), ret_left);
        if (r == 0)
            consume(ret_left, before, turn->samples);
    }
    return r;
}

int dls_share_make(const struct dls_progress *progress, uint64_t records, uint32_t rank, uint32_t ranks,
                   struct dls_share *share)
{
    struct dls_piece whole = {0, records, 0, records};
    struct dls_share start = {.pieces = &whole, .count = 1, .samples = records}, left[2] = {0};
    const struct dls_share *now = &start;
    bool same = goes_on(progress, ranks);
    int r = 0;

    for (uint32_t i = 0; r == 0 && i + same < progress->count; i++) {
        r = play(now, &progress->turns[i], &left[i % 2]);
        now = &left[i % 2];
    }
    share->count = 0;
    share->samples = 0;
    if (r == 0)
        r = take_part(now, boundary(now->samples, rank, ranks), boundary(now->samples, rank + 1, ranks),
                      share);
    if (r == 0 && same)
        consume(share, 0, progress->turns[progress->count - 1].samples);
    dls_share_free(&left[0]);
    dls_share_free(&left[1]);
    return r;
}

void dls_share_cut(struct dls_share *share, uint64_t samples)
{
    while (share->samples > samples) {
        struct dls_piece *last = &share->pieces[share->count - 1];
        uint64_t cut = dls_min64(share->samples - samples, last->to - last->from);
        last->to -= cut;
        share->samples -= cut;
        share->count -= last->to == last->from;
    }
}

void dls_share_free(struct dls_share *share)
{
    dls_free(share->pieces);
    *share = (struct dls_share){0};
}
