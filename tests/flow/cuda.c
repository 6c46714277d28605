/* SPDX-License-Identifier: Apache-2.0 */
/* Batches on a CUDA device, which is a stand-in here: the same samples, with the same bits, as on the CPU. */
#include "flow/flow.h"
#include "support/fake_cuda.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

TestSuite(cuda, .timeout = 100);

#define RECORDS 75u
#define PLACES (3 * 80u)

static dls_loader_params params_of(dls_dtype dtype, dls_layout layout)
{
    dls_loader_params params = flow_params();

    params.tail = DLS_TAIL_PAD;
    params.crop = DLS_CROP_RANDOM;
    params.flip = params.flip_vertical = 1;
    params.brightness = params.contrast = params.saturation = 0.4;
    params.grayscale = 0.3;
    params.epochs = 3;
    params.threads = 3;
    params.dtype = dtype;
    params.layout = layout;
    if (dtype != DLS_DTYPE_UINT8)
        for (int i = 0; i < 3; i++) {
            params.mean[i] = 0.4 + 0.1 * i;
            params.std[i] = 0.2 + 0.05 * i;
        }
    return params;
}

struct run {
    uint64_t batches;
    size_t batch_bytes;
    uint8_t *images;
    int64_t labels[PLACES];
    uint64_t records[PLACES];
};

/* All batches, empty places too. On a device they are only asked for here: they are read when `stream` is waited for. */
static int run(dls_loader *loader, const dls_loader_params *params, void *stream, struct run *ret_run)
{
    const dls_batch *batch = NULL;
    int r = 0;

    for (uint64_t epoch = 0; r >= 0 && epoch < params->epochs; epoch++)
        while ((r = dls_loader_next(loader, -1, &batch)) > 0) {
            uint64_t at = ret_run->batches++;
            ret_run->batch_bytes = batch->images_bytes;
            if (!ret_run->images)
                ret_run->images = calloc(20, batch->images_bytes);
            uint8_t *to = ret_run->images + at * batch->images_bytes;
            memcpy(&ret_run->records[at * batch->size], batch->records, batch->size * 8);
            if (params->device == DLS_DEVICE_CPU) {
                memcpy(to, batch->images, batch->images_bytes);
                memcpy(&ret_run->labels[at * batch->size], batch->labels, batch->size * 8);
            } else {
                dls_device_tensor tensor;
                cr_assert_null(batch->images);
                r = dls_batch_device_tensor(loader, batch, stream, &tensor);
                if (r < 0)
                    return r;
                cr_assert_eq(tensor.images_bytes, batch->images_bytes);
                fake_cuda_read(to, tensor.images, tensor.images_bytes, stream);
                fake_cuda_read(&ret_run->labels[at * batch->size], tensor.labels, batch->size * 8, stream);
            }
            dls_batch_release(loader, &batch);
        }
    return r;
}

Test(cuda, the_same_bits_as_on_the_cpu)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS, .turned = true}));

    for (int dtype = DLS_DTYPE_UINT8; dtype <= DLS_DTYPE_BFLOAT16; dtype++)
        for (int layout = DLS_LAYOUT_NHWC; layout <= DLS_LAYOUT_NCHW; layout++) {
            dls_loader_params params = params_of((dls_dtype)dtype, (dls_layout)layout);
            params.draws = layout == DLS_LAYOUT_NCHW; /* they stay on the host */
            if (dtype == DLS_DTYPE_FLOAT16) {
                params.crop = DLS_CROP_FIVE;
                params.flip = params.flip_vertical = 0;
            }
            struct run *cpu = calloc(1, sizeof(*cpu)), *cuda = calloc(1, sizeof(*cuda));
            dls_stats stats;
            dls_loader *loader = flow_start(dataset, &params);
            cr_assert_eq(run(loader, &params, NULL, cpu), 0);
            dls_loader_close(&loader);

            fake_cuda_reset();
            void *stream = fake_cuda_stream();
            params.device = DLS_DEVICE_CUDA;
            params.device_index = 1;
            loader = flow_start(dataset, &params);
            cr_assert_eq(run(loader, &params, stream, cuda), 0, "%s", dls_last_error());
            fake_cuda_sync(stream);
            dls_loader_get_stats(loader, &stats);
            cr_assert_geq(stats.device_bytes, 4 * cuda->batch_bytes);
            cr_assert_not_null(strstr(stats.memory_detail, "pinned for CUDA device 1"));
            cr_assert_leq(stats.memory_bytes, stats.memory_budget);
            dls_loader_close(&loader);
            fake_cuda_stream_end(stream);

            cr_assert_eq(cpu->batches, 15);
            cr_assert_eq(cuda->batches, 15);
            cr_assert_arr_eq(cuda->records, cpu->records, sizeof(cpu->records));
            cr_assert_arr_eq(cuda->labels, cpu->labels, sizeof(cpu->labels));
            cr_assert_arr_eq(cuda->images, cpu->images, 15 * cpu->batch_bytes, "dtype %d, layout %d", dtype, layout);
            for (int live = FAKE_PINS; live <= FAKE_EVENTS; live++)
                cr_assert_eq(fake_cuda_count(live), 0);
            cr_assert_eq(fake_cuda_count(FAKE_UNPINNED), 0);
            cr_assert_eq(fake_cuda_count(FAKE_ASTRAY), 0);
            cr_assert_eq(fake_cuda_current(-1), 0);
            free(cpu->images);
            free(cuda->images);
            free(cpu);
            free(cuda);
        }
    dls_dataset_close(&dataset);
}

Test(cuda, without_a_driver_or_that_device_opening_says_so)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 20}));
    dls_loader_params params = flow_params();
    dls_loader *loader = NULL;

    params.device = DLS_DEVICE_CUDA;
    fake_cuda_devices(-1);
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -ENODEV);
    cr_assert_str_eq(dls_last_error(), "dls_loader_open: CUDA: no device can be used here: there is no driver");
    fake_cuda_devices(2);
    params.device_index = 2;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -ENODEV);
    cr_assert_not_null(strstr(dls_last_error(), "no device 2"));
    params.no_decode = 1;
    params.device_index = 0;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
    params.no_decode = 0;
    params.device = DLS_DEVICE_CPU;
    params.device_index = 1;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
    params.device = (dls_device_type)2;
    cr_assert_eq(dls_loader_open(dataset, &params, &loader), -EINVAL);
    cr_assert_null(loader);
    dls_dataset_close(&dataset);
}

Test(cuda, a_batch_on_the_cpu_or_given_back_has_no_place_on_a_device)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = 40}));
    dls_loader_params params = flow_params();
    const dls_batch *batch = NULL, *gone;
    dls_device_tensor tensor;

    dls_loader *loader = flow_start(dataset, &params);
    cr_assert_eq(dls_loader_next(loader, -1, &batch), 1);
    cr_assert_eq(dls_batch_device_tensor(loader, batch, NULL, &tensor), -EINVAL);
    cr_assert_eq(dls_batch_device_tensor(NULL, batch, NULL, &tensor), -EINVAL);
    cr_assert_eq(dls_batch_device_tensor(loader, NULL, NULL, &tensor), -EINVAL);
    cr_assert_eq(dls_batch_device_tensor(loader, batch, NULL, NULL), -EINVAL);
    dls_loader_close(&loader);

    params.device = DLS_DEVICE_CUDA;
    loader = flow_start(dataset, &params);
    cr_assert_eq(dls_loader_next(loader, -1, &batch), 1);
    gone = batch;
    dls_batch_release(loader, &batch);
    cr_assert_eq(dls_batch_device_tensor(loader, gone, NULL, &tensor), -EINVAL);
    dls_loader_close(&loader);
    dls_dataset_close(&dataset);
}

/* Whatever fails, and when: an error at opening or at a batch, never a crash, a wrong byte or a leak. */
Test(cuda, faults_of_the_device_end_the_run_with_an_error)
{
    dls_dataset *dataset = flow_open(flow_make(&(struct flow_spec){.records = RECORDS}));
    uint64_t at_open = 0, later = 0;

    for (uint64_t nth = 1; nth < 260; nth += nth < 60 ? 1 : 9) {
        dls_loader_params params = params_of(DLS_DTYPE_FLOAT16, DLS_LAYOUT_NCHW);
        struct run *cuda = calloc(1, sizeof(*cuda));
        dls_loader *loader = NULL;
        params.device = DLS_DEVICE_CUDA;
        fake_cuda_reset();
        fake_cuda_fail(nth);
        int r = dls_loader_open(dataset, &params, &loader);
        at_open += r < 0;
        if (r == 0) {
            r = run(loader, &params, NULL, cuda);
            later += r < 0;
        }
        cr_assert(r == 0 || r == -EIO, "%d", r);
        if (r < 0)
            cr_assert_not_null(strstr(dls_last_error(), "CUDA: "), "%s", dls_last_error());
        dls_loader_close(&loader);
        for (int live = FAKE_PINS; live <= FAKE_EVENTS; live++)
            cr_assert_eq(fake_cuda_count(live), 0, "call %lu", (unsigned long)nth);
        free(cuda->images);
        free(cuda);
    }
    cr_assert_gt(at_open, 20);
    cr_assert_gt(later, 20);
    dls_dataset_close(&dataset);
}
