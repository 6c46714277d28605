/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/pipeline.h"

#include "base/clock.h"
#include "base/mem.h"
#include "loader/state.h"
#include "loader/verdict.h"

#include <string.h>

_Static_assert(sizeof(((dls_stats *)0)->read_depths) == sizeof(((struct dls_reader_stats *)0)->depths), "one bucket each");

static void set_times(const uint64_t spent[DLS_METER_STATES], dls_stage *stage)
{
    stage->busy_ns = spent[DLS_METER_BUSY];
    stage->wait_in_ns = spent[DLS_METER_WAIT_IN];
    stage->wait_out_ns = spent[DLS_METER_WAIT_OUT];
}

static uint64_t load(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void read_stage(const struct dls_loader *loader, uint64_t now, dls_stats *stats)
{
    struct dls_reader_stats reader;
    uint64_t spent[DLS_METER_STATES] = {0};

    stats->engine = "none";
    stats->engine_detail = "there is nothing to read";
    if (loader->reader == NULL)
        return;
    dls_reader_get_stats(loader->reader, &reader);
    dls_meter_read(&loader->feed_meter, now, spent);
    stats->read.threads = 1;
    stats->read.items = reader.reads;
    stats->read.bytes = reader.bytes;
    set_times(spent, &stats->read);
    dls_hist_latency(reader.latency, &stats->read.latency);
    stats->read_retries = reader.retries;
    memcpy(stats->read_depths, reader.depths, sizeof(stats->read_depths));
    stats->engine = reader.engine;
    stats->engine_detail = reader.detail;
}

static void merge_latency(const struct dls_loader *loader, dls_latency *ret_latency)
{
    struct dls_hist all; /* 15 KiB: small enough for a stack, and asking for statistics allocates nothing */

    memset(&all, 0, sizeof(all));
    for (uint32_t i = 0; i < loader->worker_count; i++)
        dls_hist_merge(&all, &loader->workers[i].counters.latency);
    dls_hist_latency(&all, ret_latency);
}

static void decode_stage(const struct dls_loader *loader, uint64_t now, dls_stats *stats)
{
    uint64_t spent[DLS_METER_STATES] = {0};

    stats->decode.threads = loader->worker_count;
    for (uint32_t i = 0; i < loader->worker_count; i++) {
        const struct dls_counters *counters = &loader->workers[i].counters;
        stats->decode.items += load(&counters->items);
        stats->decode.bytes += load(&counters->bytes);
        dls_meter_read(&counters->meter, now, spent);
    }
    set_times(spent, &stats->decode);
    merge_latency(loader, &stats->decode.latency);
}

static void consume_stage(const struct dls_loader *loader, uint64_t now, dls_stats *stats)
{
    uint64_t spent[DLS_METER_STATES] = {0};

    stats->consume.threads = 1;
    stats->consume.items = load(&loader->consume.items);
    stats->consume.bytes = load(&loader->consume.bytes);
    dls_meter_read(&loader->consume.meter, now, spent);
    set_times(spent, &stats->consume);
    dls_hist_latency(&loader->consume.latency, &stats->consume.latency);
}

void dls_pipeline_stats(const dls_loader *loader, dls_stats *ret_stats)
{
    const struct dls_plan *plan = &loader->plan;
    uint64_t now = dls_now();

    memset(ret_stats, 0, sizeof(*ret_stats));
    ret_stats->elapsed_ns = now - loader->opened_ns;
    read_stage(loader, now, ret_stats);
    decode_stage(loader, now, ret_stats);
    consume_stage(loader, now, ret_stats);
    ret_stats->bound = dls_verdict_bound(ret_stats);
    ret_stats->io_depth = plan->params.io_depth;
    ret_stats->io_bytes = plan->params.io_bytes;
    ret_stats->window_blocks = plan->params.window_blocks;
    ret_stats->order = (int)plan->params.order;
    ret_stats->quality = loader->quality;
    ret_stats->rank = plan->params.rank;
    ret_stats->world = plan->params.world;
    if (loader->ring != NULL) {
        ret_stats->window_bytes = plan->window_bytes;
        ret_stats->memory_bytes = plan->window_bytes + plan->ring_bytes + plan->other_bytes;
    }
    if (loader->room != NULL)
        ret_stats->memory_bytes += dls_room_held(loader->room);
    for (uint32_t i = 0; i < loader->worker_count; i++) {
        ret_stats->bad_records += load(&loader->workers[i].bad_records);
        ret_stats->decode_warnings += load(&loader->workers[i].warnings);
    }
    ret_stats->memory_detail = loader->memory_detail;
    ret_stats->device_bytes = loader->cuda != NULL ? dls_cuda_bytes(loader->cuda) : 0;
    ret_stats->memory_budget = plan->params.memory_bytes;
    ret_stats->heap_allocations = dls_mem_count(DLS_MEM_TAGS);
}

int dls_pipeline_verdict(const dls_loader *loader, char *ret_text, size_t size)
{
    dls_stats stats;

    dls_pipeline_stats(loader, &stats);
    return dls_verdict_text(&stats, !loader->plan.params.no_decode, dls_cpu_count(), ret_text, size);
}
