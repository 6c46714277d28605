/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLS_BENCH_DEVICE_H
#define DLS_BENCH_DEVICE_H

#include <stddef.h>

/* One line about the block device under `path`, such as "vda, not rotational, scheduler none, 268 GB"; ""
 * where there is none that the system knows of (tmpfs, FUSE, network). */
void bench_device_describe(const char *path, char *ret_text, size_t size);

#endif
