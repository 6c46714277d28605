/* SPDX-License-Identifier: Apache-2.0 */
/* A loader on a real CUDA device: the same bits as on the CPU, the device that was current stays so, and how much of the
 * copying hides behind the consumer's work. Skipped (77) where there is none. Prints TAP. */
#include "flow/flow.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failed, number;

static void result(const char *what, bool good, const char *note)
{
    printf("%s %d - %s%s\n", good ? "ok" : "not ok", ++number, what, note);
    failed += !good;
}

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

/* Checksums are not enough to find a fault by: all images, on the host. NULL on an error. */
static uint8_t *images_of(dls_dataset *dataset, const dls_loader_params *params, size_t *ret_bytes)
{
    dls_loader *loader = flow_start(dataset, params);
    const dls_batch *batch = NULL;
    cudaStream_t stream = NULL;
    uint8_t *all = NULL;
    size_t used = 0;
    int r = 0;

    if (params->device == DLS_DEVICE_CUDA && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return NULL;
    for (uint64_t epoch = 0; r >= 0 && epoch < params->epochs; epoch++)
        while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
            all = realloc(all, used + batch->images_bytes);
            if (params->device == DLS_DEVICE_CPU) {
                memcpy(all + used, batch->images, batch->images_bytes);
            } else {
                dls_device_tensor tensor;
                r = dls_batch_device_tensor(loader, batch, stream, &tensor);
                if (r < 0 || cudaMemcpyAsync(all + used, tensor.images, tensor.images_bytes, cudaMemcpyDeviceToHost,
                                             stream) != cudaSuccess)
                    return NULL;
            }
            used += batch->images_bytes;
            dls_batch_release(loader, &batch);
        }
    if (stream != NULL)
        cudaStreamSynchronize(stream);
    dls_loader_close(&loader);
    if (stream != NULL)
        cudaStreamDestroy(stream);
    *ret_bytes = used;
    return r < 0 ? NULL : all;
}

static void same_bits(dls_dataset *dataset)
{
    for (int dtype = DLS_DTYPE_UINT8; dtype <= DLS_DTYPE_BFLOAT16; dtype++)
        for (int layout = DLS_LAYOUT_NHWC; layout <= DLS_LAYOUT_NCHW; layout++) {
            dls_loader_params params = flow_params();
            char what[80];
            size_t cpu_bytes = 0, cuda_bytes = 0;
            params.crop = DLS_CROP_RANDOM;
            params.flip = 1;
            params.epochs = 4;
            params.tail = DLS_TAIL_PAD;
            params.dtype = (dls_dtype)dtype;
            params.layout = (dls_layout)layout;
            uint8_t *cpu = images_of(dataset, &params, &cpu_bytes);
            params.device = DLS_DEVICE_CUDA;
            uint8_t *cuda = images_of(dataset, &params, &cuda_bytes);
            snprintf(what, sizeof(what), "dtype %d, layout %d: the bits of the CPU", dtype, layout);
            result(what, cpu && cuda && cpu_bytes == cuda_bytes && memcmp(cpu, cuda, cpu_bytes) == 0, "");
            free(cpu);
            free(cuda);
        }
}

/* Seconds for 40 batches while the consumer's stream is kept busy for `passes` over a buffer a batch. */
static double time_run(dls_dataset *dataset, bool load, int passes, uint8_t *buffer, size_t bytes)
{
    dls_loader_params params = flow_params();
    const dls_batch *batch = NULL;
    dls_loader *loader = NULL;
    cudaStream_t stream;
    double start;

    params.batch_size = 64;
    params.width = params.height = 224;
    params.dtype = DLS_DTYPE_FLOAT16;
    params.layout = DLS_LAYOUT_NCHW;
    params.epochs = 0;
    params.device = DLS_DEVICE_CUDA;
    params.threads = 0;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (load)
        loader = flow_start(dataset, &params);
    start = now();
    for (int n = 0; n < 40;) {
        dls_device_tensor tensor;
        if (load) {
            int r = dls_loader_next(loader, -1, &batch);
            if (r < 0 || (r > 0 && dls_batch_device_tensor(loader, batch, stream, &tensor) < 0))
                break;
            if (r == 0)
                continue;
        }
        for (int i = 0; i < passes; i++)
            cudaMemsetAsync(buffer, i, bytes, stream);
        if (load)
            dls_batch_release(loader, &batch);
        n++;
    }
    cudaStreamSynchronize(stream);
    start = now() - start;
    dls_loader_close(&loader);
    cudaStreamDestroy(stream);
    return start;
}

static void measure_overlap(dls_dataset *dataset)
{
    const size_t bytes = (size_t)1 << 30;
    uint8_t *buffer = NULL;
    char note[200];

    if (cudaMalloc((void **)&buffer, bytes) != cudaSuccess) {
        result("overlap", true, " # SKIP no memory");
        return;
    }
    double load = time_run(dataset, true, 0, buffer, bytes), work = time_run(dataset, false, 60, buffer, bytes);
    double both = time_run(dataset, true, 60, buffer, bytes);
    snprintf(note, sizeof(note), "\n# 40 batches of 64: loading %.3f s, work %.3f s, both %.3f s: %.0f %% of the shorter hidden",
             load, work, both, 100 * (load + work - both) / (load < work ? load : work));
    result("copying and computing at a time", both > 0, note);
    cudaFree(buffer);
}

int main(void)
{
    int count = 0, current = -1;

    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        puts("1..0 # SKIP there is no CUDA device");
        return 0;
    }
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 200, .width = 256, .height = 256}));
    cudaSetDevice(count - 1);
    same_bits(dataset);
    result("the current device stays", cudaGetDevice(&current) == cudaSuccess && current == count - 1, "");
    measure_overlap(dataset);
    dls_dataset_close(&dataset);
    printf("1..%d\n", number);
    return failed != 0;
}
