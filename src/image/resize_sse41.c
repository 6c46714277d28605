/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_kernel.h"

#include "image/resize_pairs.h"

#include <smmintrin.h>

#define FAST __attribute__((target("sse4.1")))
#define INLINE __attribute__((target("sse4.1"), always_inline)) static inline
#define LANES 1

static bool usable(void)
{
    return __builtin_cpu_supports("sse4.1");
}

static size_t horizontal_size(const struct dls_axis *axis)
{
    return dls_pairs_size(axis, LANES);
}

static void pack_horizontal(const struct dls_axis *axis, void *packed)
{
    dls_pairs_pack(axis, LANES, packed);
}

INLINE __m128i finish(__m128i high, __m128i low)
{
    return _mm_srai_epi32(_mm_add_epi32(_mm_slli_epi32(high, DLS_LOW_BITS), low), DLS_WEIGHT_BITS);
}

/* 32-bit red, green, blue and nothing. */
INLINE __m128i one_pixel(const uint8_t *from, const __m128i *weights, uint32_t groups)
{
    const __m128i front = _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
    const __m128i back = _mm_setr_epi8(6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
    __m128i high = _mm_setzero_si128(), low = _mm_set1_epi32(1 << (DLS_WEIGHT_BITS - 1));
    for (uint32_t g = 0; g < groups; g++, from += 12, weights += 4) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)from);
        __m128i one = _mm_shuffle_epi8(bytes, front), two = _mm_shuffle_epi8(bytes, back);
        high = _mm_add_epi32(high, _mm_madd_epi16(one, weights[0]));
        low = _mm_add_epi32(low, _mm_madd_epi16(one, weights[1]));
        high = _mm_add_epi32(high, _mm_madd_epi16(two, weights[2]));
        low = _mm_add_epi32(low, _mm_madd_epi16(two, weights[3]));
    }
    return finish(high, low);
}

INLINE void across(const struct dls_axis *axis, const void *packed, const uint8_t *from, uint8_t *to,
                   uint32_t groups)
{
    const __m128i squeeze = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    const uint32_t *starts = packed;
    const __m128i *weights = (const __m128i *)((const uint8_t *)packed + dls_pairs_starts_size(axis, LANES));
    for (uint32_t i = 0; i < axis->key.count; i += 4, starts += 4, to += 12) {
        __m128i pixels[4];
#pragma GCC unroll 4
        for (unsigned v = 0; v < 4; v++, weights += 4 * groups)
            pixels[v] = one_pixel(from + starts[v], weights, groups);
        __m128i bytes =
            _mm_packus_epi16(_mm_packs_epi32(pixels[0], pixels[1]), _mm_packs_epi32(pixels[2], pixels[3]));
        _mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(bytes, squeeze));
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

/* 16 bytes of a row of the result. */
INLINE void down(const struct dls_column_pairs *pairs, uint32_t taps, const uint8_t *const *rows, size_t at,
                 uint8_t *to)
{
    const __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi32(1 << (DLS_WEIGHT_BITS - 1));
    __m128i high[4] = {zero, zero, zero, zero}, low[4] = {half, half, half, half};
    const int32_t *weights = &pairs->high01;
    for (uint32_t t = 0; t < taps; t += 2, weights += 2) {
        __m128i a = _mm_loadu_si128((const __m128i *)(rows[t] + at));
        __m128i b = _mm_loadu_si128((const __m128i *)(rows[t + 1 < taps ? t + 1 : t] + at));
        __m128i front = _mm_unpacklo_epi8(a, b), back = _mm_unpackhi_epi8(a, b);
        const __m128i bytes[4] = {_mm_unpacklo_epi8(front, zero), _mm_unpackhi_epi8(front, zero),
                                  _mm_unpacklo_epi8(back, zero), _mm_unpackhi_epi8(back, zero)};
        __m128i high_pair = _mm_set1_epi32(weights[0]), low_pair = _mm_set1_epi32(weights[1]);
#pragma GCC unroll 4
        for (unsigned v = 0; v < 4; v++) {
            high[v] = _mm_add_epi32(high[v], _mm_madd_epi16(bytes[v], high_pair));
            low[v] = _mm_add_epi32(low[v], _mm_madd_epi16(bytes[v], low_pair));
        }
    }
    __m128i front = _mm_packs_epi32(finish(high[0], low[0]), finish(high[1], low[1]));
    __m128i back = _mm_packs_epi32(finish(high[2], low[2]), finish(high[3], low[3]));
    _mm_storeu_si128((__m128i *)to, _mm_packus_epi16(front, back));
}

FAST static void vertical(const struct dls_resize_table *table, uint32_t index, const uint8_t *const *rows,
                          uint8_t *to, size_t size)
{
    const struct dls_axis *axis = &table->axis;
    const struct dls_column_pairs *pairs = table->packed;
    pairs += (size_t)index * axis->groups;
    uint32_t taps = axis->spans[index].length;
    size_t at = 0;
    if (size < 16) {
        dls_resize_portable.vertical(table, index, rows, to, size);
        return;
    }
    for (; at + 16 <= size; at += 16)
        down(pairs, taps, rows, at, to + at);
    if (at < size) /* once more some bytes that are done, rather than any behind the row */
        down(pairs, taps, rows, size - 16, to + size - 16);
}

const struct dls_resize_kernel dls_resize_sse41 = {
    .name = "sse4.1",
    .usable = usable,
    .overshoot = 16,
    .weigh = dls_weigh_portable,
    .horizontal_size = horizontal_size,
    .pack_horizontal = pack_horizontal,
    .vertical_size = dls_columns_size,
    .pack_vertical = dls_columns_pack,
    .horizontal = horizontal,
    .vertical = vertical,
};
