/* SPDX-License-Identifier: Apache-2.0 */
/* What a loader asks of CUDA's runtime, as a table, so that tests can put a stand-in in its place. Each call returns 0
 * or a negative errno with text: no error of CUDA's leaves the table in another form, and none ends the process.
 * Streams, events and memory on the device are void * here: nothing but cuda_runtime.c and kernels.cu needs CUDA's
 * headers. */
#ifndef DLS_DEVICE_CUDA_OPS_H
#define DLS_DEVICE_CUDA_OPS_H

#include "device/cuda_kernel.h"

#include <stddef.h>

#define DLS_CUDA_BUS_ID 32

struct dls_cuda_ops {
    /* Is there a driver, and device `index`? -ENOTSUP: built without CUDA. -ENODEV: no driver, or no such device. */
    int (*probe)(int index);
    /* Where it is plugged in: "0000:3b:00.0". */
    int (*bus_id)(int index, char ret_text[DLS_CUDA_BUS_ID]);
    /* Makes `index` this thread's current device, as every call below needs it; leave() undoes that. */
    int (*enter)(int index, int *ret_before);
    void (*leave)(int before);

    /* Locks host memory for the device, so that copies from it need no help of the CPU. */
    int (*pin)(void *memory, size_t bytes);
    void (*unpin)(void *memory);
    /* -ENOMEM */
    int (*alloc)(size_t bytes, void **ret_memory);
    void (*free)(void *memory);

    /* A stream that does not wait for the default stream. */
    int (*stream_create)(void **ret_stream);
    void (*stream_destroy)(void *stream);
    /* The caller waits until all is done that was put in so far. */
    int (*stream_sync)(void *stream);
    /* What is put into `stream` from now on waits for the last recording of `event`. */
    int (*stream_wait)(void *stream, void *event);

    int (*event_create)(void **ret_event);
    void (*event_destroy)(void *event);
    int (*event_record)(void *event, void *stream);
    /* The caller waits, asleep. An event that was never recorded has happened. */
    int (*event_sync)(void *event);

    /* From pinned memory to the device. */
    int (*copy)(void *to, const void *from, size_t bytes, void *stream);
    /* dls_cuda_pixel() for every pixel of the job. */
    int (*convert)(const struct dls_cuda_job *job, void *stream);
};

/* The real one, or in a build without CUDA a stub whose probe() fails. */
extern const struct dls_cuda_ops dls_cuda_runtime;

#endif
