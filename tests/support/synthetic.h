/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures made of a seed, the same bytes here and in tests/support/synthetic.py. */
#ifndef DLS_TESTS_SYNTHETIC_H
#define DLS_TESTS_SYNTHETIC_H

#include <stddef.h>
#include <stdint.h>

enum support_pattern {
    SUPPORT_NOISE = 0, /* any byte, independently */
    SUPPORT_EDGES = 1, /* bytes of 0 and 255, independently: the largest over- and undershoots */
    SUPPORT_WAVES = 2, /* slopes up and down with a little noise, as photographs have */
    SUPPORT_PATTERNS
};

/* count bytes of picture `seed`; row_bytes: 3 × its width. */
void support_fill(enum support_pattern pattern, uint64_t seed, size_t row_bytes, uint8_t *ret_bytes,
                  size_t count);

#endif
