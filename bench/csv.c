/* SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "results.h"

/* Columns are only added, at the end. */
static const char *const columns[] = {
    "version",
    "dataset.path",
    "dataset.records",
    "settings.disk",
    "settings.engine",
    "settings.order",
    "settings.batch",
    "settings.threads",
    "settings.depth",
    "settings.io_size",
    "settings.ranks",
    "run.ended_by",
    "run.seconds",
    "run.batches",
    "run.images",
    "run.images_per_second",
    "run.read_bytes",
    "run.read_bytes_per_second",
    "run.first_batch_seconds",
    "stages.read.items",
    "stages.read.latency_ns.p50",
    "stages.read.latency_ns.p99",
    "stages.read.latency_ns.p999",
    "stages.read.wait_in_share",
    "stages.decode.busy_share",
    "stages.consume.wait_in_share",
    "cpu.user_seconds",
    "cpu.system_seconds",
    "cpu.seconds_per_gb_read",
    "cpu.seconds_per_1000_images",
    "cpu.voluntary_switches",
    "cpu.involuntary_switches",
    "cpu.peak_rss_bytes",
    "bound",
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* As RFC 4180 has it: quotes around what holds commas, quotes or line ends, and quotes doubled. */
static void put(const char *text, FILE *out)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_member(const json_t *json, const char *path, FILE *out)
{
    const json_t *member = bench_at(json, path);

    if (!member || json_is_null(member))
        return;
    char *text = json_is_string(member) ? NULL : json_dumps(member, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    put(text ? text : json_string_value(member) ? json_string_value(member) : "", out);
    free(text);
}

void bench_print_csv(const struct bench_result *result, FILE *out)
{
    json_t *json = bench_result_json(result);

    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(out, "%s%s", i ? "," : "", columns[i]);
    fputc('\n', out);
    for (size_t i = 0; i < COLUMNS; i++) {
        if (i)
            fputc(',', out);
        put_member(json, columns[i], out);
    }
    fputc('\n', out);
    json_decref(json);
}
