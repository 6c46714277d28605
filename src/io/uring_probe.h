/* SPDX-License-Identifier: Apache-2.0 */
/* What of io_uring this kernel, its filters and limits allow. Texts go to `why`, of DLS_IO_DETAIL bytes. */
#ifndef DLS_IO_URING_PROBE_H
#define DLS_IO_URING_PROBE_H

#include <liburing.h>
#include <stdbool.h>
#include <stdint.h>

/* Makes a ring with the best flags that are taken here. `disabled`: where the ring is bound to one thread,
 * leave that to the thread that enables it. *ret_flags: the flags in force. 0, or -ENOTSUP with the reason in
 * `why`. */
int dls_uring_start(struct io_uring *ring, uint32_t entries, bool disabled, unsigned *ret_flags, char *why);
/* Reads the first page of fd into memory[0, 4096) by a ring of its own. 0, or -ENOTSUP with the reason in
 * `why`. */
int dls_uring_test(int fd, uint8_t *memory, char *why);
/* "RLIMIT_MEMLOCK 64 KiB is below the 256 MiB of read memory", or what else explains that registering failed.
 */
void dls_uring_why_plain(int error, uint64_t bytes, char *ret_text, size_t size);

#endif
