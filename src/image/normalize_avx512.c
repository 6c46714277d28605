/* SPDX-License-Identifier: Apache-2.0 */
#include "image/normalize.h"

#include <immintrin.h>

#define TARGET target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")
#define FAST __attribute__((TARGET))
#define INLINE __attribute__((TARGET, always_inline)) static inline

static bool usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi");
}

/* Of 16 values: one channel's, or (interleaved) those of the channels in turn. */
struct scale {
    __m512 mean, std, inverse;
};

INLINE __m512 quotient(__m512 a, __m512 b, __m512 inverse)
{
    __m512 first = _mm512_mul_ps(a, inverse);
    return _mm512_fmadd_ps(_mm512_fnmadd_ps(b, first, a), inverse, first);
}

INLINE __m512 normalize(__m512i bytes, struct scale scale)
{
    __m512 value = quotient(_mm512_cvtepi32_ps(bytes), _mm512_set1_ps(255.0f), _mm512_set1_ps(1.0f / 255.0f));
    return quotient(_mm512_sub_ps(value, scale.mean), scale.std, scale.inverse);
}

INLINE __m256i to_bfloat16(__m512 value)
{
    __m512i bits = _mm512_castps_si512(value);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    bits = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16));
}

/* Elements `at` and the 15 behind it, as many as the mask has. */
INLINE void store(void *to, size_t at, __mmask16 mask, enum dls_element element, __m512 value)
{
    if (element == DLS_ELEMENT_FLOAT32)
        _mm512_mask_storeu_ps((float *)to + at, mask, value);
    else if (element == DLS_ELEMENT_FLOAT16)
        _mm256_mask_storeu_epi16((uint16_t *)to + at, mask,
                                 _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
    else
        _mm256_mask_storeu_epi16((uint16_t *)to + at, mask, to_bfloat16(value));
}

INLINE __mmask16 first_lanes(size_t count)
{
    return count >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << count) - 1);
}

INLINE __m512 in_turn(const float values[3], unsigned phase)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0);
    const __m512i next = _mm512_setr_epi32(1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1);
    const __m512i last = _mm512_setr_epi32(2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2);
    __m512 three = _mm512_castps128_ps512(_mm_setr_ps(values[0], values[1], values[2], 0));
    return _mm512_permutexvar_ps(phase == 0 ? lane : phase == 1 ? next : last, three);
}

INLINE void interleaved(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width, void *to,
                        enum dls_element element)
{
    struct scale scales[3];
    size_t count = 3 * width;
#pragma GCC unroll 3
    for (unsigned v = 0; v < 3; v++) /* 16 values on, the channels have moved by one */
        scales[v] = (struct scale){in_turn(normalizer->mean, v), in_turn(normalizer->std, v),
                                   in_turn(normalizer->inverse, v)};
    size_t at = 0;
    for (; at + 48 <= count; at += 48) {
#pragma GCC unroll 3
        for (unsigned v = 0; v < 3; v++) {
            __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(from + at + 16 * v)));
            store(to, at + 16 * v, 0xFFFF, element, normalize(bytes, scales[v]));
        }
    }
    for (unsigned v = 0; at < count; v++, at += 16) {
        __mmask16 mask = first_lanes(count - at);
        __m512i bytes = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, from + at));
        store(to, at, mask, element, normalize(bytes, scales[v]));
    }
}

INLINE void planar(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                   void *const to[3], enum dls_element element)
{
    /* Byte 3 × lane + channel into the low byte of each lane, zero above it. */
    const __m512i first = _mm512_mullo_epi32(
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(3));
    const __mmask64 low_bytes = UINT64_C(0x1111111111111111);
    struct scale scales[3];
#pragma GCC unroll 3
    for (unsigned c = 0; c < 3; c++)
        scales[c] = (struct scale){_mm512_set1_ps(normalizer->mean[c]), _mm512_set1_ps(normalizer->std[c]),
                                   _mm512_set1_ps(normalizer->inverse[c])};
    for (size_t at = 0; at < width; at += 16) {
        size_t count = width - at < 16 ? width - at : 16;
        __m512i pixels = _mm512_maskz_loadu_epi8((UINT64_C(1) << 3 * count) - 1, from + 3 * at);
#pragma GCC unroll 3
        for (unsigned c = 0; c < 3; c++) {
            __m512i index = _mm512_add_epi32(first, _mm512_set1_epi32((int)c));
            __m512i bytes = _mm512_maskz_permutexvar_epi8(low_bytes, index, pixels);
            store(to[c], at, first_lanes(count), element, normalize(bytes, scales[c]));
        }
    }
}

FAST static void row(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                     void *const to[3])
{
    if (normalizer->layout == DLS_LAYOUT_NHWC) {
        if (normalizer->element == DLS_ELEMENT_FLOAT32)
            interleaved(normalizer, from, width, to[0], DLS_ELEMENT_FLOAT32);
        else if (normalizer->element == DLS_ELEMENT_FLOAT16)
            interleaved(normalizer, from, width, to[0], DLS_ELEMENT_FLOAT16);
        else
            interleaved(normalizer, from, width, to[0], DLS_ELEMENT_BFLOAT16);
    } else if (normalizer->element == DLS_ELEMENT_FLOAT32) {
        planar(normalizer, from, width, to, DLS_ELEMENT_FLOAT32);
    } else if (normalizer->element == DLS_ELEMENT_FLOAT16) {
        planar(normalizer, from, width, to, DLS_ELEMENT_FLOAT16);
    } else {
        planar(normalizer, from, width, to, DLS_ELEMENT_BFLOAT16);
    }
}

const struct dls_normalize_kernel dls_normalize_avx512 = {.name = "avx512", .usable = usable, .row = row};
