/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLS_BASE_LOG_H
#define DLS_BASE_LOG_H

#include <dlshards/common.h>

/* Costs one load and compare when the level is off. */
void dls_log(dls_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* dls_set_log(). */
void dls_log_set(dls_log_fn fn, void *user, dls_log_level threshold);

#endif
