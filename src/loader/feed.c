/* SPDX-License-Identifier: Apache-2.0 */
/* The I/O thread: walks through the order, gives each block memory, has it read, and opens it. It alone uses
 * the reader, and it only ever waits inside of it. */
#include "loader/state.h"

#include "base/clock.h"
#include "base/err.h"
#include "loader/pick.h"

#include <stdio.h>

static const char *shard_path(void *dataset, uint32_t shard)
{
    return dls_set_shard_path(dataset, shard);
}

static int open_reader(struct dls_loader *loader)
{
    const dls_loader_params *p = &loader->plan.params;
    struct dls_reader_config config = {
        .path = shard_path,
        .path_user = loader->dataset,
        .files = dls_set_manifest(loader->dataset)->shard_count,
        .engine = p->engine,
        .direct = p->direct,
        .depth = p->io_depth,
        .request_bytes = p->io_bytes,
        .memory = loader->window_memory.data,
        .memory_bytes = loader->window_memory.bytes,
        .ops = loader->io_ops,
    };
    int r = dls_reader_open(&config, &loader->reader);

    pthread_mutex_lock(&loader->lock);
    dls_error_keep(&loader->feed_error, r);
    loader->feed_started = true;
    pthread_cond_broadcast(&loader->ready);
    pthread_mutex_unlock(&loader->lock);
    return r;
}

/* Groups whose blocks are all done with leave, oldest first. The lock is held. */
static void retire(struct dls_loader *loader)
{
    while (loader->retired < loader->next_group && loader->groups[loader->retired % DLS_GROUPS].undone == 0)
        loader->retired++;
}

/* Lays out the next group, if there is one and a place for it. False if not. */
static bool lay_out(struct dls_loader *loader)
{
    struct dls_group *group;
    bool room;

    pthread_mutex_lock(&loader->lock);
    retire(loader);
    room = !loader->laid_all && loader->laid - loader->retired < DLS_GROUPS;
    pthread_mutex_unlock(&loader->lock);
    if (!room)
        return false;
    group = &loader->groups[loader->laid % DLS_GROUPS];
    dls_walk_next(&loader->walk, loader->dataset, group);
    for (uint32_t i = 0; group->error.code == 0 && i < group->row_read_count; i++)
        dls_reader_push(loader->reader, &group->row_reads[i]);
    pthread_mutex_lock(&loader->lock);
    loader->laid++;
    loader->laid_all = group->error.code != 0 || dls_walk_ended(&loader->walk);
    pthread_cond_broadcast(&loader->work);
    pthread_mutex_unlock(&loader->lock);
    return true;
}

/* Has one block of the group read. False if there is no memory for it now. */
static bool push_block(struct dls_loader *loader, uint64_t number, struct dls_group *group)
{
    struct dls_group_block *wanted = &group->blocks[group->reads[group->pushed]];
    struct dls_window_block *block;

    if (wanted->needed == 0) {
        group->pushed++;
        return true;
    }
    pthread_mutex_lock(&loader->lock);
    dls_window_reclaim(&loader->window);
    block = dls_window_take(&loader->window, wanted->at.length);
    if (block != NULL) {
        block->at = wanted->at;
        block->group = number;
        atomic_store_explicit(&block->remaining, wanted->needed, memory_order_relaxed);
        wanted->held = block;
    }
    pthread_mutex_unlock(&loader->lock);
    if (block == NULL)
        return false;
    block->extent.file = block->at.shard;
    block->extent.offset = block->at.offset;
    group->pushed++;
    dls_reader_push(loader->reader, &block->extent);
    return true;
}

/* Hands the reader all that there is memory for. */
static void push_all(struct dls_loader *loader, uint64_t *filling)
{
    /* Rows are to be there before there is room for the images. */
    while (loader->plan.picks > 0 && lay_out(loader))
        ;
    for (;;) {
        struct dls_group *group = &loader->groups[*filling % DLS_GROUPS];
        if (*filling == loader->laid) {
            if (!lay_out(loader))
                return;
        } else if (group->error.code != 0 || !group->mapped) {
            return;
        } else if (group->pushed == group->count) {
            ++*filling;
        } else if (!push_block(loader, *filling, group)) {
            return;
        }
    }
}

/* Checks a block that has arrived. */
static int open_block(struct dls_loader *loader, struct dls_window_block *block)
{
    int r;

    if (loader->plan.picks > 0)
        return dls_reader_explain(loader->reader, &block->extent);
    if (block->extent.result < 0)
        return dls_err_context(dls_reader_explain(loader->reader, &block->extent), "block %u",
                               block->at.block);
    block->view.zstd = loader->zstd;
    r = dls_set_open_block(loader->dataset, &block->at, block->extent.memory, &block->view);
    loader->zstd = block->view.zstd;
    block->view.zstd = NULL;
    return r;
}

static void block_arrived(struct dls_loader *loader, struct dls_window_block *block)
{
    int r = open_block(loader, block);

    dls_error_keep(&block->error, r);
    pthread_mutex_lock(&loader->lock);
    block->state = r < 0 ? DLS_BLOCK_FAILED : DLS_BLOCK_LOADED;
    /* A group with a failed block stays "unloaded": whoever draws from it then looks at each block. */
    if (r == 0)
        loader->groups[block->group % DLS_GROUPS].unloaded--;
    pthread_cond_broadcast(&loader->work);
    pthread_mutex_unlock(&loader->lock);
}

/* Some rows of a group have been read. */
static void rows_arrived(struct dls_loader *loader, struct dls_group *group)
{
    struct dls_error error = {0};
    int r;

    if (--group->rows_left > 0)
        return;
    r = dls_picks_map(&loader->plan, loader->dataset, loader->reader, group);
    dls_error_keep(&error, r);
    pthread_mutex_lock(&loader->lock);
    group->error = error;
    if (r < 0)
        loader->laid_all = true;
    group->undone = group->unloaded = r < 0 ? 0 : group->count;
    group->mapped = true;
    pthread_cond_broadcast(&loader->work);
    pthread_mutex_unlock(&loader->lock);
}

/* Rows lie in front of the window. */
static void extent_arrived(struct dls_loader *loader, struct dls_extent *extent)
{
    if (extent->memory < loader->window.memory)
        rows_arrived(loader, extent->user);
    else
        block_arrived(loader, extent->user);
}

static bool should_stop(struct dls_loader *loader)
{
    bool stop;

    pthread_mutex_lock(&loader->lock);
    stop = loader->stop_feed;
    pthread_mutex_unlock(&loader->lock);
    return stop;
}

/* True while there is something to fetch for the decode threads. */
static bool should_push(struct dls_loader *loader)
{
    bool push;

    pthread_mutex_lock(&loader->lock);
    push = !loader->stop && loader->failure.code == 0;
    pthread_mutex_unlock(&loader->lock);
    return push;
}

/* With the engine gone, only the end is left to wait for. */
static void engine_failed(struct dls_loader *loader, int r)
{
    if (dls_err_text()[0] == '\0')
        dls_err_sys(-r, "the read engine failed");
    else
        dls_err_context(r, "the read engine failed");
    pthread_mutex_lock(&loader->lock);
    dls_error_keep(&loader->feed_error, r);
    pthread_cond_broadcast(&loader->work);
    while (!loader->stop_feed)
        dls_cond_wait(&loader->work, &loader->lock, UINT64_MAX);
    pthread_mutex_unlock(&loader->lock);
}

/* Time spent while the disk has nothing to do is time without memory to read into, unless all has been read.
 */
static enum dls_meter_state waiting_for(const struct dls_loader *loader, bool pushed_all)
{
    if (!dls_reader_idle(loader->reader))
        return DLS_METER_WAIT_IN;
    return pushed_all ? DLS_METER_OFF : DLS_METER_WAIT_OUT;
}

static void feed(struct dls_loader *loader)
{
    uint64_t filling = 0; /* the group whose blocks are being given memory */

    while (!should_stop(loader)) {
        struct dls_extent *done = NULL, *next;
        int r;

        if (should_push(loader))
            push_all(loader, &filling);
        dls_meter_enter(&loader->feed_meter, waiting_for(loader, loader->laid_all && filling == loader->laid),
                        dls_now());
        dls_err_clear();
        r = dls_reader_wait(loader->reader, -1, &done);
        dls_meter_enter(&loader->feed_meter, DLS_METER_BUSY, dls_now());
        if (r < 0) {
            engine_failed(loader, r);
            break;
        }
        for (; done != NULL; done = next) {
            next = done->next;
            extent_arrived(loader, done);
        }
    }
    dls_meter_enter(&loader->feed_meter, DLS_METER_OFF, dls_now());
}

void *dls_feed_main(void *arg)
{
    struct dls_loader *loader = arg;

    if (open_reader(loader) == 0) {
        dls_meter_enter(&loader->feed_meter, DLS_METER_BUSY, dls_now());
        feed(loader);
    }
    dls_reader_close(&loader->reader);
    return NULL;
}
