/* SPDX-License-Identifier: Apache-2.0 */
/* Plots as SVG elements that stand in a page: no scripts, nothing to load. Colours are the page's: classes c0
 * to c5. */
#ifndef DLS_BENCH_SVG_H
#define DLS_BENCH_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct svg_series {
    const char *name; /* for the legend */
    const double *x, *y;
    size_t count;
};

struct svg_plot {
    const char *title, *x_label, *y_label;
    bool log_x;    /* positive values only; others are left out */
    double y_most; /* top of the axis; 0: of the values */
    bool stacked;  /* series are areas on top of each other, with the x of the first */
    const struct svg_series *series;
    size_t count;
};

/* Text with what HTML gives a meaning replaced, and with bytes that are no UTF-8 shown as '?'. */
void svg_text(const char *text, FILE *out);
void svg_plot(const struct svg_plot *plot, FILE *out);
/* A bar for each value with its name before it and the number behind. */
void svg_bars(const char *title, const char *unit, const char *const *names, const double *values,
              size_t count, FILE *out);

#endif
