/* SPDX-License-Identifier: Apache-2.0 */
/* Bare libjpeg-turbo: files in memory are decoded to RGB over and over, by some threads, for some time. */
#ifndef DLS_BENCH_JPEG_LOOP_H
#define DLS_BENCH_JPEG_LOOP_H

#include <stdatomic.h>
#include <stdint.h>

#include "files.h"

struct jpeg_loop_result {
    uint64_t images, pixels;
    uint64_t bytes;   /* of the files decoded */
    uint64_t refused; /* pictures that libjpeg-turbo does not decode; not counted in `images` */
    uint64_t elapsed_ns;
    double cpu_seconds; /* of this process, in that time */
};

/* The files are shared out one by one. Ends after `seconds`, or soon after *stop becomes non-zero. */
int jpeg_loop(const struct bench_files *files, unsigned threads, double seconds, const atomic_int *stop,
              struct jpeg_loop_result *ret_result);

#endif
