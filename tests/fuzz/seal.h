/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets of the format share. Checksums stop mutations at once, so the first byte of an input says
 * whether the target makes them right again before parsing. */
#ifndef DLS_TESTS_SEAL_H
#define DLS_TESTS_SEAL_H

#include "base/bytes.h"
#include "base/hash.h"
#include "shard/layout.h"

#include <stdlib.h>

/* A copy of input[1, size) that may be changed, in memory that ends where the input ends; free() it. */
static inline uint8_t *seal_copy(const uint8_t *input, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        abort();
    if (size > 1)
        memcpy(copy, input + 1, size - 1);
    return copy;
}

/* Puts the checksum of bytes[from, to) at `at`. */
static inline void seal(uint8_t *bytes, size_t from, size_t to, size_t at)
{
    dls_put64(bytes + at, dls_hash64(bytes + from, to - from));
}

/* A schema with a field of each type. */
static inline void seal_schema(struct dls_schema *schema)
{
    *schema = (struct dls_schema){0};
    if (dls_schema_add(schema, "image", 5, DLS_FIELD_IMAGE, 0) < 0 ||
        dls_schema_add(schema, "label", 5, DLS_FIELD_INT64, 1) < 0 ||
        dls_schema_add(schema, "key", 3, DLS_FIELD_STRING, 0) < 0 ||
        dls_schema_add(schema, "mask", 4, DLS_FIELD_BYTES, 0) < 0 ||
        dls_schema_add(schema, "box", 3, DLS_FIELD_FLOAT32, 4) < 0 || dls_schema_complete(schema) < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#endif
