/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/names.h"

#include "common/quote.h"

#include <stdint.h>

/* The code point at text[0, length) as Python sees it; *ret_step bytes long. */
static uint32_t code_point(const char *text, size_t length, unsigned *ret_step)
{
    const uint8_t *b = (const uint8_t *)text;

    *ret_step = tool_utf8(text, length);
    switch (*ret_step) {
    case 1:
        return b[0];
    case 2:
        return (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
    case 3:
        return (b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    case 4:
        return (b[0] & 0x07u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 | (b[3] & 0x3Fu);
    default:
        *ret_step = 1;
        return 0xDC00u + b[0];
    }
}

int names_compare(const char *a, size_t a_length, const char *b, size_t b_length)
{
    while (a_length && b_length) {
        unsigned a_step, b_step;
        uint32_t x = code_point(a, a_length, &a_step), y = code_point(b, b_length, &b_step);
        if (x != y)
            return x < y ? -1 : 1;
        a += a_step;
        a_length -= a_step;
        b += b_step;
        b_length -= b_step;
    }
    return (a_length > 0) - (b_length > 0);
}
