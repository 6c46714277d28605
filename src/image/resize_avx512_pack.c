/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_avx512.h"

#include <immintrin.h>
#include <string.h>

#define INLINE __attribute__((DLS_AVX512, always_inline)) static inline
#define FAST __attribute__((DLS_AVX512))

/* Digits of 16 weights. */
INLINE void split(const int32_t *weights, __m128i *ret_a, __m128i *ret_b, __m128i *ret_c)
{
    __m512i weight = _mm512_loadu_si512(weights);
    /* c is the signed low byte; what it and then b borrow when they are negative goes to the next digit. */
    __m512i middle = _mm512_add_epi32(weight, _mm512_set1_epi32(0x80));
    __m512i high = _mm512_add_epi32(weight, _mm512_set1_epi32(0x8080));
    *ret_a = _mm512_cvtepi32_epi8(_mm512_srai_epi32(high, 16));
    *ret_b = _mm512_cvtepi32_epi8(_mm512_srli_epi32(middle, 8));
    *ret_c = _mm512_cvtepi32_epi8(weight);
}

static size_t all_groups(const struct dls_axis *axis)
{
    return (size_t)axis->key.count * axis->groups;
}

size_t dls_down_size(const struct dls_axis *axis)
{
    return (all_groups(axis) + 3) / 4 * sizeof(struct dls_digits4);
}

FAST void dls_down_pack(const struct dls_axis *axis, void *packed)
{
    struct dls_digits4 *to = packed;
    size_t groups = all_groups(axis);
    for (size_t g = 0; g < groups; g += 4, to++) {
        __m128i a, b, c;
        split(axis->weights + g * DLS_GROUP, &a, &b, &c);
        _mm_storeu_si128((__m128i *)to->a, a);
        _mm_storeu_si128((__m128i *)to->b, b);
        _mm_storeu_si128((__m128i *)to->c, c);
    }
}

static uint32_t narrow_blocks(const struct dls_axis *axis)
{
    return (3 * axis->key.count + 63) / 64 * 4;
}

static uint32_t wide_blocks(const struct dls_axis *axis)
{
    return (axis->key.count + DLS_WIDE_PIXELS - 1) / DLS_WIDE_PIXELS;
}

/* The digits of all groups in turn, one array after the other, are kept behind the blocks while these are
 * made. */
static size_t plane_size(const struct dls_axis *axis)
{
    return (all_groups(axis) * sizeof(uint32_t) + 64 + 2 * 64 + 63) & ~(size_t)63;
}

static size_t blocks_size(const struct dls_axis *axis)
{
    uint32_t narrow = narrow_blocks(axis), wide = wide_blocks(axis);
    return (narrow > wide ? narrow : wide) * dls_across_block_size(axis->groups);
}

size_t dls_across_size(const struct dls_axis *axis)
{
    return sizeof(struct dls_across_header) + blocks_size(axis) + 3 * plane_size(axis);
}

struct planes {
    uint8_t *a, *b, *c;
};

FAST static struct planes make_planes(const struct dls_axis *axis, uint8_t *memory)
{
    size_t plane = plane_size(axis), groups = all_groups(axis);
    const struct planes planes = {memory, memory + plane, memory + 2 * plane};
    for (size_t g = 0; g < groups; g += 4) {
        __m128i a, b, c;
        split(axis->weights + g * DLS_GROUP, &a, &b, &c);
        _mm_store_si128((__m128i *)(planes.a + 4 * g), a);
        _mm_store_si128((__m128i *)(planes.b + 4 * g), b);
        _mm_store_si128((__m128i *)(planes.c + 4 * g), c);
    }
    return planes;
}

static uint32_t last_pixel(const struct dls_axis *axis, uint32_t pixel)
{
    return pixel < axis->key.count ? pixel : axis->key.count - 1;
}

/* Where the load of a narrow block begins, in pixels; *ret_fits: whether its 64 bytes hold a group of all its
 * pixels. */
static uint32_t narrow_start(const struct dls_axis *axis, uint32_t block, bool *ret_fits)
{
    uint32_t first = last_pixel(axis, block * DLS_NARROW_BYTES / 3);
    uint32_t last = last_pixel(axis, (block * DLS_NARROW_BYTES + DLS_NARROW_BYTES - 1) / 3);
    uint32_t a = axis->spans[first].start, b = axis->spans[last].start;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    *ret_fits = 3 * (high - low + DLS_GROUP) <= 64;
    return low;
}

static bool is_wide(const struct dls_axis *axis)
{
    /* Six results of a block begin up to five steps apart, rounded. */
    if (axis->groups * DLS_GROUP > 16)
        return true;
    for (uint32_t block = 0; block < narrow_blocks(axis); block++) {
        bool fits;
        narrow_start(axis, block, &fits);
        if (!fits)
            return true;
    }
    return false;
}

/* Of 16 bytes of the result, which pixel each belongs to, counted from the first, and which channel it is,
 * when the first byte is channel `phase`. */
struct pattern {
    __m512i pixel, channel;
};

FAST static struct pattern pattern_of(uint32_t phase)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i byte = _mm512_add_epi32(lane, _mm512_set1_epi32((int32_t)phase));
    /* A third, exact for numbers this small. */
    __m512i pixel = _mm512_srli_epi32(_mm512_mullo_epi32(byte, _mm512_set1_epi32(171)), 9);
    __m512i channel = _mm512_sub_epi32(byte, _mm512_mullo_epi32(pixel, _mm512_set1_epi32(3)));
    return (struct pattern){pixel, channel};
}

/* plane: the digits of the block's first pixel and those behind it; the lanes' digits of one group. */
INLINE __m512i spread(const uint8_t *plane, __m512i which)
{
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(plane), which, _mm512_loadu_si512(plane + 64));
}

INLINE void pack_narrow(const struct dls_axis *axis, uint32_t block, struct planes planes,
                        struct pattern pattern, struct dls_across_block *to)
{
    uint32_t first = last_pixel(axis, block * DLS_NARROW_BYTES / 3);
    bool fits;
    uint32_t start = narrow_start(axis, block, &fits);
    to->starts[0] = 3 * start;
    const __m512i *spans = (const __m512i *)(axis->spans + first);
    __m512i starts = _mm512_permutex2var_epi32(_mm512_loadu_si512(spans), _mm512_slli_epi32(pattern.pixel, 1),
                                               _mm512_loadu_si512(spans + 1));
    starts = _mm512_sub_epi32(starts, _mm512_set1_epi32((int32_t)start));
    __m512i byte = _mm512_add_epi32(_mm512_mullo_epi32(starts, _mm512_set1_epi32(3)), pattern.channel);
    byte = _mm512_mullo_epi32(byte, _mm512_set1_epi32(0x01010101));
    byte = _mm512_add_epi8(byte, _mm512_set1_epi32(0x09060300));
    _mm512_store_si512(to->index, byte);

    __m512i *vectors = (__m512i *)(to + 1);
    __m512i which = _mm512_mullo_epi32(pattern.pixel, _mm512_set1_epi32((int32_t)axis->groups));
    size_t offset = 4 * (size_t)first * axis->groups;
    for (uint32_t g = 0; g < axis->groups; g++, vectors += 3) {
        _mm512_store_si512(vectors, spread(planes.a + offset, which));
        _mm512_store_si512(vectors + 1, spread(planes.b + offset, which));
        _mm512_store_si512(vectors + 2, spread(planes.c + offset, which));
        which = _mm512_add_epi32(which, _mm512_set1_epi32(1));
    }
}

FAST static uint32_t pack_all_narrow(const struct dls_axis *axis, struct planes planes, uint8_t *to)
{
    const struct pattern patterns[3] = {pattern_of(0), pattern_of(1), pattern_of(2)};
    uint32_t blocks = narrow_blocks(axis);
    for (uint32_t block = 0; block < blocks; block++, to += dls_across_block_size(axis->groups))
        pack_narrow(axis, block, planes, patterns[block * DLS_NARROW_BYTES % 3],
                    (struct dls_across_block *)to);
    return blocks;
}

static uint32_t digits_of(const uint8_t *plane, size_t group)
{
    uint32_t digits;
    memcpy(&digits, plane + 4 * group, sizeof(digits));
    return digits;
}

static void pack_wide(const struct dls_axis *axis, uint32_t block, struct planes planes,
                      struct dls_across_block *to)
{
    uint32_t *vectors = (uint32_t *)(to + 1);
    for (uint32_t p = 0; p < DLS_WIDE_PIXELS; p++) {
        uint32_t i = last_pixel(axis, block * DLS_WIDE_PIXELS + p);
        to->starts[p] = 3 * axis->spans[i].start;
        for (uint32_t g = 0; g < axis->groups; g++) {
            size_t group = (size_t)i * axis->groups + g;
            uint32_t *lane = vectors + g * 48 + 4 * p;
            for (unsigned channel = 0; channel < 4; channel++) {
                lane[channel] = digits_of(planes.a, group);
                lane[16 + channel] = digits_of(planes.b, group);
                lane[32 + channel] = digits_of(planes.c, group);
            }
        }
    }
}

void dls_across_pack(const struct dls_axis *axis, void *packed)
{
    struct dls_across_header *header = packed;
    uint8_t *to = (uint8_t *)(header + 1);
    struct planes planes = make_planes(axis, to + blocks_size(axis));
    header->groups = axis->groups;
    header->wide = is_wide(axis);
    if (!header->wide) {
        header->blocks = pack_all_narrow(axis, planes, to);
        return;
    }
    header->blocks = wide_blocks(axis);
    for (uint32_t block = 0; block < header->blocks; block++, to += dls_across_block_size(axis->groups))
        pack_wide(axis, block, planes, (struct dls_across_block *)to);
}
