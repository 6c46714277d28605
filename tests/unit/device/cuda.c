/* SPDX-License-Identifier: Apache-2.0 */
/* The device's side of a loader, over the stand-in for CUDA's runtime. */
#include "device/cuda.h"

#include "device/host.h"
#include "support/fake_cuda.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 3u
#define SIZE 5u
#define WIDTH 7u
#define HEIGHT 3u
#define NUMBERS (SIZE * WIDTH * HEIGHT * 3)

static struct dls_normalizer normalizer;
static struct dls_host_memory memory;
static struct dls_slot slots[SLOTS];

static struct dls_cuda_config config_of(dls_dtype dtype, dls_layout layout, bool mirror)
{
    const float mean[3] = {0.5f, 0.25f, 0.125f}, std[3] = {0.5f, 0.3f, 0.2f};

    fake_cuda_reset();
    if (dtype != DLS_DTYPE_UINT8)
        cr_assert_eq(dls_normalize_init(&normalizer,
                                        dtype == DLS_DTYPE_FLOAT32   ? DLS_ELEMENT_FLOAT32
                                        : dtype == DLS_DTYPE_FLOAT16 ? DLS_ELEMENT_FLOAT16
                                                                     : DLS_ELEMENT_BFLOAT16,
                                        layout, mean, std), 0);
    return (struct dls_cuda_config){
        .ops = &dls_cuda_runtime,
        .index = 1,
        .slots = SLOTS,
        .shape = {.size = SIZE, .width = WIDTH, .height = HEIGHT, .images = true, .mirror = mirror},
        .dtype = dtype,
        .layout = layout,
        .normalizer = &normalizer,
    };
}

static struct dls_cuda *start(const struct dls_cuda_config *config)
{
    struct dls_cuda *cuda = NULL;
    uint64_t bytes;

    cr_assert_eq(dls_slot_bytes(&config->shape, &bytes), 0);
    cr_assert_eq(dls_host_alloc(bytes * SLOTS, false, -1, &memory), 0);
    memset(slots, 0, sizeof(slots));
    for (uint32_t i = 0; i < SLOTS; i++)
        dls_slot_bind(&slots[i], &config->shape, memory.data + i * bytes);
    cr_assert_eq(dls_cuda_create(config, memory.data, &cuda), 0);
    return cuda;
}

static void stop(struct dls_cuda **cuda)
{
    dls_cuda_free(cuda);
    dls_host_free(&memory);
    for (int live = FAKE_PINS; live <= FAKE_EVENTS; live++)
        cr_expect_eq(fake_cuda_count(live), 0, "%d", live);
    cr_expect_eq(fake_cuda_count(FAKE_UNPINNED), 0);
    cr_expect_eq(fake_cuda_count(FAKE_ASTRAY), 0);
    cr_expect_eq(fake_cuda_current(-1), 0);
}

/* Batch `seed`: bytes that no other has. */
static void fill(uint32_t index, uint32_t seed, uint32_t count)
{
    dls_slot_begin(&slots[index], 0, seed, count);
    for (uint32_t i = 0; i < NUMBERS; i++)
        slots[index].images[i] = (uint8_t)(i * 31 + seed * 101 + i / 50);
    for (uint32_t i = 0; i < SIZE; i++) {
        slots[index].labels[i] = (int64_t)(seed * 10 + i);
        if (slots[index].mirror)
            slots[index].mirror[i] = (uint8_t)((i + seed) % 4);
    }
    dls_slot_blank(&slots[index]);
}

/* What element `at` of the batch is to be, computed by the CPU's own code. */
static void expect(const struct dls_cuda_config *config, uint32_t seed, uint32_t count, uint8_t *ret_bytes)
{
    const uint32_t bytes = dls_dtype_bytes(config->dtype), image = WIDTH * HEIGHT * 3;
    uint8_t from[WIDTH * HEIGHT * 3];

    memset(ret_bytes, 0, (size_t)NUMBERS * bytes);
    for (uint32_t place = 0; place < count; place++) {
        uint32_t mirror = config->shape.mirror ? (place + seed) % 4 : 0;
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                for (uint32_t c = 0; c < 3; c++) {
                    uint32_t x0 = mirror & 1 ? WIDTH - 1 - x : x, y0 = mirror & 2 ? HEIGHT - 1 - y : y;
                    uint32_t i = place * image + (y0 * WIDTH + x0) * 3 + c;
                    from[(y * WIDTH + x) * 3 + c] = (uint8_t)(i * 31 + seed * 101 + i / 50);
                }
        struct dls_pixels pixels = {.data = from, .width = WIDTH, .height = HEIGHT, .stride = WIDTH * 3};
        uint8_t *to = ret_bytes + (size_t)place * image * bytes;
        if (config->dtype != DLS_DTYPE_UINT8)
            dls_normalize(&normalizer, &pixels, to);
        else if (config->layout == DLS_LAYOUT_NCHW)
            dls_planes(&pixels, to);
        else
            memcpy(to, from, image);
    }
}

Test(cuda, every_type_and_order_has_the_bits_of_the_cpu)
{
    static uint8_t got[NUMBERS * 4], wanted[NUMBERS * 4];

    for (int dtype = DLS_DTYPE_UINT8; dtype <= DLS_DTYPE_BFLOAT16; dtype++)
        for (int layout = DLS_LAYOUT_NHWC; layout <= DLS_LAYOUT_NCHW; layout++)
            for (int mirror = 0; mirror <= 1; mirror++) {
                struct dls_cuda_config config = config_of((dls_dtype)dtype, (dls_layout)layout, mirror);
                struct dls_cuda *cuda = start(&config);
                int64_t labels[SIZE];
                dls_device_tensor tensor;
                fill(1, 9, 4);
                cr_assert_eq(dls_cuda_upload(cuda, 1, &slots[1]), 0);
                cr_assert_eq(dls_cuda_tensor(cuda, 1, NULL, &tensor), 0);
                cr_assert(tensor.device == DLS_DEVICE_CUDA && tensor.device_index == 1);
                cr_assert_eq(tensor.images_bytes, NUMBERS * dls_dtype_bytes((dls_dtype)dtype));
                fake_cuda_read(got, tensor.images, tensor.images_bytes, NULL);
                fake_cuda_read(labels, tensor.labels, sizeof(labels), NULL);
                dls_cuda_release(cuda, 1);
                fake_cuda_sync(NULL);
                expect(&config, 9, 4, wanted);
                cr_assert_arr_eq(got, wanted, tensor.images_bytes, "dtype %d, layout %d, mirror %d", dtype, layout, mirror);
                for (int i = 0; i < 4; i++)
                    cr_assert_eq(labels[i], 90 + i);
                cr_assert_eq(labels[4], -1);
                stop(&cuda);
            }
}

Test(cuda, bytes_as_they_are_need_no_kernel_and_others_cross_the_bus_as_bytes)
{
    struct dls_cuda_config config = config_of(DLS_DTYPE_UINT8, DLS_LAYOUT_NHWC, false);
    struct dls_cuda *cuda = start(&config);

    fill(0, 1, SIZE);
    cr_assert_eq(dls_cuda_upload(cuda, 0, &slots[0]), 0);
    cr_assert_eq(fake_cuda_count(FAKE_KERNELS), 0);
    stop(&cuda);

    config = config_of(DLS_DTYPE_FLOAT32, DLS_LAYOUT_NCHW, true);
    cuda = start(&config);
    uint64_t before = fake_cuda_count(FAKE_COPIED_BYTES);
    cr_assert_eq(dls_cuda_upload(cuda, 0, &slots[0]), 0);
    cr_assert_eq(fake_cuda_count(FAKE_KERNELS), 1);
    cr_assert_lt(fake_cuda_count(FAKE_COPIED_BYTES) - before, 4096 + NUMBERS);
    cr_assert_geq(dls_cuda_bytes(cuda), SLOTS * 4 * NUMBERS + NUMBERS);
    stop(&cuda);
}

/* Nothing is done before somebody waits for it, so each wait that is missing shows as wrong bytes. */
Test(cuda, buffers_are_used_again_and_again_without_the_host_waiting_for_the_consumer)
{
    struct dls_cuda_config config = config_of(DLS_DTYPE_FLOAT16, DLS_LAYOUT_NCHW, true);
    struct dls_cuda *cuda = start(&config);
    void *streams[2] = {fake_cuda_stream(), fake_cuda_stream()};
    static uint8_t got[30][2][NUMBERS * 2], wanted[NUMBERS * 2];

    for (uint32_t n = 0; n < 30; n++) {
        const uint32_t index = n % SLOTS;
        dls_device_tensor tensor;
        cr_assert_eq(dls_cuda_wait_host(cuda, index), 0);
        fill(index, n, SIZE);
        cr_assert_eq(dls_cuda_upload(cuda, index, &slots[index]), 0);
        for (int s = 0; s < 2; s++) {
            cr_assert_eq(dls_cuda_tensor(cuda, index, streams[s], &tensor), 0);
            fake_cuda_read(got[n][s], tensor.images, tensor.images_bytes, streams[s]);
        }
        dls_cuda_release(cuda, index);
    }
    cr_assert_gt(fake_cuda_count(FAKE_PENDING), 0);
    for (int s = 0; s < 2; s++)
        fake_cuda_sync(streams[s]);
    for (uint32_t n = 0; n < 30; n++) {
        expect(&config, n, SIZE, wanted);
        for (int s = 0; s < 2; s++)
            cr_assert_arr_eq(got[n][s], wanted, sizeof(wanted), "batch %u, stream %d", n, s);
    }
    dls_cuda_free(&cuda);
    fake_cuda_stream_end(streams[0]);
    fake_cuda_stream_end(streams[1]);
    stop(&cuda);
}

Test(cuda, closing_waits_for_what_the_consumer_still_reads)
{
    struct dls_cuda_config config = config_of(DLS_DTYPE_FLOAT32, DLS_LAYOUT_NHWC, false);
    struct dls_cuda *cuda = start(&config);
    static uint8_t got[NUMBERS * 4], wanted[NUMBERS * 4];
    dls_device_tensor tensor;

    fill(2, 7, SIZE);
    cr_assert_eq(dls_cuda_upload(cuda, 2, &slots[2]), 0);
    cr_assert_eq(dls_cuda_tensor(cuda, 2, NULL, &tensor), 0);
    fake_cuda_read(got, tensor.images, tensor.images_bytes, NULL);
    stop(&cuda); /* the batch is still lent */
    expect(&config, 7, SIZE, wanted);
    cr_assert_arr_eq(got, wanted, sizeof(wanted));
}

Test(cuda, a_fifth_stream_is_refused)
{
    struct dls_cuda_config config = config_of(DLS_DTYPE_UINT8, DLS_LAYOUT_NHWC, false);
    struct dls_cuda *cuda = start(&config);
    void *streams[5];
    dls_device_tensor tensor;

    fill(0, 1, SIZE);
    cr_assert_eq(dls_cuda_upload(cuda, 0, &slots[0]), 0);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5; i++) {
            streams[i] = fake_cuda_stream();
            cr_assert_eq(dls_cuda_tensor(cuda, 0, streams[i], &tensor), i < 4 ? 0 : -ENOSPC);
        }
        cr_assert_eq(dls_cuda_tensor(cuda, 0, streams[3], &tensor), 0); /* known already */
        dls_cuda_release(cuda, 0);
        cr_assert_eq(dls_cuda_upload(cuda, 0, &slots[0]), 0);
        cr_assert_eq(dls_cuda_wait_host(cuda, 0), 0);
        for (int i = 0; i < 5; i++)
            fake_cuda_stream_end(streams[i]);
    }
    stop(&cuda);
}

/* Each call in turn fails, once. Nothing leaks, nothing is used that is not there. */
Test(cuda, every_fault_is_an_error_and_leaves_nothing_behind)
{
    uint64_t nth = 0, failed = 0;
    bool through = false;

    while (!through) {
        struct dls_cuda_config config = config_of(DLS_DTYPE_BFLOAT16, DLS_LAYOUT_NCHW, true);
        struct dls_cuda *cuda = NULL;
        dls_device_tensor tensor;
        uint64_t bytes;
        cr_assert_eq(dls_slot_bytes(&config.shape, &bytes), 0);
        cr_assert_eq(dls_host_alloc(bytes * SLOTS, false, -1, &memory), 0);
        for (uint32_t i = 0; i < SLOTS; i++)
            dls_slot_bind(&slots[i], &config.shape, memory.data + i * bytes);
        fake_cuda_fail(++nth);
        int r = dls_cuda_create(&config, memory.data, &cuda);
        for (uint32_t n = 0; r == 0 && n < 2 * SLOTS; n++) {
            r = dls_cuda_wait_host(cuda, n % SLOTS);
            if (r == 0)
                r = dls_cuda_upload(cuda, n % SLOTS, &slots[n % SLOTS]);
            if (r == 0)
                r = dls_cuda_tensor(cuda, n % SLOTS, NULL, &tensor);
            if (r == 0)
                dls_cuda_release(cuda, n % SLOTS); /* a failure shows at the next upload */
        }
        cr_assert(r == 0 || r == -EIO, "%d", r);
        failed += r < 0;
        through = r == 0 && fake_cuda_count(FAKE_CALLS) < nth;
        stop(&cuda);
    }
    cr_assert_gt(failed, 40);
}

Test(cuda, freeing_nothing_is_harmless)
{
    struct dls_cuda *cuda = NULL;

    dls_cuda_free(&cuda);
    cr_assert_null(cuda);
}
