/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_weigh.h"

#include <immintrin.h>

#define TARGET target("avx2")
#define INLINE __attribute__((TARGET, always_inline)) static inline

INLINE __m256d below(__m256d x, double limit)
{
    return _mm256_cmp_pd(x, _mm256_set1_pd(limit), _CMP_LT_OQ);
}

INLINE __m256d bilinear(__m256d x)
{
    return _mm256_and_pd(below(x, 1.0), _mm256_sub_pd(_mm256_set1_pd(1.0), x));
}

INLINE __m256d bicubic(__m256d x)
{
    __m256d inner = _mm256_sub_pd(_mm256_mul_pd(_mm256_set1_pd(1.5), x), _mm256_set1_pd(2.5));
    inner = _mm256_add_pd(_mm256_mul_pd(_mm256_mul_pd(inner, x), x), _mm256_set1_pd(1.0));
    __m256d outer = _mm256_mul_pd(_mm256_sub_pd(x, _mm256_set1_pd(5.0)), x);
    outer = _mm256_mul_pd(_mm256_add_pd(outer, _mm256_set1_pd(8.0)), x);
    outer = _mm256_mul_pd(_mm256_sub_pd(outer, _mm256_set1_pd(4.0)), _mm256_set1_pd(-0.5));
    return _mm256_blendv_pd(_mm256_and_pd(below(x, 2.0), outer), inner, below(x, 1.0));
}

/* The two halves of the lanes. */
struct pair {
    __m256d low, high;
};

struct spans {
    struct pair center;
    __m256i start, length;
};

INLINE struct pair to_double(__m256i x)
{
    return (struct pair){_mm256_cvtepi32_pd(_mm256_castsi256_si128(x)),
                         _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1))};
}

INLINE __m256i to_int(__m256d low, __m256d high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvttpd_epi32(low)),
                                   _mm256_cvttpd_epi32(high), 1);
}

INLINE __m256d center_of(__m256d x, const struct dls_scale *scale)
{
    x = _mm256_mul_pd(_mm256_add_pd(x, _mm256_set1_pd(0.5)), _mm256_set1_pd(scale->scale));
    return _mm256_add_pd(_mm256_set1_pd(scale->offset), x);
}

INLINE struct spans find_spans(const struct dls_scale *scale, struct dls_weighed *weighed)
{
    const __m256d half = _mm256_set1_pd(0.5), support = _mm256_set1_pd(scale->support);
    struct pair x = to_double(_mm256_loadu_si256((const __m256i *)weighed->x));
    struct spans spans = {.center = {center_of(x.low, scale), center_of(x.high, scale)}};
    __m256i end = to_int(_mm256_add_pd(_mm256_add_pd(spans.center.low, support), half),
                         _mm256_add_pd(_mm256_add_pd(spans.center.high, support), half));
    spans.start = to_int(_mm256_add_pd(_mm256_sub_pd(spans.center.low, support), half),
                         _mm256_add_pd(_mm256_sub_pd(spans.center.high, support), half));
    spans.start = _mm256_max_epi32(spans.start, _mm256_setzero_si256());
    spans.length = _mm256_sub_epi32(_mm256_min_epi32(end, _mm256_set1_epi32(scale->in)), spans.start);
    _mm256_storeu_si256((__m256i *)weighed->start, spans.start);
    _mm256_storeu_si256((__m256i *)weighed->length, spans.length);
    return spans;
}

INLINE __m256d weight_of(__m256d pixel, __m256d center, double inverse, bool cubic)
{
    __m256d at = _mm256_add_pd(_mm256_sub_pd(pixel, center), _mm256_set1_pd(0.5));
    at = _mm256_andnot_pd(_mm256_set1_pd(-0.0), _mm256_mul_pd(at, _mm256_set1_pd(inverse)));
    return cubic ? bicubic(at) : bilinear(at);
}

INLINE __m256d to_fixed(const double *work, __m256d sum)
{
    __m256d weight = _mm256_div_pd(_mm256_load_pd(work), sum);
    weight = _mm256_mul_pd(weight, _mm256_set1_pd(1 << DLS_WEIGHT_BITS));
    __m256d away = _mm256_or_pd(_mm256_set1_pd(0.5), _mm256_and_pd(weight, _mm256_set1_pd(-0.0)));
    return _mm256_add_pd(weight, away);
}

INLINE void weigh(const struct dls_scale *scale, struct dls_weighed *weighed, bool cubic)
{
    struct spans spans = find_spans(scale, weighed);
    int32_t longest = dls_longest(weighed);
    struct pair sum = {_mm256_setzero_pd(), _mm256_setzero_pd()};
    for (int32_t t = 0; t < longest; t++) {
        double *work = weighed->work + t * DLS_LANES;
        __m256i tap = _mm256_set1_epi32(t), inside = _mm256_cmpgt_epi32(spans.length, tap);
        struct pair pixel = to_double(_mm256_add_epi32(spans.start, tap));
        __m256d low = weight_of(pixel.low, spans.center.low, scale->inverse, cubic);
        __m256d high = weight_of(pixel.high, spans.center.high, scale->inverse, cubic);
        __m256i inside_low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(inside));
        __m256i inside_high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(inside, 1));
        low = _mm256_and_pd(low, _mm256_castsi256_pd(inside_low));
        high = _mm256_and_pd(high, _mm256_castsi256_pd(inside_high));
        _mm256_store_pd(work, low);
        _mm256_store_pd(work + 4, high);
        sum.low = _mm256_add_pd(sum.low, low);
        sum.high = _mm256_add_pd(sum.high, high);
    }
    for (int32_t t = 0; t < longest; t++) {
        const double *work = weighed->work + t * DLS_LANES;
        _mm256_store_si256((__m256i *)(weighed->weights + t * DLS_LANES),
                           to_int(to_fixed(work, sum.low), to_fixed(work + 4, sum.high)));
    }
}

__attribute__((TARGET)) void dls_weigh_avx2(const struct dls_scale *scale, struct dls_weighed *weighed)
{
    if (scale->filter == DLS_FILTER_BICUBIC)
        weigh(scale, weighed, true);
    else
        weigh(scale, weighed, false);
}
