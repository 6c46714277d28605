/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_SHARDS_READ_FILE_H
#define TOOLS_SHARDS_READ_FILE_H

#include "shards/problem.h"

/* Reads the file `path` below directory dir_fd, which was `size` bytes long when it was listed, into memory
 * (size + 1 bytes of room: one more than it should have shows growth). The file is opened for reading only,
 * without touching its access time where that is allowed, and never waited for if it has become a pipe.
 * Returns 0, or a negative errno with the kind and the reason. */
int read_file(int dir_fd, const char *path, uint8_t *memory, size_t size, enum problem_kind *ret_kind,
              char *ret_text, size_t text_size);

#endif
