/* SPDX-License-Identifier: Apache-2.0 */
/* dls_cuda_ops over CUDA's runtime, which is linked in statically: it looks for the driver when it is first used, so
 * the same library works where there is none. */
#include "device/cuda_ops.h"

#include "base/err.h"

#include <cuda_runtime_api.h>

/* kernels.cu; returns a cudaError_t. */
int dls_cuda_launch(const struct dls_cuda_job *job, void *stream);

static int fail(const char *what, cudaError_t error)
{
    int code = error == cudaErrorMemoryAllocation ? ENOMEM : EIO;

    /* Takes it away, so that the next call, and the program's own, do not meet it again. */
    (void)cudaGetLastError();
    return dls_err(code, "CUDA: %s: %s", what, cudaGetErrorString(error));
}

#define CALL(name, ...)                                                                                        \
    do {                                                                                                       \
        cudaError_t error_ = name(__VA_ARGS__);                                                                \
        if (error_ != cudaSuccess)                                                                             \
            return fail(#name, error_);                                                                        \
    } while (0)

static int probe(int index)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);

    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return dls_err(ENODEV, "CUDA: no device can be used here: %s", cudaGetErrorString(error));
    }
    if (index >= count)
        return dls_err(ENODEV, "CUDA: there is no device %d: this process sees %d", index, count);
    return 0;
}

static int bus_id(int index, char ret_text[DLS_CUDA_BUS_ID])
{
    CALL(cudaDeviceGetPCIBusId, ret_text, DLS_CUDA_BUS_ID, index);
    return 0;
}

static int enter(int index, int *ret_before)
{
    int before = index;

    CALL(cudaGetDevice, &before);
    CALL(cudaSetDevice, index);
    *ret_before = before;
    return 0;
}

static void leave(int before)
{
    if (cudaSetDevice(before) != cudaSuccess)
        (void)cudaGetLastError();
}

static int pin(void *memory, size_t bytes)
{
    CALL(cudaHostRegister, memory, bytes, cudaHostRegisterPortable);
    return 0;
}

/* What cannot be given back is the driver's loss: it is going away with the process. */
static void ignore(cudaError_t error)
{
    if (error != cudaSuccess)
        (void)cudaGetLastError();
}

static void unpin(void *memory)
{
    ignore(cudaHostUnregister(memory));
}

static int alloc(size_t bytes, void **ret_memory)
{
    CALL(cudaMalloc, ret_memory, bytes);
    return 0;
}

static void release(void *memory)
{
    ignore(cudaFree(memory));
}

static int stream_create(void **ret_stream)
{
    CALL(cudaStreamCreateWithFlags, (cudaStream_t *)ret_stream, cudaStreamNonBlocking);
    return 0;
}

static void stream_destroy(void *stream)
{
    ignore(cudaStreamDestroy(stream));
}

static int stream_sync(void *stream)
{
    CALL(cudaStreamSynchronize, stream);
    return 0;
}

static int stream_wait(void *stream, void *event)
{
    CALL(cudaStreamWaitEvent, stream, event, 0);
    return 0;
}

static int event_create(void **ret_event)
{
    CALL(cudaEventCreateWithFlags, (cudaEvent_t *)ret_event, cudaEventDisableTiming | cudaEventBlockingSync);
    return 0;
}

static void event_destroy(void *event)
{
    ignore(cudaEventDestroy(event));
}

static int event_record(void *event, void *stream)
{
    CALL(cudaEventRecord, event, stream);
    return 0;
}

static int event_sync(void *event)
{
    CALL(cudaEventSynchronize, event);
    return 0;
}

static int copy(void *to, const void *from, size_t bytes, void *stream)
{
    CALL(cudaMemcpyAsync, to, from, bytes, cudaMemcpyHostToDevice, stream);
    return 0;
}

static int convert(const struct dls_cuda_job *job, void *stream)
{
    cudaError_t error = (cudaError_t)dls_cuda_launch(job, stream);

    return error == cudaSuccess ? 0 : fail("kernel", error);
}

const struct dls_cuda_ops dls_cuda_runtime = {
    .probe = probe,
    .bus_id = bus_id,
    .enter = enter,
    .leave = leave,
    .pin = pin,
    .unpin = unpin,
    .alloc = alloc,
    .free = release,
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
