/* SPDX-License-Identifier: Apache-2.0 */
/** @file common.h
 *  What every other header builds on: how functions report errors, how the library logs.
 *
 *  Errors. Every function that can fail returns an int: 0 (or a count, where its comment says so) on success,
 *  a negative errno value on failure. Outputs come last, are named `ret_…`, and are written on success only.
 *  dls_last_error() then gives a sentence for people that names the file, record and byte offset concerned.
 *
 *  Threads. Unless a comment says otherwise, an object may be used by one thread at a time. Different objects
 *  may be used by different threads at the same time. */
#ifndef DLSHARDS_COMMON_H
#define DLSHARDS_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define DLS_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library that is loaded, e.g. "0.1.0"; compare with DLS_VERSION_STRING. Static storage. */
DLS_API const char *dls_version(void);

/** The reason for the last failure in the calling thread: one line, no newline, "" if nothing has failed yet.
 *  The text stays valid until the next dls_ call in this thread.
 *  Thread-safety: any thread; each has its own text. */
DLS_API const char *dls_last_error(void);

/** How serious a log message is. */
typedef enum dls_log_level {
    DLS_LOG_NONE = 0,    /**< as a threshold: nothing */
    DLS_LOG_ERROR = 1,   /**< something failed; the call that met it also returns an error */
    DLS_LOG_WARNING = 2, /**< works, but not as asked: a slower engine was chosen, a limit is too low */
    DLS_LOG_INFO = 3,    /**< choices that were made, once an object */
    DLS_LOG_DEBUG = 4    /**< for finding faults */
} dls_log_level;

/** Receives one message, without a newline. Called by any thread of the library, several at a time, with no
 *  lock held. It must not call back into the library. */
typedef void (*dls_log_fn)(void *user, dls_log_level level, const char *message);

/** Sends messages up to `threshold` to `fn`; NULL (the state at the start) discards all. The library itself
 *  never prints. `user` is handed to every call and stays the caller's.
 *  Thread-safety: call it before the library is used by other threads. */
DLS_API void dls_set_log(dls_log_fn fn, void *user, dls_log_level threshold);

#ifdef __cplusplus
}
#endif
#endif
