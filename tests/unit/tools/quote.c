/* SPDX-License-Identifier: Apache-2.0 */
#include "common/quote.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(quote, utf8_takes_well_formed_sequences_alone)
{
    cr_expect_eq(tool_utf8("a", 1), 1);
    cr_expect_eq(tool_utf8("\xC3\xA9", 2), 2);
    cr_expect_eq(tool_utf8("\xE5\x90\x8D", 3), 3);
    cr_expect_eq(tool_utf8("\xF0\x9F\x98\x80", 4), 4);
    cr_expect_eq(tool_utf8("\xF4\x8F\xBF\xBF", 4), 4, "U+10FFFF");
    cr_expect_eq(tool_utf8("\xF4\x90\x80\x80", 4), 0, "above U+10FFFF");
    cr_expect_eq(tool_utf8("\xED\xA0\x80", 3), 0, "a surrogate");
    cr_expect_eq(tool_utf8("\xC0\xAF", 2), 0, "overlong");
    cr_expect_eq(tool_utf8("\xE0\x80\xAF", 3), 0, "overlong");
    cr_expect_eq(tool_utf8("\xF0\x80\x80\xAF", 4), 0, "overlong");
    cr_expect_eq(tool_utf8("\xC3", 1), 0, "cut off");
    cr_expect_eq(tool_utf8("\xC3(", 2), 0);
    cr_expect_eq(tool_utf8("\x80", 1), 0);
    cr_expect_eq(tool_utf8("\xFF", 1), 0);
    cr_expect_eq(tool_utf8("", 1), 1, "NUL is a character");
}

static char *printed(void (*put)(FILE *, const char *, size_t), const char *text, size_t length)
{
    char *room = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&room, &size);

    put(out, text, length);
    fclose(out);
    return room;
}

static void expect_printed(void (*put)(FILE *, const char *, size_t), const char *text, const char *expected)
{
    char *room = printed(put, text, strlen(text));

    cr_expect_str_eq(room, expected);
    free(room);
}

Test(quote, what_disturbs_a_terminal_is_escaped)
{
    expect_printed(tool_put_shown, "a b\\c", "a b\\c");
    expect_printed(tool_put_shown, "x\n\x1b[2J\x7f", "x\\x0a\\x1b[2J\\x7f");
    expect_printed(tool_put_shown, "caf\xC3\xA9 \xFF", "caf\xC3\xA9 \\xff");
    expect_printed(tool_put_shown,
                   "\xC2\x9B"
                   "31m",
                   "\\xc2\\x9b31m");
    expect_printed(tool_put_shown, "%s%n", "%s%n");
    /* Right-to-left override, isolates, marks, the line separator; not their neighbours. */
    expect_printed(tool_put_shown, "\u202egpj.exe", "\\xe2\\x80\\xaegpj.exe");
    expect_printed(tool_put_shown, "\u2066\u2069\u200f\u2028",
                   "\\xe2\\x81\\xa6\\xe2\\x81\\xa9\\xe2\\x80\\x8f\\xe2\\x80\\xa8");
    expect_printed(tool_put_shown, "\u061c\u202f\u2065\u200d", "\\xd8\\x9c\u202f\u2065\u200d");
}

Test(quote, json_strings)
{
    expect_printed(tool_put_json, "", "\"\"");
    expect_printed(tool_put_json, "a\"b\\\n", "\"a\\\"b\\\\\\u000a\"");
    expect_printed(tool_put_json, "\xE5\x90\x8D", "\"\xE5\x90\x8D\"");
    expect_printed(tool_put_json,
                   "\xFF"
                   "a",
                   "{\"hex\":\"ff61\"}");
}
