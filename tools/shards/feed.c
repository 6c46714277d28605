/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/feed.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "shards/read_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define WAIT_NS 100000000ull
#define FILE_BYTES_MAX UINT32_MAX /* the format's limit for one value */

struct slot {
    struct feed_item item;
    uint64_t reserved; /* bytes of the budget it holds; guarded by feed.lock */
    bool done;         /* guarded by feed.lock */
};

struct feed {
    struct feed_settings settings;
    pthread_mutex_t lock;
    pthread_cond_t room, ready; /* for the threads; for the caller */
    uint64_t count;
    uint64_t taken, released;         /* files begun, files given back; guarded by lock */
    uint64_t file_bytes, pixel_bytes; /* held now; guarded by lock */
    bool stop;                        /* guarded by lock */
    int failed;                       /* a negative errno that is no file's fault; guarded by lock */
    struct slot *slots;
    uint64_t slot_count;
    struct dls_thread *threads;
    unsigned started;
};

/* Memory for one picture's pixels. It is waited for only while others hold some, and who holds it waits for
 * nothing else, so that it always becomes free again. */
static uint8_t *take_pixels(void *user, uint64_t bytes, uint64_t internal)
{
    struct feed *feed = user;
    uint64_t all = bytes + internal;
    uint8_t *memory;

    pthread_mutex_lock(&feed->lock);
    while (feed->pixel_bytes && feed->pixel_bytes + all > feed->settings.memory / 2)
        dls_cond_wait(&feed->room, &feed->lock, UINT64_MAX);
    feed->pixel_bytes += all;
    pthread_mutex_unlock(&feed->lock);
    memory = bytes < SIZE_MAX ? dls_realloc(DLS_MEM_TOOL, NULL, (size_t)bytes + 1) : NULL;
    if (!memory) {
        pthread_mutex_lock(&feed->lock);
        feed->pixel_bytes -= all;
        pthread_cond_broadcast(&feed->room);
        pthread_mutex_unlock(&feed->lock);
    }
    return memory;
}

static void give_pixels_back(void *user, uint8_t *memory, uint64_t bytes, uint64_t internal)
{
    struct feed *feed = user;

    dls_free(memory);
    pthread_mutex_lock(&feed->lock);
    feed->pixel_bytes -= bytes + internal;
    pthread_cond_broadcast(&feed->room);
    pthread_mutex_unlock(&feed->lock);
}

/* Reads and examines one file. Negative: what is not the file's fault. */
static int process(struct feed *feed, struct dls_decoder *decoder, struct feed_item *item)
{
    const struct feed_settings *settings = &feed->settings;
    const struct source *source = settings->source;
    const struct examine_memory memory = {take_pixels, give_pixels_back, feed};
    struct examined *examined = &item->examined;
    uint64_t size = source->files[item->file].size;
    char path[PATH_MAX];
    int r;

    memset(examined, 0, sizeof(*examined));
    if (size > FILE_BYTES_MAX) {
        examined->kind = PROBLEM_TOO_LARGE;
        snprintf(examined->text, sizeof(examined->text), "a file of %llu bytes: the format holds up to %llu",
                 (unsigned long long)size, (unsigned long long)FILE_BYTES_MAX);
        return 0;
    }
    if (source_path(source, item->file, path, sizeof(path)) < 0) {
        examined->kind = PROBLEM_UNREADABLE;
        snprintf(examined->text, sizeof(examined->text), "%s", strerror(ENAMETOOLONG));
        return 0;
    }
    item->data = dls_realloc(DLS_MEM_TOOL, NULL, (size_t)size + 1);
    if (!item->data)
        return -ENOMEM;
    item->length = (size_t)size;
    r = read_file(source->root_fd, path, item->data, item->length, &examined->kind, examined->text,
                  sizeof(examined->text));
    if (r < 0)
        return 0;
    return examine(decoder, item->data, item->length, settings->check, settings->max_pixels, &memory,
                   examined);
}

/* Waits until the next file may be begun and takes it. NULL: no more, or stopped. Files are begun in order,
 * so the one that the caller waits for is always under way, and waiting for memory cannot go on for ever. */
static struct slot *begin(struct feed *feed)
{
    struct slot *slot = NULL;

    pthread_mutex_lock(&feed->lock);
    while (!feed->stop && feed->taken < feed->count) {
        uint64_t number = feed->taken;
        uint64_t file = feed->settings.shuffle ? dls_permute_at(feed->settings.shuffle, number) : number;
        uint64_t size = feed->settings.source->files[file].size;
        if (size > FILE_BYTES_MAX)
            size = 0;
        if (number - feed->released >= feed->slot_count ||
            (feed->file_bytes && feed->file_bytes + size > feed->settings.memory / 2)) {
            dls_cond_wait(&feed->room, &feed->lock, UINT64_MAX);
            continue;
        }
        feed->taken++;
        feed->file_bytes += size;
        slot = &feed->slots[number % feed->slot_count];
        *slot = (struct slot){.reserved = size};
        slot->item.file = file;
        break;
    }
    pthread_mutex_unlock(&feed->lock);
    return slot;
}

static void *work(void *arg)
{
    struct feed *feed = arg;
    struct dls_decoder *decoder = NULL;
    struct slot *slot;
    int r = dls_decoder_create(&decoder);

    while (r == 0 && (slot = begin(feed))) {
        r = process(feed, decoder, &slot->item);
        pthread_mutex_lock(&feed->lock);
        slot->done = true;
        if (r < 0)
            feed->failed = r;
        pthread_cond_signal(&feed->ready);
        pthread_mutex_unlock(&feed->lock);
    }
    if (r < 0) {
        pthread_mutex_lock(&feed->lock);
        feed->failed = r;
        feed->stop = true;
        pthread_cond_broadcast(&feed->room);
        pthread_cond_signal(&feed->ready);
        pthread_mutex_unlock(&feed->lock);
    }
    dls_decoder_free(&decoder);
    return NULL;
}

int feed_start(const struct feed_settings *settings, struct feed **ret_feed)
{
    struct feed *feed = dls_alloc(DLS_MEM_TOOL, sizeof(*feed));
    int r = 0;

    if (!feed)
        return -ENOMEM;
    feed->settings = *settings;
    feed->count = settings->source->file_count;
    feed->slot_count = 64 + 8ull * settings->threads;
    pthread_mutex_init(&feed->lock, NULL);
    dls_cond_init(&feed->room);
    dls_cond_init(&feed->ready);
    feed->slots = dls_alloc_array(DLS_MEM_TOOL, feed->slot_count, sizeof(*feed->slots));
    feed->threads = dls_alloc_array(DLS_MEM_TOOL, settings->threads, sizeof(*feed->threads));
    if (!feed->slots || !feed->threads)
        r = -ENOMEM;
    for (unsigned i = 0; r == 0 && i < settings->threads; i++) {
        r = dls_thread_start(&feed->threads[i], "pack", work, feed);
        feed->started += r == 0;
    }
    if (r < 0) {
        feed_stop(&feed);
        return r;
    }
    *ret_feed = feed;
    return 0;
}

int feed_next(struct feed *feed, const struct feed_item **ret_item)
{
    uint64_t deadline = dls_now() + WAIT_NS;
    struct slot *slot = &feed->slots[feed->released % feed->slot_count];
    int r = 0;

    pthread_mutex_lock(&feed->lock);
    while (feed->released < feed->count) {
        if (feed->failed) {
            r = feed->failed;
            break;
        }
        if (feed->released < feed->taken && slot->done) {
            *ret_item = &slot->item;
            r = 1;
            break;
        }
        if (!dls_cond_wait(&feed->ready, &feed->lock, deadline)) {
            r = -ETIMEDOUT;
            break;
        }
    }
    pthread_mutex_unlock(&feed->lock);
    return r;
}

void feed_release(struct feed *feed)
{
    struct slot *slot = &feed->slots[feed->released % feed->slot_count];

    dls_free(slot->item.data);
    pthread_mutex_lock(&feed->lock);
    slot->item.data = NULL;
    feed->file_bytes -= slot->reserved;
    feed->released++;
    pthread_cond_broadcast(&feed->room);
    pthread_mutex_unlock(&feed->lock);
}

void feed_stop(struct feed **feed_at)
{
    struct feed *feed = *feed_at;

    *feed_at = NULL;
    if (!feed)
        return;
    pthread_mutex_lock(&feed->lock);
    feed->stop = true;
    pthread_cond_broadcast(&feed->room);
    pthread_mutex_unlock(&feed->lock);
    for (unsigned i = 0; i < feed->started; i++)
        dls_thread_join(&feed->threads[i]);
    for (uint64_t i = 0; feed->slots && i < feed->slot_count; i++)
        dls_free(feed->slots[i].item.data);
    pthread_cond_destroy(&feed->room);
    pthread_cond_destroy(&feed->ready);
    pthread_mutex_destroy(&feed->lock);
    dls_free(feed->slots);
    dls_free(feed->threads);
    dls_free(feed);
}
