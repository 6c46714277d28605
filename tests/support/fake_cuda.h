/* SPDX-License-Identifier: Apache-2.0 */
/* A stand-in for CUDA's runtime: a program that links fake_cuda.c gets it in the place of the real one. Work that is put
 * into a stream is done as late as it can be: when somebody waits for it, or for something behind it. So whoever reads or
 * writes memory without waiting for the right event finds the wrong bytes. It counts, and fails on demand. */
#ifndef DLS_TESTS_FAKE_CUDA_H
#define DLS_TESTS_FAKE_CUDA_H

#include "device/cuda_ops.h"

#include <stdint.h>

#define FAKE_API __attribute__((visibility("default")))

enum fake_cuda_count {
    FAKE_CALLS,       /* of all functions that can fail, probe() apart */
    FAKE_PINS,        /* live: pinned pieces of memory, */
    FAKE_MEMORY,      /* allocations, */
    FAKE_STREAMS,     /* streams, */
    FAKE_EVENTS,      /* events */
    FAKE_COPIES,      /* made or under way */
    FAKE_COPIED_BYTES,
    FAKE_KERNELS,
    FAKE_UNPINNED,    /* copies from memory that was not pinned */
    FAKE_ASTRAY,      /* calls while another device was current, or on what is not live */
    FAKE_PENDING,     /* pieces of work that have not been done yet */
    FAKE_COUNTS
};

FAKE_API uint64_t fake_cuda_count(int which);
/* As after the start: two devices, nothing live, nothing counted. */
FAKE_API void fake_cuda_reset(void);
/* The `nth` call from now on fails, once; 0: none. */
FAKE_API void fake_cuda_fail(uint64_t nth);
/* How many devices there are; -1: no driver. */
FAKE_API void fake_cuda_devices(int count);
/* The device that is current in this thread. */
FAKE_API int fake_cuda_current(int set);
FAKE_API void *fake_cuda_stream(void);
FAKE_API void fake_cuda_stream_end(void *stream);
/* A consumer's work: reads `bytes` of the device's memory in its turn in `stream`. */
FAKE_API void fake_cuda_read(void *to, const void *from, uint64_t bytes, void *stream);
FAKE_API void fake_cuda_sync(void *stream);

#endif
