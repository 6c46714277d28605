/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
/* Inlined, so that the state can live in memory of ours: the library's own constructor would call malloc. */
#define XXH_INLINE_ALL
#include <xxhash.h>

struct dls_hasher {
    XXH3_state_t state;
};

uint64_t dls_hash64(const void *data, size_t length)
{
    return XXH3_64bits(data, length);
}

int dls_hasher_create(struct dls_hasher **ret_hasher)
{
    struct dls_hasher *hasher = dls_alloc_aligned(DLS_MEM_BASE, _Alignof(struct dls_hasher), sizeof(*hasher));

    if (hasher == NULL)
        return -ENOMEM;
    dls_hasher_reset(hasher);
    *ret_hasher = hasher;
    return 0;
}

void dls_hasher_reset(struct dls_hasher *hasher)
{
    XXH3_128bits_reset(&hasher->state);
}

void dls_hasher_add(struct dls_hasher *hasher, const void *data, size_t length)
{
    XXH3_128bits_update(&hasher->state, data, length);
}

/* The 64- and the 128-bit variants share state and update, they differ in the last step alone; so one pass over the
 * data can give both. A test holds this against one-shot values. */
uint64_t dls_hasher_64(const struct dls_hasher *hasher)
{
    return XXH3_64bits_digest(&hasher->state);
}

void dls_hasher_128(const struct dls_hasher *hasher, uint8_t ret_digest[16])
{
    XXH128_canonical_t canonical;

    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&hasher->state));
    memcpy(ret_digest, canonical.digest, 16);
}

void dls_hasher_free(struct dls_hasher **hasher)
{
    if (hasher == NULL)
        return;
    dls_free(*hasher);
    *hasher = NULL;
}
