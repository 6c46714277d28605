/* SPDX-License-Identifier: Apache-2.0 */
#include "shards/verify_shards.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "decode/decode.h"

#include <string.h>

#define WAIT_NS 100000000ull

/* A fault that waits until those of the shards before it have been told. */
struct kept_fault {
    struct dls_fault fault; /* its strings are owned */
    struct kept_fault *next;
};

struct shard_state {
    struct kept_fault *first, **last;
    bool done;
};

struct run {
    struct verify_settings settings;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a shard is done */
    struct shard_state *shards;
    uint32_t count;
    uint32_t next;            /* shard that nobody has begun; guarded by lock */
    uint64_t bytes, warnings; /* guarded by lock */
    bool stop;                /* guarded by lock */
    int failed;               /* guarded by lock */
};

/* One thread's own. */
struct worker {
    struct run *run;
    struct dls_thread thread;
    struct dls_decoder *decoder;
    uint32_t shard;
    uint8_t *pixels; /* owned, reused */
    size_t room;
};

static void free_fault(struct kept_fault *kept)
{
    dls_free((void *)(uintptr_t)kept->fault.key);
    dls_free((void *)(uintptr_t)kept->fault.text);
    dls_free(kept);
}

static void keep_fault(void *user, const struct dls_fault *fault)
{
    struct worker *worker = user;
    struct shard_state *state = &worker->run->shards[worker->shard];
    struct kept_fault *kept = dls_alloc(DLS_MEM_TOOL, sizeof(*kept));
    bool good = kept != NULL;

    if (good) {
        kept->fault = *fault;
        kept->fault.text = dls_strndup(DLS_MEM_TOOL, fault->text, strlen(fault->text));
        kept->fault.key = fault->key ? dls_strndup(DLS_MEM_TOOL, fault->key, fault->key_length) : NULL;
        good = kept->fault.text && (kept->fault.key || !fault->key);
    }
    if (good) {
        /* Only this thread touches the list until `done` is set under the lock. */
        *state->last = kept;
        state->last = &kept->next;
        return;
    }
    if (kept)
        free_fault(kept);
    pthread_mutex_lock(&worker->run->lock);
    worker->run->failed = -ENOMEM;
    worker->run->stop = true;
    pthread_mutex_unlock(&worker->run->lock);
}

static int count_bytes(void *user, uint64_t bytes)
{
    struct worker *worker = user;
    bool stop;

    pthread_mutex_lock(&worker->run->lock);
    worker->run->bytes += bytes;
    stop = worker->run->stop;
    pthread_mutex_unlock(&worker->run->lock);
    return stop;
}

static int make_room(struct worker *worker, uint64_t bytes)
{
    uint8_t *pixels;

    if (bytes <= worker->room)
        return 0;
    pixels = bytes < SIZE_MAX ? dls_realloc(DLS_MEM_TOOL, worker->pixels, (size_t)bytes) : NULL;
    if (!pixels)
        return -ENOMEM;
    worker->pixels = pixels;
    worker->room = (size_t)bytes;
    return 0;
}

/* Decodes one picture whole, and compares its header with what the dataset says of it. */
static int check_picture(void *user, const struct dls_cell *cell, const uint8_t *data)
{
    struct worker *worker = user;
    struct dls_picture hint = {.codec = (dls_codec)cell->codec,
                               .width = cell->width,
                               .height = cell->height,
                               .channels = cell->channels,
                               .bits = 8};
    struct dls_picture picture;
    struct dls_decode_notes notes = {0};
    struct dls_pixels into;
    int r = dls_decoder_header(worker->decoder, hint.codec, data, cell->raw, &hint, &picture);

    if (r < 0)
        return r;
    if (picture.width != cell->width || picture.height != cell->height)
        return dls_err(EBADMSG, "the picture has %u x %u pixels, the dataset says %u x %u", picture.width,
                       picture.height, cell->width, cell->height);
    r = make_room(worker, (uint64_t)picture.width * picture.height * 3);
    if (r < 0)
        return r;
    into = (struct dls_pixels){worker->pixels, picture.width, picture.height, 3 * (size_t)picture.width};
    r = dls_decoder_rgb(worker->decoder, &picture, data, cell->raw, NULL, &into, &notes);
    if (r == 0 && notes.warnings) {
        pthread_mutex_lock(&worker->run->lock);
        worker->run->warnings++;
        pthread_mutex_unlock(&worker->run->lock);
    }
    return r;
}

static bool begin_shard(struct worker *worker)
{
    struct run *run = worker->run;
    bool more;

    pthread_mutex_lock(&run->lock);
    more = !run->stop && run->next < run->count;
    if (more)
        worker->shard = run->next++;
    pthread_mutex_unlock(&run->lock);
    return more;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct run *run = worker->run;
    const struct dls_verify verify = {keep_fault, run->settings.decode ? check_picture : NULL, count_bytes,
                                      worker};
    int r = run->settings.decode ? dls_decoder_create(&worker->decoder) : 0;

    while (r == 0 && begin_shard(worker)) {
        uint64_t faults;
        r = dls_verify_shard(run->settings.dataset, worker->shard, &verify, &faults);
        pthread_mutex_lock(&run->lock);
        run->shards[worker->shard].done = r == 0;
        pthread_cond_signal(&run->changed);
        pthread_mutex_unlock(&run->lock);
    }
    if (r < 0) {
        pthread_mutex_lock(&run->lock);
        run->failed = run->failed ? run->failed : r;
        run->stop = true;
        pthread_cond_signal(&run->changed);
        pthread_mutex_unlock(&run->lock);
    }
    dls_decoder_free(&worker->decoder);
    dls_free(worker->pixels);
    return NULL;
}

/* Waits for shard after shard and tells its faults. */
static int tell(struct run *run, uint64_t *ret_faults)
{
    for (uint32_t shard = 0; shard < run->count; shard++) {
        for (bool done = false; !done;) {
            uint64_t bytes;
            int failed;
            pthread_mutex_lock(&run->lock);
            if (!run->shards[shard].done && !run->failed)
                dls_cond_wait(&run->changed, &run->lock, dls_now() + WAIT_NS);
            done = run->shards[shard].done;
            failed = run->failed;
            bytes = run->bytes;
            pthread_mutex_unlock(&run->lock);
            if (failed)
                return failed;
            if (run->settings.progress && run->settings.progress(run->settings.user, bytes))
                return -ECANCELED;
        }
        for (const struct kept_fault *kept = run->shards[shard].first; kept; kept = kept->next) {
            run->settings.fault(run->settings.user, &kept->fault);
            ++*ret_faults;
        }
    }
    return 0;
}

static void stop_all(struct run *run, struct worker *workers, unsigned threads)
{
    pthread_mutex_lock(&run->lock);
    run->stop = true;
    pthread_mutex_unlock(&run->lock);
    for (unsigned i = 0; workers && i < threads; i++)
        dls_thread_join(&workers[i].thread);
}

int verify_shards(const struct verify_settings *settings, struct verify_result *ret_result)
{
    struct run run = {.settings = *settings, .count = dls_set_manifest(settings->dataset)->shard_count};
    unsigned threads = settings->threads < run.count ? settings->threads : run.count;
    struct worker *workers = dls_alloc_array(DLS_MEM_TOOL, threads + 1, sizeof(*workers));
    uint64_t faults = 0;
    int r = 0;

    pthread_mutex_init(&run.lock, NULL);
    dls_cond_init(&run.changed);
    run.shards = dls_alloc_array(DLS_MEM_TOOL, run.count + 1, sizeof(*run.shards));
    if (!workers || !run.shards)
        r = -ENOMEM;
    for (uint32_t i = 0; r == 0 && i < run.count; i++)
        run.shards[i].last = &run.shards[i].first;
    for (unsigned i = 0; r == 0 && i < threads; i++) {
        workers[i].run = &run;
        r = dls_thread_start(&workers[i].thread, "verify", work, &workers[i]);
    }
    if (r == 0)
        r = tell(&run, &faults);
    stop_all(&run, workers, threads);
    for (uint32_t i = 0; run.shards && i < run.count; i++)
        for (struct kept_fault *kept = run.shards[i].first, *next; kept; kept = next) {
            next = kept->next;
            free_fault(kept);
        }
    if (r == 0)
        *ret_result = (struct verify_result){.faults = faults, .warnings = run.warnings, .bytes = run.bytes};
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    dls_free(run.shards);
    dls_free(workers);
    return r;
}
