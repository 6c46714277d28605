/* SPDX-License-Identifier: Apache-2.0 */
/* A read engine that misbehaves by a seed: completions come late, in any order, short, interrupted or failed.
 * Single threaded inside, so that a seed always gives the same run. */
#ifndef DLS_TESTS_FAULTY_IO_H
#define DLS_TESTS_FAULTY_IO_H

#include "io/io.h"

#include <stdbool.h>

struct faulty_io {
    uint64_t seed;
    /* One request in so many meets this; 0: none. */
    uint32_t short_in;         /* fewer bytes, any number from 1 on */
    uint32_t interrupt_in;     /* -EINTR */
    uint32_t again_in;         /* -EAGAIN */
    uint32_t io_error_in;      /* -EIO, but never twice at an offset */
    uint32_t spurious_in;      /* a wait() that returns nothing for no reason */
    bool late;                 /* completions in random order, some held back over many waits */
    uint64_t bad_from, bad_to; /* reads that touch this range of any file always fail with -EIO */
    uint32_t refuse_after; /* once so many requests are through, direct ones fail with -EINVAL; 0: never */

    /* What was seen. */
    uint32_t most_in_flight, in_flight, requests, faults;
    uint32_t order_breaks; /* first reads of an offset below an earlier one of the same file */
    uint64_t longest;      /* request */
};

/* What the next engine opened through faulty_io_ops does; must outlive it. */
extern struct faulty_io *faulty_io_next;
extern const struct dls_io_ops faulty_io_ops;

#endif
