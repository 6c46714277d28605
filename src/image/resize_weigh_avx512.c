/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_weigh.h"

#include <immintrin.h>

#define TARGET target("avx512f,avx512vl,avx512dq")
#define INLINE __attribute__((TARGET, always_inline)) static inline

INLINE __m512d bilinear(__m512d x)
{
    const __m512d one = _mm512_set1_pd(1.0);
    return _mm512_maskz_sub_pd(_mm512_cmp_pd_mask(x, one, _CMP_LT_OQ), one, x);
}

INLINE __m512d bicubic(__m512d x)
{
    const __m512d one = _mm512_set1_pd(1.0), two = _mm512_set1_pd(2.0);
    __m512d inner = _mm512_sub_pd(_mm512_mul_pd(_mm512_set1_pd(1.5), x), _mm512_set1_pd(2.5));
    inner = _mm512_add_pd(_mm512_mul_pd(_mm512_mul_pd(inner, x), x), one);
    __m512d outer = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(5.0)), x);
    outer = _mm512_mul_pd(_mm512_add_pd(outer, _mm512_set1_pd(8.0)), x);
    outer = _mm512_mul_pd(_mm512_sub_pd(outer, _mm512_set1_pd(4.0)), _mm512_set1_pd(-0.5));
    outer = _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(x, two, _CMP_LT_OQ), outer);
    return _mm512_mask_mov_pd(outer, _mm512_cmp_pd_mask(x, one, _CMP_LT_OQ), inner);
}

INLINE void weigh(const struct dls_scale *scale, struct dls_weighed *weighed, bool cubic)
{
    const __m512d half = _mm512_set1_pd(0.5), support = _mm512_set1_pd(scale->support);
    __m512d x = _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)weighed->x));
    __m512d center = _mm512_mul_pd(_mm512_add_pd(x, half), _mm512_set1_pd(scale->scale));
    center = _mm512_add_pd(_mm512_set1_pd(scale->offset), center);
    __m256i start = _mm512_cvttpd_epi32(_mm512_add_pd(_mm512_sub_pd(center, support), half));
    __m256i end = _mm512_cvttpd_epi32(_mm512_add_pd(_mm512_add_pd(center, support), half));
    start = _mm256_max_epi32(start, _mm256_setzero_si256());
    end = _mm256_min_epi32(end, _mm256_set1_epi32(scale->in));
    __m256i length = _mm256_sub_epi32(end, start);
    _mm256_storeu_si256((__m256i *)weighed->start, start);
    _mm256_storeu_si256((__m256i *)weighed->length, length);

    int32_t longest = dls_longest(weighed);
    __m512d sum = _mm512_setzero_pd(), inverse = _mm512_set1_pd(scale->inverse);
    for (int32_t t = 0; t < longest; t++) {
        __m256i tap = _mm256_set1_epi32(t);
        __m512d at = _mm512_sub_pd(_mm512_cvtepi32_pd(_mm256_add_epi32(start, tap)), center);
        at = _mm512_abs_pd(_mm512_mul_pd(_mm512_add_pd(at, half), inverse));
        __m512d weight = cubic ? bicubic(at) : bilinear(at);
        weight = _mm512_maskz_mov_pd(_mm256_cmpgt_epi32_mask(length, tap), weight);
        _mm512_store_pd(weighed->work + t * DLS_LANES, weight);
        sum = _mm512_add_pd(sum, weight);
    }
    for (int32_t t = 0; t < longest; t++) {
        __m512d weight = _mm512_div_pd(_mm512_load_pd(weighed->work + t * DLS_LANES), sum);
        weight = _mm512_mul_pd(weight, _mm512_set1_pd(1 << DLS_WEIGHT_BITS));
        __m512d away = _mm512_or_pd(half, _mm512_and_pd(weight, _mm512_set1_pd(-0.0)));
        _mm256_store_si256((__m256i *)(weighed->weights + t * DLS_LANES),
                           _mm512_cvttpd_epi32(_mm512_add_pd(weight, away)));
    }
}

__attribute__((TARGET)) void dls_weigh_avx512(const struct dls_scale *scale, struct dls_weighed *weighed)
{
    if (scale->filter == DLS_FILTER_BICUBIC)
        weigh(scale, weighed, true);
    else
        weigh(scale, weighed, false);
}
