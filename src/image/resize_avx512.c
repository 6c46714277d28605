/* SPDX-License-Identifier: Apache-2.0 */
/* A weight is three signed bytes here, a × 2^16 + b × 2^8 + c: one instruction (VNNI) then multiplies four
 * pixels by four such bytes and adds them to a 32-bit sum, and the pixels need not be widened. */
#include "image/resize_kernel.h"

#include "image/resize_pack.h"

#include <immintrin.h>
#include <string.h>

#define TARGET target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni")
#define FAST __attribute__((TARGET))
#define INLINE __attribute__((TARGET, always_inline)) static inline
#define HALF (1 << (DLS_WEIGHT_BITS - 1))

/* How the horizontal pass fetches pixels. NARROW: 16 bytes of the result in turn (red, green, blue, red …)
 * are the lanes of a vector, all made from one load of 64 bytes. WIDE, when the picture shrinks so much that
 * 64 bytes do not hold what 16 results need: four pixels in turn, from a load of 16 bytes each. */
enum layout { NARROW, WIDE };
#define NARROW_BYTES 16
#define WIDE_PIXELS 4

struct header {
    uint32_t layout, blocks, groups, unused[13];
};

/* Digits of a group: four bytes each, a tap's digit in a byte. */
struct digits {
    uint32_t a, b, c;
};

struct narrow {
    uint8_t index[64];
    uint32_t start, unused[15];
    /* then, for each group, 3 × 16 digits */
};

struct wide {
    uint32_t starts[WIDE_PIXELS], unused[12];
    /* then, for each group, 3 × 16 digits: a pixel's digits for red, green, blue, nothing */
};

static bool usable(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vnni");
}

static struct digits split(const int32_t weights[DLS_GROUP])
{
    struct digits digits = {0, 0, 0};
    for (unsigned t = 0; t < DLS_GROUP; t++) {
        int32_t c = (int8_t)weights[t], rest = (weights[t] - c) >> 8;
        int32_t b = (int8_t)rest, a = (rest - b) >> 8;
        digits.a |= (uint32_t)(uint8_t)a << 8 * t;
        digits.b |= (uint32_t)(uint8_t)b << 8 * t;
        digits.c |= (uint32_t)(uint8_t)c << 8 * t;
    }
    return digits;
}

static struct digits group_digits(const struct dls_axis *axis, uint32_t i, uint32_t from)
{
    int32_t weights[DLS_GROUP];
    for (uint32_t t = 0; t < DLS_GROUP; t++)
        weights[t] = dls_weight(axis, i, from + t);
    return split(weights);
}

static uint32_t narrow_blocks(const struct dls_axis *axis)
{
    return (3 * axis->key.count + NARROW_BYTES - 1) / NARROW_BYTES;
}

/* The first and last pixel of the result that have a byte in the block. */
static void narrow_pixels(const struct dls_axis *axis, uint32_t block, uint32_t *ret_first,
                          uint32_t *ret_last)
{
    uint32_t last = (block * NARROW_BYTES + NARROW_BYTES - 1) / 3;
    *ret_first = block * NARROW_BYTES / 3;
    *ret_last = last < axis->key.count ? last : axis->key.count - 1;
}

/* The lowest group start of a block; ret_fits: whether 64 bytes from there hold the first group of all its
 * pixels. */
static uint32_t narrow_start(const struct dls_axis *axis, uint32_t block, uint32_t reach, bool *ret_fits)
{
    uint32_t first, last;
    narrow_pixels(axis, block, &first, &last);
    uint32_t a = dls_group_start(axis, first, reach), b = dls_group_start(axis, last, reach);
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    *ret_fits = 3 * (high - low + DLS_GROUP) <= 64;
    return low;
}

static enum layout layout_of(const struct dls_axis *axis)
{
    uint32_t reach = dls_reach(axis);
    for (uint32_t block = 0; block < narrow_blocks(axis); block++) {
        bool fits;
        narrow_start(axis, block, reach, &fits);
        if (!fits)
            return WIDE;
    }
    return NARROW;
}

static uint32_t wide_blocks(const struct dls_axis *axis)
{
    return (axis->key.count + WIDE_PIXELS - 1) / WIDE_PIXELS;
}

/* Enough for either layout: there are at least as many wide blocks as narrow ones. */
static size_t horizontal_size(const struct dls_axis *axis)
{
    size_t block = sizeof(struct narrow) + (size_t)dls_groups(axis) * 3 * 64;
    return sizeof(struct header) + wide_blocks(axis) * block;
}

static void put_digits(uint32_t *vectors, unsigned lane, struct digits digits)
{
    vectors[lane] = digits.a;
    vectors[16 + lane] = digits.b;
    vectors[32 + lane] = digits.c;
}

static void pack_narrow(const struct dls_axis *axis, uint32_t block, uint32_t reach, struct narrow *to)
{
    uint32_t groups = dls_groups(axis), *vectors = (uint32_t *)(to + 1);
    bool fits;
    uint32_t start = narrow_start(axis, block, reach, &fits);
    memset(to, 0, sizeof(*to) + (size_t)groups * 3 * 64);
    to->start = 3 * start;
    for (unsigned lane = 0; lane < NARROW_BYTES; lane++) {
        uint32_t i = (block * NARROW_BYTES + lane) / 3, channel = (block * NARROW_BYTES + lane) % 3;
        if (i >= axis->key.count)
            break;
        uint32_t first = dls_group_start(axis, i, reach);
        for (unsigned t = 0; t < DLS_GROUP; t++)
            to->index[4 * lane + t] = (uint8_t)(3 * (first - start + t) + channel);
        for (uint32_t g = 0; g < groups; g++)
            put_digits(vectors + g * 48, lane, group_digits(axis, i, first + DLS_GROUP * g));
    }
}

static void pack_wide(const struct dls_axis *axis, uint32_t block, uint32_t reach, struct wide *to)
{
    uint32_t groups = dls_groups(axis), *vectors = (uint32_t *)(to + 1);
    memset(to, 0, sizeof(*to) + (size_t)groups * 3 * 64);
    for (unsigned p = 0; p < WIDE_PIXELS; p++) {
        uint32_t i = block * WIDE_PIXELS + p;
        if (i >= axis->key.count)
            break;
        uint32_t first = dls_group_start(axis, i, reach);
        to->starts[p] = 3 * first;
        for (uint32_t g = 0; g < groups; g++)
            for (unsigned channel = 0; channel < 3; channel++)
                put_digits(vectors + g * 48, 4 * p + channel, group_digits(axis, i, first + DLS_GROUP * g));
    }
}

static void pack_horizontal(const struct dls_axis *axis, void *packed)
{
    struct header *header = packed;
    uint32_t reach = dls_reach(axis);
    header->layout = layout_of(axis);
    header->groups = dls_groups(axis);
    uint8_t *to = (uint8_t *)(header + 1);
    if (header->layout == NARROW) {
        header->blocks = narrow_blocks(axis);
        for (uint32_t block = 0; block < header->blocks; block++)
            pack_narrow(axis, block, reach,
                        (struct narrow *)(to + block * (sizeof(struct narrow) + header->groups * 192)));
    } else {
        header->blocks = wide_blocks(axis);
        for (uint32_t block = 0; block < header->blocks; block++)
            pack_wide(axis, block, reach,
                      (struct wide *)(to + block * (sizeof(struct wide) + header->groups * 192)));
    }
}

INLINE __m512i finish(__m512i a, __m512i b, __m512i c)
{
    __m512i sum = _mm512_add_epi32(_mm512_slli_epi32(a, 8), b);
    sum = _mm512_add_epi32(_mm512_slli_epi32(sum, 8), c);
    return _mm512_srai_epi32(sum, DLS_WEIGHT_BITS);
}

INLINE void narrow(const uint8_t *packed, uint32_t blocks, uint32_t groups, const uint8_t *from, uint8_t *to)
{
    const __m512i zero = _mm512_setzero_si512(), half = _mm512_set1_epi32(HALF);
    for (; blocks > 0; blocks--, to += NARROW_BYTES) {
        const struct narrow *block = (const struct narrow *)packed;
        const __m512i index = _mm512_load_si512(block->index), *digits = (const __m512i *)(block + 1);
        const uint8_t *in = from + block->start;
        __m512i a = zero, b = zero, c = half;
        for (uint32_t g = 0; g < groups; g++, in += 3 * DLS_GROUP, digits += 3) {
            __m512i taps = _mm512_permutexvar_epi8(index, _mm512_loadu_si512(in));
            a = _mm512_dpbusd_epi32(a, taps, digits[0]);
            b = _mm512_dpbusd_epi32(b, taps, digits[1]);
            c = _mm512_dpbusd_epi32(c, taps, digits[2]);
        }
        __m512i sum = _mm512_max_epi32(finish(a, b, c), zero);
        _mm_storeu_si128((__m128i *)to, _mm512_cvtusepi32_epi8(sum));
        packed += sizeof(*block) + groups * 192;
    }
}

INLINE __m512i load_four(const uint8_t *from, const uint32_t starts[WIDE_PIXELS])
{
    __m512i bytes = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(from + starts[0])));
    bytes = _mm512_inserti32x4(bytes, _mm_loadu_si128((const __m128i *)(from + starts[1])), 1);
    bytes = _mm512_inserti32x4(bytes, _mm_loadu_si128((const __m128i *)(from + starts[2])), 2);
    return _mm512_inserti32x4(bytes, _mm_loadu_si128((const __m128i *)(from + starts[3])), 3);
}

INLINE void wide(const uint8_t *packed, uint32_t blocks, uint32_t groups, const uint8_t *from, uint8_t *to)
{
    const __m512i zero = _mm512_setzero_si512(), half = _mm512_set1_epi32(HALF);
    const __m512i planes =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, -1, -1, -1, -1));
    const __m128i squeeze = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    for (; blocks > 0; blocks--, to += 3 * WIDE_PIXELS) {
        const struct wide *block = (const struct wide *)packed;
        const __m512i *digits = (const __m512i *)(block + 1);
        const uint8_t *in = from;
        __m512i a = zero, b = zero, c = half;
        for (uint32_t g = 0; g < groups; g++, in += 3 * DLS_GROUP, digits += 3) {
            __m512i taps = _mm512_shuffle_epi8(load_four(in, block->starts), planes);
            a = _mm512_dpbusd_epi32(a, taps, digits[0]);
            b = _mm512_dpbusd_epi32(b, taps, digits[1]);
            c = _mm512_dpbusd_epi32(c, taps, digits[2]);
        }
        __m512i sum = _mm512_max_epi32(finish(a, b, c), zero);
        _mm_storeu_si128((__m128i *)to, _mm_shuffle_epi8(_mm512_cvtusepi32_epi8(sum), squeeze));
        packed += sizeof(*block) + groups * 192;
    }
}

FAST static void horizontal(const struct dls_resize_table *table, const uint8_t *from, uint8_t *to)
{
    const struct header *header = table->packed;
    const uint8_t *packed = (const uint8_t *)(header + 1);
    if (header->layout == WIDE)
        wide(packed, header->blocks, header->groups, from, to);
    else if (header->groups == 1)
        narrow(packed, header->blocks, 1, from, to);
    else if (header->groups == 2)
        narrow(packed, header->blocks, 2, from, to);
    else
        narrow(packed, header->blocks, header->groups, from, to);
}

static size_t vertical_size(const struct dls_axis *axis)
{
    return (size_t)axis->key.count * dls_groups(axis) * sizeof(struct digits);
}

static void pack_vertical(const struct dls_axis *axis, void *packed)
{
    struct digits *to = packed;
    for (uint32_t i = 0; i < axis->key.count; i++)
        for (uint32_t g = 0; g < dls_groups(axis); g++)
            *to++ = group_digits(axis, i, axis->spans[i].start + DLS_GROUP * g);
}

/* Up to 64 bytes of a row of the result; `mask` says which. */
INLINE void down(const struct digits *digits, uint32_t taps, const uint8_t *const *rows, size_t at,
                 __mmask64 mask, uint8_t *to)
{
    const __m512i zero = _mm512_setzero_si512(), half = _mm512_set1_epi32(HALF);
    __m512i a[4] = {zero, zero, zero, zero}, b[4] = {zero, zero, zero, zero}, c[4] = {half, half, half, half};
    for (uint32_t t = 0; t < taps; t += DLS_GROUP, digits++) {
        uint32_t last = taps - 1 - t;
        __m512i r0 = _mm512_maskz_loadu_epi8(mask, rows[t] + at);
        __m512i r1 = _mm512_maskz_loadu_epi8(mask, rows[t + (last < 1 ? last : 1)] + at);
        __m512i r2 = _mm512_maskz_loadu_epi8(mask, rows[t + (last < 2 ? last : 2)] + at);
        __m512i r3 = _mm512_maskz_loadu_epi8(mask, rows[t + (last < 3 ? last : 3)] + at);
        __m512i low01 = _mm512_unpacklo_epi8(r0, r1), high01 = _mm512_unpackhi_epi8(r0, r1);
        __m512i low23 = _mm512_unpacklo_epi8(r2, r3), high23 = _mm512_unpackhi_epi8(r2, r3);
        const __m512i columns[4] = {_mm512_unpacklo_epi16(low01, low23), _mm512_unpackhi_epi16(low01, low23),
                                    _mm512_unpacklo_epi16(high01, high23),
                                    _mm512_unpackhi_epi16(high01, high23)};
        __m512i digit_a = _mm512_set1_epi32((int32_t)digits->a),
                digit_b = _mm512_set1_epi32((int32_t)digits->b);
        __m512i digit_c = _mm512_set1_epi32((int32_t)digits->c);
        for (unsigned v = 0; v < 4; v++) {
            a[v] = _mm512_dpbusd_epi32(a[v], columns[v], digit_a);
            b[v] = _mm512_dpbusd_epi32(b[v], columns[v], digit_b);
            c[v] = _mm512_dpbusd_epi32(c[v], columns[v], digit_c);
        }
    }
    /* Packing in lanes undoes the order that unpacking in lanes made. */
    __m512i front = _mm512_packs_epi32(finish(a[0], b[0], c[0]), finish(a[1], b[1], c[1]));
    __m512i back = _mm512_packs_epi32(finish(a[2], b[2], c[2]), finish(a[3], b[3], c[3]));
    _mm512_mask_storeu_epi8(to, mask, _mm512_packus_epi16(front, back));
}

FAST static void vertical(const struct dls_resize_table *table, uint32_t index, const uint8_t *const *rows,
                          uint8_t *to, size_t size)
{
    const struct dls_axis *axis = &table->axis;
    const struct digits *digits = (const struct digits *)table->packed + (size_t)index * dls_groups(axis);
    uint32_t taps = axis->spans[index].length;
    for (size_t at = 0; at < size; at += 64) {
        __mmask64 mask = size - at >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (size - at)) - 1;
        down(digits, taps, rows, at, mask, to + at);
    }
}

const struct dls_resize_kernel dls_resize_avx512 = {
    .name = "avx512",
    .usable = usable,
    .overshoot = 64,
    .horizontal_size = horizontal_size,
    .pack_horizontal = pack_horizontal,
    .vertical_size = vertical_size,
    .pack_vertical = pack_vertical,
    .horizontal = horizontal,
    .vertical = vertical,
};
