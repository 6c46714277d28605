/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "emulated.h"
#include "measure.h"

/* A run on an emulated disk counts only where the emulator kept up. */
static int leave_disk(struct bench_emulated *emulated, struct bench_result *result, int r)
{
    int left = bench_emulated_stop(emulated, &result->disk);

    if (r == 0 && left < 0)
        r = left;
    else if (r == 0 && result->disk && !json_is_true(json_object_get(result->disk, "in_time")))
        r = dls_err(ETIME, "the emulated disk '%s' could not keep up with itself: this result is void",
                    result->settings->disk);
    else
        return r;
    snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    return r;
}

/* One of several loaders that share each epoch. */
struct rank {
    struct dls_thread thread;
    struct bench_settings settings;
    struct bench_result result;
    const char *path;
    const atomic_int *stop;
};

static void *run_rank(void *arg)
{
    struct rank *rank = arg;
    bench_measure(rank->path, rank->stop, &rank->result);
    return NULL;
}

static void add_stage(dls_stage *to, const dls_stage *stage)
{
    to->threads += stage->threads;
    to->items += stage->items;
    to->bytes += stage->bytes;
    to->busy_ns += stage->busy_ns;
    to->wait_in_ns += stage->wait_in_ns;
    to->wait_out_ns += stage->wait_out_ns;
}

static double per_second(uint64_t count, uint64_t ns)
{
    return ns ? (double)count * 1e9 / (double)ns : 0;
}

static json_t *rank_json(const struct bench_result *result)
{
    const dls_stage *consume = &result->stats.consume;
    double time = (double)(consume->busy_ns + consume->wait_in_ns);

    return json_pack("{s:f, s:f, s:f}", "images_per_second", per_second(result->images, result->elapsed_ns),
                     "read_bytes_per_second", per_second(result->stats.read.bytes, result->elapsed_ns),
                     "consume_wait_in_share", time > 0 ? (double)consume->wait_in_ns / time : 0.0);
}

/* The sum of all ranks. Latencies, samples and the verdict stay those of rank 0, and the slowest rank's time
 * counts. */
static void add_rank(struct bench_result *result, const struct bench_result *rank)
{
    result->images += rank->images;
    result->batches += rank->batches;
    result->elapsed_ns = dls_max64(result->elapsed_ns, rank->elapsed_ns);
    add_stage(&result->stats.read, &rank->stats.read);
    add_stage(&result->stats.decode, &rank->stats.decode);
    add_stage(&result->stats.consume, &rank->stats.consume);
    result->stats.memory_bytes += rank->stats.memory_bytes;
    result->stats.window_bytes += rank->stats.window_bytes;
    result->stats.read_retries += rank->stats.read_retries;
    if (rank->end == BENCH_END_ERROR && result->end != BENCH_END_ERROR) {
        result->end = BENCH_END_ERROR;
        result->error = rank->error;
        snprintf(result->error_text, sizeof(result->error_text), "%s", rank->error_text);
    }
}

/* Rank 0 runs in this thread, the others in their own. */
static int run_ranks(const char *path, const atomic_int *stop, struct bench_result *result)
{
    uint32_t count = result->settings->ranks;
    struct bench_settings first = *result->settings;
    const struct bench_settings *asked = result->settings;
    int r = 0;

    struct rank *ranks = dls_alloc_array(DLS_MEM_TOOL, count, sizeof(*ranks));
    if (!ranks)
        return -ENOMEM;
    first.params.world = count;
    for (uint32_t i = 1; r == 0 && i < count; i++) {
        struct rank *rank = &ranks[i];
        rank->settings = first;
        rank->settings.params.rank = i;
        rank->settings.progress = TOOL_PROGRESS_NONE;
        rank->settings.cold = false;
        rank->result.settings = &rank->settings;
        rank->path = path;
        rank->stop = stop;
        rank->result.samples = dls_alloc(DLS_MEM_TOOL, sizeof(*rank->result.samples));
        r = rank->result.samples ? dls_thread_start(&rank->thread, "rank", run_rank, rank) : -ENOMEM;
    }
    result->settings = &first;
    if (r == 0)
        r = bench_measure(path, stop, result);
    result->settings = asked;
    result->ranks = json_array();
    json_array_append_new(result->ranks, rank_json(result));
    for (uint32_t i = 1; i < count; i++) {
        dls_thread_join(&ranks[i].thread);
        json_array_append_new(result->ranks, rank_json(&ranks[i].result));
        add_rank(result, &ranks[i].result);
        bench_result_free(&ranks[i].result);
    }
    dls_free(ranks);
    return r < 0 ? r : result->error;
}

int bench_run(const struct bench_settings *settings, const atomic_int *stop, struct bench_result *ret_result)
{
    struct bench_result *result = ret_result;
    struct bench_emulated emulated = {0};
    int r = 0;

    *result = (struct bench_result){.settings = settings};
    bench_host_get(settings->dataset, &result->host);
    result->samples = dls_alloc(DLS_MEM_TOOL, sizeof(*result->samples));
    if (!result->samples)
        r = dls_err_sys(ENOMEM, "samples");
    if (r == 0 && settings->disk)
        r = bench_emulated_start(settings->disk, settings->disk_options, settings->dataset, &emulated);
    const char *path = emulated.child ? emulated.mountpoint : settings->dataset;
    if (r < 0)
        snprintf(result->error_text, sizeof(result->error_text), "%s", dls_last_error());
    else if (settings->ranks > 1)
        r = run_ranks(path, stop, result);
    else
        r = bench_measure(path, stop, result);
    r = leave_disk(&emulated, result, r);
    if (r < 0) {
        result->end = BENCH_END_ERROR;
        result->error = r;
    }
    return r;
}

void bench_result_free(struct bench_result *result)
{
    dls_free(result->epochs);
    result->epochs = NULL;
    dls_free(result->samples);
    result->samples = NULL;
    json_decref(result->disk);
    json_decref(result->ranks);
    result->disk = result->ranks = NULL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_summarise(const struct bench_result *result, struct bench_summary *ret_summary)
{
    size_t whole = 0;

    *ret_summary = (struct bench_summary){0};
    for (size_t i = 0; i < result->epoch_count; i++)
        whole += result->epochs[i].whole && result->epochs[i].elapsed_ns > 0;
    double *rates = whole ? dls_alloc_array(DLS_MEM_TOOL, whole, sizeof(*rates)) : NULL;
    if (!rates)
        return;
    size_t n = 0;
    uint64_t batches = 0;
    for (size_t i = 0; i < result->epoch_count; i++) {
        const struct bench_epoch *epoch = &result->epochs[i];
        if (!epoch->whole || epoch->elapsed_ns == 0 || (i == 0 && whole >= 3))
            continue;
        rates[n++] = (double)epoch->images * 1e9 / (double)epoch->elapsed_ns;
        if (n == 1 || epoch->batches < batches)
            batches = epoch->batches;
    }
    qsort(rates, n, sizeof(*rates), by_value);
    *ret_summary = (struct bench_summary){.median = (rates[(n - 1) / 2] + rates[n / 2]) / 2,
                                          .min = rates[0],
                                          .max = rates[n - 1],
                                          .epochs = n,
                                          .first = n < whole,
                                          .batches = batches};
    dls_free(rates);
}
