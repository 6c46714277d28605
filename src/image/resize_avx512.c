/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_avx512.h"

#include "image/resize_kernel.h"

#include <immintrin.h>

#define FAST __attribute__((DLS_AVX512))
#define INLINE __attribute__((DLS_AVX512, always_inline)) static inline

#define HALF (1 << (DLS_WEIGHT_BITS - 1))

static bool usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
}

/* Sums of the three digits' products, which are added up as digits when all taps are in. */
struct sums {
    __m512i a, b, c;
};

INLINE struct sums no_sums(void)
{
    return (struct sums){_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_set1_epi32(HALF)};
}

INLINE struct sums add_taps(struct sums sums, __m512i taps, __m512i a, __m512i b, __m512i c)
{
    return (struct sums){_mm512_dpbusd_epi32(sums.a, taps, a), _mm512_dpbusd_epi32(sums.b, taps, b),
                         _mm512_dpbusd_epi32(sums.c, taps, c)};
}

INLINE __m512i finish(struct sums sums)
{
    __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(sums.a, 8), sums.b);
    sum = _mm512_add_epi32(_mm512_slli_epi32(sum, 8), sums.c);
    return _mm512_srai_epi32(sum, DLS_WEIGHT_BITS);
}

/* The bytes of four vectors' lanes; those of each 128 bits of the four come together. */
INLINE __m512i pack_four(const __m512i values[4])
{
    return _mm512_packus_epi16(_mm512_packs_epi32(values[0], values[1]),
                               _mm512_packs_epi32(values[2], values[3]));
}

INLINE __m512i narrow_block(const struct dls_across_block *block, uint32_t groups, const uint8_t *from)
{
    const __m512i index = _mm512_load_si512(block->index), *digits = (const __m512i *)(block + 1);
    struct sums sums = no_sums();
    from += block->starts[0];
    for (uint32_t g = 0; g < groups; g++, from += 3 * DLS_GROUP, digits += 3) {
        __m512i taps = _mm512_permutexvar_epi8(index, _mm512_loadu_si512(from));
        sums = add_taps(sums, taps, digits[0], digits[1], digits[2]);
    }
    return finish(sums);
}

INLINE void narrow(const uint8_t *packed, uint32_t blocks, uint32_t groups, const uint8_t *from, uint8_t *to)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    for (; blocks > 0; blocks -= 4, to += 64) {
        __m512i values[4];
#pragma GCC unroll 4
        for (unsigned v = 0; v < 4; v++, packed += dls_across_block_size(groups))
            values[v] = narrow_block((const struct dls_across_block *)packed, groups, from);
        _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, pack_four(values)));
    }
}

INLINE __m512i load_four(const uint8_t *from, const uint32_t starts[DLS_WIDE_PIXELS])
{
    __m512i bytes = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(from + starts[0])));
    bytes = _mm512_inserti32x4(bytes, _mm_loadu_si128((const __m128i *)(from + starts[1])), 1);
    bytes = _mm512_inserti32x4(bytes, _mm_loadu_si128((const __m128i *)(from + starts[2])), 2);
    return _mm512_inserti32x4(bytes, _mm_loadu_si128((const __m128i *)(from + starts[3])), 3);
}

INLINE void wide(const uint8_t *packed, uint32_t blocks, uint32_t groups, const uint8_t *from, uint8_t *to)
{
    const __m512i planes =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, -1, -1, -1, -1));
    const __m128i squeeze = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    for (; blocks > 0; blocks--, to += 3 * DLS_WIDE_PIXELS, packed += dls_across_block_size(groups)) {
        const struct dls_across_block *block = (const struct dls_across_block *)packed;
        const __m512i *digits = (const __m512i *)(block + 1);
        const uint8_t *in = from;
        struct sums sums = no_sums();
        for (uint32_t g = 0; g < groups; g++, in += 3 * DLS_GROUP, digits += 3) {
            __m512i taps = _mm512_shuffle_epi8(load_four(in, block->starts), planes);
            sums = add_taps(sums, taps, digits[0], digits[1], digits[2]);
        }
        __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_max_epi32(finish(sums), _mm512_setzero_si512()));
        _mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(bytes, squeeze));
    }
}

FAST static void horizontal(const struct dls_resize_table *table, const uint8_t *from, uint8_t *to)
{
    const struct dls_across_header *header = table->packed;
    const uint8_t *packed = (const uint8_t *)(header + 1);
    if (header->wide)
        wide(packed, header->blocks, header->groups, from, to);
    else if (header->groups == 1)
        narrow(packed, header->blocks, 1, from, to);
    else if (header->groups == 2)
        narrow(packed, header->blocks, 2, from, to);
    else
        narrow(packed, header->blocks, header->groups, from, to);
}

/* Four rows, byte by byte side by side, in the order that pack_four() undoes. */
INLINE void interleave(const uint8_t *const rows[4], size_t at, __mmask64 mask, __m512i ret_columns[4])
{
    __m512i r0 = _mm512_maskz_loadu_epi8(mask, rows[0] + at),
            r1 = _mm512_maskz_loadu_epi8(mask, rows[1] + at);
    __m512i r2 = _mm512_maskz_loadu_epi8(mask, rows[2] + at),
            r3 = _mm512_maskz_loadu_epi8(mask, rows[3] + at);
    __m512i low01 = _mm512_unpacklo_epi8(r0, r1), high01 = _mm512_unpackhi_epi8(r0, r1);
    __m512i low23 = _mm512_unpacklo_epi8(r2, r3), high23 = _mm512_unpackhi_epi8(r2, r3);
    ret_columns[0] = _mm512_unpacklo_epi16(low01, low23);
    ret_columns[1] = _mm512_unpackhi_epi16(low01, low23);
    ret_columns[2] = _mm512_unpacklo_epi16(high01, high23);
    ret_columns[3] = _mm512_unpackhi_epi16(high01, high23);
}

/* Up to 64 bytes of a row of the result; `mask` says which. `group` is the first of its groups. */
INLINE __m512i down(const struct dls_digits4 *digits, size_t group, uint32_t taps, const uint8_t *const *rows,
                    size_t at, __mmask64 mask)
{
    struct sums sums[4] = {no_sums(), no_sums(), no_sums(), no_sums()};
    for (uint32_t t = 0; t < taps; t += DLS_GROUP, group++) {
        uint32_t last = taps - 1 - t;
        const uint8_t *const four[4] = {rows[t], rows[t + (last < 1 ? last : 1)],
                                        rows[t + (last < 2 ? last : 2)], rows[t + (last < 3 ? last : 3)]};
        const struct dls_digits4 *digit = digits + group / 4;
        __m512i columns[4], a = _mm512_set1_epi32((int32_t)digit->a[group % 4]);
        __m512i b = _mm512_set1_epi32((int32_t)digit->b[group % 4]);
        __m512i c = _mm512_set1_epi32((int32_t)digit->c[group % 4]);
        interleave(four, at, mask, columns);
#pragma GCC unroll 4
        for (unsigned v = 0; v < 4; v++)
            sums[v] = add_taps(sums[v], columns[v], a, b, c);
    }
    const __m512i values[4] = {finish(sums[0]), finish(sums[1]), finish(sums[2]), finish(sums[3])};
    return pack_four(values);
}

INLINE void all_down(const struct dls_digits4 *digits, size_t group, uint32_t taps,
                     const uint8_t *const *rows, uint8_t *to, size_t size)
{
    size_t at = 0;
    for (; at + 64 <= size; at += 64)
        _mm512_storeu_si512(to + at, down(digits, group, taps, rows, at, ~UINT64_C(0)));
    if (at < size) {
        __mmask64 mask = (UINT64_C(1) << (size - at)) - 1;
        _mm512_mask_storeu_epi8(to + at, mask, down(digits, group, taps, rows, at, mask));
    }
}

FAST static void vertical(const struct dls_resize_table *table, uint32_t index, const uint8_t *const *rows,
                          uint8_t *to, size_t size)
{
    const struct dls_axis *axis = &table->axis;
    size_t group = (size_t)index * axis->groups;
    uint32_t taps = axis->spans[index].length;
    if (taps <= DLS_GROUP)
        all_down(table->packed, group, taps, rows, to, size);
    else
        all_down(table->packed, group, taps, rows, to, size);
}

const struct dls_resize_kernel dls_resize_avx512 = {
    .name = "avx512",
    .usable = usable,
    .weigh = dls_weigh_avx512,
    .overshoot = 64,
    .horizontal_size = dls_across_size,
    .pack_horizontal = dls_across_pack,
    .vertical_size = dls_down_size,
    .pack_vertical = dls_down_pack,
    .horizontal = horizontal,
    .vertical = vertical,
};
