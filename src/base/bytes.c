/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

bool dls_all_zero(const void *memory, size_t length)
{
    const unsigned char *at = memory;

    if (length == 0)
        return true;
    /* All bytes equal their neighbour, and the first one is zero. */
    return at[0] == 0 && memcmp(at, at + 1, length - 1) == 0;
}
