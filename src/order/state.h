/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run stands, as bytes that a trainer keeps with its checkpoint. */
#ifndef DLS_ORDER_STATE_H
#define DLS_ORDER_STATE_H

#include "order/share.h"

#include <dlshards/loader.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DLS_STATE_HEAD 96u
#define DLS_STATE_TURN 16u
#define DLS_STATE_MAX (DLS_STATE_HEAD + DLS_TURNS_MAX * DLS_STATE_TURN + 8u)

struct dls_state {
    uint8_t uuid[16]; /* of the dataset */
    uint64_t seed;
    dls_order mode;
    uint32_t window;
    uint64_t first_epoch;
    uint64_t epoch;
    uint64_t batches; /* of the epoch that each rank has had, over all turns */
    bool finished;    /* it has had all */
    struct dls_progress progress;
};

/* Appends what `ranks` ranks took of the epoch since the last turn. -EOVERFLOW after DLS_TURNS_MAX changes of
 * their number. */
int dls_progress_add(struct dls_progress *progress, uint32_t ranks, uint64_t samples);

/* Returns the length, at most DLS_STATE_MAX. */
size_t dls_state_format(const struct dls_state *state, uint8_t ret_bytes[DLS_STATE_MAX]);
/* -EINVAL with the reason; -ENOTSUP for those of later versions. */
int dls_state_parse(const uint8_t *bytes, size_t length, struct dls_state *ret_state);

#endif
