/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of 20,000 × 20,000 among small ones: one byte less than the least memory is refused, with the
 * least it comes, beside threads that decode the others, and the process stays within the budget. */
#include "flow/flow.h"

#include "support/check.h"
#include "support/support.h"

#include <errno.h>
#include <stdio.h>
#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SIDE 20000u
#define RECORDS 60u
#define GIGANTIC 23u

/* Written row by row, so that making it takes no memory. */
static uint8_t *make_gigantic(unsigned long *ret_length)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    uint8_t *row = malloc(SIDE * 3);

    CHECK(row != NULL);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    *ret_length = 0;
    jpeg_mem_dest(&jpeg, &data, ret_length);
    jpeg.image_width = jpeg.image_height = SIDE;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < SIDE) {
        JSAMPROW rows = row;
        memset(row, (int)(jpeg.next_scanline * 255 / SIDE), SIDE * 3);
        jpeg_write_scanlines(&jpeg, &rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(row);
    return data;
}

static const char *make(void)
{
    static const dls_field fields[] = {{.name = "image", .type = DLS_FIELD_IMAGE}};
    const char *path = support_path(support_temp_dir(), "set.dls");
    dls_writer_params params;
    dls_writer *writer = NULL;

    dls_writer_params_init(&params);
    params.fields = fields;
    params.field_count = 1;
    params.block_bytes = 16384;
    CHECK(dls_writer_open(path, &params, &writer) == 0);
    for (uint32_t i = 0; i < RECORDS; i++) {
        struct support_jpeg spec = {.width = 64, .height = 48, .seed = i};
        dls_value value = {.codec = DLS_CODEC_JPEG, .width = 64, .height = 48, .channels = 3};
        size_t length;
        unsigned long long_length;
        uint8_t *bytes;
        if (i == GIGANTIC) {
            bytes = make_gigantic(&long_length);
            length = long_length;
            value.width = value.height = SIDE;
        } else {
            bytes = support_make_jpeg(&spec, &length);
        }
        value.data = bytes;
        value.length = length;
        CHECK(dls_writer_add(writer, &value, 1) == 0);
        free(bytes);
    }
    CHECK(dls_writer_finish(writer) == 0);
    dls_writer_close(&writer);
    return path;
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;

    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return (uint64_t)usage.ru_maxrss << 10;
}

static void run_at_least_memory(dls_dataset *dataset, dls_order order, uint64_t before)
{
    dls_loader_params params = flow_params();
    unsigned long long least = 0;
    dls_loader *loader = NULL;
    const dls_batch *batch = NULL;
    unsigned seen[RECORDS] = {0};
    dls_stats stats;

    params.order = order;
    params.tail = DLS_TAIL_EXACT;
    params.threads = 4;
    params.ignore_orientation = 1;
    params.memory_bytes = 1;
    CHECK(dls_loader_open(dataset, &params, &loader) == -ENOMEM);
    CHECK(sscanf(strstr(dls_last_error(), "at least"), "at least %llu", &least) == 1);
    CHECK(least > 3ull * SIDE * SIDE);
    params.memory_bytes = least - 1;
    CHECK(dls_loader_open(dataset, &params, &loader) == -ENOMEM);
    params.memory_bytes = least;
    loader = flow_start(dataset, &params);
    int r;
    while ((r = dls_loader_next(loader, -1, &batch)) == 1) {
        for (uint32_t i = 0; i < batch->count; i++) {
            seen[batch->records[i]]++;
            if (batch->records[i] == GIGANTIC) /* dark above, bright below */
                CHECK(flow_image(batch, i)[0] < 16 &&
                      flow_image(batch, i)[flow_image_bytes(batch) - 1] > 240);
        }
        dls_batch_release(loader, &batch);
    }
    if (r < 0)
        fprintf(stderr, "%s\n", dls_last_error());
    CHECK(r == 0);
    for (uint32_t i = 0; i < RECORDS; i++)
        CHECK(seen[i] == 1);
    dls_loader_get_stats(loader, &stats);
    printf("order %d: least %.1f MB, the process has taken %.1f MB at most\n", (int)order,
           (double)least / 1e6, (double)(peak_bytes() - before) / 1e6);
    CHECK(stats.memory_bytes <= least);
#ifndef __SANITIZE_ADDRESS__
    CHECK(peak_bytes() - before <= least + least / 20);
#endif
    dls_loader_close(&loader);
}

int main(void)
{
    const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    dls_dataset *dataset;
    uint64_t before;

    if (pages > 0 && (uint64_t)pages * (uint64_t)page < 3ull << 30) {
        printf("less than 3 GiB of memory are free\n");
        return 77;
    }
    dataset = flow_open(make());
    before = peak_bytes();
    run_at_least_memory(dataset, DLS_ORDER_WINDOW, before);
    run_at_least_memory(dataset, DLS_ORDER_FULL, before);
    dls_dataset_close(&dataset);
    return 0;
}
