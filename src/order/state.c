/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian:
 *   0 magic, 8 bytes           40 first epoch            72 order, 4 bytes
 *   8 version, 4 bytes         48 epoch                  76 window, 4 bytes
 *  12 length, 4 bytes          56 batches                80 flags, 4 bytes (bit 0: finished)
 *  16 uuid, 16 bytes           64 reserved, 0            84 number of turns, 4 bytes
 *  32 seed                                               88 reserved, 0
 *  96 turns of 16 bytes: ranks (4), reserved (4), samples (8); then XXH3-64 of all before. */
#include "order/state.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

#define MAGIC "DLSSTATE"
#define VERSION 1u

int dls_progress_add(struct dls_progress *progress, uint32_t ranks, uint64_t samples)
{
    struct dls_turn *last = progress->count > 0 ? &progress->turns[progress->count - 1] : NULL;

    if (samples == 0)
        return 0;
    if (last != NULL && last->ranks == ranks) {
        last->samples += samples;
        return 0;
    }
    if (progress->count == DLS_TURNS_MAX)
        return dls_err(EOVERFLOW, "the number of ranks has changed more than %u times in one epoch",
                       DLS_TURNS_MAX);
    progress->turns[progress->count++] = (struct dls_turn){.ranks = ranks, .samples = samples};
    return 0;
}

size_t dls_state_format(const struct dls_state *state, uint8_t ret_bytes[DLS_STATE_MAX])
{
    size_t at = DLS_STATE_HEAD, length = at + state->progress.count * DLS_STATE_TURN + 8;

    memset(ret_bytes, 0, length);
    memcpy(ret_bytes, MAGIC, 8);
    dls_put32(ret_bytes + 8, VERSION);
    dls_put32(ret_bytes + 12, (uint32_t)length);
    memcpy(ret_bytes + 16, state->uuid, 16);
    dls_put64(ret_bytes + 32, state->seed);
    dls_put64(ret_bytes + 40, state->first_epoch);
    dls_put64(ret_bytes + 48, state->epoch);
    dls_put64(ret_bytes + 56, state->batches);
    dls_put32(ret_bytes + 72, (uint32_t)state->mode);
    dls_put32(ret_bytes + 76, state->window);
    dls_put32(ret_bytes + 80, state->finished);
    dls_put32(ret_bytes + 84, state->progress.count);
    for (uint32_t i = 0; i < state->progress.count; i++, at += DLS_STATE_TURN) {
        dls_put32(ret_bytes + at, state->progress.turns[i].ranks);
        dls_put64(ret_bytes + at + 8, state->progress.turns[i].samples);
    }
    dls_put64(ret_bytes + at, dls_hash64(ret_bytes, at));
    return length;
}

/* What is behind the checksum was written by this library, but perhaps by a faulty one. */
static int check(const struct dls_state *state, uint32_t flags)
{
    bool sound = flags <= 1 && state->first_epoch <= state->epoch && state->mode > DLS_ORDER_AUTO &&
                 state->mode <= DLS_ORDER_FULL;

    for (uint32_t i = 0; sound && i < state->progress.count; i++)
        sound = state->progress.turns[i].ranks >= 1 && state->progress.turns[i].ranks <= DLS_RANKS_MAX &&
                (i == 0 || state->progress.turns[i].ranks != state->progress.turns[i - 1].ranks);
    return sound ? 0 : dls_err(EINVAL, "dls_loader_open: the state's members are impossible");
}

int dls_state_parse(const uint8_t *bytes, size_t length, struct dls_state *ret_state)
{
    struct dls_state state = {0};
    size_t at = DLS_STATE_HEAD;

    if (length < DLS_STATE_HEAD + 8 || memcmp(bytes, MAGIC, 8) != 0)
        return dls_err(EINVAL,
                       "dls_loader_open: the state of %zu bytes is none that dls_loader_get_state() gave",
                       length);
    if (dls_get32(bytes + 8) != VERSION)
        return dls_err(ENOTSUP, "dls_loader_open: the state is of version %u, this library reads %u",
                       dls_get32(bytes + 8), VERSION);
    state.progress.count = dls_get32(bytes + 84);
    if (dls_get32(bytes + 12) != length || state.progress.count > DLS_TURNS_MAX ||
        length != DLS_STATE_HEAD + state.progress.count * DLS_STATE_TURN + 8 ||
        dls_get64(bytes + length - 8) != dls_hash64(bytes, length - 8))
        return dls_err(EINVAL, "dls_loader_open: the state of %zu bytes is damaged or cut off", length);
    memcpy(state.uuid, bytes + 16, 16);
    state.seed = dls_get64(bytes + 32);
    state.first_epoch = dls_get64(bytes + 40);
    state.epoch = dls_get64(bytes + 48);
    state.batches = dls_get64(bytes + 56);
    state.mode = (dls_order)dls_get32(bytes + 72);
    state.window = dls_get32(bytes + 76);
    state.finished = dls_get32(bytes + 80) & 1;
    for (uint32_t i = 0; i < state.progress.count; i++, at += DLS_STATE_TURN)
        state.progress.turns[i] =
            (struct dls_turn){.ranks = dls_get32(bytes + at), .samples = dls_get64(bytes + at + 8)};
    int r = check(&state, dls_get32(bytes + 80));
    if (r < 0)
        return r;
    *ret_state = state;
    return 0;
}
