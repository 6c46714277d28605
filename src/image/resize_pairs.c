/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_pairs.h"

#include <emmintrin.h>

/* The four pairs of a group, in the order of struct dls_column_pairs. */
static inline __m128i pairs_of(const int32_t weights[DLS_GROUP])
{
    __m128i weight = _mm_loadu_si128((const __m128i *)weights);
    __m128i high = _mm_srai_epi32(weight, DLS_LOW_BITS);
    __m128i low = _mm_and_si128(weight, _mm_set1_epi32((1 << DLS_LOW_BITS) - 1));
    return _mm_shuffle_epi32(_mm_packs_epi32(high, low), _MM_SHUFFLE(3, 1, 2, 0));
}

size_t dls_pairs_size(const struct dls_axis *axis, uint32_t lanes)
{
    size_t vectors = (axis->key.count + 4 * lanes - 1) / (4 * lanes) * 4;
    return dls_pairs_starts_size(axis, lanes) + vectors * axis->groups * 4 * lanes * 16;
}

static void pack_pixel(const int32_t *weights, uint32_t groups, uint32_t lanes, __m128i *to)
{
    for (uint32_t g = 0; g < groups; g++, to += 4 * lanes) {
        __m128i pairs = pairs_of(weights + g * DLS_GROUP);
        _mm_store_si128(to, _mm_shuffle_epi32(pairs, 0x00));
        _mm_store_si128(to + lanes, _mm_shuffle_epi32(pairs, 0x55));
        _mm_store_si128(to + 2 * lanes, _mm_shuffle_epi32(pairs, 0xAA));
        _mm_store_si128(to + 3 * lanes, _mm_shuffle_epi32(pairs, 0xFF));
    }
}

void dls_pairs_pack(const struct dls_axis *axis, uint32_t lanes, void *packed)
{
    uint32_t block = 4 * lanes, end = (axis->key.count + block - 1) / block * block, *starts = packed;
    __m128i *vectors = (__m128i *)((uint8_t *)packed + dls_pairs_starts_size(axis, lanes));
    size_t vector = (size_t)axis->groups * 4 * lanes;
    for (uint32_t i = 0; i < end; i++) {
        /* Pixels behind the last do as it does; nobody sees them. */
        uint32_t pixel = i < axis->key.count ? i : axis->key.count - 1;
        starts[i] = 3 * axis->spans[pixel].start;
        pack_pixel(axis->weights + (size_t)pixel * axis->pitch, axis->groups, lanes,
                   vectors + (i / block * 4 + i % 4) * vector + i % block / 4);
    }
}

size_t dls_columns_size(const struct dls_axis *axis)
{
    return (size_t)axis->key.count * axis->groups * sizeof(struct dls_column_pairs);
}

void dls_columns_pack(const struct dls_axis *axis, void *packed)
{
    __m128i *to = packed;
    size_t groups = (size_t)axis->key.count * axis->groups;
    for (size_t g = 0; g < groups; g++)
        _mm_store_si128(to + g, pairs_of(axis->weights + g * DLS_GROUP));
}
