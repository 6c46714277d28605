/* SPDX-License-Identifier: Apache-2.0 */
#include "jpeg_loop.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/thread.h"
#include "usage.h"

/* A header may claim 65500 × 65500 pixels. */
#define PIXEL_BYTES_MOST (1ull << 30)

struct shared {
    const struct bench_files *files;
    const atomic_int *stop;
    uint64_t deadline;
    _Atomic uint64_t next;
};

struct worker {
    struct dls_thread thread;
    struct shared *shared;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
    uint8_t *pixels; /* grows to the largest picture */
    size_t room;
    struct jpeg_loop_result result;
    int error;
};

static void on_error(j_common_ptr common)
{
    longjmp(((struct worker *)common->client_data)->failed, 1);
}

static void on_message(j_common_ptr common)
{
}

/* 1: decoded, 0: not a picture for libjpeg-turbo, else a negative errno. */
static int decode(struct worker *worker, const struct bench_file *file)
{
    struct jpeg_decompress_struct *jpeg = &worker->jpeg;

    if (setjmp(worker->failed)) {
        jpeg_abort_decompress(jpeg);
        return 0;
    }
    jpeg_mem_src(jpeg, file->data, file->length);
    jpeg_read_header(jpeg, TRUE);
    jpeg->out_color_space = JCS_RGB;
    jpeg_start_decompress(jpeg);
    size_t stride = (size_t)jpeg->output_width * 3;
    if (stride * jpeg->output_height > PIXEL_BYTES_MOST) {
        jpeg_abort_decompress(jpeg);
        return 0;
    }
    if (stride * jpeg->output_height > worker->room) {
        dls_free(worker->pixels);
        worker->room = stride * jpeg->output_height;
        worker->pixels = dls_alloc_aligned(DLS_MEM_TOOL, 64, worker->room);
        if (!worker->pixels) {
            worker->room = 0;
            jpeg_abort_decompress(jpeg);
            return -ENOMEM;
        }
    }
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW rows[16];
        for (unsigned i = 0; i < 16; i++)
            rows[i] = worker->pixels + (jpeg->output_scanline + i) * stride;
        JDIMENSION left = jpeg->output_height - jpeg->output_scanline;
        jpeg_read_scanlines(jpeg, rows, left < 16 ? left : 16);
    }
    worker->result.pixels += (uint64_t)jpeg->output_width * jpeg->output_height;
    jpeg_finish_decompress(jpeg);
    return 1;
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    struct shared *shared = worker->shared;

    worker->jpeg.err = jpeg_std_error(&worker->errors);
    worker->errors.error_exit = on_error;
    worker->errors.output_message = on_message;
    worker->jpeg.client_data = worker;
    if (setjmp(worker->failed)) {
        worker->error = -ENOMEM;
        return NULL;
    }
    jpeg_create_decompress(&worker->jpeg);
    /* Each thread takes one file at least: a rate from a time too short is still a rate. */
    do {
        const struct bench_file *file =
            &shared->files->list[atomic_fetch_add(&shared->next, 1) % shared->files->count];
        int r = decode(worker, file);
        if (r < 0) {
            worker->error = r;
            break;
        }
        worker->result.images += r == 1;
        worker->result.refused += r == 0;
        worker->result.bytes += r == 1 ? file->length : 0;
    } while (dls_now() < shared->deadline && !atomic_load_explicit(shared->stop, memory_order_relaxed));
    jpeg_destroy_decompress(&worker->jpeg);
    dls_free(worker->pixels);
    return NULL;
}

int jpeg_loop(const struct bench_files *files, unsigned threads, double seconds, const atomic_int *stop,
              struct jpeg_loop_result *ret_result)
{
    struct jpeg_loop_result sum = {0};
    struct bench_usage before, used;
    int r = 0;

    struct worker *workers = dls_alloc_array(DLS_MEM_TOOL, threads, sizeof(*workers));
    if (!workers)
        return -ENOMEM;
    bench_usage_now(&before);
    uint64_t start = dls_now();
    struct shared shared = {files, stop, start + (uint64_t)(seconds * 1e9), 0};
    for (unsigned i = 0; i < threads && r == 0; i++) {
        workers[i].shared = &shared;
        r = dls_thread_start(&workers[i].thread, "decode", work, &workers[i]);
    }
    for (unsigned i = 0; i < threads; i++) {
        dls_thread_join(&workers[i].thread);
        sum.images += workers[i].result.images;
        sum.pixels += workers[i].result.pixels;
        sum.bytes += workers[i].result.bytes;
        sum.refused += workers[i].result.refused;
        if (r == 0)
            r = workers[i].error;
    }
    sum.elapsed_ns = dls_now() - start;
    bench_usage_since(&before, &used);
    sum.cpu_seconds = used.user_seconds + used.system_seconds;
    dls_free(workers);
    if (r == 0 && sum.images == 0 && sum.refused > 0)
        r = dls_err(EINVAL, "none of the %zu files is a JPEG picture", files->count);
    if (r == 0)
        *ret_result = sum;
    return r;
}
