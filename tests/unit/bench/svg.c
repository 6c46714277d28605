/* SPDX-License-Identifier: Apache-2.0 */
#include "svg.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static char page[65536];

static FILE *start(void)
{
    memset(page, 0, sizeof(page));
    return fmemopen(page, sizeof(page) - 1, "w");
}

Test(svg, text_is_escaped)
{
    FILE *out = start();

    svg_text("<a href=\"x\">&\x1b[1m\n", out);
    fclose(out);
    cr_assert_str_eq(page, "&lt;a href=&quot;x&quot;&gt;&amp; [1m ");
}

Test(svg, what_is_no_number_is_left_out_of_a_line)
{
    double x[] = {1, 2, 3, NAN, 5}, y[] = {10, NAN, 30, 4, INFINITY};
    struct svg_series series = {"s", x, y, 5};
    FILE *out = start();

    svg_plot(&(struct svg_plot){.title = "t", .x_label = "x", .y_label = "y", .series = &series, .count = 1},
             out);
    fclose(out);
    cr_assert_null(strstr(page, "nan"));
    cr_assert_null(strstr(page, "inf"));
    cr_assert_not_null(strstr(page, "<path class=\"line c0\" d=\"M"));
    size_t circles = 0;
    for (const char *at = page; (at = strstr(at, "<circle")); at++)
        circles++;
    cr_assert_eq(circles, 2);
}

Test(svg, nothing_to_show_is_no_plot)
{
    double x[] = {0, -1}, y[] = {1, 2};
    struct svg_series series = {"s", x, y, 2};
    FILE *out = start();

    svg_plot(&(struct svg_plot){.log_x = true, .series = &series, .count = 1}, out);
    svg_bars("b", "u", (const char *const[]){"a"}, (double[]){NAN}, 1, out);
    fclose(out);
    cr_assert_str_eq(page, "");
}

Test(svg, a_bar_is_as_long_as_its_value)
{
    FILE *out = start();

    svg_bars("rate", "MB/s", (const char *const[]){"hdd", "a<b"}, (double[]){50, 100}, 2, out);
    fclose(out);
    cr_assert_not_null(strstr(page, "a&lt;b"));
    cr_assert_not_null(strstr(page, "width=\"165.0\""));
    cr_assert_not_null(strstr(page, "width=\"330.0\""));
    cr_assert_not_null(strstr(page, ">50.0 MB/s<"));
}
