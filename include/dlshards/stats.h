/* SPDX-License-Identifier: Apache-2.0 */
/** @file stats.h
 *  What a loader counts. Times are in nanoseconds, summed over the threads of a stage. */
#ifndef DLSHARDS_STATS_H
#define DLSHARDS_STATS_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Percentiles of a latency in nanoseconds, from a log-linear histogram with an error below 1 %. */
typedef struct dls_latency {
    uint64_t count, min, p50, p90, p99, p999, max;
} dls_latency;

/** A stage: what went through it and what its threads did with their time. */
typedef struct dls_stage {
    uint32_t threads;      /**< that work in it */
    uint64_t items;        /**< reads, samples or batches that left it */
    uint64_t bytes;        /**< off the device; of images decoded; of batches handed out */
    uint64_t busy_ns;      /**< working */
    uint64_t wait_in_ns;   /**< waiting for something to work on */
    uint64_t wait_out_ns;  /**< waiting for room behind it */
    dls_latency latency;   /**< of one item */
} dls_stage;

/** Which stage holds the others up. */
typedef enum dls_bound {
    DLS_BOUND_UNKNOWN = 0, /**< too little has been measured */
    DLS_BOUND_DISK = 1,
    DLS_BOUND_DECODER = 2,
    DLS_BOUND_CONSUMER = 3
} dls_bound;

/** How good a shuffle is, beside a true permutation of all records. Estimated from the manifest alone: nothing is read.
 *  A dataset that was packed without shuffling is taken to lie class after class. */
typedef struct dls_quality {
    double classes;          /**< different classes in a batch, on average; 0 in a dataset without classes */
    double classes_expected; /**< what a true permutation gives */
    double mates;            /**< the share of a record's batch mates that are its mates in the next epoch, too */
    double mates_expected;   /**< what a true permutation gives */
    double lag;              /**< correlation of the places that records which follow one another had in the source:
                                  0 when mixed, 1 when in order */
    int order;               /**< the dls_order (loader.h) that this is about */
    uint32_t window_blocks;  /**< likewise */
    uint32_t batch_size;     /**< likewise */
    uint64_t window_bytes;   /**< memory that it takes */
} dls_quality;

/** A snapshot. The strings live as long as the loader. */
typedef struct dls_stats {
    uint64_t elapsed_ns;       /**< since the loader was opened */
    dls_stage read;            /**< the I/O thread: items are reads; wait_in: for the disk, wait_out: for window memory */
    dls_stage decode;          /**< the decode threads: wait_in: for records, wait_out: for a free batch buffer */
    dls_stage consume;         /**< the caller: items are batches; wait_in: inside dls_loader_next(); busy: the rest */
    dls_bound bound;           /**< the bottleneck since the loader was opened */
    const char *engine;        /**< what reads: "io_uring", "pread" */
    const char *engine_detail; /**< how, and why nothing better: "O_DIRECT, fixed buffers, fixed files; …" */
    uint32_t io_depth;         /**< requests in flight at most */
    uint32_t io_bytes;         /**< bytes a read at most */
    uint32_t window_blocks;    /**< blocks in a group of the window order */
    uint64_t window_bytes;     /**< memory of the window */
    uint64_t memory_bytes;     /**< what the loader holds in all */
    uint64_t memory_budget;    /**< what it was allowed */
    const char *memory_detail; /**< of what kind: "window: huge pages, locked; batches: pinned for CUDA device 0" */
    uint64_t device_bytes;     /**< memory on the CUDA device; not part of the budget */
    uint64_t read_retries;     /**< short, interrupted or failed reads that were repeated */
    uint64_t heap_allocations; /**< of the library's own code in this process, all loaders and datasets together */
    int order;                 /**< the dls_order (loader.h) in force */
    dls_quality quality;       /**< of the shuffle, computed when the loader was opened */
    uint32_t rank;             /**< of this loader */
    uint32_t world;            /**< ranks that share an epoch */
    uint64_t bad_records;      /**< samples that were skipped or substituted: params.on_error */
    uint64_t decode_warnings;  /**< pictures that were decoded with a warning about damage */
    uint64_t read_depths[11];  /**< reads by depth: element i counts those that made 2^i to 2^(i+1) - 1 in flight, itself
                                    included */
} dls_stats;

#ifdef __cplusplus
}
#endif
#endif
