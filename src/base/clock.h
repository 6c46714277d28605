/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLS_BASE_CLOCK_H
#define DLS_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t dls_now(void);

#endif
