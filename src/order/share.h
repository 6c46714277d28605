/* SPDX-License-Identifier: Apache-2.0 */
/* What one of several ranks gets of an epoch, also of one that others have begun with another number of
 * ranks.
 *
 * The places of an epoch (order.h) are cut into as many runs of equal length as there are ranks. When an
 * epoch goes on with another number of ranks, what each of the earlier ones had left is put side by side and
 * cut anew. All of this is arithmetic on the number of records: nothing is read, and nothing is kept but how
 * many ranks there were and how many samples each had taken. */
#ifndef DLS_ORDER_SHARE_H
#define DLS_ORDER_SHARE_H

#include <stdint.h>

#define DLS_TURNS_MAX 56u
#define DLS_RANKS_MAX 65536u

/* How far an epoch has come: `ranks` ranks took `samples` each, as far as they had them. */
struct dls_turn {
    uint32_t ranks;
    uint64_t samples;
};
struct dls_progress {
    uint32_t count;
    struct dls_turn turns[DLS_TURNS_MAX];
};

/* A run of places [first, end), which is cut into groups from `first` on and permuted in these: of the
 * samples that this gives, numbers `from` to `to` - 1. */
struct dls_piece {
    uint64_t first, end, from, to;
};
struct dls_share {
    struct dls_piece *pieces; /* in the order in which they are drawn; none is empty */
    uint32_t count, room;
    uint64_t samples; /* in all of them */
};

/* Samples that are left to rank `rank` of `ranks` of an epoch of `records`, and the least and most that are
 * left to any rank: these differ by one at most. */
struct dls_share_size {
    uint64_t mine, least, most;
};
void dls_share_measure(const struct dls_progress *progress, uint64_t records, uint32_t rank, uint32_t ranks,
                       struct dls_share_size *ret_size);
/* The pieces that these are. A share that starts zeroed; reuses its memory. -ENOMEM. */
int dls_share_make(const struct dls_progress *progress, uint64_t records, uint32_t rank, uint32_t ranks,
                   struct dls_share *share);
/* Takes samples off the end, so that `samples` are left. */
void dls_share_cut(struct dls_share *share, uint64_t samples);
void dls_share_free(struct dls_share *share);

#endif
