/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people type and read them. */
#ifndef TOOLS_COMMON_UNITS_H
#define TOOLS_COMMON_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOOL_UNIT_ROOM 32

/* Parsers take the whole text or nothing: false when it is not such a number or does not fit 64 bits. */

/* Decimal digits alone. */
bool tool_parse_count(const char *text, uint64_t *ret_value);
/* As fio's: digits and k, M, G or T in either case, with or without B or iB behind: always powers of 1024. */
bool tool_parse_bytes(const char *text, uint64_t *ret_value);
/* "30", "30s", "500ms", "10us", "2m", "1h"; seconds when there is no unit. In nanoseconds. */
bool tool_parse_time(const char *text, uint64_t *ret_ns);
/* A finite decimal number. */
bool tool_parse_real(const char *text, double *ret_value);

/* All write to `room` (TOOL_UNIT_ROOM bytes) and return it. */

/* Exact, as tool_parse_bytes() reads it back: "8M", "4k", "5000". */
char *tool_exact_bytes(uint64_t bytes, char *room);
/* For reading: "8 MiB" where that is exact, else three digits and a power of 1000: "21.9 MB". */
char *tool_show_bytes(uint64_t bytes, char *room);
/* A rate in "MB/s" (10^6 bytes). */
char *tool_show_rate(double bytes_a_second, char *room);
/* "0.8 s", "12 s", "3:07", "2:00:09". */
char *tool_show_time(double seconds, char *room);

#endif
