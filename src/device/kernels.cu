/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel and its launch. What it computes is in cuda_kernel.h. */
#include "device/cuda_kernel.h"

#include <cuda_runtime_api.h>

#define THREADS 256u
#define GRID_Y_MOST 65535u

static __global__ void convert(const struct dls_cuda_job job)
{
    /* 3 KiB at most; a look-up in it costs about what a division does not. */
    __shared__ uint32_t table[DLS_TABLE_ENTRIES];
    const uint32_t words = DLS_TABLE_ENTRIES * job.bytes / 4, pixels = job.width * job.height;

    for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
        table[i] = ((const uint32_t *)job.table)[i];
    __syncthreads();
    for (uint32_t place = blockIdx.y; place < job.size; place += gridDim.y)
        for (uint32_t pixel = blockIdx.x * blockDim.x + threadIdx.x; pixel < pixels; pixel += gridDim.x * blockDim.x)
            dls_cuda_pixel(&job, table, place, pixel);
}

extern "C" int dls_cuda_launch(const struct dls_cuda_job *job, void *stream);
extern "C" int dls_cuda_launch(const struct dls_cuda_job *job, void *stream)
{
    /* Four pixels a thread: the table is loaded once for a thousand pixels. */
    const uint32_t pixels = job->width * job->height, run = 4 * THREADS;
    const dim3 grid((pixels + run - 1) / run, job->size < GRID_Y_MOST ? job->size : GRID_Y_MOST);

    convert<<<grid, THREADS, 0, (cudaStream_t)stream>>>(*job);
    return (int)cudaGetLastError();
}
