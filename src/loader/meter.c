/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/meter.h"

#include <sched.h>

void dls_meter_enter(struct dls_meter *meter, enum dls_meter_state state, uint64_t now)
{
    uint32_t version = atomic_load_explicit(&meter->version, memory_order_relaxed);
    uint32_t old = atomic_load_explicit(&meter->state, memory_order_relaxed);
    uint64_t since = atomic_load_explicit(&meter->since, memory_order_relaxed);
    uint64_t spent = atomic_load_explicit(&meter->spent[old], memory_order_relaxed);

    if (old == state)
        return;
    /* A reader that sees any of the three stores between as new also sees the version as odd or moved on. */
    atomic_store_explicit(&meter->version, version + 1, memory_order_seq_cst);
    atomic_store_explicit(&meter->spent[old], spent + (now > since ? now - since : 0), memory_order_seq_cst);
    atomic_store_explicit(&meter->state, state, memory_order_seq_cst);
    atomic_store_explicit(&meter->since, now, memory_order_seq_cst);
    atomic_store_explicit(&meter->version, version + 2, memory_order_seq_cst);
}

void dls_meter_read(const struct dls_meter *meter, uint64_t now, uint64_t into[DLS_METER_STATES])
{
    uint64_t spent[DLS_METER_STATES], since;
    uint32_t version, state;

    for (;;) {
        version = atomic_load(&meter->version);
        state = atomic_load(&meter->state);
        since = atomic_load(&meter->since);
        for (int i = 0; i < DLS_METER_STATES; i++)
            spent[i] = atomic_load(&meter->spent[i]);
        if (version % 2 == 0 && atomic_load(&meter->version) == version)
            break;
        sched_yield();
    }
    if (now > since)
        spent[state] += now - since;
    for (int i = 0; i < DLS_METER_STATES; i++)
        into[i] += spent[i];
}
