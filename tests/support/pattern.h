/* SPDX-License-Identifier: Apache-2.0 */
/* Files whose every 8 bytes tell where they are from, so that a read that lands in the wrong place is seen.
 */
#ifndef DLS_TESTS_PATTERN_H
#define DLS_TESTS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The one temporary directory of this process, made at the first call. */
const char *pattern_dir(void);

/* The bytes of file `number` at [offset, offset + length), both multiples of 8. */
void pattern_fill(uint32_t number, uint64_t offset, uint8_t *memory, size_t length);
/* Writes that file. */
void pattern_write(const char *path, uint32_t number, uint64_t length);
/* The offset of the first byte in memory that differs from the file's, or -1. */
int64_t pattern_check(uint32_t number, uint64_t offset, const uint8_t *memory, size_t length);
/* Page-aligned memory filled with 0xee; free() it. */
uint8_t *pattern_memory(size_t length);
/* Whether the file takes a direct read, by trying. */
bool pattern_direct_works(const char *path);

#endif
