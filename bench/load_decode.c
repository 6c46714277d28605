/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "common/interrupt.h"

#include <jansson.h>

#include "base/err.h"
#include "base/thread.h"
#include "host.h"
#include "jpeg_loop.h"

struct decode_options {
    uint64_t threads, seconds_ns;
    bool json;
};

#define AT(member) offsetof(struct decode_options, member)

const struct tool_option bench_decode_options[] = {
    TOOL_OPTION_THREADS(struct decode_options),
    {.name = "seconds",
     .letter = 's',
     .kind = TOOL_TIME,
     .argument = "TIME",
     .at = AT(seconds_ns),
     .preset = "5",
     .help = "For how long."},
    TOOL_OPTION_JSON(struct decode_options),
    {0},
};
const size_t bench_decode_config_bytes = sizeof(struct decode_options);

static void print_text(const struct jpeg_loop_result *result, const struct bench_files *files,
                       unsigned threads)
{
    struct bench_host host;
    double seconds = (double)result->elapsed_ns / 1e9;

    bench_host_get(NULL, &host);
    printf("dls-bench decode: %zu files, %.1f MB, %u threads, %.2f s\n", files->count,
           (double)files->bytes / 1e6, threads, seconds);
    bench_host_print(&host, stdout);
    printf("  images   : %.1f/s, %.1f MB/s of files, %.1f megapixels/s, %.3f cpu s/1000 images\n",
           (double)result->images / seconds, (double)result->bytes / seconds / 1e6,
           (double)result->pixels / seconds / 1e6, result->cpu_seconds / (double)result->images * 1000);
    if (result->refused)
        printf("  refused  : %llu times a file that libjpeg-turbo does not decode\n",
               (unsigned long long)result->refused);
}

static int print_json(const struct jpeg_loop_result *result, const struct bench_files *files,
                      unsigned threads)
{
    struct bench_host host;
    double seconds = (double)result->elapsed_ns / 1e9;

    bench_host_get(NULL, &host);
    json_t *json = json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:f, s:I, s:I, s:f, s:f, s:f, s:f}", "schema", "dls-bench-decode-1",
        "environment", bench_host_json(&host), "files", (json_int_t)files->count, "file_bytes",
        (json_int_t)files->bytes, "threads", (json_int_t)threads, "seconds", seconds, "images",
        (json_int_t)result->images, "refused", (json_int_t)result->refused, "images_per_second",
        (double)result->images / seconds, "bytes_per_second", (double)result->bytes / seconds,
        "pixels_per_second", (double)result->pixels / seconds, "cpu_seconds", result->cpu_seconds);
    if (!json)
        return TOOL_FAILED;
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stdout);
    json_decref(json);
    return TOOL_OK;
}

int bench_command_decode(const struct tool_call *call)
{
    const struct decode_options *options = call->config;
    unsigned threads = options->threads ? (unsigned)options->threads : dls_cpu_count();
    const atomic_int *stop = interrupt_setup();
    struct bench_files files;
    struct jpeg_loop_result result;
    int code = TOOL_OK;

    int r = bench_files_load(call->operands[0], &files);
    if (r == 0)
        r = jpeg_loop(&files, threads, (double)options->seconds_ns / 1e9, stop, &result);
    if (r < 0) {
        tool_say(call, "%s", dls_err_text());
        code = TOOL_FAILED;
    } else if (result.images == 0) {
        tool_say(call, "nothing was decoded in this time");
        code = TOOL_FAILED;
    } else if (options->json) {
        code = print_json(&result, &files, threads);
    } else {
        print_text(&result, &files, threads);
    }
    if (code == TOOL_OK && atomic_load(stop))
        code = TOOL_INTERRUPTED;
    bench_files_free(&files);
    return code;
}
