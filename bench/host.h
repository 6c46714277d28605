/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about the machine that go with every result. No host name and no path of the machine is among
 * them. */
#ifndef DLS_BENCH_HOST_H
#define DLS_BENCH_HOST_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct bench_host {
    char kernel[80];
    char cpu[96];
    unsigned cpus;   /* online */
    unsigned usable; /* by this process: affinity and quota */
    uint64_t memory_bytes;
    char filesystem[32]; /* type of the file system under the data; "" if not asked for */
    char device[256];    /* one line about it and the device under it, "" if unknown */
};

/* `path` may be NULL. Never fails: what cannot be found out stays empty. */
void bench_host_get(const char *path, struct bench_host *ret_host);

/* "libjpeg-turbo 2.1.5, zstd 1.5.4, …": what this program was built with or has loaded. Static storage. */
const char *bench_host_libraries(void);

void bench_host_print(const struct bench_host *host, FILE *out);
/* A new reference, or NULL when memory is short. */
json_t *bench_host_json(const struct bench_host *host);

#endif
