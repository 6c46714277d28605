/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include "text.h"

/* Raised when a member changes its meaning or goes away; new members do not raise it. */
#define SCHEMA "dls-bench-run-1"

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static double per_second(uint64_t count, uint64_t ns)
{
    return ns ? (double)count * 1e9 / (double)ns : 0;
}

/* A text that may hold bytes which are not UTF-8, such as a path: those are replaced. */
static json_t *text(const char *bytes)
{
    char clean[1024];
    size_t n = 0;

    json_t *json = json_string(bytes);
    if (json)
        return json;
    for (; bytes[n] && n + 1 < sizeof(clean); n++)
        clean[n] = (unsigned char)bytes[n] < 128 ? bytes[n] : '?';
    clean[n] = '\0';
    return json_string(clean);
}

static json_t *text_or_null(const char *bytes)
{
    return bytes ? text(bytes) : json_null();
}

static json_t *dataset_json(const struct bench_result *result)
{
    const dls_dataset_info *info = &result->dataset;
    char uuid[33];

    for (int i = 0; i < 16; i++)
        snprintf(uuid + 2 * i, 3, "%02x", info->uuid[i]);
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "path", text(result->settings->dataset), "uuid",
        uuid, "records", number(info->records), "blocks", number(info->blocks), "bytes", number(info->bytes),
        "shards", number(info->shards), "classes", number(info->classes), "block_bytes",
        number(info->block_bytes), "largest_block", number(info->largest_block), "shuffled", info->shuffled);
}

/* All 0 in `std` means 1. */
static json_t *pixels_json(const dls_loader_params *params)
{
    const double *m = params->mean, *s = params->std;
    double one = s[0] == 0 && s[1] == 0 && s[2] == 0 ? 1 : 0;

    return json_pack("{s:b, s:s, s:s, s:[f, f, f], s:[f, f, f], s:[f, f, f, f], s:f}", "flip_vertical",
                     params->flip_vertical, "dtype", bench_dtype_name(params->dtype), "layout",
                     bench_layout_name(params->layout), "mean", m[0], m[1], m[2], "std", s[0] + one,
                     s[1] + one, s[2] + one, "jitter", params->brightness, params->contrast,
                     params->saturation, params->hue, "grayscale", params->grayscale);
}

static json_t *settings_json(const struct bench_result *result)
{
    const struct bench_settings *settings = result->settings;
    const dls_loader_params *params = &result->params;
    const dls_stats *stats = &result->stats;

    json_t *json =
        json_pack("{s:o, s:o, s:o, s:s, s:b, s:b, s:b, s:b, s:s, s:s}", "batch", number(params->batch_size),
                  "width", number(params->width), "height", number(params->height), "crop",
                  bench_crop_name(params->crop), "flip", params->flip, "ignore_orientation",
                  params->ignore_orientation, "read_only", params->no_decode, "verify", !params->no_verify,
                  "order", bench_order_name(stats->order), "tail", bench_tail_name(params->tail));
    if (!json)
        return NULL;
    json_t *rest = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b}", "seed",
        number(params->seed), "rank", number(stats->rank), "world", number(stats->world), "first_epoch",
        number(params->first_epoch), "epochs", number(params->epochs), "seconds", settings->seconds,
        "consume_ms", settings->consume_ms, "engine", bench_engine_asked(settings), "direct",
        bench_direct_name(params->direct), "depth", number(stats->io_depth), "io_size",
        number(stats->io_bytes), "window", number(stats->window_blocks), "threads",
        number(stats->decode.threads), "memory", number(stats->memory_budget), "cold", settings->cold);
    json_object_update(json, rest);
    json_decref(rest);
    rest = json_pack("{s:o, s:f, s:f, s:o, s:o, s:o}", "ranks", number(settings->ranks), "ramp_seconds",
                     settings->ramp_seconds, "rate", settings->rate, "consume_trace",
                     text_or_null(settings->consume_trace), "disk", text_or_null(settings->disk),
                     "disk_options", text_or_null(settings->disk_options));
    json_object_update(json, rest);
    json_decref(rest);
    rest = pixels_json(params);
    json_object_update(json, rest);
    json_decref(rest);
    return json;
}

static json_t *stage_json(const dls_stage *stage)
{
    const dls_latency *latency = &stage->latency;
    double all = (double)(stage->busy_ns + stage->wait_in_ns + stage->wait_out_ns);
    double scale = all > 0 ? 1 / all : 0;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o}}",
                     "threads", number(stage->threads), "items", number(stage->items), "bytes",
                     number(stage->bytes), "busy_ns", number(stage->busy_ns), "wait_in_ns",
                     number(stage->wait_in_ns), "wait_out_ns", number(stage->wait_out_ns), "busy_share",
                     (double)stage->busy_ns * scale, "wait_in_share", (double)stage->wait_in_ns * scale,
                     "wait_out_share", (double)stage->wait_out_ns * scale, "latency_ns", "count",
                     number(latency->count), "min", number(latency->min), "p50", number(latency->p50), "p90",
                     number(latency->p90), "p99", number(latency->p99), "p999", number(latency->p999), "max",
                     number(latency->max));
}

/* {"1": reads, "2": reads of depth 2 and 3, "4": ...} */
static json_t *depths_json(const dls_stats *stats)
{
    json_t *json = json_object();
    char name[16];

    for (int i = 0; i < 11; i++) {
        snprintf(name, sizeof(name), "%d", 1 << i);
        json_object_set_new(json, name, number(stats->read_depths[i]));
    }
    return json;
}

static json_t *epochs_json(const struct bench_result *result)
{
    json_t *list = json_array();

    for (size_t i = 0; i < result->epoch_count; i++) {
        const struct bench_epoch *epoch = &result->epochs[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:b, s:o, s:o, s:f, s:f}", "epoch", number(epoch->number),
                                        "whole", epoch->whole, "batches", number(epoch->batches), "images",
                                        number(epoch->images), "seconds", (double)epoch->elapsed_ns / 1e9,
                                        "images_per_second", per_second(epoch->images, epoch->elapsed_ns)));
    }
    return list;
}

static json_t *run_json(const struct bench_result *result)
{
    const dls_stats *stats = &result->stats;
    struct bench_summary summary;

    bench_summarise(result, &summary);
    json_t *json =
        json_pack("{s:s, s:f, s:f, s:f, s:o, s:o, s:f, s:o, s:f, s:{s:o, s:f, s:f, s:f}, s:o}", "ended_by",
                  bench_end_name(result->end), "seconds", (double)result->elapsed_ns / 1e9, "open_seconds",
                  (double)result->open_ns / 1e9, "first_batch_seconds", (double)result->first_batch_ns / 1e9,
                  "batches", number(result->batches), "images", number(result->images), "images_per_second",
                  per_second(result->images, result->elapsed_ns), "read_bytes", number(stats->read.bytes),
                  "read_bytes_per_second", per_second(stats->read.bytes, result->elapsed_ns),
                  "epoch_images_per_second", "epochs", number(summary.epochs), "min", summary.min, "median",
                  summary.median, "max", summary.max, "epochs", epochs_json(result));
    if (json)
        json_object_set_new(json, "ramp_seconds", json_real((double)result->ramp_ns / 1e9));
    if (json && result->ranks)
        json_object_set(json, "ranks", result->ranks);
    if (json && result->samples)
        json_object_set_new(json, "samples", bench_samples_json(result->samples));
    if (json && result->error_text[0])
        json_object_set_new(json, "error", text(result->error_text));
    return json;
}

static json_t *cpu_json(const struct bench_result *result)
{
    const struct bench_usage *usage = &result->usage;
    double cpu = usage->user_seconds + usage->system_seconds;
    double gigabytes = (double)result->stats.read.bytes / 1e9;

    return json_pack(
        "{s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o}", "user_seconds", usage->user_seconds,
        "system_seconds", usage->system_seconds, "seconds_per_gb_read", gigabytes > 0 ? cpu / gigabytes : 0.0,
        "seconds_per_1000_images", result->images ? cpu / (double)result->images * 1000 : 0.0,
        "voluntary_switches", number(usage->voluntary_switches), "involuntary_switches",
        number(usage->involuntary_switches), "major_faults", number(usage->major_faults), "minor_faults",
        number(usage->minor_faults), "peak_rss_bytes", number(usage->peak_bytes));
}

static json_t *engine_json(const struct bench_result *result)
{
    const dls_stats *stats = &result->stats;

    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", result->engine, "detail",
                     text(result->engine_detail), "read_retries", number(stats->read_retries), "window_bytes",
                     number(stats->window_bytes), "memory_bytes", number(stats->memory_bytes),
                     "memory_budget", number(stats->memory_budget), "heap_allocations",
                     number(stats->heap_allocations), "bad_records", number(stats->bad_records),
                     "decode_warnings", number(stats->decode_warnings));
}

json_t *bench_result_json(const struct bench_result *result)
{
    const struct page_cache *cache = &result->cache;
    json_t *resident = cache->known && cache->bytes
                           ? json_real((double)cache->resident / (double)cache->bytes)
                           : json_null();

    json_t *read = stage_json(&result->stats.read);
    json_object_set_new(read, "depths", depths_json(&result->stats));
    json_t *disk = result->disk ? json_incref(result->disk) : json_null();

    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:{s:b, s:b, s:o}, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:s, s:o, s:o}",
        "schema", SCHEMA, "version", dls_version(), "environment", bench_host_json(&result->host), "dataset",
        dataset_json(result), "settings", settings_json(result), "cache", "emptied", result->settings->cold,
        "emptied_machine", result->dropped_all, "resident_share", resident, "run", run_json(result), "engine",
        engine_json(result), "stages", "read", read, "decode", stage_json(&result->stats.decode), "consume",
        stage_json(&result->stats.consume), "cpu", cpu_json(result), "bound",
        bench_bound_name(result->stats.bound), "verdict", text(result->verdict), "emulated_disk", disk);
}
