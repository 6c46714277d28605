/* SPDX-License-Identifier: Apache-2.0 */
/* File names as Python sorts them. */
#ifndef TOOLS_SHARDS_NAMES_H
#define TOOLS_SHARDS_NAMES_H

#include <stddef.h>

/* Compares as Python compares two str objects that os.listdir() gives: by code point, where a byte that is
 * not UTF-8 counts as U+DC00 + byte (surrogateescape). That is the order of the bytes, except that such bytes
 * come before U+E000. So labels are those of torchvision's ImageFolder. < 0, 0, > 0. */
int names_compare(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
