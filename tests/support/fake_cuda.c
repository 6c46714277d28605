/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fake_cuda.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define PINS_MOST 64
#define STREAMS_MOST 64

enum work_kind { WORK_COPY, WORK_CONVERT, WORK_WAIT };

struct stream;

struct work {
    enum work_kind kind;
    void *to;
    const void *from;
    size_t bytes;
    struct dls_cuda_job job;
    struct stream *other; /* WORK_WAIT: until this one has done `until` pieces */
    uint64_t until;
};

struct stream {
    struct work *work;
    uint64_t done, put, room; /* of `work` */
};

struct event {
    struct stream *stream;
    uint64_t until;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[FAKE_COUNTS];
static uint64_t fail_at;
static int devices = 2;
static struct stream default_stream, *streams[STREAMS_MOST];
static struct {
    const uint8_t *memory;
    size_t bytes;
} pins[PINS_MOST];
static _Thread_local int current;
static _Thread_local int inside; /* enter() less leave() */

uint64_t fake_cuda_count(int which)
{
    pthread_mutex_lock(&lock);
    uint64_t count = counts[which];
    pthread_mutex_unlock(&lock);
    return count;
}

void fake_cuda_reset(void)
{
    memset(counts, 0, sizeof(counts));
    memset(pins, 0, sizeof(pins));
    free(default_stream.work);
    default_stream = (struct stream){0};
    fail_at = 0;
    devices = 2;
    current = 0;
}

void fake_cuda_fail(uint64_t nth)
{
    fail_at = nth == 0 ? 0 : counts[FAKE_CALLS] + nth;
}

void fake_cuda_devices(int count)
{
    devices = count;
}

int fake_cuda_current(int set)
{
    int before = current;
    current = set >= 0 ? set : current;
    return before;
}

/* The lock is held from here on. */
static int count_call(const char *what)
{
    /* Once entering has failed, there is no other way to give things back. */
    counts[FAKE_ASTRAY] += inside == 0 && (fail_at == 0 || counts[FAKE_CALLS] < fail_at);
    if (++counts[FAKE_CALLS] == fail_at)
        return dls_err(EIO, "CUDA: %s: a fault was asked for", what);
    return 0;
}

static struct stream *stream_of(void *stream)
{
    return (uintptr_t)stream <= 2 ? &default_stream : stream;
}

static void run(struct stream *stream, uint64_t until)
{
    while (stream->done < until) {
        struct work *work = &stream->work[stream->done];
        if (work->kind == WORK_COPY)
            memcpy(work->to, work->from, work->bytes);
        else if (work->kind == WORK_WAIT)
            run(work->other, work->until);
        else
            for (uint32_t place = 0; place < work->job.size; place++)
                for (uint32_t pixel = 0; pixel < work->job.width * work->job.height; pixel++)
                    dls_cuda_pixel(&work->job, work->job.table, place, pixel);
        stream->done++;
        counts[FAKE_PENDING]--;
    }
}

static void put(struct stream *stream, const struct work *work)
{
    if (stream->put == stream->room) {
        stream->room = 2 * stream->room + 16;
        stream->work = realloc(stream->work, stream->room * sizeof(*stream->work));
        if (stream->work == NULL)
            abort();
    }
    stream->work[stream->put++] = *work;
    counts[FAKE_PENDING]++;
}

static int probe(int index)
{
    if (devices < 0)
        return dls_err(ENODEV, "CUDA: no device can be used here: there is no driver");
    if (index >= devices)
        return dls_err(ENODEV, "CUDA: there is no device %d: this process sees %d", index, devices);
    return 0;
}

static int bus_id(int index, char ret_text[DLS_CUDA_BUS_ID])
{
    snprintf(ret_text, DLS_CUDA_BUS_ID, "ffff:%02X:00.0", index & 0xFF);
    return 0;
}

static int enter(int index, int *ret_before)
{
    pthread_mutex_lock(&lock);
    inside++;
    int r = count_call("enter");
    pthread_mutex_unlock(&lock);
    if (r < 0) {
        inside--;
        return r;
    }
    *ret_before = current;
    current = index;
    return 0;
}

static void leave(int before)
{
    current = before;
    inside--;
}

static int pin(void *memory, size_t bytes)
{
    pthread_mutex_lock(&lock);
    int r = count_call("pin"), i = 0;
    while (r == 0 && i < PINS_MOST && pins[i].memory != NULL)
        i++;
    if (r == 0 && i < PINS_MOST) {
        pins[i].memory = memory;
        pins[i].bytes = bytes;
        counts[FAKE_PINS]++;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

static void unpin(void *memory)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < PINS_MOST; i++)
        if (pins[i].memory == memory) {
            pins[i].memory = NULL;
            found = true;
        }
    counts[found ? FAKE_PINS : FAKE_ASTRAY] += found ? UINT64_MAX : 1;
    pthread_mutex_unlock(&lock);
}

/* Makes one of something: memory that starts with rubbish. */
static int make(const char *what, enum fake_cuda_count live, size_t bytes, void **ret)
{
    void *memory = NULL;

    pthread_mutex_lock(&lock);
    int r = count_call(what);
    if (r == 0) {
        memory = malloc(bytes);
        if (memory == NULL)
            abort();
        memset(memory, live == FAKE_MEMORY ? 0xA5 : 0, bytes);
        counts[live]++;
        *ret = memory;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

static void end(enum fake_cuda_count live, void *memory)
{
    pthread_mutex_lock(&lock);
    counts[live]--;
    pthread_mutex_unlock(&lock);
    free(memory);
}

static int device_alloc(size_t bytes, void **ret_memory)
{
    return make("alloc", FAKE_MEMORY, bytes, ret_memory);
}

/* The real one waits for the whole device. Here that would hide a wait that is missing, so it does once a fault may
 * have been in one. */
static void device_free(void *memory)
{
    pthread_mutex_lock(&lock);
    if (fail_at != 0 && counts[FAKE_CALLS] >= fail_at) {
        run(&default_stream, default_stream.put);
        for (int i = 0; i < STREAMS_MOST; i++)
            if (streams[i] != NULL)
                run(streams[i], streams[i]->put);
    }
    pthread_mutex_unlock(&lock);
    end(FAKE_MEMORY, memory);
}

static int stream_create(void **ret_stream)
{
    int r = make("stream_create", FAKE_STREAMS, sizeof(struct stream), ret_stream), i = 0;

    if (r < 0)
        return r;
    pthread_mutex_lock(&lock);
    while (i < STREAMS_MOST - 1 && streams[i] != NULL)
        i++;
    streams[i] = *ret_stream;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void stream_destroy(void *stream)
{
    pthread_mutex_lock(&lock);
    run(stream, ((struct stream *)stream)->put);
    for (int i = 0; i < STREAMS_MOST; i++)
        if (streams[i] == stream)
            streams[i] = NULL;
    pthread_mutex_unlock(&lock);
    free(((struct stream *)stream)->work);
    end(FAKE_STREAMS, stream);
}

static int stream_sync(void *stream)
{
    pthread_mutex_lock(&lock);
    int r = count_call("stream_sync");
    if (r == 0)
        run(stream_of(stream), stream_of(stream)->put);
    pthread_mutex_unlock(&lock);
    return r;
}

static int stream_wait(void *stream, void *event)
{
    const struct event *at = event;

    pthread_mutex_lock(&lock);
    int r = count_call("stream_wait");
    if (r == 0 && at->stream != NULL)
        put(stream_of(stream), &(struct work){.kind = WORK_WAIT, .other = at->stream, .until = at->until});
    pthread_mutex_unlock(&lock);
    return r;
}

static int event_create(void **ret_event)
{
    return make("event_create", FAKE_EVENTS, sizeof(struct event), ret_event);
}

static void event_destroy(void *event)
{
    end(FAKE_EVENTS, event);
}

static int event_record(void *event, void *stream)
{
    pthread_mutex_lock(&lock);
    int r = count_call("event_record");
    if (r == 0)
        *(struct event *)event = (struct event){stream_of(stream), stream_of(stream)->put};
    pthread_mutex_unlock(&lock);
    return r;
}

static int event_sync(void *event)
{
    struct event *at = event;

    pthread_mutex_lock(&lock);
    int r = count_call("event_sync");
    if (r == 0 && at->stream != NULL)
        run(at->stream, at->until);
    pthread_mutex_unlock(&lock);
    return r;
}

static int copy(void *to, const void *from, size_t bytes, void *stream)
{
    bool pinned = false;

    pthread_mutex_lock(&lock);
    int r = count_call("copy");
    for (int i = 0; i < PINS_MOST; i++)
        pinned |= pins[i].memory != NULL && (const uint8_t *)from >= pins[i].memory &&
                  (const uint8_t *)from + bytes <= pins[i].memory + pins[i].bytes;
    if (r == 0) {
        put(stream_of(stream), &(struct work){.kind = WORK_COPY, .to = to, .from = from, .bytes = bytes});
        counts[FAKE_COPIES]++;
        counts[FAKE_COPIED_BYTES] += bytes;
        counts[FAKE_UNPINNED] += !pinned;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

static int convert(const struct dls_cuda_job *job, void *stream)
{
    pthread_mutex_lock(&lock);
    int r = count_call("convert");
    if (r == 0) {
        put(stream_of(stream), &(struct work){.kind = WORK_CONVERT, .job = *job});
        counts[FAKE_KERNELS]++;
    }
    pthread_mutex_unlock(&lock);
    return r;
}

void *fake_cuda_stream(void)
{
    void *stream = NULL;

    inside++;
    if (stream_create(&stream) < 0)
        abort();
    inside--;
    return stream;
}

void fake_cuda_stream_end(void *stream)
{
    stream_destroy(stream);
}

void fake_cuda_read(void *to, const void *from, uint64_t bytes, void *stream)
{
    pthread_mutex_lock(&lock);
    put(stream_of(stream), &(struct work){.kind = WORK_COPY, .to = to, .from = from, .bytes = bytes});
    pthread_mutex_unlock(&lock);
}

void fake_cuda_sync(void *stream)
{
    pthread_mutex_lock(&lock);
    run(stream_of(stream), stream_of(stream)->put);
    pthread_mutex_unlock(&lock);
}

const struct dls_cuda_ops dls_cuda_runtime = {
    .probe = probe,
    .bus_id = bus_id,
    .enter = enter,
    .leave = leave,
    .pin = pin,
    .unpin = unpin,
    .alloc = device_alloc,
    .free = device_free,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_sync = stream_sync,
    .stream_wait = stream_wait,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_sync = event_sync,
    .copy = copy,
    .convert = convert,
};
