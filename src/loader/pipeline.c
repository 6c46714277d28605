/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/pipeline.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "device/numa.h"
#include "loader/facts.h"
#include "loader/state.h"
#include "shard/part.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int make_locks(struct dls_loader *loader)
{
    int r = dls_cond_init(&loader->work);

    if (r < 0)
        return r;
    r = dls_cond_init(&loader->ready);
    if (r < 0) {
        pthread_cond_destroy(&loader->work);
        return r;
    }
    pthread_mutex_init(&loader->lock, NULL);
    loader->have_locks = true;
    return 0;
}

/* The part of the machine's memory that is near the device; -1 where that is not known. */
static int node_of_device(uint32_t index)
{
    char bus_id[DLS_CUDA_BUS_ID];

    return dls_cuda_runtime.bus_id((int)index, bus_id) < 0 ? -1 : dls_numa_of_pci("/sys", bus_id);
}

static int find_cuda(int index)
{
    int r = dls_cuda_runtime.probe(index);

    return r < 0 ? dls_err_context(r, "dls_loader_open") : 0;
}

static int make_cuda(struct dls_loader *loader)
{
    const dls_loader_params *p = &loader->plan.params;
    const struct dls_cuda_config config = {
        .ops = &dls_cuda_runtime,
        .index = (int)p->device_index,
        .slots = p->ring_batches,
        .shape = loader->plan.shape,
        .dtype = p->dtype,
        .layout = p->layout,
        .normalizer = &loader->finish.normalizer,
    };
    int r = dls_cuda_create(&config, loader->ring_memory.data, &loader->cuda);

    for (uint32_t i = 0; r == 0 && i < p->ring_batches; i++) { /* what the caller sees is on the device */
        dls_batch *view = &loader->ring->slots[i].view;
        view->images = NULL;
        view->images_bytes *= dls_dtype_bytes(p->dtype);
        view->dtype = p->dtype;
        view->layout = p->layout;
    }
    return r;
}

static void describe_memory(struct dls_loader *loader)
{
    int used = snprintf(loader->memory_detail, sizeof(loader->memory_detail), "window: %s; batches: %s",
                        dls_host_describe(&loader->window_memory), dls_host_describe(&loader->ring_memory));

    if (loader->cuda != NULL)
        used += snprintf(loader->memory_detail + used, sizeof(loader->memory_detail) - (size_t)used,
                         ", pinned for CUDA device %u", loader->plan.params.device_index);
    if (loader->ring_memory.node >= 0)
        snprintf(loader->memory_detail + used, sizeof(loader->memory_detail) - (size_t)used,
                 ", on NUMA node %d", loader->ring_memory.node);
}

static int make_memory(struct dls_loader *loader)
{
    const struct dls_plan *plan = &loader->plan;
    uint64_t group_rows = (uint64_t)plan->picks * DLS_PAGE_BYTES;
    int node = plan->params.device == DLS_DEVICE_CUDA ? node_of_device(plan->params.device_index) : -1;
    int r = dls_host_alloc(plan->window_bytes, true, -1, &loader->window_memory);

    /* What CUDA pins need not be locked as well. */
    if (r == 0)
        r = dls_host_alloc(plan->ring_bytes, plan->params.device == DLS_DEVICE_CPU, node,
                           &loader->ring_memory);
    if (r == 0)
        r = dls_ring_create(plan->params.ring_batches, &plan->shape, loader->ring_memory.data, &loader->ring);
    if (r == 0)
        r = dls_window_init(&loader->window, loader->window_memory.data + plan->rows_bytes,
                            plan->window_bytes - plan->rows_bytes, plan->window_entries,
                            dls_set_schema(loader->dataset),
                            plan->picks > 0 ? 0 : dls_set_directory_room(loader->dataset));
    if (r == 0 && !plan->params.no_decode)
        r = dls_room_create(plan->params.threads, plan->region_bytes, plan->pixels_bytes, &loader->room);
    if (r == 0 && plan->params.device == DLS_DEVICE_CUDA)
        r = make_cuda(loader);
    if (r == 0)
        describe_memory(loader);
    for (uint32_t i = 0; r == 0 && i < DLS_GROUPS; i++)
        r = dls_group_init(&loader->groups[i], plan, loader->window_memory.data + i * group_rows);
    return r;
}

/* Starts the I/O thread and waits until it has found an engine that works. */
static int start_feed(struct dls_loader *loader)
{
    int r = dls_thread_start(&loader->feed, "dls-io", dls_feed_main, loader);

    if (r < 0)
        return r;
    pthread_mutex_lock(&loader->lock);
    while (!loader->feed_started)
        dls_cond_wait(&loader->ready, &loader->lock, UINT64_MAX);
    /* An engine that opened and has failed since is told of by dls_loader_next(), as it would be a moment
     * later. */
    if (loader->reader == NULL)
        r = dls_error_raise(&loader->feed_error);
    pthread_mutex_unlock(&loader->lock);
    return r;
}

/* What a decode thread works with, made before it runs, so that it does not allocate later. */
static int make_tools(struct dls_worker *worker)
{
    const struct dls_plan *plan = &worker->loader->plan;
    uint32_t width = (uint32_t)plan->max_width, height = (uint32_t)plan->max_height;
    int r = dls_decoder_create(&worker->decoder);

    if (r == 0)
        r = dls_resizer_create(&worker->resizer);
    if (r < 0)
        return r;
    /* Memory for the dataset's largest picture is in the budget, so its size is no reason to refuse it. */
    dls_decoder_limit(worker->decoder, plan->max_pixels > DLS_PICTURE_PIXELS_MAX ? plan->max_pixels : 0);
    if (plan->tile_bytes > 0) {
        worker->tile = dls_alloc_aligned(DLS_MEM_LOADER, 64, plan->tile_bytes);
        if (worker->tile == NULL)
            return -ENOMEM;
    }
    if (plan->mask > 0) {
        worker->nearest =
            dls_alloc_array(DLS_MEM_LOADER, plan->params.width + plan->params.height, sizeof(*worker->nearest));
        if (worker->nearest == NULL)
            return -ENOMEM;
    }
    if (!plan->params.ignore_orientation) /* a turned picture is as wide as it was high */
        width = height = width > height ? width : height;
    return dls_resizer_reserve(worker->resizer, plan->params.filter, width, height,
                               plan->params.resize > 0 ? plan->params.resize : plan->params.width,
                               plan->params.resize > 0 ? plan->params.resize : plan->params.height);
}

static int start_workers(struct dls_loader *loader)
{
    const dls_loader_params *p = &loader->plan.params;

    loader->workers = dls_alloc_array(DLS_MEM_LOADER, p->threads, sizeof(*loader->workers));
    if (loader->workers == NULL)
        return -ENOMEM;
    while (loader->worker_count < p->threads) {
        struct dls_worker *worker = &loader->workers[loader->worker_count];
        char name[16];
        int r = 0;
        worker->loader = loader;
        worker->index = loader->worker_count++;
        worker->ticket = DLS_NO_TICKET;
        if (!p->no_decode)
            r = make_tools(worker);
        snprintf(name, sizeof(name), "dls-decode-%u", worker->index % 1000);
        if (r == 0)
            r = dls_thread_start(&worker->thread, name, dls_worker_main, worker);
        if (r < 0)
            return r;
    }
    return 0;
}

static void describe(struct dls_loader *loader)
{
    struct dls_reader_stats stats;

    dls_reader_get_stats(loader->reader, &stats);
    dls_log(
        DLS_LOG_INFO,
        "loader: %s (%s), window of %u blocks in %llu bytes, %u threads, %u batches of %u in %llu bytes; %s",
        stats.engine, stats.detail, loader->plan.params.window_blocks,
        (unsigned long long)loader->plan.window_bytes, loader->plan.params.threads,
        loader->plan.params.ring_batches, loader->plan.params.batch_size,
        (unsigned long long)loader->plan.ring_bytes, loader->memory_detail);
}

int dls_pipeline_open_with(dls_dataset *dataset, const dls_loader_params *params,
                           const struct dls_io_ops *io_ops, dls_loader **ret_loader)
{
    struct dls_plan_facts facts;
    struct dls_loader *loader = dls_alloc(DLS_MEM_LOADER, sizeof(*loader));
    int r = -ENOMEM;

    if (loader == NULL)
        return -ENOMEM;
    loader->dataset = dataset;
    loader->io_ops = io_ops;
    loader->opened_ns = dls_now();
    r = dls_facts_gather(dataset, params, &facts);
    if (r == 0)
        r = dls_plan_choose(params, &facts, dls_set_manifest(dataset), &loader->plan, &loader->quality);
    if (r == 0 && loader->plan.params.device == DLS_DEVICE_CUDA)
        r = find_cuda((int)loader->plan.params.device_index);
    if (r == 0)
        r = dls_finish_init(&loader->finish, &loader->plan.params);
    if (r == 0)
        dls_chooser_init(&loader->chooser, &loader->plan.params, &loader->finish);
    if (r == 0)
        r = make_locks(loader);
    if (r < 0)
        goto fail;
    loader->epoch = loader->plan.start_epoch;
    loader->batch = loader->plan.begun.before;
    loader->ended = loader->epoch - loader->plan.params.first_epoch >= loader->plan.params.epochs;
    r = dls_walk_init(&loader->walk, &loader->plan);
    if (r < 0)
        goto fail;
    if (!dls_walk_ended(&loader->walk)) { /* else there is nothing for threads to do */
        r = make_memory(loader);
        if (r == 0)
            r = start_feed(loader);
        if (r == 0)
            r = start_workers(loader);
        if (r < 0)
            goto fail;
        describe(loader);
    }
    *ret_loader = loader;
    return 0;

fail:
    dls_pipeline_close(&loader);
    return r;
}

int dls_pipeline_quality(dls_dataset *dataset, const dls_loader_params *params, dls_quality *ret_quality)
{
    struct dls_plan_facts facts;
    struct dls_plan plan;
    int r = dls_facts_gather(dataset, params, &facts);

    return r < 0 ? r : dls_plan_choose(params, &facts, dls_set_manifest(dataset), &plan, ret_quality);
}

int dls_pipeline_open(dls_dataset *dataset, const dls_loader_params *params, dls_loader **ret_loader)
{
    return dls_pipeline_open_with(dataset, params, NULL, ret_loader);
}

/* The decode threads end first: they may still wake the reader, which the I/O thread closes at its end. */
static void stop_threads(struct dls_loader *loader)
{
    if (!loader->have_locks)
        return;
    pthread_mutex_lock(&loader->lock);
    loader->stop = true;
    pthread_cond_broadcast(&loader->work);
    pthread_mutex_unlock(&loader->lock);
    for (uint32_t i = 0; i < loader->worker_count; i++)
        dls_thread_join(&loader->workers[i].thread);
    pthread_mutex_lock(&loader->lock);
    loader->stop_feed = true;
    pthread_cond_broadcast(&loader->work);
    if (loader->feed_started && loader->reader != NULL)
        dls_reader_wake(loader->reader);
    pthread_mutex_unlock(&loader->lock);
    dls_thread_join(&loader->feed);
}

static void free_worker(struct dls_worker *worker)
{
    dls_decoder_free(&worker->decoder);
    dls_resizer_free(&worker->resizer);
    dls_free(worker->tile);
    dls_free(worker->nearest);
    dls_cell_scratch_free(&worker->cell);
}

void dls_pipeline_close(dls_loader **loader_at)
{
    struct dls_loader *loader = *loader_at;

    if (loader == NULL)
        return;
    stop_threads(loader);
    for (uint32_t i = 0; i < loader->worker_count; i++)
        free_worker(&loader->workers[i]);
    dls_free(loader->workers);
    for (uint32_t i = 0; i < DLS_GROUPS; i++)
        dls_group_free(&loader->groups[i]);
    dls_walk_free(&loader->walk);
    dls_room_free(&loader->room);
    dls_window_free(&loader->window);
    dls_cuda_free(&loader->cuda);
    dls_part_zstd_free(&loader->zstd);
    dls_ring_free(&loader->ring);
    dls_host_free(&loader->ring_memory);
    dls_host_free(&loader->window_memory);
    if (loader->have_locks) {
        pthread_cond_destroy(&loader->ready);
        pthread_cond_destroy(&loader->work);
        pthread_mutex_destroy(&loader->lock);
    }
    dls_free(loader);
    *loader_at = NULL;
}
