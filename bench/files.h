/* SPDX-License-Identifier: Apache-2.0 */
/* All files of a folder, read into memory. */
#ifndef DLS_BENCH_FILES_H
#define DLS_BENCH_FILES_H

#include <stddef.h>
#include <stdint.h>

struct bench_file {
    char *path;
    uint8_t *data;
    size_t length;
};

struct bench_files {
    struct bench_file *list; /* sorted by path, so that runs compare */
    size_t count, room;
    uint64_t bytes;
};

/* Reads every regular file below `folder`. Free with bench_files_free() whether it succeeds or not. */
int bench_files_load(const char *folder, struct bench_files *ret_files);
void bench_files_free(struct bench_files *files);

#endif
