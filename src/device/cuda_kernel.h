/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the kernel, for nvcc and for C compilers: bytes, row by row as they were decoded, to numbers in
 * the order that is asked for, mirrored where a sample says so. What a byte becomes stands in a table that the CPU has
 * made, so that a batch has the same bits on either device. */
#ifndef DLS_DEVICE_CUDA_KERNEL_H
#define DLS_DEVICE_CUDA_KERNEL_H

#include <stdint.h>

#ifdef __CUDACC__
#define DLS_KERNEL_FN static __host__ __device__ __forceinline__
#else
#define DLS_KERNEL_FN static inline
#endif

#define DLS_MIRROR_X 1u /* left to right */
#define DLS_MIRROR_Y 2u /* top to bottom */
#define DLS_TABLE_ENTRIES 768u

struct dls_cuda_job {
    const uint8_t *from;    /* size × height × width × 3 */
    const uint8_t *mirror;  /* size × DLS_MIRROR_…, or NULL */
    const void *table;      /* 3 × 256 numbers: of red, of green, of blue */
    void *to;               /* size × height × width × 3 numbers, or size × 3 × height × width */
    uint32_t size, count;   /* places; those from `count` on are filled with zeros */
    uint32_t width, height;
    uint32_t bytes;         /* of a number: 1, 2 or 4 */
    uint32_t planes;        /* 1: NCHW */
};

/* Element `at` of `to` becomes what `byte` is in channel `channel`, or 0 for an empty place. */
DLS_KERNEL_FN void dls_cuda_element(const struct dls_cuda_job *job, const void *table, uint64_t at, uint32_t channel,
                                    uint32_t byte, int filled)
{
    uint32_t entry = channel * 256 + byte;

    if (job->bytes == 4)
        ((uint32_t *)job->to)[at] = filled ? ((const uint32_t *)table)[entry] : 0;
    else if (job->bytes == 2)
        ((uint16_t *)job->to)[at] = filled ? ((const uint16_t *)table)[entry] : 0;
    else
        ((uint8_t *)job->to)[at] = filled ? ((const uint8_t *)table)[entry] : 0;
}

/* Pixel `pixel` (of width × height) of the image at `place`. table: job->table, or a copy of it nearer by. */
DLS_KERNEL_FN void dls_cuda_pixel(const struct dls_cuda_job *job, const void *table, uint32_t place, uint32_t pixel)
{
    const uint32_t pixels = job->width * job->height;
    const uint32_t y = pixel / job->width, x = pixel - y * job->width;
    const uint32_t mirror = job->mirror != 0 && place < job->count ? job->mirror[place] : 0;
    const uint32_t from_x = mirror & DLS_MIRROR_X ? job->width - 1 - x : x;
    const uint32_t from_y = mirror & DLS_MIRROR_Y ? job->height - 1 - y : y;
    const uint8_t *from = job->from + ((uint64_t)place * pixels + (uint64_t)from_y * job->width + from_x) * 3;
    const uint64_t image = (uint64_t)place * pixels * 3;

    for (uint32_t channel = 0; channel < 3; channel++) {
        uint64_t at = job->planes ? image + (uint64_t)channel * pixels + pixel : image + (uint64_t)pixel * 3 + channel;
        dls_cuda_element(job, table, at, channel, from[channel], place < job->count);
    }
}

#endif
