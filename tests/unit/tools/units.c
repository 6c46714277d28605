/* SPDX-License-Identifier: Apache-2.0 */
#include "common/units.h"

#include <criterion/criterion.h>
#include <string.h>

static uint64_t bytes_of(const char *text)
{
    uint64_t value = 77;

    return tool_parse_bytes(text, &value) ? value : UINT64_MAX;
}

Test(units, bytes_take_every_spelling_of_powers_of_1024)
{
    cr_expect_eq(bytes_of("0"), 0);
    cr_expect_eq(bytes_of("4096"), 4096);
    cr_expect_eq(bytes_of("512b"), 512);
    cr_expect_eq(bytes_of("4k"), 4096);
    cr_expect_eq(bytes_of("4K"), 4096);
    cr_expect_eq(bytes_of("4kb"), 4096);
    cr_expect_eq(bytes_of("4KiB"), 4096);
    cr_expect_eq(bytes_of("8MiB"), 8u << 20);
    cr_expect_eq(bytes_of("2G"), 2ull << 30);
    cr_expect_eq(bytes_of("1t"), 1ull << 40);
    cr_expect_eq(bytes_of("010"), 10, "no octal");
    cr_expect_eq(bytes_of("18446744073709551614"), UINT64_MAX - 1);
}

Test(units, bytes_refuse_what_is_not_wholly_a_size)
{
    const char *const bad[] = {"",
                               "k",
                               "-1",
                               "+1",
                               " 1",
                               "1 ",
                               "1.5G",
                               "4ki",
                               "4q",
                               "4kk",
                               "4kbb",
                               "0x10",
                               "1e3",
                               "18446744073709551616",
                               "99999999999999999999",
                               "16777216T"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        cr_expect_eq(bytes_of(bad[i]), UINT64_MAX, "'%s' was taken", bad[i]);
}

Test(units, counts_are_digits_alone)
{
    uint64_t value = 0;

    cr_expect(tool_parse_count("18446744073709551615", &value));
    cr_expect_eq(value, UINT64_MAX);
    cr_expect_not(tool_parse_count("18446744073709551616", &value));
    cr_expect_not(tool_parse_count("1k", &value));
    cr_expect_not(tool_parse_count("", &value));
    cr_expect_eq(value, UINT64_MAX, "written on success only");
}

Test(units, times)
{
    uint64_t ns = 0;

    cr_expect(tool_parse_time("30", &ns) && ns == 30000000000ull);
    cr_expect(tool_parse_time("1.5s", &ns) && ns == 1500000000ull);
    cr_expect(tool_parse_time("500ms", &ns) && ns == 500000000ull);
    cr_expect(tool_parse_time("10us", &ns) && ns == 10000ull);
    cr_expect(tool_parse_time("7ns", &ns) && ns == 7ull);
    cr_expect(tool_parse_time("2m", &ns) && ns == 120000000000ull);
    cr_expect(tool_parse_time("1h", &ns) && ns == 3600000000000ull);
    cr_expect_not(tool_parse_time("", &ns));
    cr_expect_not(tool_parse_time("s", &ns));
    cr_expect_not(tool_parse_time("-1", &ns));
    cr_expect_not(tool_parse_time("1.2.3", &ns));
    cr_expect_not(tool_parse_time("1d", &ns));
    cr_expect_not(tool_parse_time("99999999999h", &ns));
}

Test(units, reals_are_finite)
{
    double value = 0;

    cr_expect(tool_parse_real("-0.25", &value) && value == -0.25);
    cr_expect(tool_parse_real(".5", &value) && value == 0.5);
    cr_expect_not(tool_parse_real("nan", &value));
    cr_expect_not(tool_parse_real("inf", &value));
    cr_expect_not(tool_parse_real("1e999", &value));
    cr_expect_not(tool_parse_real("1x", &value));
    cr_expect_not(tool_parse_real("", &value));
}

Test(units, exact_sizes_are_read_back)
{
    const uint64_t sizes[] = {0,        1,          1023,       1024,          5000,
                              8u << 20, 3ull << 30, 5ull << 40, 2048ull << 40, UINT64_MAX};
    char room[TOOL_UNIT_ROOM];

    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        uint64_t back = 1;
        cr_expect(tool_parse_bytes(tool_exact_bytes(sizes[i], room), &back), "'%s'", room);
        cr_expect_eq(back, sizes[i], "'%s'", room);
    }
    cr_expect_str_eq(tool_exact_bytes(8u << 20, room), "8M");
    cr_expect_str_eq(tool_exact_bytes(4096, room), "4k");
}

Test(units, sizes_for_reading)
{
    char room[TOOL_UNIT_ROOM];

    cr_expect_str_eq(tool_show_bytes(0, room), "0 B");
    cr_expect_str_eq(tool_show_bytes(999, room), "999 B");
    cr_expect_str_eq(tool_show_bytes(8u << 20, room), "8 MiB");
    cr_expect_str_eq(tool_show_bytes(21921118, room), "21.9 MB");
    cr_expect_str_eq(tool_show_bytes(1234567, room), "1.23 MB");
    cr_expect_str_eq(tool_show_bytes(999999, room), "1.00 MB");
    cr_expect_str_eq(tool_show_bytes(UINT64_MAX, room), "18.4 EB");
    cr_expect_str_eq(tool_show_rate(123456789, room), "123 MB/s");
    cr_expect_str_eq(tool_show_time(0.84, room), "0.8 s");
    cr_expect_str_eq(tool_show_time(187, room), "3:07");
    cr_expect_str_eq(tool_show_time(7209, room), "2:00:09");
}
