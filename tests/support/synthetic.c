/* SPDX-License-Identifier: Apache-2.0 */
#include "support/synthetic.h"

#include <stdlib.h>

static uint64_t scramble(uint64_t value)
{
    value = (value ^ (value >> 31)) * UINT64_C(0x9FB21C651E98DF25);
    value = (value ^ (value >> 29)) * UINT64_C(0xD6E8FEB86659FD93);
    return value ^ (value >> 32);
}

static uint8_t triangle(uint64_t at)
{
    at %= 510;
    return (uint8_t)(at < 256 ? at : 510 - at);
}

void support_fill(enum support_pattern pattern, uint64_t seed, size_t row_bytes, uint8_t *ret_bytes,
                  size_t count)
{
    uint64_t base = scramble(seed + 1);
    for (size_t i = 0; i < count; i++) {
        uint64_t noise = scramble(base + i), x = i % row_bytes / 3, y = i / row_bytes, channel = i % 3;
        if (pattern == SUPPORT_NOISE)
            ret_bytes[i] = (uint8_t)noise;
        else if (pattern == SUPPORT_EDGES)
            ret_bytes[i] = noise & 1 ? 255 : 0;
        else
            ret_bytes[i] =
                triangle(x * (1 + base % 5) + y * (1 + base / 8 % 7) + channel * (base % 256) + noise % 16);
    }
}
