/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#define LINE_BYTES 1024

/* fn and user are written before the threshold that makes other threads look at them. */
static dls_log_fn log_fn;
static void *log_user;
static _Atomic int log_threshold;

void dls_log_set(dls_log_fn fn, void *user, dls_log_level threshold)
{
    atomic_store_explicit(&log_threshold, DLS_LOG_NONE, memory_order_release);
    log_fn = fn;
    log_user = user;
    /* Pairs with the acquire in dls_log(). */
    atomic_store_explicit(&log_threshold, fn != NULL ? (int)threshold : DLS_LOG_NONE, memory_order_release);
}

void dls_log(dls_log_level level, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;

    if ((int)level > atomic_load_explicit(&log_threshold, memory_order_acquire))
        return;
    va_start(args, format);
    int length = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (length < 0)
        return;
    /* As in err.c: one message is one line, whatever a file is called. */
    for (char *c = line; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    log_fn(log_user, level, line);
}
