/* SPDX-License-Identifier: Apache-2.0 */
/* Names are bytes; terminals and JSON want text. */
#ifndef TOOLS_COMMON_QUOTE_H
#define TOOLS_COMMON_QUOTE_H

#include <stddef.h>
#include <stdio.h>

/* Length of the well-formed UTF-8 sequence at text[0, length), 0 if there is none (overlong forms, surrogates
 * and values above U+10FFFF are not well-formed). length ≥ 1. */
unsigned tool_utf8(const char *text, size_t length);

/* Prints text[0, length) so that it can be shown on a terminal: control characters (C0, DEL, C1) and bytes
 * that are not UTF-8 become \xNN. */
void tool_put_shown(FILE *out, const char *text, size_t length);

/* Prints text[0, length) as a JSON value: a string, or {"hex":"…"} when it is not UTF-8, as in dataset.json.
 */
void tool_put_json(FILE *out, const char *text, size_t length);

#endif
