/* SPDX-License-Identifier: Apache-2.0 */
#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "svg.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>dls-bench "
    "report</title><style>\n"
    ":root{color-scheme:light dark;--ink:#222;--paper:#fff;--grid:#ddd;--dim:#666}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#ddd;--paper:#181818;--grid:#3a3a3a;--dim:#999}}\n"
    "body{font:15px/1.45 "
    "system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:1320px;margin:2em "
    "auto;padding:0 1em}\n"
    "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em}table{border-collapse:collapse;font-size:14px}\n"
    ".wide{overflow-x:auto}\n"
    "th,td{padding:.25em .7em;text-align:right;border-bottom:1px solid "
    "var(--grid)}th:first-child,td:first-child,td.text{text-align:left}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:1em}\n"
    "svg{width:100%;height:auto;font-size:12px}svg text{fill:var(--ink)}svg "
    ".title{font-size:13px;font-weight:600}\n"
    ".end{text-anchor:end}.mid{text-anchor:middle}.grid{stroke:var(--grid)}.line{fill:none!important;stroke-"
    "width:1.8}\n"
    ".c0{fill:#3b7dd8;stroke:#3b7dd8}.c1{fill:#e0862b;stroke:#e0862b}.c2{fill:#3aa655;stroke:#3aa655}\n"
    ".c3{fill:#b65cc4;stroke:#b65cc4}.c4{fill:#c9433d;stroke:#c9433d}.c5{fill:#7a7a7a;stroke:#7a7a7a}\n"
    "rect,.area{stroke:none!important}.verdict{border-left:3px solid "
    "#3b7dd8;padding-left:.8em}.dim{color:var(--dim);font-size:13px}\n"
    "</style></head><body>\n";

static const char *text_at(const json_t *result, const char *path)
{
    const char *text = json_string_value(bench_at(result, path));
    return text ? text : "";
}

static void cell(double value, int digits, FILE *out)
{
    if (isfinite(value))
        fprintf(out, "<td>%.*f</td>", digits, value);
    else
        fputs("<td>–</td>", out);
}

static void text_cell(const char *text, FILE *out)
{
    fputs("<td class=\"text\">", out);
    svg_text(text, out);
    fputs("</td>", out);
}

static const char *disk_of(const json_t *result)
{
    const char *disk = text_at(result, "settings.disk");
    return disk[0] ? disk : "as it is";
}

static void summary(const struct bench_results *results, FILE *out)
{
    fputs("<div class=\"wide\"><table><tr><th>result</th><th>disk</th><th>images/s</th><th>MB/s</th>"
          "<th>CPU s/1000 images</th><th>first batch, s</th><th>trainer waits, %</th><th>memory, "
          "MB</th><th>bound</th></tr>\n",
          out);
    for (size_t i = 0; i < results->count; i++) {
        const json_t *result = results->list[i].result;
        fputs("<tr>", out);
        text_cell(results->list[i].name, out);
        text_cell(disk_of(result), out);
        cell(bench_number_at(result, "run.images_per_second"), 0, out);
        cell(bench_number_at(result, "run.read_bytes_per_second") / 1e6, 1, out);
        cell(bench_number_at(result, "cpu.seconds_per_1000_images"), 3, out);
        cell(bench_number_at(result, "run.first_batch_seconds"), 3, out);
        cell(100 * bench_number_at(result, "stages.consume.wait_in_share"), 1, out);
        cell(bench_number_at(result, "cpu.peak_rss_bytes") / 1e6, 0, out);
        text_cell(text_at(result, "bound"), out);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void bars(const struct bench_results *results, const char *title, const char *unit, const char *path,
                 double scale, FILE *out)
{
    const char **names = dls_alloc_array(DLS_MEM_TOOL, results->count, sizeof(*names));
    double *values = dls_alloc_array(DLS_MEM_TOOL, results->count, sizeof(*values));

    if (names && values) {
        for (size_t i = 0; i < results->count; i++) {
            names[i] = results->list[i].name;
            values[i] = bench_number_at(results->list[i].result, path) * scale;
        }
        svg_bars(title, unit, names, values, results->count, out);
    }
    dls_free(names);
    dls_free(values);
}

/* Four columns of the samples: x, and for y the members paths[0] to paths[2], or the three parts of member
 * paths[0]. */
static void columns(const json_t *samples, const char *const *paths, int part, double *room, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *sample = json_array_get(samples, i);
        room[i] = bench_number_at(sample, "end");
        for (int c = 0; c < 3; c++) {
            const json_t *member = NULL;
            if (part >= 0)
                member = json_array_get(json_object_get(sample, paths[0]), (size_t)c);
            else if (paths[c])
                member = json_object_get(sample, paths[c]);
            room[(size_t)(c + 1) * count + i] = json_is_number(member) ? json_number_value(member) : NAN;
        }
    }
}

static void over_time(const json_t *result, FILE *out)
{
    const json_t *samples = bench_at(result, "run.samples");
    size_t count = json_array_size(samples);
    static const char *const rates[] = {"images_per_second", "read_bytes_per_second", NULL};
    static const char *const stages[] = {"read", "decode", "consume"};
    static const char *const titles[] = {"the I/O thread's time", "the decode threads' time",
                                         "the trainer's time"};
    static const char *const waits[] = {"waits for the disk", "waits for records", "waits for batches"};
    static const char *const room_waits[] = {"waits for memory", "waits for room", "-"};

    double *room = count >= 2 ? dls_alloc_array(DLS_MEM_TOOL, 4 * count, sizeof(*room)) : NULL;
    if (!room)
        return;
    columns(samples, rates, -1, room, count);
    struct svg_series images = {"images/s", room, room + count, count};
    svg_plot(&(struct svg_plot){.title = "images a second",
                                .x_label = "seconds",
                                .y_label = "images/s",
                                .series = &images,
                                .count = 1},
             out);
    for (size_t i = 0; i < count; i++)
        room[2 * count + i] /= 1e6;
    struct svg_series bytes = {"MB/s", room, room + 2 * count, count};
    svg_plot(&(struct svg_plot){.title = "read off the disk",
                                .x_label = "seconds",
                                .y_label = "MB/s",
                                .series = &bytes,
                                .count = 1},
             out);
    for (int s = 0; s < 3; s++) {
        columns(samples, &stages[s], 0, room, count);
        struct svg_series shares[] = {{"works", room, room + count, count},
                                      {waits[s], room, room + 2 * count, count},
                                      {room_waits[s], room, room + 3 * count, count}};
        svg_plot(&(struct svg_plot){.title = titles[s],
                                    .x_label = "seconds",
                                    .y_label = "share",
                                    .y_most = 1,
                                    .stacked = true,
                                    .series = shares,
                                    .count = s == 2 ? 2 : 3},
                 out);
    }
    dls_free(room);
}

static void latencies(const json_t *result, FILE *out)
{
    static const struct {
        const char *stage, *name;
    } stages[] = {{"read", "a read"}, {"decode", "a picture"}, {"consume", "a wait for a batch"}};
    static const struct {
        const char *name;
        double share;
    } points[] = {{"min", 0}, {"p50", 50}, {"p90", 90}, {"p99", 99}, {"p999", 99.9}, {"max", 100}};
    double x[3][6], y[3][6];
    struct svg_series series[3];
    char path[64];

    for (size_t s = 0; s < 3; s++) {
        for (size_t p = 0; p < 6; p++) {
            snprintf(path, sizeof(path), "stages.%s.latency_ns.%s", stages[s].stage, points[p].name);
            x[s][p] = bench_number_at(result, path) / 1e3;
            y[s][p] = points[p].share;
        }
        series[s] = (struct svg_series){stages[s].name, x[s], y[s], 6};
    }
    svg_plot(&(struct svg_plot){.title = "done within",
                                .x_label = "microseconds",
                                .y_label = "%",
                                .y_most = 100,
                                .log_x = true,
                                .series = series,
                                .count = 3},
             out);
}

static void facts(const json_t *result, FILE *out)
{
    static const char *const paths[] = {
        "environment.kernel",   "environment.cpu",       "environment.cpus", "environment.filesystem",
        "environment.device",   "environment.libraries", "dataset.path",     "dataset.records",
        "dataset.bytes",        "settings.order",        "settings.threads", "settings.depth",
        "settings.io_size",     "settings.memory",       "settings.seed",    "settings.disk_options",
        "cache.resident_share", "engine.name",           "engine.detail",    "emulated_disk.late_us_p99"};

    fputs("<details><summary class=\"dim\">machine and settings</summary><table>", out);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const json_t *member = bench_at(result, paths[i]);
        if (!member || json_is_null(member))
            continue;
        char *text =
            json_is_string(member) ? NULL : json_dumps(member, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        fputs("<tr>", out);
        text_cell(paths[i], out);
        text_cell(text ? text : json_string_value(member), out);
        fputs("</tr>", out);
        free(text);
    }
    fputs("</table></details>\n", out);
}

static void one(const struct bench_loaded *loaded, FILE *out)
{
    fputs("<h2>", out);
    svg_text(loaded->name, out);
    fputs("</h2><p class=\"verdict\">", out);
    svg_text(text_at(loaded->result, "verdict"), out);
    fputs("</p><div class=\"plots\">\n", out);
    over_time(loaded->result, out);
    latencies(loaded->result, out);
    fputs("</div>\n", out);
    facts(loaded->result, out);
}

/* One line for each value of `by`, over the values of `along`. */
static void sweep_plot(const json_t *points, const char *along, const char *by, const char *unit, FILE *out)
{
    size_t count = json_array_size(points), used = 0;
    struct svg_series series[6];
    char names[6][48];

    double *room = dls_alloc_array(DLS_MEM_TOOL, 12 * (count ? count : 1), sizeof(*room));
    for (size_t i = 0; room && i < count; i++) {
        const json_t *point = json_array_get(points, i);
        size_t s = 0;
        char name[48];
        snprintf(name, sizeof(name), "%s %g", by, bench_number_at(point, by));
        while (s < used && strcmp(names[s], name) != 0)
            s++;
        if (s == 6)
            continue;
        if (s == used) {
            snprintf(names[s], sizeof(names[s]), "%s", name);
            series[used++] =
                (struct svg_series){names[s], room + 2 * s * count, room + (2 * s + 1) * count, 0};
        }
        room[2 * s * count + series[s].count] = bench_number_at(point, along);
        room[(2 * s + 1) * count + series[s].count++] = bench_number_at(point, "median");
    }
    if (room)
        svg_plot(&(struct svg_plot){.title = along,
                                    .x_label = along,
                                    .y_label = unit,
                                    .log_x = true,
                                    .series = series,
                                    .count = used},
                 out);
    dls_free(room);
}

static void sweeps(const json_t *list, FILE *out)
{
    size_t i;
    json_t *sweep;

    json_array_foreach(list, i, sweep)
    {
        const json_t *points = json_object_get(sweep, "points");
        const char *unit = text_at(sweep, "unit");
        fputs("<h2>Sweep</h2><p class=\"verdict\">", out);
        svg_text(text_at(sweep, "verdict"), out);
        fputs("</p><div class=\"plots\">\n", out);
        sweep_plot(points, "depth", "io_size", unit, out);
        sweep_plot(points, "io_size", "depth", unit, out);
        sweep_plot(points, "threads", "depth", unit, out);
        fputs("</div>\n", out);
    }
}

int bench_report_write(const struct bench_results *results, FILE *out)
{
    fputs(head, out);
    fputs("<h1>dls-bench report</h1>\n", out);
    if (results->count) {
        summary(results, out);
        fputs("<div class=\"plots\">\n", out);
        bars(results, "images a second", "images/s", "run.images_per_second", 1, out);
        bars(results, "read off the disk", "MB/s", "run.read_bytes_per_second", 1e-6, out);
        fputs("</div>\n", out);
    }
    sweeps(results->sweeps, out);
    for (size_t i = 0; i < results->count; i++)
        one(&results->list[i], out);
    fputs("</body></html>\n", out);
    return ferror(out) ? -EIO : 0;
}
