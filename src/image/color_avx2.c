/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color_kernel.h"

#include <immintrin.h>

#define TARGET target("avx2")
#define FAST __attribute__((TARGET))
#define INLINE __attribute__((TARGET, always_inline)) static inline

static bool usable(void)
{
    return __builtin_cpu_supports("avx2");
}

/* Eight pixels, a channel each, in lanes of 32 bits. */
struct planes {
    __m256i red, green, blue;
};

/* Pixels 0 to 3 are in the first 12 bytes of the low half, 4 to 7 in the last 12 of the high half, which begins 8 bytes
 * later. */
INLINE struct planes load(const uint8_t *from)
{
    const __m256i index = _mm256_setr_epi8(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1, 4, -1, -1, -1, 7,
                                           -1, -1, -1, 10, -1, -1, -1, 13, -1, -1, -1);
    const __m256i next = _mm256_set1_epi32(1);
    __m256i pixels = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)from)),
                                             _mm_loadu_si128((const __m128i *)(from + 8)), 1);
    __m256i green = _mm256_add_epi8(index, next), blue = _mm256_add_epi8(green, next);
    return (struct planes){_mm256_shuffle_epi8(pixels, index), _mm256_shuffle_epi8(pixels, green),
                           _mm256_shuffle_epi8(pixels, blue)};
}

INLINE void store(uint8_t *to, struct planes planes)
{
    const __m256i squeeze = _mm256_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6, 8,
                                             9, 10, 12, 13, 14, -1, -1, -1, -1);
    __m256i pixels = _mm256_or_si256(planes.red, _mm256_slli_epi32(planes.green, 8));
    pixels = _mm256_shuffle_epi8(_mm256_or_si256(pixels, _mm256_slli_epi32(planes.blue, 16)), squeeze);
    pixels = _mm256_permutevar8x32_epi32(pixels, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    _mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(pixels));
    _mm_storel_epi64((__m128i *)(to + 16), _mm256_extracti128_si256(pixels, 1));
}

/* The weight of green is too large for 16 bits with a sign: it is taken in two halves. */
INLINE __m256i luma(struct planes planes)
{
    __m256i first = _mm256_or_si256(planes.red, _mm256_slli_epi32(planes.green, 16));
    __m256i second = _mm256_or_si256(planes.green, _mm256_slli_epi32(planes.blue, 16));
    __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(first, _mm256_set1_epi32(19235 << 16 | 19595)),
                                   _mm256_madd_epi16(second, _mm256_set1_epi32(7471 << 16 | 19235)));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(0x8000)), 16);
}

INLINE __m256i mix(__m256i base, __m256i value, __m256 factor)
{
    __m256 step = _mm256_mul_ps(factor, _mm256_cvtepi32_ps(_mm256_sub_epi32(value, base)));
    __m256 mixed = _mm256_add_ps(_mm256_cvtepi32_ps(base), step);
    mixed = _mm256_min_ps(_mm256_max_ps(mixed, _mm256_setzero_ps()), _mm256_set1_ps(255.0f));
    return _mm256_cvttps_epi32(mixed);
}

FAST static void blend(uint8_t *row, size_t bytes, uint8_t base, float factor)
{
    const __m256i ground = _mm256_set1_epi32(base), order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const __m256 share = _mm256_set1_ps(factor);
    size_t at = 0;
    for (; at + 32 <= bytes; at += 32) {
        __m256i mixed[4];
#pragma GCC unroll 4
        for (unsigned v = 0; v < 4; v++)
            mixed[v] = mix(ground, _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(row + at + 8 * v))), share);
        __m256i packed =
            _mm256_packus_epi16(_mm256_packs_epi32(mixed[0], mixed[1]), _mm256_packs_epi32(mixed[2], mixed[3]));
        _mm256_storeu_si256((__m256i *)(row + at), _mm256_permutevar8x32_epi32(packed, order));
    }
    dls_color_portable.blend(row + at, bytes - at, base, factor);
}

FAST static uint64_t luma_sum(const uint8_t *row, size_t pixels)
{
    uint64_t sum = 0;
    size_t x = 0;
    while (x + 8 <= pixels) {
        __m256i sums = _mm256_setzero_si256();
        uint32_t lanes[8];
        for (size_t end = x + (1u << 20); x + 8 <= pixels && x < end; x += 8)
            sums = _mm256_add_epi32(sums, luma(load(row + 3 * x)));
        _mm256_storeu_si256((__m256i *)lanes, sums);
        for (unsigned l = 0; l < 8; l++)
            sum += lanes[l];
    }
    return sum + dls_color_portable.luma_sum(row + 3 * x, pixels - x);
}

FAST static void saturate(uint8_t *row, size_t pixels, float factor)
{
    const __m256 share = _mm256_set1_ps(factor);
    size_t x = 0;
    for (; x + 8 <= pixels; x += 8) {
        struct planes planes = load(row + 3 * x);
        __m256i base = luma(planes);
        store(row + 3 * x, (struct planes){mix(base, planes.red, share), mix(base, planes.green, share),
                                           mix(base, planes.blue, share)});
    }
    dls_color_portable.saturate(row + 3 * x, pixels - x, factor);
}

FAST static void grey(uint8_t *row, size_t pixels)
{
    size_t x = 0;
    for (; x + 8 <= pixels; x += 8) {
        __m256i value = luma(load(row + 3 * x));
        store(row + 3 * x, (struct planes){value, value, value});
    }
    dls_color_portable.grey(row + 3 * x, pixels - x);
}

/* The two halves of the lanes, in double precision. */
struct wide {
    __m256d low, high;
};

INLINE struct wide widen(__m256 x)
{
    return (struct wide){_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}

INLINE struct wide widen_whole(__m256i x)
{
    return (struct wide){_mm256_cvtepi32_pd(_mm256_castsi256_si128(x)),
                         _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1))};
}

INLINE __m256 narrow(struct wide x)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(x.low)), _mm256_cvtpd_ps(x.high), 1);
}

INLINE __m256i whole(struct wide x)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvttpd_epi32(x.low)), _mm256_cvttpd_epi32(x.high), 1);
}

INLINE struct wide add(struct wide a, struct wide b)
{
    return (struct wide){_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}

INLINE struct wide subtract(struct wide a, struct wide b)
{
    return (struct wide){_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
}

INLINE struct wide multiply(struct wide a, struct wide b)
{
    return (struct wide){_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}

INLINE struct wide divide(struct wide a, struct wide b)
{
    return (struct wide){_mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high)};
}

INLINE struct wide all(double value)
{
    return (struct wide){_mm256_set1_pd(value), _mm256_set1_pd(value)};
}

/* 1 where a ≥ b, else 0. */
INLINE struct wide reaches(struct wide a, struct wide b)
{
    const __m256d one = _mm256_set1_pd(1.0);
    return (struct wide){_mm256_and_pd(_mm256_cmp_pd(a.low, b.low, _CMP_GE_OQ), one),
                         _mm256_and_pd(_mm256_cmp_pd(a.high, b.high, _CMP_GE_OQ), one)};
}

/* Of numbers ≥ 0, halves up. */
INLINE __m256i round_up(struct wide value)
{
    struct wide floor = widen_whole(whole(value));
    return whole(add(floor, reaches(subtract(value, floor), all(0.5))));
}

INLINE __m256i hue_of(struct planes planes, __m256i high, __m256i low)
{
    const __m256 range = _mm256_cvtepi32_ps(_mm256_sub_epi32(high, low));
    const __m256 red = _mm256_div_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(high, planes.red)), range);
    const __m256 green = _mm256_div_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(high, planes.green)), range);
    const __m256 blue = _mm256_div_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(high, planes.blue)), range);
    __m256 hue = narrow(subtract(add(all(4.0), widen(green)), widen(red)));
    hue = _mm256_blendv_ps(hue, narrow(subtract(add(all(2.0), widen(red)), widen(blue))),
                           _mm256_castsi256_ps(_mm256_cmpeq_epi32(planes.green, high)));
    hue = _mm256_blendv_ps(hue, _mm256_sub_ps(blue, green),
                           _mm256_castsi256_ps(_mm256_cmpeq_epi32(planes.red, high)));
    struct wide turns = add(divide(widen(hue), all(6.0)), all(1.0));
    hue = narrow(subtract(turns, reaches(turns, all(1.0))));
    return whole(multiply(widen(hue), all(255.0)));
}

/* Which of four values, by the sector of the circle: a, b, … of sectors 0, 1, … */
INLINE __m256i pick(__m256i sector, __m256i a, __m256i b, __m256i c, __m256i d, __m256i e, __m256i f)
{
    __m256i picked = _mm256_blendv_epi8(a, b, _mm256_cmpeq_epi32(sector, _mm256_set1_epi32(1)));
    picked = _mm256_blendv_epi8(picked, c, _mm256_cmpeq_epi32(sector, _mm256_set1_epi32(2)));
    picked = _mm256_blendv_epi8(picked, d, _mm256_cmpeq_epi32(sector, _mm256_set1_epi32(3)));
    picked = _mm256_blendv_epi8(picked, e, _mm256_cmpeq_epi32(sector, _mm256_set1_epi32(4)));
    return _mm256_blendv_epi8(picked, f, _mm256_cmpeq_epi32(sector, _mm256_set1_epi32(5)));
}

INLINE struct planes color_of(__m256i hue, __m256i saturation, __m256i value)
{
    const struct wide one = all(1.0), bright = widen_whole(value);
    const struct wide at = divide(multiply(widen_whole(hue), all(6.0)), all(255.0));
    const __m256i sector = whole(at);
    const __m256 into = narrow(subtract(at, widen_whole(sector)));
    const __m256 share = narrow(divide(widen_whole(saturation), all(255.0)));
    const __m256 product = _mm256_mul_ps(share, into);
    __m256i p = round_up(multiply(bright, subtract(one, widen(share))));
    __m256i q = round_up(multiply(bright, subtract(one, widen(product))));
    __m256i t = round_up(multiply(bright, subtract(one, multiply(widen(share), subtract(one, widen(into))))));
    /* Sector 6, of hue 255, is 0 again: what pick() gives for it. */
    return (struct planes){pick(sector, value, q, p, p, t, value), pick(sector, t, value, value, q, p, p),
                           pick(sector, p, p, t, value, value, q)};
}

INLINE struct planes turned(struct planes planes, __m256i shift)
{
    const __m256i high = _mm256_max_epi32(_mm256_max_epi32(planes.red, planes.green), planes.blue);
    const __m256i low = _mm256_min_epi32(_mm256_min_epi32(planes.red, planes.green), planes.blue);
    const __m256 share =
        _mm256_div_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(high, low)), _mm256_cvtepi32_ps(high));
    const __m256i saturation = whole(multiply(widen(share), all(255.0)));
    __m256i hue = _mm256_and_si256(_mm256_add_epi32(hue_of(planes, high, low), shift), _mm256_set1_epi32(255));
    struct planes color = color_of(hue, saturation, high);
    /* Grey pixels, or nearly so, have no hue. */
    __m256i plain = _mm256_or_si256(_mm256_cmpeq_epi32(high, low),
                                    _mm256_cmpeq_epi32(saturation, _mm256_setzero_si256()));
    return (struct planes){_mm256_blendv_epi8(color.red, high, plain), _mm256_blendv_epi8(color.green, high, plain),
                           _mm256_blendv_epi8(color.blue, high, plain)};
}

FAST static void turn(uint8_t *row, size_t pixels, uint8_t shift)
{
    const __m256i wide_shift = _mm256_set1_epi32(shift);
    size_t x = 0;
    for (; x + 8 <= pixels; x += 8)
        store(row + 3 * x, turned(load(row + 3 * x), wide_shift));
    dls_color_portable.turn(row + 3 * x, pixels - x, shift);
}

const struct dls_color_kernel dls_color_avx2 = {.name = "avx2",
                                                .usable = usable,
                                                .blend = blend,
                                                .luma_sum = luma_sum,
                                                .saturate = saturate,
                                                .grey = grey,
                                                .turn = turn};
