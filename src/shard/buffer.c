/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/buffer.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

int dls_buffer_reserve(struct dls_buffer *buffer, size_t more)
{
    uint64_t need, room;
    if (dls_add_overflows(buffer->length, more, &need) || need > SIZE_MAX / 2)
        return dls_err(ENOMEM, "a buffer of more than %zu bytes", SIZE_MAX / 2);
    if (need <= buffer->room)
        return 0;
    /* Half as much again, so that appending costs amortised constant time and wastes a third at most. */
    room = dls_max64(need, buffer->room + buffer->room / 2);
    room = dls_max64(room, 256);
    uint8_t *bytes = dls_realloc(DLS_MEM_SHARD, buffer->bytes, room);
    if (!bytes)
        return -ENOMEM;
    buffer->bytes = bytes;
    buffer->room = room;
    return 0;
}

int dls_buffer_append(struct dls_buffer *buffer, const void *bytes, size_t length)
{
    int r = dls_buffer_reserve(buffer, length);
    if (r < 0)
        return r;
    if (length > 0)
        memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return 0;
}

int dls_buffer_append_zeros(struct dls_buffer *buffer, size_t length)
{
    int r = dls_buffer_reserve(buffer, length);
    if (r < 0)
        return r;
    if (length > 0)
        memset(buffer->bytes + buffer->length, 0, length);
    buffer->length += length;
    return 0;
}

int dls_buffer_pad(struct dls_buffer *buffer, size_t alignment)
{
    return dls_buffer_append_zeros(buffer, dls_align_up(buffer->length, alignment) - buffer->length);
}

int dls_buffer_printf(struct dls_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0)
        return dls_err(EINVAL, "cannot format '%s'", format);
    int r = dls_buffer_reserve(buffer, (size_t)length + 1);
    if (r < 0)
        return r;
    va_start(args, format);
    vsnprintf((char *)buffer->bytes + buffer->length, (size_t)length + 1, format, args);
    va_end(args);
    buffer->length += (size_t)length;
    return 0;
}

void dls_buffer_free(struct dls_buffer *buffer)
{
    dls_free(buffer->bytes);
    *buffer = (struct dls_buffer){0};
}
