/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a folder's files the page cache holds, and emptying it. */
#ifndef DLS_BENCH_PAGE_CACHE_H
#define DLS_BENCH_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct page_cache {
    uint64_t bytes;    /* of the files, rounded up to pages */
    uint64_t resident; /* of them in the page cache */
    bool known;        /* the kernel could be asked (cachestat(2), Linux 6.5) */
};

/* Files in `folder` itself, not in folders below it. */
int page_cache_get(const char *folder, struct page_cache *ret_state);

/* Writes back and drops the pages of the files in `folder`; *ret_all is true where the whole machine's caches
 * could be dropped as well (root only). */
int page_cache_drop(const char *folder, bool *ret_all);

/* Reads all files in `folder` and below it, so that as much of them as fits is in the page cache. */
int page_cache_fill(const char *folder);

#endif
