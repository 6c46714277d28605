/* SPDX-License-Identifier: Apache-2.0 */
/* Error text: a thread-local line for dls_last_error(), and a carrier that takes it from a worker to the caller. */
#ifndef DLS_BASE_ERR_H
#define DLS_BASE_ERR_H

#include <errno.h>

#define DLS_ERR_TEXT 512

/* Sets this thread's text (printf manner, cut at DLS_ERR_TEXT) and returns -code. `code` is a positive errno; its
 * strerror() text is not appended. Write "what: 'path', record N, offset M: why". */
int dls_err(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As dls_err(), with ": " and the errno's own sentence behind. */
int dls_err_sys(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before this thread's text, when a caller knows more than the place that failed. Returns r. */
int dls_err_context(int r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* So that a compiler sees what these return: else it takes what is set on success for used uninitialised. */
#define dls_err(code, ...)                                                                                     \
    __extension__({                                                                                            \
        const int dls_err_code = (code);                                                                       \
        (void)(dls_err)(dls_err_code, __VA_ARGS__);                                                            \
        -dls_err_code;                                                                                         \
    })
#define dls_err_sys(code, ...)                                                                                 \
    __extension__({                                                                                            \
        const int dls_err_code = (code);                                                                       \
        (void)(dls_err_sys)(dls_err_code, __VA_ARGS__);                                                        \
        -dls_err_code;                                                                                         \
    })

const char *dls_err_text(void);
void dls_err_clear(void);

/* An error on its way to another thread. code is negative, or 0 for none. */
struct dls_error {
    int code;
    char text[DLS_ERR_TEXT];
};
/* Keeps r and this thread's text in *error, unless it already holds one (the first error wins). */
void dls_error_keep(struct dls_error *error, int r);
/* Makes the text this thread's and returns the code. */
int dls_error_raise(const struct dls_error *error);

#endif
