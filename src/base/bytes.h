/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian bytes in and out of memory at any alignment, and sums that cannot wrap unseen. */
#ifndef DLS_BASE_BYTES_H
#define DLS_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "dlshards needs a little-endian machine"
#endif

#define DLS_GET(bits)                                                                                          \
    static inline uint##bits##_t dls_get##bits(const void *at)                                                 \
    {                                                                                                          \
        uint##bits##_t value;                                                                                  \
        memcpy(&value, at, sizeof(value));                                                                     \
        return value;                                                                                          \
    }                                                                                                          \
    static inline void dls_put##bits(void *at, uint##bits##_t value)                                           \
    {                                                                                                          \
        memcpy(at, &value, sizeof(value));                                                                     \
    }
DLS_GET(16)
DLS_GET(32)
DLS_GET(64)
#undef DLS_GET

static inline bool dls_add_overflows(uint64_t a, uint64_t b, uint64_t *ret_sum)
{
    return __builtin_add_overflow(a, b, ret_sum);
}

static inline bool dls_mul_overflows(uint64_t a, uint64_t b, uint64_t *ret_product)
{
    return __builtin_mul_overflow(a, b, ret_product);
}

/* True if [offset, offset + length) lies within [0, size). */
static inline bool dls_range_ok(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* alignment: a power of two. */
static inline uint64_t dls_align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static inline uint64_t dls_min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t dls_max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* True if all bytes are zero: reserved space, padding. */
bool dls_all_zero(const void *memory, size_t length);

#endif
