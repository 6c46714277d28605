/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_kernel.h"

#include "image/resize_pairs.h"

#include <immintrin.h>

#define FAST __attribute__((target("avx2")))
#define INLINE __attribute__((target("avx2"), always_inline)) static inline
#define LANES 2

static bool usable(void)
{
    return __builtin_cpu_supports("avx2");
}

static size_t horizontal_size(const struct dls_axis *axis)
{
    return dls_pairs_size(axis, LANES);
}

static void pack_horizontal(const struct dls_axis *axis, void *packed)
{
    dls_pairs_pack(axis, LANES, packed);
}

INLINE __m256i finish(__m256i high, __m256i low)
{
    __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(high, DLS_LOW_BITS), low);
    return _mm256_srai_epi32(sum, DLS_WEIGHT_BITS);
}

/* Two pixels, one a lane: 32-bit red, green, blue and nothing. */
INLINE __m256i two_pixels(const uint8_t *a, const uint8_t *b, const __m256i *weights, uint32_t groups)
{
    const __m256i front =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1));
    const __m256i back = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1));
    __m256i high = _mm256_setzero_si256(), low = _mm256_set1_epi32(1 << (DLS_WEIGHT_BITS - 1));
    for (uint32_t g = 0; g < groups; g++, a += 12, b += 12, weights += 4) {
        __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a)),
                                                _mm_loadu_si128((const __m128i *)b), 1);
        __m256i one = _mm256_shuffle_epi8(bytes, front), two = _mm256_shuffle_epi8(bytes, back);
        high = _mm256_add_epi32(high, _mm256_madd_epi16(one, weights[0]));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(one, weights[1]));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(two, weights[2]));
        low = _mm256_add_epi32(low, _mm256_madd_epi16(two, weights[3]));
    }
    return finish(high, low);
}

INLINE void across(const struct dls_axis *axis, const void *packed, const uint8_t *from, uint8_t *to,
                   uint32_t groups)
{
    const __m256i squeeze =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
    const uint32_t *starts = packed;
    const __m256i *weights = (const __m256i *)((const uint8_t *)packed + dls_pairs_starts_size(axis, LANES));
    for (uint32_t i = 0; i < axis->key.count; i += 8, starts += 8, to += 24) {
        __m256i pixels[4];
#pragma GCC unroll 4
        for (unsigned v = 0; v < 4; v++, weights += 4 * groups)
            pixels[v] = two_pixels(from + starts[v], from + starts[v + 4], weights, groups);
        __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(pixels[0], pixels[1]),
                                            _mm256_packs_epi32(pixels[2], pixels[3]));
        bytes = _mm256_shuffle_epi8(bytes, squeeze);
        _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(bytes));
        _mm_storeu_si128((__m128i *)(to + 12), _mm256_extracti128_si256(bytes, 1));
    }
}

FAST static void horizontal(const struct dls_resize_table *table, const uint8_t *from, uint8_t *to)
{
    uint32_t groups = table->axis.groups;
    if (groups == 1)
        across(&table->axis, table->packed, from, to, 1);
    else if (groups == 2)
        across(&table->axis, table->packed, from, to, 2);
    else
        across(&table->axis, table->packed, from, to, groups);
}

/* 32 bytes of a row of the result. */
INLINE void down(const struct dls_column_pairs *pairs, uint32_t taps, const uint8_t *const *rows, size_t at,
                 uint8_t *to)
{
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(1 << (DLS_WEIGHT_BITS - 1));
    __m256i high[4] = {zero, zero, zero, zero}, low[4] = {half, half, half, half};
    const int32_t *weights = &pairs->high01;
    for (uint32_t t = 0; t < taps; t += 2, weights += 2) {
        __m256i a = _mm256_loadu_si256((const __m256i *)(rows[t] + at));
        __m256i b = _mm256_loadu_si256((const __m256i *)(rows[t + 1 < taps ? t + 1 : t] + at));
        __m256i front = _mm256_unpacklo_epi8(a, b), back = _mm256_unpackhi_epi8(a, b);
        const __m256i bytes[4] = {_mm256_unpacklo_epi8(front, zero), _mm256_unpackhi_epi8(front, zero),
                                  _mm256_unpacklo_epi8(back, zero), _mm256_unpackhi_epi8(back, zero)};
        __m256i high_pair = _mm256_set1_epi32(weights[0]), low_pair = _mm256_set1_epi32(weights[1]);
#pragma GCC unroll 4
        for (unsigned v = 0; v < 4; v++) {
            high[v] = _mm256_add_epi32(high[v], _mm256_madd_epi16(bytes[v], high_pair));
            low[v] = _mm256_add_epi32(low[v], _mm256_madd_epi16(bytes[v], low_pair));
        }
    }
    /* Packing in lanes undoes the order that unpacking in lanes made. */
    __m256i front = _mm256_packs_epi32(finish(high[0], low[0]), finish(high[1], low[1]));
    __m256i back = _mm256_packs_epi32(finish(high[2], low[2]), finish(high[3], low[3]));
    _mm256_storeu_si256((__m256i *)to, _mm256_packus_epi16(front, back));
}

FAST static void vertical(const struct dls_resize_table *table, uint32_t index, const uint8_t *const *rows,
                          uint8_t *to, size_t size)
{
    const struct dls_axis *axis = &table->axis;
    const struct dls_column_pairs *pairs = table->packed;
    pairs += (size_t)index * axis->groups;
    uint32_t taps = axis->spans[index].length;
    size_t at = 0;
    if (size < 32) {
        dls_resize_portable.vertical(table, index, rows, to, size);
        return;
    }
    for (; at + 32 <= size; at += 32)
        down(pairs, taps, rows, at, to + at);
    if (at < size) /* once more some bytes that are done, rather than any behind the row */
        down(pairs, taps, rows, size - 32, to + size - 32);
}

const struct dls_resize_kernel dls_resize_avx2 = {
    .name = "avx2",
    .usable = usable,
    .overshoot = 16,
    .weigh = dls_weigh_avx2,
    .horizontal_size = horizontal_size,
    .pack_horizontal = pack_horizontal,
    .vertical_size = dls_columns_size,
    .pack_vertical = dls_columns_pack,
    .horizontal = horizontal,
    .vertical = vertical,
};
