/* SPDX-License-Identifier: Apache-2.0 */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hist.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/thread.h"
#include "image/geometry.h"
#include "image/resize.h"
#include "order/permute.h"

/* Batches that a worker may be ahead, as DataLoader's prefetch_factor. */
#define AHEAD 2

struct place {
    uint8_t *images;
    bool ready;
};

struct worker {
    struct dls_thread thread;
    struct bench_folder *folder;
    struct dls_decoder *decoder;
    struct dls_resizer *resizer;
    uint8_t *file, *pixels, *upright;
    size_t file_room, pixels_room, upright_room;
    /* Under the folder's lock but for the worker's own reading. */
    dls_stage read, decode;
};

struct bench_folder {
    dls_loader_params params;
    struct dls_crop_spec spec;
    char **files;
    size_t count, room;
    uint64_t bytes, batches; /* of an epoch */
    struct worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t made, taken;
    uint64_t next;          /* batch to be begun, over all epochs [lock] */
    uint64_t taken_until;   /* batches that the consumer is done with [lock] */
    bool holds;             /* the consumer has a batch */
    bool epoch_told;        /* the end of the epoch has been returned */
    bool stop;              /* [lock] */
    struct dls_error error; /* of a worker [lock] */
    struct place *places;
    uint32_t place_count;
    struct dls_hist read_latency, decode_latency; /* [lock] */
    dls_stage consume;
    uint64_t opened_ns, left_ns;
};

static int add(struct bench_folder *folder, const FTSENT *entry)
{
    if (folder->count == folder->room) {
        size_t room = folder->room ? folder->room * 2 : 256;
        void *files = dls_realloc(DLS_MEM_TOOL, folder->files, room * sizeof(*folder->files));
        if (!files)
            return -ENOMEM;
        folder->files = files;
        folder->room = room;
    }
    char *path = dls_strndup(DLS_MEM_TOOL, entry->fts_path, entry->fts_pathlen);
    if (!path)
        return -ENOMEM;
    folder->files[folder->count++] = path;
    folder->bytes += (uint64_t)entry->fts_statp->st_size;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(struct bench_folder *folder, const char *path)
{
    char *roots[] = {(char *)path, NULL};
    int r = 0;

    FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (!walk)
        return dls_err_sys(errno, "'%s'", path);
    for (FTSENT *entry; r == 0 && (errno = 0, entry = fts_read(walk));) {
        if (entry->fts_info == FTS_F)
            r = add(folder, entry);
        else if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
            r = dls_err_sys(entry->fts_errno, "'%s'", entry->fts_path);
    }
    fts_close(walk);
    if (r == 0 && folder->count < folder->params.batch_size)
        r = dls_err(EINVAL, "'%s': %zu files are fewer than a batch of %u", path, folder->count,
                    folder->params.batch_size);
    if (r == 0)
        qsort(folder->files, folder->count, sizeof(*folder->files), by_name);
    return r;
}

static int reserve(uint8_t **memory, size_t *room, size_t bytes)
{
    if (bytes <= *room)
        return 0;
    dls_free(*memory);
    *memory = dls_alloc_aligned(DLS_MEM_TOOL, 64, bytes);
    *room = *memory ? bytes : 0;
    return *memory ? 0 : -ENOMEM;
}

static int read_file(struct worker *worker, const char *path, size_t *ret_length)
{
    struct stat st;
    size_t done = 0;
    int r = 0;

    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return dls_err_sys(errno, "'%s'", path);
    if (fstat(fd, &st) != 0)
        r = dls_err_sys(errno, "'%s'", path);
    else
        r = reserve(&worker->file, &worker->file_room, (size_t)st.st_size + 1);
    while (r == 0 && done < (size_t)st.st_size) {
        ssize_t n = read(fd, worker->file + done, (size_t)st.st_size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            r = n < 0 ? dls_err_sys(errno, "'%s', offset %zu", path, done)
                      : dls_err(EIO, "'%s', offset %zu: the file became shorter", path, done);
        else
            done += (size_t)n;
    }
    /* As if the folder were larger than memory. */
    if (worker->folder->params.direct == DLS_DIRECT_ON)
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
    *ret_length = done;
    return r;
}

static struct dls_pixels rows(uint8_t *data, uint32_t width, uint32_t height)
{
    return (struct dls_pixels){.data = data, .width = width, .height = height, .stride = (size_t)width * 3};
}

/* The file in memory to one image of the batch: the same steps as a record's in the loader. */
static int decode_file(struct worker *worker, size_t length, uint64_t epoch, uint64_t number, uint8_t *image)
{
    const struct bench_folder *folder = worker->folder;
    struct dls_picture picture;
    struct dls_view view;
    struct dls_box stored;
    struct dls_rng rng;

    dls_codec codec = dls_codec_detect(worker->file, length);
    int r = dls_decoder_header(worker->decoder, codec, worker->file, length, NULL, &picture);
    if (r < 0)
        return r;
    uint8_t orientation = folder->params.ignore_orientation || !picture.orientation ? 1 : picture.orientation;
    bool swaps = dls_orientation_swaps(orientation);
    dls_rng_init(&rng, folder->params.seed, epoch, number);
    dls_view_choose(&folder->spec, swaps ? picture.height : picture.width,
                    swaps ? picture.width : picture.height, &rng, &view);
    dls_box_to_stored(&view.box, orientation, picture.width, picture.height, &stored);
    size_t bytes = (size_t)stored.width * stored.height * 3;
    r = reserve(&worker->pixels, &worker->pixels_room, bytes);
    if (r == 0 && orientation != 1)
        r = reserve(&worker->upright, &worker->upright_room, bytes);
    if (r < 0)
        return r;
    struct dls_pixels from = rows(worker->pixels, stored.width, stored.height);
    r = dls_decoder_rgb(worker->decoder, &picture, worker->file, length, &stored, &from, NULL);
    if (r < 0)
        return r;
    if (orientation != 1) {
        struct dls_pixels upright = rows(worker->upright, view.box.width, view.box.height);
        dls_orient(&from, orientation, &upright);
        from = upright;
    }
    struct dls_pixels to = rows(image, folder->params.width, folder->params.height);
    return dls_resize(worker->resizer, folder->params.filter, &from, view.flip, &to);
}

static int make_image(struct worker *worker, uint64_t epoch, uint64_t number, uint8_t *image)
{
    struct bench_folder *folder = worker->folder;
    const char *path = folder->files[number];
    size_t length = 0;

    uint64_t start = dls_now();
    int r = read_file(worker, path, &length);
    uint64_t read = dls_now();
    if (r == 0 && !folder->params.no_decode) {
        r = decode_file(worker, length, epoch, number, image);
        if (r < 0)
            r = dls_err_context(r, "'%s'", path);
    }
    uint64_t end = dls_now();
    pthread_mutex_lock(&folder->lock);
    worker->read.items++;
    worker->read.bytes += length;
    worker->read.busy_ns += read - start;
    worker->read.wait_out_ns += end - read; /* it reads nothing while it decodes */
    worker->decode.items++;
    worker->decode.busy_ns += end - read;
    worker->decode.wait_in_ns += read - start;
    dls_hist_add(&folder->read_latency, read - start);
    dls_hist_add(&folder->decode_latency, end - read);
    pthread_mutex_unlock(&folder->lock);
    return r;
}

static int make_batch(struct worker *worker, uint64_t batch, struct place *place)
{
    struct bench_folder *folder = worker->folder;
    const dls_loader_params *params = &folder->params;
    uint64_t epoch = params->first_epoch + batch / folder->batches;
    uint64_t first = batch % folder->batches * params->batch_size;
    size_t bytes = (size_t)params->width * params->height * 3;
    struct dls_permute permute;
    int r = 0;

    dls_permute_init(&permute, folder->count, params->seed, epoch);
    for (uint32_t i = 0; r == 0 && i < params->batch_size; i++) {
        uint64_t number = params->order == DLS_ORDER_NONE ? first + i : dls_permute_at(&permute, first + i);
        r = make_image(worker, epoch, number, place->images + i * bytes);
    }
    return r;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct bench_folder *folder = worker->folder;

    pthread_mutex_lock(&folder->lock);
    while (!folder->stop) {
        uint64_t batch = folder->next;
        if (batch >= folder->taken_until + folder->place_count) {
            uint64_t start = dls_now();
            dls_cond_wait(&folder->taken, &folder->lock, UINT64_MAX);
            worker->decode.wait_out_ns += dls_now() - start;
            continue;
        }
        folder->next++;
        struct place *place = &folder->places[batch % folder->place_count];
        pthread_mutex_unlock(&folder->lock);
        int r = make_batch(worker, batch, place);
        pthread_mutex_lock(&folder->lock);
        place->ready = true;
        if (r < 0 && !folder->error.code) {
            dls_error_keep(&folder->error, r);
            folder->stop = true;
        }
        pthread_cond_broadcast(&folder->made);
    }
    pthread_mutex_unlock(&folder->lock);
    return NULL;
}

int bench_folder_start(struct bench_folder *folder)
{
    const dls_loader_params *params = &folder->params;
    size_t bytes = (size_t)params->batch_size * params->width * params->height * 3;
    int r = 0;

    if (params->crop > DLS_CROP_RANDOM || params->resize || params->dtype != DLS_DTYPE_UINT8 ||
        params->layout != DLS_LAYOUT_NHWC || params->world > 1)
        return dls_err(ENOTSUP,
                       "files are made into squashed, centred or random crops as bytes in NHWC, by one rank");
    folder->opened_ns = folder->left_ns = dls_now();
    folder->place_count = params->threads * AHEAD + 1;
    folder->places = dls_alloc_array(DLS_MEM_TOOL, folder->place_count, sizeof(*folder->places));
    folder->workers = dls_alloc_array(DLS_MEM_TOOL, params->threads, sizeof(*folder->workers));
    if (!folder->places || !folder->workers)
        return -ENOMEM;
    for (uint32_t i = 0; i < folder->place_count; i++) {
        folder->places[i].images = dls_alloc_aligned(DLS_MEM_TOOL, 64, bytes);
        if (!folder->places[i].images)
            return dls_err_sys(ENOMEM, "%u batches", folder->place_count);
    }
    for (uint32_t i = 0; r == 0 && i < params->threads; i++) {
        struct worker *worker = &folder->workers[i];
        worker->folder = folder;
        r = dls_decoder_create(&worker->decoder);
        if (r == 0)
            r = dls_resizer_create(&worker->resizer);
        if (r == 0)
            r = dls_thread_start(&worker->thread, "folder", work, worker);
    }
    return r;
}

int bench_folder_open(const char *path, const dls_loader_params *params, struct bench_folder **ret_folder)
{
    struct bench_folder *folder = dls_alloc(DLS_MEM_TOOL, sizeof(*folder));

    if (!folder)
        return -ENOMEM;
    folder->params = *params;
    if (!folder->params.threads)
        folder->params.threads = dls_cpu_count();
    dls_crop_spec_init(&folder->params, &folder->spec);
    pthread_mutex_init(&folder->lock, NULL);
    dls_cond_init(&folder->made);
    dls_cond_init(&folder->taken);
    int r = list(folder, path);
    if (r == 0)
        folder->batches = folder->count / folder->params.batch_size;
    else
        bench_folder_close(&folder);
    *ret_folder = folder;
    return r;
}

void bench_folder_close(struct bench_folder **folder_at)
{
    struct bench_folder *folder = *folder_at;

    if (!folder)
        return;
    pthread_mutex_lock(&folder->lock);
    folder->stop = true;
    pthread_cond_broadcast(&folder->taken);
    pthread_mutex_unlock(&folder->lock);
    for (uint32_t i = 0; folder->workers && i < folder->params.threads; i++) {
        struct worker *worker = &folder->workers[i];
        dls_thread_join(&worker->thread);
        dls_decoder_free(&worker->decoder);
        dls_resizer_free(&worker->resizer);
        dls_free(worker->file);
        dls_free(worker->pixels);
        dls_free(worker->upright);
    }
    for (uint32_t i = 0; folder->places && i < folder->place_count; i++)
        dls_free(folder->places[i].images);
    for (size_t i = 0; i < folder->count; i++)
        dls_free(folder->files[i]);
    dls_free(folder->workers);
    dls_free(folder->places);
    dls_free(folder->files);
    pthread_cond_destroy(&folder->made);
    pthread_cond_destroy(&folder->taken);
    pthread_mutex_destroy(&folder->lock);
    dls_free(folder);
    *folder_at = NULL;
}

uint64_t bench_folder_files(const struct bench_folder *folder)
{
    return folder->count;
}

uint64_t bench_folder_bytes(const struct bench_folder *folder)
{
    return folder->bytes;
}

uint64_t bench_folder_batches(const struct bench_folder *folder)
{
    return folder->batches;
}

/* Waits for the batch that is due. The lock is held. */
static int wait_made(struct bench_folder *folder, struct place *place, uint64_t deadline)
{
    while (!place->ready && !folder->error.code)
        if (!dls_cond_wait(&folder->made, &folder->lock, deadline))
            return -ETIMEDOUT;
    return folder->error.code ? dls_error_raise(&folder->error) : 0;
}

int bench_folder_next(struct bench_folder *folder, int64_t timeout_ns, uint64_t *ret_images)
{
    uint64_t start = dls_now();
    int r = 0;

    pthread_mutex_lock(&folder->lock);
    folder->consume.busy_ns += start - folder->left_ns;
    if (folder->holds) {
        folder->places[folder->taken_until % folder->place_count].ready = false;
        folder->taken_until++;
        folder->holds = false;
        folder->epoch_told = folder->taken_until % folder->batches != 0;
        pthread_cond_broadcast(&folder->taken);
    }
    if (folder->taken_until > 0 && !folder->epoch_told) {
        folder->epoch_told = true;
    } else {
        struct place *place = &folder->places[folder->taken_until % folder->place_count];
        r = wait_made(folder, place, timeout_ns < 0 ? UINT64_MAX : start + (uint64_t)timeout_ns);
        if (r == 0) {
            folder->holds = true;
            folder->consume.items++;
            folder->consume.bytes +=
                (uint64_t)folder->params.batch_size * folder->params.width * folder->params.height * 3;
            *ret_images = folder->params.batch_size;
            r = 1;
        }
    }
    folder->left_ns = dls_now();
    folder->consume.wait_in_ns += folder->left_ns - start;
    pthread_mutex_unlock(&folder->lock);
    return r;
}

static void sum(dls_stage *to, const dls_stage *stage)
{
    to->items += stage->items;
    to->bytes += stage->bytes;
    to->busy_ns += stage->busy_ns;
    to->wait_in_ns += stage->wait_in_ns;
    to->wait_out_ns += stage->wait_out_ns;
}

void bench_folder_get_stats(struct bench_folder *folder, dls_stats *ret_stats)
{
    dls_stats stats = {
        .elapsed_ns = dls_now() - folder->opened_ns,
        .engine = "files",
        .engine_detail =
            folder->params.direct == DLS_DIRECT_ON
                ? "open() and read() of each file, whose pages are then dropped from the page cache"
                : "open() and read() of each file, through the page cache",
        .io_depth = folder->params.threads,
        .world = 1};

    pthread_mutex_lock(&folder->lock);
    for (uint32_t i = 0; i < folder->params.threads; i++) {
        sum(&stats.read, &folder->workers[i].read);
        sum(&stats.decode, &folder->workers[i].decode);
    }
    stats.consume = folder->consume;
    dls_hist_latency(&folder->read_latency, &stats.read.latency);
    dls_hist_latency(&folder->decode_latency, &stats.decode.latency);
    pthread_mutex_unlock(&folder->lock);
    stats.read.threads = stats.decode.threads = folder->params.threads;
    stats.consume.threads = 1;
    stats.memory_bytes = (uint64_t)folder->place_count * folder->params.batch_size * folder->params.width *
                         folder->params.height * 3;
    *ret_stats = stats;
}
