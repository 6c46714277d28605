/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda.h"

#include "base/err.h"
#include "base/mem.h"

#include <pthread.h>
#include <string.h>

/* Of one batch buffer. */
struct lane {
    uint8_t *images;        /* on the device, in their final form */
    uint8_t *small;         /* on the device: labels, records, flags, mirrors, as they lie on the host */
    void *copied, *done;    /* events: the host's memory has been read; all is there */
    void *used[DLS_CUDA_STREAMS]; /* events: the consumer's work on it, a stream each */
    void *streams[DLS_CUDA_STREAMS];
    uint32_t stream_count;  /* streams it is lent to [lock] */
    uint32_t used_count;    /* of `used` that the next upload has to wait for [lock] */
    bool broken;            /* it is not known when the consumer will have done [lock] */
    atomic_bool reading;    /* the host's memory may still be read */
};

struct dls_cuda {
    struct dls_cuda_config config;
    uint8_t *pinned;
    pthread_mutex_t lock; /* one upload enters the stream at a time: they share the staging memory */
    void *stream, *table, *staging; /* staging: bytes before they are converted; NULL if they are not */
    uint32_t images; /* of a batch: places, times the views of each */
    uint64_t slot_bytes, images_bytes, to_bytes, small_bytes, device_bytes;
    struct lane *lanes;
};

static uint32_t views_of(const struct dls_cuda_config *config)
{
    return config->shape.views > 1 ? config->shape.views : 1;
}

static int device_alloc(struct dls_cuda *cuda, uint64_t bytes, void *ret_memory)
{
    void *memory = NULL;
    int r = cuda->config.ops->alloc(bytes, &memory);

    if (r < 0)
        return dls_err_context(r, "%llu bytes on CUDA device %d, besides %llu", (unsigned long long)bytes,
                               cuda->config.index, (unsigned long long)cuda->device_bytes);
    cuda->device_bytes += bytes;
    *(void **)ret_memory = memory;
    return 0;
}

static int make_lane(struct dls_cuda *cuda, struct lane *lane)
{
    const struct dls_cuda_ops *ops = cuda->config.ops;
    int r = device_alloc(cuda, cuda->to_bytes, &lane->images);

    if (r == 0)
        r = device_alloc(cuda, cuda->small_bytes, &lane->small);
    if (r == 0)
        r = ops->event_create(&lane->copied);
    if (r == 0)
        r = ops->event_create(&lane->done);
    for (uint32_t i = 0; r == 0 && i < DLS_CUDA_STREAMS; i++)
        r = ops->event_create(&lane->used[i]);
    return r;
}

/* What a byte becomes. The CPU's numbers, so that both devices give the same bits. */
static int make_table(struct dls_cuda *cuda, uint8_t *host)
{
    const struct dls_normalizer *normalizer = cuda->config.normalizer;
    const uint64_t bytes = (uint64_t)DLS_TABLE_ENTRIES * dls_dtype_bytes(cuda->config.dtype);
    int r = device_alloc(cuda, bytes, &cuda->table);

    if (r < 0)
        return r;
    if (cuda->config.dtype == DLS_DTYPE_UINT8)
        for (unsigned i = 0; i < DLS_TABLE_ENTRIES; i++)
            host[i] = (uint8_t)i;
    else if (cuda->config.dtype == DLS_DTYPE_FLOAT32)
        memcpy(host, normalizer->wide, bytes);
    else
        memcpy(host, normalizer->narrow, bytes);
    r = cuda->config.ops->copy(cuda->table, host, bytes, cuda->stream);
    return r < 0 ? r : cuda->config.ops->stream_sync(cuda->stream);
}

/* Numbers other than the bytes as they are, or bytes in another order, take the kernel. */
static bool converts(const struct dls_cuda_config *config)
{
    return config->dtype != DLS_DTYPE_UINT8 || config->layout != DLS_LAYOUT_NHWC || config->shape.mirror;
}

static int make_all(struct dls_cuda *cuda, uint8_t *host)
{
    const struct dls_cuda_config *config = &cuda->config;
    int r = config->ops->pin(host, cuda->slot_bytes * config->slots);

    if (r < 0)
        return r;
    cuda->pinned = host;
    r = config->ops->stream_create(&cuda->stream);
    if (r == 0 && converts(config)) {
        /* The ring's memory is pinned and not used yet, and a buffer is longer than the table. */
        r = make_table(cuda, host);
        if (r == 0)
            r = device_alloc(cuda, cuda->images_bytes, &cuda->staging);
    }
    for (uint32_t i = 0; r == 0 && i < config->slots; i++)
        r = make_lane(cuda, &cuda->lanes[i]);
    return r;
}

int dls_cuda_create(const struct dls_cuda_config *config, uint8_t *host, struct dls_cuda **ret_cuda)
{
    struct dls_cuda *cuda = dls_alloc(DLS_MEM_DEVICE, sizeof(*cuda));
    int before, r;

    if (cuda == NULL)
        return -ENOMEM;
    cuda->config = *config;
    pthread_mutex_init(&cuda->lock, NULL);
    cuda->lanes = dls_alloc_array(DLS_MEM_DEVICE, config->slots, sizeof(*cuda->lanes));
    r = cuda->lanes == NULL ? -ENOMEM : dls_slot_bytes(&config->shape, &cuda->slot_bytes);
    if (r == 0) {
        cuda->images = config->shape.size * views_of(config);
        cuda->images_bytes = (uint64_t)cuda->images * config->shape.width * config->shape.height * 3;
        cuda->to_bytes = cuda->images_bytes * dls_dtype_bytes(config->dtype);
        /* From the labels to the end of the mirrors: see dls_slot_bind(). */
        cuda->small_bytes = (uint64_t)config->shape.size *
                            (sizeof(int64_t) + sizeof(uint64_t) + 1 + (config->shape.mirror ? 1 : 0));
        r = config->ops->enter(config->index, &before);
    }
    if (r == 0) {
        r = make_all(cuda, host);
        config->ops->leave(before);
    }
    cuda->config.normalizer = NULL;
    if (r < 0)
        dls_cuda_free(&cuda);
    else
        *ret_cuda = cuda;
    return r;
}

/* Until neither side has work left on it. Should that fail, CUDA still waits before it frees memory. */
static void wait_for_lane(const struct dls_cuda_ops *ops, struct lane *lane)
{
    for (uint32_t i = 0; i < lane->used_count; i++)
        (void)ops->event_sync(lane->used[i]);
}

static void free_lane(const struct dls_cuda_ops *ops, struct lane *lane)
{
    for (uint32_t i = 0; i < DLS_CUDA_STREAMS; i++)
        if (lane->used[i] != NULL)
            ops->event_destroy(lane->used[i]);
    if (lane->done != NULL)
        ops->event_destroy(lane->done);
    if (lane->copied != NULL)
        ops->event_destroy(lane->copied);
    if (lane->small != NULL)
        ops->free(lane->small);
    if (lane->images != NULL)
        ops->free(lane->images);
}

void dls_cuda_free(struct dls_cuda **cuda_at)
{
    struct dls_cuda *cuda = *cuda_at;
    int before = 0;

    if (cuda == NULL)
        return;
    const struct dls_cuda_ops *ops = cuda->config.ops;
    /* If this fails, so do the others, each of which says so to nobody. */
    bool inside = ops->enter(cuda->config.index, &before) == 0;
    for (uint32_t i = 0; cuda->lanes != NULL && i < cuda->config.slots; i++)
        dls_cuda_release(cuda, i);
    for (uint32_t i = 0; cuda->lanes != NULL && i < cuda->config.slots; i++)
        wait_for_lane(ops, &cuda->lanes[i]);
    if (cuda->stream != NULL)
        (void)ops->stream_sync(cuda->stream);
    for (uint32_t i = 0; cuda->lanes != NULL && i < cuda->config.slots; i++)
        free_lane(ops, &cuda->lanes[i]);
    if (cuda->staging != NULL)
        ops->free(cuda->staging);
    if (cuda->table != NULL)
        ops->free(cuda->table);
    if (cuda->stream != NULL)
        ops->stream_destroy(cuda->stream);
    if (cuda->pinned != NULL)
        ops->unpin(cuda->pinned);
    if (inside)
        ops->leave(before);
    pthread_mutex_destroy(&cuda->lock);
    dls_free(cuda->lanes);
    dls_free(cuda);
    *cuda_at = NULL;
}

/* The lock is held, the device is current. */
static int queue_upload(struct dls_cuda *cuda, struct lane *lane, const struct dls_slot *slot)
{
    const struct dls_cuda_config *config = &cuda->config;
    const struct dls_cuda_ops *ops = config->ops;
    int r = lane->broken ? dls_err(EIO, "CUDA: a batch was given back, but not when the device will have used it") : 0;

    for (uint32_t i = 0; r == 0 && i < lane->used_count; i++)
        r = ops->stream_wait(cuda->stream, lane->used[i]);
    if (r < 0)
        return r;
    lane->used_count = 0;
    atomic_store_explicit(&lane->reading, true, memory_order_relaxed);
    r = ops->copy(cuda->staging ? cuda->staging : lane->images, slot->images, cuda->images_bytes, cuda->stream);
    if (r == 0)
        r = ops->copy(lane->small, slot->labels, cuda->small_bytes, cuda->stream);
    if (r == 0)
        r = ops->event_record(lane->copied, cuda->stream);
    if (r == 0 && cuda->staging != NULL) {
        const struct dls_cuda_job job = {
            .from = cuda->staging,
            .mirror = config->shape.mirror ? lane->small + (slot->mirror - (uint8_t *)slot->labels) : NULL,
            .table = cuda->table,
            .to = lane->images,
            .size = cuda->images,
            .count = slot->view.count * views_of(config),
            .width = config->shape.width,
            .height = config->shape.height,
            .bytes = dls_dtype_bytes(config->dtype),
            .planes = config->layout == DLS_LAYOUT_NCHW,
        };
        r = ops->convert(&job, cuda->stream);
    }
    return r < 0 ? r : ops->event_record(lane->done, cuda->stream);
}

int dls_cuda_upload(struct dls_cuda *cuda, uint32_t index, const struct dls_slot *slot)
{
    int before, r;

    pthread_mutex_lock(&cuda->lock);
    r = cuda->config.ops->enter(cuda->config.index, &before);
    if (r == 0) {
        r = queue_upload(cuda, &cuda->lanes[index], slot);
        cuda->config.ops->leave(before);
    }
    pthread_mutex_unlock(&cuda->lock);
    return r;
}

int dls_cuda_wait_host(struct dls_cuda *cuda, uint32_t index)
{
    struct lane *lane = &cuda->lanes[index];
    int before, r;

    if (!atomic_load_explicit(&lane->reading, memory_order_acquire))
        return 0;
    r = cuda->config.ops->enter(cuda->config.index, &before);
    if (r == 0) {
        r = cuda->config.ops->event_sync(lane->copied);
        cuda->config.ops->leave(before);
    }
    if (r == 0)
        atomic_store_explicit(&lane->reading, false, memory_order_release);
    return r;
}

/* The stream is one of those that dls_cuda_release() asks about. The lock is held. */
static int note_stream(struct lane *lane, void *stream)
{
    for (uint32_t i = 0; i < lane->stream_count; i++)
        if (lane->streams[i] == stream)
            return 0;
    if (lane->stream_count == DLS_CUDA_STREAMS)
        return dls_err(ENOSPC, "dls_batch_device_tensor: %u streams use this batch already", DLS_CUDA_STREAMS);
    lane->streams[lane->stream_count++] = stream;
    return 0;
}

int dls_cuda_tensor(struct dls_cuda *cuda, uint32_t index, void *stream, dls_device_tensor *ret_tensor)
{
    struct lane *lane = &cuda->lanes[index];
    int before, r;

    pthread_mutex_lock(&cuda->lock);
    r = cuda->config.ops->enter(cuda->config.index, &before);
    if (r == 0) {
        r = cuda->config.ops->stream_wait(stream, lane->done);
        if (r == 0)
            r = note_stream(lane, stream);
        cuda->config.ops->leave(before);
    }
    pthread_mutex_unlock(&cuda->lock);
    if (r == 0)
        *ret_tensor = (dls_device_tensor){.device = DLS_DEVICE_CUDA,
                                          .device_index = (uint32_t)cuda->config.index,
                                          .images = lane->images,
                                          .images_bytes = (size_t)cuda->to_bytes,
                                          .labels = (const int64_t *)(const void *)lane->small};
    return r;
}

void dls_cuda_release(struct dls_cuda *cuda, uint32_t index)
{
    struct lane *lane = &cuda->lanes[index];
    int before, r = 0;

    pthread_mutex_lock(&cuda->lock);
    if (lane->stream_count > 0)
        r = cuda->config.ops->enter(cuda->config.index, &before);
    if (r == 0 && lane->stream_count > 0) {
        for (uint32_t i = 0; r == 0 && i < lane->stream_count; i++)
            r = cuda->config.ops->event_record(lane->used[i], lane->streams[i]);
        cuda->config.ops->leave(before);
        if (r == 0)
            lane->used_count = lane->stream_count;
    }
    lane->broken |= r < 0;
    lane->stream_count = 0;
    pthread_mutex_unlock(&cuda->lock);
}

uint64_t dls_cuda_bytes(const struct dls_cuda *cuda)
{
    return cuda->device_bytes;
}
