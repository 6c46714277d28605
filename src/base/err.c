/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_text[DLS_ERR_TEXT];

/* The arguments of a message may point into the text it replaces, so it is made beside it. File names may hold any
 * byte but NUL and '/': control characters would break the promise of one line and could drive a terminal. */
static void store(const char *text)
{
    size_t i;

    for (i = 0; text[i] != '\0' && i < DLS_ERR_TEXT - 1; i++) {
        unsigned char c = (unsigned char)text[i];
        last_text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    last_text[i] = '\0';
}

/* Appends to `text`, which holds *length bytes, whatever fits. */
static void append(char text[DLS_ERR_TEXT], size_t *length, const char *more)
{
    size_t room = DLS_ERR_TEXT - 1 - *length;
    size_t count = strnlen(more, room);

    memcpy(text + *length, more, count);
    *length += count;
    text[*length] = '\0';
}

static size_t format_text(char text[DLS_ERR_TEXT], const char *format, va_list args)
{
    int length = vsnprintf(text, DLS_ERR_TEXT, format, args);

    if (length < 0) {
        text[0] = '\0';
        return 0;
    }
    return length < DLS_ERR_TEXT ? (size_t)length : DLS_ERR_TEXT - 1;
}

int(dls_err)(int code, const char *format, ...)
{
    char text[DLS_ERR_TEXT];
    va_list args;

    va_start(args, format);
    format_text(text, format, args);
    va_end(args);
    store(text);
    return -code;
}

int(dls_err_sys)(int code, const char *format, ...)
{
    char text[DLS_ERR_TEXT], sentence[128];
    va_list args;
    size_t length;

    va_start(args, format);
    length = format_text(text, format, args);
    va_end(args);
    append(text, &length, ": ");
    append(text, &length, strerror_r(code, sentence, sizeof(sentence)));
    store(text);
    return -code;
}

int dls_err_context(int r, const char *format, ...)
{
    char text[DLS_ERR_TEXT];
    va_list args;
    size_t length;

    va_start(args, format);
    length = format_text(text, format, args);
    va_end(args);
    append(text, &length, ": ");
    append(text, &length, last_text);
    store(text);
    return r;
}

const char *dls_err_text(void)
{
    return last_text;
}

void dls_err_clear(void)
{
    last_text[0] = '\0';
}

void dls_error_keep(struct dls_error *error, int r)
{
    if (r >= 0 || error->code != 0)
        return;
    error->code = r;
    memcpy(error->text, last_text, sizeof(error->text));
}

int dls_error_raise(const struct dls_error *error)
{
    if (error->code != 0)
        memcpy(last_text, error->text, sizeof(last_text));
    return error->code;
}
