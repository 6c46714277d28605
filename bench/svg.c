/* SPDX-License-Identifier: Apache-2.0 */
#include "svg.h"

#include <math.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 260
#define LEFT 62
#define RIGHT 12
#define TOP 26
#define BOTTOM 40
#define COLOURS 6

void svg_text(const char *text, FILE *out)
{
    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        if (*at == '<')
            fputs("&lt;", out);
        else if (*at == '>')
            fputs("&gt;", out);
        else if (*at == '&')
            fputs("&amp;", out);
        else if (*at == '"')
            fputs("&quot;", out);
        else if (*at < 32 || *at == 127)
            fputc(' ', out);
        else
            fputc(*at, out);
    }
}

struct axis {
    double from, to, step; /* values; step between ticks, of a logarithmic one a factor */
    bool log;
    double start, length; /* on the page */
};

/* 1, 2 or 5 times a power of ten, so that there are about five ticks. */
static double nice_step(double range)
{
    double rough = range / 5, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void fit(struct axis *axis)
{
    if (axis->log) {
        axis->from = pow(10, floor(log10(axis->from)));
        axis->to = pow(10, ceil(log10(axis->to)));
        if (axis->to <= axis->from)
            axis->to = axis->from * 10;
        axis->step = 10;
        return;
    }
    axis->from = 0;
    if (!(axis->to > 0))
        axis->to = 1;
    axis->step = nice_step(axis->to - axis->from);
    axis->to = ceil(axis->to / axis->step - 1e-9) * axis->step;
}

static double place(const struct axis *axis, double value)
{
    double part = axis->log ? log(value / axis->from) / log(axis->to / axis->from)
                            : (value - axis->from) / (axis->to - axis->from);
    return axis->start + part * axis->length;
}

static bool usable(const struct axis *x, double a, double b)
{
    return isfinite(a) && isfinite(b) && (!x->log || a > 0);
}

static void number(double value, FILE *out)
{
    if (fabs(value) >= 1e6)
        fprintf(out, "%gM", value / 1e6);
    else if (fabs(value) >= 1e4)
        fprintf(out, "%gk", value / 1e3);
    else
        fprintf(out, "%g", value);
}

static void draw_axes(const struct svg_plot *plot, const struct axis *x, const struct axis *y, FILE *out)
{
    for (double value = y->from; value <= y->to * (1 + 1e-9); value += y->step) {
        double at = place(y, value);
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
                "class=\"end\">",
                LEFT, WIDTH - RIGHT, at, at, LEFT - 5, at + 4);
        number(fabs(value) < y->step / 1e6 ? 0 : value, out);
        fputs("</text>", out);
    }
    for (double value = x->from; value <= x->to * (1 + 1e-9);
         value = x->log ? value * x->step : value + x->step) {
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" class=\"mid\">", place(x, value), HEIGHT - BOTTOM + 15);
        number(value, out);
        fputs("</text>", out);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"mid\">", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
    svg_text(plot->x_label, out);
    fprintf(out, "</text><text x=\"%d\" y=\"16\" class=\"title\">", LEFT);
    svg_text(plot->title, out);
    fputs("</text>", out);
}

static void draw_legend(const struct svg_plot *plot, FILE *out)
{
    int at = WIDTH - RIGHT;

    for (size_t i = plot->count; i > 0; i--) {
        const char *name = plot->series[i - 1].name;
        at -= 7 * (int)strlen(name) + 24;
        fprintf(out,
                "<rect class=\"c%zu\" x=\"%d\" y=\"8\" width=\"10\" height=\"10\"/><text x=\"%d\" y=\"17\">",
                (i - 1) % COLOURS, at, at + 14);
        svg_text(name, out);
        fputs("</text>", out);
    }
}

static void draw_line(const struct svg_series *series, size_t index, const struct axis *x,
                      const struct axis *y, FILE *out)
{
    const char *command = "M";

    fprintf(out, "<path class=\"line c%zu\" d=\"", index % COLOURS);
    for (size_t i = 0; i < series->count; i++) {
        if (!usable(x, series->x[i], series->y[i]))
            continue;
        fprintf(out, "%s%.1f %.1f", command, place(x, series->x[i]), place(y, series->y[i]));
        command = "L";
    }
    fputs("\"/>", out);
    for (size_t i = 0; series->count <= 40 && i < series->count; i++)
        if (usable(x, series->x[i], series->y[i]))
            fprintf(out, "<circle class=\"c%zu\" r=\"2.5\" cx=\"%.1f\" cy=\"%.1f\"/>", index % COLOURS,
                    place(x, series->x[i]), place(y, series->y[i]));
}

/* The area between the sums of the series before this one and with it. */
static void draw_area(const struct svg_plot *plot, size_t index, const struct axis *x, const struct axis *y,
                      FILE *out)
{
    size_t count = plot->series[0].count;

    fprintf(out, "<path class=\"area c%zu\" d=\"", index % COLOURS);
    for (int edge = 0; edge < 2; edge++)
        for (size_t i = 0; i < count; i++) {
            size_t at = edge ? count - 1 - i : i;
            double sum = 0;
            for (size_t s = 0; s < index + (edge ? 0 : 1); s++)
                sum += plot->series[s].y[at];
            fprintf(out, "%s%.1f %.1f", edge || i ? "L" : "M", place(x, plot->series[0].x[at]),
                    place(y, sum));
        }
    fputs("Z\"/>", out);
}

static bool find_range(const struct svg_plot *plot, struct axis *x, struct axis *y)
{
    bool any = false;

    for (size_t s = 0; s < plot->count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++) {
            double a = plot->series[s].x[i], b = plot->series[s].y[i];
            if (!usable(x, a, b))
                continue;
            x->from = any ? fmin(x->from, a) : a;
            x->to = any ? fmax(x->to, a) : a;
            y->to = any ? fmax(y->to, b) : b;
            any = true;
        }
    if (plot->y_most > 0)
        y->to = plot->y_most;
    return any;
}

void svg_plot(const struct svg_plot *plot, FILE *out)
{
    struct axis x = {.log = plot->log_x, .start = LEFT, .length = WIDTH - LEFT - RIGHT};
    struct axis y = {.start = HEIGHT - BOTTOM, .length = -(HEIGHT - TOP - BOTTOM)};

    if (!find_range(plot, &x, &y))
        return;
    fit(&x);
    fit(&y);
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
    svg_text(plot->title, out);
    fputs("\">", out);
    for (size_t s = 0; plot->stacked && s < plot->count; s++)
        draw_area(plot, s, &x, &y, out);
    draw_axes(plot, &x, &y, out);
    for (size_t s = 0; !plot->stacked && s < plot->count; s++)
        draw_line(&plot->series[s], s, &x, &y, out);
    if (plot->count > 1)
        draw_legend(plot, out);
    fprintf(out, "<text class=\"mid\" transform=\"translate(14 %d) rotate(-90)\">",
            (TOP + HEIGHT - BOTTOM) / 2);
    svg_text(plot->y_label, out);
    fputs("</text></svg>\n", out);
}

void svg_bars(const char *title, const char *unit, const char *const *names, const double *values,
              size_t count, FILE *out)
{
    const int row = 24, label = 200, room = WIDTH - label - 110;
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = isfinite(values[i]) ? fmax(most, values[i]) : most;
    if (!(most > 0))
        return;
    fprintf(out, "<svg viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"", WIDTH,
            TOP + count * (size_t)row + 6);
    svg_text(title, out);
    fprintf(out, "\"><text x=\"0\" y=\"16\" class=\"title\">");
    svg_text(title, out);
    fputs("</text>", out);
    for (size_t i = 0; i < count; i++) {
        int at = TOP + (int)i * row;
        double value = isfinite(values[i]) ? values[i] : 0;
        fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"end\">", label - 8, at + 15);
        svg_text(names[i], out);
        fprintf(out,
                "</text><rect class=\"c0\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/><text x=\"%.1f\" "
                "y=\"%d\">%.*f ",
                label, at + 3, value / most * room, row - 8, label + value / most * room + 6, at + 15,
                value < 10    ? 2
                : value < 100 ? 1
                              : 0,
                value);
        svg_text(unit, out);
        fputs("</text>", out);
    }
    fputs("</svg>\n", out);
}
