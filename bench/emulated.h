/* SPDX-License-Identifier: Apache-2.0 */
/* A folder on an emulated disk for the length of a run: `dls-bench sim` in a child process. */
#ifndef DLS_BENCH_EMULATED_H
#define DLS_BENCH_EMULATED_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

struct bench_emulated {
    pid_t child; /* 0: none */
    int report;  /* the read end of its standard output */
    int words;   /* the same of its standard error: closed before its end, the pipe would kill it */
    char mountpoint[64];
};

/* Reads the files of `folder` once, so that what lies below the emulated disk is memory, and mounts it on a
 * fresh directory. `options` changes numbers of the profile and may be NULL. Zero *ret_emulated before. */
int bench_emulated_start(const char *profile, const char *options, const char *folder,
                         struct bench_emulated *ret_emulated);

/* Unmounts. *ret_report is what the disk says of the run: a new reference, or NULL where it failed. Does
 * nothing where none was started. */
int bench_emulated_stop(struct bench_emulated *emulated, json_t **ret_report);

#endif
