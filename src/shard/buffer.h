/* SPDX-License-Identifier: Apache-2.0 */
/* A run of bytes that grows at its end. Zeroed memory is an empty one. */
#ifndef DLS_SHARD_BUFFER_H
#define DLS_SHARD_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct dls_buffer {
    uint8_t *bytes; /* owned */
    size_t length, room;
};

/* Room for `more` bytes behind the length. -ENOMEM. */
int dls_buffer_reserve(struct dls_buffer *buffer, size_t more);
int dls_buffer_append(struct dls_buffer *buffer, const void *bytes, size_t length);
int dls_buffer_append_zeros(struct dls_buffer *buffer, size_t length);
/* Zeros up to the next multiple of `alignment`, a power of two. */
int dls_buffer_pad(struct dls_buffer *buffer, size_t alignment);
int dls_buffer_printf(struct dls_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void dls_buffer_free(struct dls_buffer *buffer);

#endif
