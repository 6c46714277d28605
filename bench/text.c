/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <inttypes.h>
#include <string.h>

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static double per_second(uint64_t count, uint64_t ns)
{
    return ns ? (double)count * 1e9 / (double)ns : 0;
}

static void print_pixels(const dls_loader_params *params, FILE *out)
{
    fprintf(out, "%ux%u %s%s%s%s", params->width, params->height, bench_crop_name(params->crop),
            params->flip ? " flip" : "", params->flip_vertical ? " flip-vertical" : "",
            params->ignore_orientation ? " as stored" : "");
    if (params->brightness > 0 || params->contrast > 0 || params->saturation > 0 || params->hue > 0)
        fprintf(out, " jitter %g,%g,%g,%g", params->brightness, params->contrast, params->saturation,
                params->hue);
    if (params->grayscale > 0)
        fprintf(out, " grayscale %g", params->grayscale);
    if (params->dtype != DLS_DTYPE_UINT8 || params->layout != DLS_LAYOUT_NHWC)
        fprintf(out, " %s %s", bench_dtype_name(params->dtype), bench_layout_name(params->layout));
}

static void print_settings(const struct bench_result *result, FILE *out)
{
    const struct bench_settings *settings = result->settings;
    const dls_loader_params *params = &result->params;

    fprintf(out, "  settings : batch %u, ", params->batch_size);
    if (params->no_decode)
        fprintf(out, "read only");
    else
        print_pixels(params, out);
    fprintf(out, ", order %s, tail %s, seed %" PRIu64 "%s", bench_order_name(result->stats.order),
            bench_tail_name(params->tail), params->seed, params->no_verify ? ", no verify" : "");
    if (result->stats.world > 1)
        fprintf(out, ", rank %u of %u", result->stats.rank, result->stats.world);
    if (settings->consume_ms > 0)
        fprintf(out, ", consumer %g ms a batch", settings->consume_ms);
    if (settings->consume_trace)
        fprintf(out, ", consumer by '%s'", settings->consume_trace);
    if (settings->rate > 0)
        fprintf(out, ", at most %g images/s asked for", settings->rate);
    fprintf(
        out,
        "\n             engine %s, direct %s, depth %u, reads to %.0f KiB, window %u block%s, %u thread%s\n",
        bench_engine_asked(settings), bench_direct_name(params->direct), result->stats.io_depth,
        result->stats.io_bytes / 1024.0, result->stats.window_blocks, plural(result->stats.window_blocks),
        result->stats.decode.threads, plural(result->stats.decode.threads));
}

static void print_head(const struct bench_result *result, FILE *out)
{
    const dls_dataset_info *info = &result->dataset;
    const struct page_cache *cache = &result->cache;

    fprintf(out, "dls-bench %s run: %s\n", dls_version(), result->settings->dataset);
    bench_host_print(&result->host, out);
    fprintf(out,
            "  dataset  : %" PRIu64 " record%s, %" PRIu64
            " block%s, %u shard%s, %.1f MB, %u class%s, %s; uuid ",
            info->records, plural(info->records), info->blocks, plural(info->blocks), info->shards,
            plural(info->shards), (double)info->bytes / 1e6, info->classes, info->classes == 1 ? "" : "es",
            info->shuffled ? "shuffled" : "not shuffled");
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", info->uuid[i]);
    fprintf(out, "\n  cache    : %s; ",
            !result->settings->cold ? "left as it was"
            : result->dropped_all   ? "emptied, all of the machine's"
                                    : "emptied for the dataset's files");
    if (cache->known)
        fprintf(out, "%.0f %% of the dataset was in it at the start\n", share(cache->resident, cache->bytes));
    else
        fprintf(out, "the kernel does not tell this user what it held\n");
    print_settings(result, out);
    if (result->disk)
        fprintf(out,
                "  on       : emulated disk %s%s%s; busy %.1f %%, its answers at most %.0f usec late (99 of "
                "100)\n",
                result->settings->disk, result->settings->disk_options ? ", " : "",
                result->settings->disk_options ? result->settings->disk_options : "",
                100 * json_number_value(json_object_get(result->disk, "busy_share")),
                json_number_value(json_object_get(result->disk, "late_us_p99")));
    fprintf(out, "  engine   : %s; %s\n", result->engine, result->engine_detail);
}

/* The rates of epochs that fit into the loader's batch buffers are left out: such an epoch can be ready
 * before it is asked for, and then takes no time at all. */
static void print_rates(const struct bench_result *result, FILE *out)
{
    struct bench_summary summary;
    uint32_t ring = result->params.ring_batches ? result->params.ring_batches : 4;
    const char *how = result->end == BENCH_END_SIGNAL  ? " (interrupted)"
                      : result->end == BENCH_END_ERROR ? " (failed)"
                      : result->end == BENCH_END_TIME  ? " (time over)"
                                                       : "";

    bench_summarise(result, &summary);
    fprintf(out, "run: %" PRIu64 " image%s in %" PRIu64 " batch%s, %zu epoch%s, %.3f s%s\n", result->images,
            plural(result->images), result->batches, result->batches == 1 ? "" : "es", result->epoch_count,
            plural(result->epoch_count), (double)result->elapsed_ns / 1e9, how);
    for (size_t i = 0; i < json_array_size(result->ranks); i++) {
        const json_t *rank = json_array_get(result->ranks, i);
        fprintf(out, "  rank %-4zu: %.1f images/s, %.1f MB/s, waiting for batches %.1f %%\n", i,
                json_number_value(json_object_get(rank, "images_per_second")),
                json_number_value(json_object_get(rank, "read_bytes_per_second")) / 1e6,
                100 * json_number_value(json_object_get(rank, "consume_wait_in_share")));
    }
    fprintf(out, "  images   : %.1f/s", per_second(result->images, result->elapsed_ns));
    if (summary.epochs > 1 && summary.batches > ring)
        fprintf(out, "; by epoch%s: min %.1f, median %.1f, max %.1f", summary.first ? " after the first" : "",
                summary.min, summary.median, summary.max);
    fprintf(out,
            "\n  disk     : %.1f MB/s, %.1f reads/s; %.1f MB in %" PRIu64 " reads, %" PRIu64 " repeated\n",
            per_second(result->stats.read.bytes, result->elapsed_ns) / 1e6,
            per_second(result->stats.read.items, result->elapsed_ns), (double)result->stats.read.bytes / 1e6,
            result->stats.read.items, result->stats.read_retries);
    if (result->stats.bad_records || result->stats.decode_warnings)
        fprintf(out, "  damage   : %" PRIu64 " bad record%s %s, %" PRIu64 " decoded with a warning\n",
                result->stats.bad_records, plural(result->stats.bad_records),
                result->params.on_error == DLS_ON_ERROR_SUBSTITUTE ? "substituted" : "skipped",
                result->stats.decode_warnings);
    fprintf(out, "  start    : open %.1f ms, first batch after %.1f ms", (double)result->open_ns / 1e6,
            (double)result->first_batch_ns / 1e6);
    if (result->ramp_ns)
        fprintf(out, "; the first %.3f s are not counted", (double)result->ramp_ns / 1e9);
    fputc('\n', out);
}

/* Latencies in the unit that gives readable numbers, as fio does. */
static void print_latency(const dls_latency *latency, FILE *out)
{
    const char *unit = "usec";
    double scale = 1e3;

    if (latency->p50 >= 10000000) {
        unit = "msec";
        scale = 1e6;
    }
    fprintf(
        out,
        "             lat (%s): min=%.1f, 50.00th=[%.1f], 90.00th=[%.1f], 99.00th=[%.1f], 99.90th=[%.1f], "
        "max=%.1f\n",
        unit, (double)latency->min / scale, (double)latency->p50 / scale, (double)latency->p90 / scale,
        (double)latency->p99 / scale, (double)latency->p999 / scale, (double)latency->max / scale);
}

/* room: what it waits for behind it; NULL if there is nothing. */
static void print_stage(const char *name, const dls_stage *stage, const char *item, const char *in,
                        const char *room, FILE *out)
{
    uint64_t all = stage->busy_ns + stage->wait_in_ns + stage->wait_out_ns;

    fprintf(out, "  %-9s: %u thread%s, busy %.1f %%, waiting for %s %.1f %%", name, stage->threads,
            plural(stage->threads), share(stage->busy_ns, all), in, share(stage->wait_in_ns, all));
    if (room)
        fprintf(out, ", for %s %.1f %%", room, share(stage->wait_out_ns, all));
    fprintf(out, "; %" PRIu64 " %s%s, %.1f MB\n", stage->items, item,
            stage->items == 1               ? ""
            : item[strlen(item) - 1] == 'h' ? "es"
                                            : "s",
            (double)stage->bytes / 1e6);
    if (stage->latency.count)
        print_latency(&stage->latency, out);
}

/* In fio's words and buckets. */
static void print_depths(const dls_stats *stats, FILE *out)
{
    uint64_t all = 0;

    for (int i = 0; i < 11; i++)
        all += stats->read_depths[i];
    if (!all)
        return;
    fprintf(out, "             depths:");
    for (int i = 0; i < 11; i++)
        if (stats->read_depths[i])
            fprintf(out, " %d=%.1f%%", 1 << i, share(stats->read_depths[i], all));
    fputc('\n', out);
}

static void print_cost(const struct bench_result *result, FILE *out)
{
    const struct bench_usage *usage = &result->usage;
    const dls_stats *stats = &result->stats;
    double wall = (double)result->elapsed_ns / 1e9;
    double cpu = usage->user_seconds + usage->system_seconds;

    fprintf(out, "  cpu      : usr=%.1f%%, sys=%.1f%%", wall > 0 ? 100 * usage->user_seconds / wall : 0,
            wall > 0 ? 100 * usage->system_seconds / wall : 0);
    if (stats->read.bytes)
        fprintf(out, ", %.3f s/GB read", cpu / ((double)stats->read.bytes / 1e9));
    if (result->images)
        fprintf(out, ", %.3f s/1000 images", cpu / (double)result->images * 1000);
    fprintf(out, "; ctx=%" PRIu64 " (%" PRIu64 " involuntary), majf=%" PRIu64 ", minf=%" PRIu64 "\n",
            usage->voluntary_switches + usage->involuntary_switches, usage->involuntary_switches,
            usage->major_faults, usage->minor_faults);
    fprintf(out,
            "  memory   : loader counts %.1f MB of %.1f MB allowed, window %.1f MB; process used at most "
            "%.1f MB; %" PRIu64 " heap allocations\n",
            (double)stats->memory_bytes / 1e6, (double)stats->memory_budget / 1e6,
            (double)stats->window_bytes / 1e6, (double)usage->peak_bytes / 1e6, stats->heap_allocations);
}

void bench_print_text(const struct bench_result *result, FILE *out)
{
    print_head(result, out);
    print_rates(result, out);
    print_stage("read", &result->stats.read, "read", "the disk", "memory", out);
    print_depths(&result->stats, out);
    /* Without decoding the same threads check records and hand them on. */
    print_stage(result->params.no_decode ? "check" : "decode", &result->stats.decode, "image", "records",
                "a batch buffer", out);
    print_stage("consume", &result->stats.consume, "batch", "batches", NULL, out);
    print_cost(result, out);
    if (result->error_text[0])
        fprintf(out, "  error    : %s\n", result->error_text);
    fprintf(out, "  verdict  : %s\n", result->verdict);
}
