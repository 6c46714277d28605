/* SPDX-License-Identifier: Apache-2.0 */
/* Reads extents: splits them into requests, keeps `depth` of them in flight, repeats short and interrupted
 * reads, opens the files. The only user of the engines. Everything but dls_reader_wake() and the statistics
 * belongs to one thread, the one that first calls dls_reader_wait(). Another may open the reader before, and
 * close it once it is idle; better close it from its own thread, which gives locked memory back at once. */
#ifndef DLS_IO_READER_H
#define DLS_IO_READER_H

#include "io/io.h"

#include <stdbool.h>

struct dls_hist;

struct dls_extent {
    uint32_t file;   /* index into config.paths */
    uint64_t offset; /* multiple of 4096 */
    uint64_t length; /* likewise */
    uint8_t *memory; /* 4096-aligned destination of `length` bytes */
    void *user;
    int result;             /* 0 or a negative errno once it comes back */
    uint64_t error_at;      /* file offset of the failed read, or where the file ends too early (-EBADMSG) */
    const char *error_what; /* static string: what failed */
    struct dls_extent *next;
    /* The reader's own: */
    uint64_t asked, done; /* bytes submitted, bytes arrived */
    uint32_t in_flight;
};

struct dls_reader_config {
    const char *(*path)(void *user, uint32_t file); /* of file `file`; must stay valid */
    void *path_user;
    uint32_t files;
    uint32_t open_files; /* files kept open at most; 0 = 256; no more than `files` are */
    dls_engine engine;
    dls_direct direct;
    uint32_t depth;         /* requests in flight at most; 0 = 32 */
    uint32_t request_bytes; /* longest request, a multiple of 4096; 0 = 1 MiB */
    uint8_t *memory;        /* the arena all extents lie in */
    uint64_t memory_bytes;
    const struct dls_io_ops *ops; /* tests only: this engine instead of a probed one; else NULL */
};

struct dls_reader;

/* Probes engines from the best down with a real test read of file 0, and keeps the first that works.
 * *ret_reader is freed with dls_reader_close(). */
int dls_reader_open(const struct dls_reader_config *config, struct dls_reader **ret_reader);
/* Queues an extent. Reads start in the order of the calls, inside dls_reader_wait() only: call that soon. The
 * extent comes back from it, in any order. */
void dls_reader_push(struct dls_reader *reader, struct dls_extent *extent);
/* Submits what fits, waits for completions until at least one extent is finished, wake() is called, or
 * timeout_ns is over (< 0: for ever; 0: only collect). *ret_done: list of finished extents or NULL. Returns 0
 * or a negative errno when the engine itself failed. */
int dls_reader_wait(struct dls_reader *reader, int64_t timeout_ns, struct dls_extent **ret_done);
/* Puts a failed extent's story, with path and offset, into this thread's error text. Returns its result. */
int dls_reader_explain(const struct dls_reader *reader, const struct dls_extent *extent);
bool dls_reader_idle(const struct dls_reader *reader); /* nothing queued or in flight */
void dls_reader_wake(struct dls_reader *reader);       /* any thread */
void dls_reader_close(struct dls_reader **reader);     /* waits for what is in flight */

#define DLS_IO_DEPTHS 11 /* up to 1024, the deepest there is */

struct dls_reader_stats {
    uint64_t reads, bytes, retries;
    uint64_t depths[DLS_IO_DEPTHS]; /* requests that made 2^i to 2^(i+1) - 1 in flight, themselves included */
    uint64_t wait_ns;               /* time spent inside the engine's wait() */
    const char *engine;             /* static string */
    const char *detail;             /* lives as long as the reader */
    const struct dls_hist *latency; /* of single requests, ns */
};
void dls_reader_get_stats(const struct dls_reader *reader,
                          struct dls_reader_stats *ret_stats); /* any thread */

#endif
