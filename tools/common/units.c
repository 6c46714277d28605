/* SPDX-License-Identifier: Apache-2.0 */
#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Reads digits and leaves *text behind them. strtoull() would also take signs, blanks and octal. */
static bool take_digits(const char **text, uint64_t *ret_value)
{
    const char *at = *text;
    uint64_t value = 0;

    if (!isdigit((unsigned char)*at))
        return false;
    for (; isdigit((unsigned char)*at); at++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (unsigned)(*at - '0'), &value))
            return false;
    *text = at;
    *ret_value = value;
    return true;
}

bool tool_parse_count(const char *text, uint64_t *ret_value)
{
    uint64_t value;

    if (!take_digits(&text, &value) || *text)
        return false;
    *ret_value = value;
    return true;
}

bool tool_parse_bytes(const char *text, uint64_t *ret_value)
{
    static const char letters[] = "kmgt";
    uint64_t value;
    unsigned shift = 0;

    if (!take_digits(&text, &value))
        return false;
    if (*text && strchr(letters, tolower((unsigned char)*text))) {
        shift = 10 * (unsigned)(strchr(letters, tolower((unsigned char)*text)) - letters + 1);
        text++;
        if (tolower((unsigned char)text[0]) == 'i' && tolower((unsigned char)text[1]) == 'b')
            text++;
    }
    if (tolower((unsigned char)*text) == 'b')
        text++;
    if (*text || __builtin_mul_overflow(value, 1ull << shift, &value))
        return false;
    *ret_value = value;
    return true;
}

bool tool_parse_real(const char *text, double *ret_value)
{
    char *end;
    double value;

    if (!isdigit((unsigned char)*text) && *text != '-' && *text != '.')
        return false;
    errno = 0;
    value = strtod(text, &end);
    if (end == text || *end || errno || !isfinite(value))
        return false;
    *ret_value = value;
    return true;
}

bool tool_parse_time(const char *text, uint64_t *ret_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1e9}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
    size_t digits = strspn(text, "0123456789.");
    char number[TOOL_UNIT_ROOM];
    double value;

    if (!digits || digits >= sizeof(number))
        return false;
    memcpy(number, text, digits);
    number[digits] = 0;
    if (!tool_parse_real(number, &value))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (!strcmp(text + digits, units[i].name)) {
            if (value * units[i].ns >= 9.2e18)
                return false;
            *ret_ns = (uint64_t)(value * units[i].ns + 0.5);
            return true;
        }
    return false;
}

char *tool_exact_bytes(uint64_t bytes, char *room)
{
    static const char *const names[] = {"", "k", "M", "G", "T"};
    unsigned unit = 0;

    while (unit < 4 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(room, TOOL_UNIT_ROOM, "%llu%s", (unsigned long long)bytes, names[unit]);
    return room;
}

char *tool_show_bytes(uint64_t bytes, char *room)
{
    static const char *const binary[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    static const char *const decimal[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    uint64_t whole = bytes;
    unsigned unit = 0;
    double value = (double)bytes;

    while (unit < 4 && whole && whole % 1024 == 0) {
        whole /= 1024;
        unit++;
    }
    if (unit && whole < 10000) {
        snprintf(room, TOOL_UNIT_ROOM, "%llu %s", (unsigned long long)whole, binary[unit]);
        return room;
    }
    for (unit = 0; value >= 999.5 && unit < 6; unit++)
        value /= 1000;
    snprintf(room, TOOL_UNIT_ROOM, "%.*f %s",
             !unit || value >= 99.95 ? 0
             : value >= 9.995        ? 1
                                     : 2,
             value, decimal[unit]);
    return room;
}

char *tool_show_rate(double bytes_a_second, char *room)
{
    double value = bytes_a_second / 1e6;

    snprintf(room, TOOL_UNIT_ROOM, "%.*f MB/s", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
    return room;
}

char *tool_show_time(double seconds, char *room)
{
    uint64_t whole = seconds > 0 && seconds < 1e15 ? (uint64_t)(seconds + 0.5) : 0;
    unsigned long long hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;

    if (hours)
        snprintf(room, TOOL_UNIT_ROOM, "%llu:%02llu:%02llu", hours, minutes, rest);
    else if (minutes)
        snprintf(room, TOOL_UNIT_ROOM, "%llu:%02llu", minutes, rest);
    else
        snprintf(room, TOOL_UNIT_ROOM, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
    return room;
}
