/* SPDX-License-Identifier: Apache-2.0 */
/* The device's side of a loader: each batch buffer on the host has its counterpart there. A full buffer is copied as
 * bytes and made into numbers on the loader's own stream, while the consumer computes on its streams; events keep the
 * one from reading too early and the other from writing too early. */
#ifndef DLS_DEVICE_CUDA_H
#define DLS_DEVICE_CUDA_H

#include "batch/slot.h"
#include "device/cuda_ops.h"
#include "image/normalize.h"

/* Streams that may use one batch. */
#define DLS_CUDA_STREAMS 4u

struct dls_cuda_config {
    const struct dls_cuda_ops *ops;
    int index; /* of the device */
    uint32_t slots;
    struct dls_slot_shape shape;             /* on the host: uint8 NHWC, with mirrors if pictures are to be flipped,
                                                which have one view then */
    dls_dtype dtype;                         /* on the device */
    dls_layout layout;                       /* likewise */
    const struct dls_normalizer *normalizer; /* of the float types; used by dls_cuda_create() alone */
};

struct dls_cuda;

/* Pins `host` (config.slots × dls_slot_bytes(shape), the memory of the ring), which must outlive the object, and
 * allocates on the device, which probe() has found. -ENOMEM, -EIO. */
int dls_cuda_create(const struct dls_cuda_config *config, uint8_t *host, struct dls_cuda **ret_cuda);
/* Waits for what is under way, on the consumer's streams too, and gives all back. Takes a pointer to NULL. */
void dls_cuda_free(struct dls_cuda **cuda);

/* Buffer `index` is full: queues its copy and conversion, waiting for nothing. By any thread. */
int dls_cuda_upload(struct dls_cuda *cuda, uint32_t index, const struct dls_slot *slot);
/* Returns once buffer `index` may be written to again: its last copy has been made. By any thread. */
int dls_cuda_wait_host(struct dls_cuda *cuda, uint32_t index);
/* Where the batch stands on the device; what is put into `stream` from now on finds it there. -ENOSPC: more than DLS_CUDA_STREAMS streams. */
int dls_cuda_tensor(struct dls_cuda *cuda, uint32_t index, void *stream, dls_device_tensor *ret_tensor);
/* The consumer has put its last work on the batch into its streams: the next upload waits for that. */
void dls_cuda_release(struct dls_cuda *cuda, uint32_t index);

/* Memory on the device. */
uint64_t dls_cuda_bytes(const struct dls_cuda *cuda);

#endif
