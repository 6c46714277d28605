/* SPDX-License-Identifier: Apache-2.0 */
/* Whole reads and writes of plain files, with errors that name path and offset. */
#ifndef DLS_SHARD_FILE_H
#define DLS_SHARD_FILE_H

#include <stddef.h>
#include <stdint.h>

int dls_file_open(const char *path, int *ret_fd);
/* All of `length` bytes or an error; the end of the file is -EBADMSG ("cut off"). */
int dls_file_read(int fd, const char *path, void *memory, uint64_t length, uint64_t offset);
/* The whole file plus a NUL behind it; at most `most` bytes. The caller frees *ret_bytes. */
int dls_file_load(const char *path, uint64_t most, char **ret_bytes, size_t *ret_length);
int dls_file_write(int fd, const char *path, const void *memory, size_t length);
/* fsync() of a file or directory by path. */
int dls_file_sync(const char *path);

#endif
