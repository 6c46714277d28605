/* SPDX-License-Identifier: Apache-2.0 */
#include "image/normalize.h"

#include <immintrin.h>

#define TARGET target("avx2,fma,f16c")
#define FAST __attribute__((TARGET))
#define INLINE __attribute__((TARGET, always_inline)) static inline

/* Conversion to float16 (F16C) is older than both: what has these has that. */
static bool usable(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

struct scale {
    __m256 mean, std, inverse;
};

INLINE __m256 quotient(__m256 a, __m256 b, __m256 inverse)
{
    __m256 first = _mm256_mul_ps(a, inverse);
    return _mm256_fmadd_ps(_mm256_fnmadd_ps(b, first, a), inverse, first);
}

INLINE __m256 normalize(__m256i bytes, struct scale scale)
{
    __m256 value = quotient(_mm256_cvtepi32_ps(bytes), _mm256_set1_ps(255.0f), _mm256_set1_ps(1.0f / 255.0f));
    return quotient(_mm256_sub_ps(value, scale.mean), scale.std, scale.inverse);
}

INLINE __m128i to_bfloat16(__m256 value)
{
    __m256i bits = _mm256_castps_si256(value);
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    bits = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
    bits = _mm256_srli_epi32(bits, 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
}

/* Eight elements. */
INLINE void store(void *to, size_t at, enum dls_element element, __m256 value)
{
    if (element == DLS_ELEMENT_FLOAT32)
        _mm256_storeu_ps((float *)to + at, value);
    else if (element == DLS_ELEMENT_FLOAT16)
        _mm_storeu_si128((__m128i *)((uint16_t *)to + at), _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
    else
        _mm_storeu_si128((__m128i *)((uint16_t *)to + at), to_bfloat16(value));
}

INLINE __m256 in_turn(const float values[3], unsigned phase)
{
    float turn[8];
    for (unsigned i = 0; i < 8; i++)
        turn[i] = values[(i + phase) % 3];
    return _mm256_loadu_ps(turn);
}

/* Whole runs of eight pixels; returns how many pixels are done. */
INLINE size_t interleaved(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                          void *to, enum dls_element element)
{
    struct scale scales[3];
    size_t at = 0, count = width / 8 * 24;
    for (unsigned v = 0; v < 3; v++) {
        unsigned phase = 8 * v % 3;
        scales[v] = (struct scale){in_turn(normalizer->mean, phase), in_turn(normalizer->std, phase),
                                   in_turn(normalizer->inverse, phase)};
    }
    for (; at < count; at += 24) {
#pragma GCC unroll 3
        for (unsigned v = 0; v < 3; v++) {
            __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(from + at + 8 * v)));
            store(to, at + 8 * v, element, normalize(bytes, scales[v]));
        }
    }
    return count / 3;
}

INLINE size_t planar(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                     void *const to[3], enum dls_element element)
{
    /* Pixels 0 to 3 are in the first 12 bytes of the low lane, 4 to 7 in the last 12 of the high lane, which
     * begins 8 bytes later. */
    const __m256i first = _mm256_setr_epi8(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1, 4, -1,
                                           -1, -1, 7, -1, -1, -1, 10, -1, -1, -1, 13, -1, -1, -1);
    const __m256i low_bytes = _mm256_set1_epi32(1);
    struct scale scales[3];
    size_t at = 0;
#pragma GCC unroll 3
    for (unsigned c = 0; c < 3; c++)
        scales[c] = (struct scale){_mm256_set1_ps(normalizer->mean[c]), _mm256_set1_ps(normalizer->std[c]),
                                   _mm256_set1_ps(normalizer->inverse[c])};
    for (; at + 8 <= width; at += 8) {
        __m256i pixels =
            _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(from + 3 * at))),
                                    _mm_loadu_si128((const __m128i *)(from + 3 * at + 8)), 1);
        __m256i index = first;
#pragma GCC unroll 3
        for (unsigned c = 0; c < 3; c++) {
            store(to[c], at, element, normalize(_mm256_shuffle_epi8(pixels, index), scales[c]));
            index = _mm256_add_epi8(index, low_bytes);
        }
    }
    return at;
}

INLINE size_t most(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                   void *const to[3], enum dls_element element)
{
    return normalizer->layout == DLS_LAYOUT_NHWC ? interleaved(normalizer, from, width, to[0], element)
                                                 : planar(normalizer, from, width, to, element);
}

FAST static void row(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                     void *const to[3])
{
    size_t done = normalizer->element == DLS_ELEMENT_FLOAT32
                      ? most(normalizer, from, width, to, DLS_ELEMENT_FLOAT32)
                  : normalizer->element == DLS_ELEMENT_FLOAT16
                      ? most(normalizer, from, width, to, DLS_ELEMENT_FLOAT16)
                      : most(normalizer, from, width, to, DLS_ELEMENT_BFLOAT16);
    if (done == width)
        return;
    size_t size = dls_element_size(normalizer->element);
    bool planes = normalizer->layout == DLS_LAYOUT_NCHW;
    uint8_t *first = to[0];
    void *const rest[3] = {first + done * size * (planes ? 1 : 3),
                           planes ? (uint8_t *)to[1] + done * size : NULL,
                           planes ? (uint8_t *)to[2] + done * size : NULL};
    dls_normalize_portable.row(normalizer, from + 3 * done, width - done, rest);
}

const struct dls_normalize_kernel dls_normalize_avx2 = {.name = "avx2", .usable = usable, .row = row};
