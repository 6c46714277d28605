/* SPDX-License-Identifier: Apache-2.0 */
/* --engine=mmap: the way of loaders that map their files. Each request is a mapping that one thread copies
 * out of, so that the kernel reads what is not in memory page fault by page fault, with its own read-ahead.
 */
#ifndef DLS_BENCH_MMAP_IO_H
#define DLS_BENCH_MMAP_IO_H

#include "io/io.h"

extern const struct dls_io_ops bench_io_mmap;

#endif
