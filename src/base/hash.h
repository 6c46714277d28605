/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DLS_BASE_HASH_H
#define DLS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3, 64 bits, seed 0: the checksum of the format. */
uint64_t dls_hash64(const void *data, size_t length);

/* The same in pieces. Allocated once, reset for each use. */
struct dls_hasher;
int dls_hasher_create(struct dls_hasher **ret_hasher);
void dls_hasher_reset(struct dls_hasher *hasher);
void dls_hasher_add(struct dls_hasher *hasher, const void *data, size_t length);
uint64_t dls_hasher_64(const struct dls_hasher *hasher);
/* XXH3 128 bits, canonical (big-endian) bytes. */
void dls_hasher_128(const struct dls_hasher *hasher, uint8_t ret_digest[16]);
void dls_hasher_free(struct dls_hasher **hasher);

#endif
