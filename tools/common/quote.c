/* SPDX-License-Identifier: Apache-2.0 */
#include "common/quote.h"

#include <stdbool.h>
#include <stdint.h>

unsigned tool_utf8(const char *text, size_t length)
{
    const uint8_t *b = (const uint8_t *)text;
    unsigned more = b[0] < 0x80   ? 0
                    : b[0] < 0xC2 ? 4
                    : b[0] < 0xE0 ? 1
                    : b[0] < 0xF0 ? 2
                    : b[0] < 0xF5 ? 3
                                  : 4;

    if (more == 4 || more >= length)
        return 0;
    for (unsigned i = 1; i <= more; i++)
        if ((b[i] & 0xC0) != 0x80)
            return 0;
    if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F) || (b[0] == 0xF0 && b[1] < 0x90) ||
        (b[0] == 0xF4 && b[1] > 0x8F))
        return 0;
    return more + 1;
}

/* Characters that turn the direction of what follows, or end a line, so that a name could pass for something
 * else. */
static bool disturbs(const uint8_t *b, unsigned step)
{
    if (step == 2)
        return (b[0] == 0xC2 && b[1] < 0xA0) || (b[0] == 0xD8 && b[1] == 0x9C);
    if (step != 3 || b[0] != 0xE2)
        return false;
    return (b[1] == 0x80 && (b[2] == 0x8E || b[2] == 0x8F || (b[2] >= 0xA8 && b[2] <= 0xAE))) ||
           (b[1] == 0x81 && b[2] >= 0xA6 && b[2] <= 0xA9);
}

void tool_put_shown(FILE *out, const char *text, size_t length)
{
    while (length) {
        const uint8_t *b = (const uint8_t *)text;
        unsigned step = tool_utf8(text, length);
        if (!step || b[0] < 0x20 || b[0] == 0x7F) {
            fprintf(out, "\\x%02x", b[0]);
            step = 1;
        } else if (disturbs(b, step)) {
            for (unsigned i = 0; i < step; i++)
                fprintf(out, "\\x%02x", b[i]);
        } else {
            fwrite(text, 1, step, out);
        }
        text += step;
        length -= step;
    }
}

void tool_put_json(FILE *out, const char *text, size_t length)
{
    for (size_t at = 0, step; at < length; at += step) {
        step = tool_utf8(text + at, length - at);
        if (step)
            continue;
        fputs("{\"hex\":\"", out);
        for (size_t i = 0; i < length; i++)
            fprintf(out, "%02x", (unsigned char)text[i]);
        fputs("\"}", out);
        return;
    }
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}
