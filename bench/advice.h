/* SPDX-License-Identifier: Apache-2.0 */
/* What measurements of disk, decoder and trainer say about what to change. */
#ifndef DLS_BENCH_ADVICE_H
#define DLS_BENCH_ADVICE_H

#include <stddef.h>
#include <stdint.h>

struct bench_folder_rate {
    uint32_t workers;
    double images; /* a second */
};

/* All rates are in images a second, but for disk_bytes. */
struct bench_advice {
    double disk, disk_bytes, record_bytes;
    double decoder_thread; /* of one thread that never waits */
    uint32_t threads, cpus, batch;
    double loader;  /* all of it, without a trainer */
    double trainer; /* 0: not known */
    struct bench_folder_rate
        folder[8]; /* files one by one, by rising numbers of workers; none: not measured */
    size_t folder_count;
};

/* The fewest workers that give 95 % of the best; 0: not measured. */
uint32_t bench_advice_workers(const struct bench_advice *advice, double *ret_images);
/* Says it in sentences, one a call. */
void bench_advice_say(const struct bench_advice *advice, void (*say)(void *user, const char *text),
                      void *user);

#endif
