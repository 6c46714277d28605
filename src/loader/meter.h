/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread does with its time. Written by its thread alone, read by any: a thread that has waited for a
 * minute shows that minute before the wait ends. */
#ifndef DLS_LOADER_METER_H
#define DLS_LOADER_METER_H

#include <stdatomic.h>
#include <stdint.h>

enum dls_meter_state {
    DLS_METER_OFF = 0,
    DLS_METER_BUSY,
    DLS_METER_WAIT_IN,
    DLS_METER_WAIT_OUT,
    DLS_METER_STATES
};

struct dls_meter {
    _Atomic uint32_t version; /* odd while a change is being written */
    _Atomic uint32_t state;
    _Atomic uint64_t since;
    _Atomic uint64_t spent[DLS_METER_STATES]; /* nanoseconds, up to `since` */
};

/* Ends the present state and enters `state`; now: dls_now(). */
void dls_meter_enter(struct dls_meter *meter, enum dls_meter_state state, uint64_t now);
/* Adds what each state has lasted, the present one up to `now`, to into[]. */
void dls_meter_read(const struct dls_meter *meter, uint64_t now, uint64_t into[DLS_METER_STATES]);

#endif
