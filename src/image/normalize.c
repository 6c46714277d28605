/* SPDX-License-Identifier: Apache-2.0 */
#include "image/normalize.h"

#include "base/err.h"

#include <math.h>
#include <string.h>

size_t dls_element_size(enum dls_element element)
{
    return element == DLS_ELEMENT_FLOAT32 ? sizeof(float) : sizeof(uint16_t);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Drops the lowest `drop` bits, to nearest, ties to even. */
static uint32_t round_bits(uint32_t bits, unsigned drop)
{
    uint32_t half = UINT32_C(1) << (drop - 1), low = bits & (2 * half - 1), kept = bits >> drop;
    return kept + (low > half || (low == half && (kept & 1)));
}

static uint16_t to_bfloat16(float value)
{
    return (uint16_t)round_bits(bits_of(value), 16);
}

static uint16_t to_float16(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xFF;
    uint32_t mantissa = bits & 0x7FFFFF;
    if (exponent > 142) /* 2^16 and more: infinite */
        return (uint16_t)(sign | 0x7C00);
    if (exponent >= 113) /* normal; a carry into the exponent is right, up to infinity */
        return (uint16_t)(sign | round_bits((exponent - 112) << 23 | mantissa, 13));
    if (exponent < 102) /* less than half the smallest */
        return (uint16_t)sign;
    return (uint16_t)(sign | round_bits(mantissa | 0x800000, 126 - exponent));
}

/* a / b by way of 1 / b: the remainder of the first try, which a fused multiply-and-add gives exactly,
 * corrects it. */
static float quotient(float a, float b, float inverse)
{
    float first = a * inverse;
    return fmaf(fmaf(-b, first, a), inverse, first);
}

/* Nearly always those quotients are the rounded ones; there are only 256 to try. */
static bool short_cut_holds(const struct dls_normalizer *normalizer)
{
    for (unsigned channel = 0; channel < 3; channel++)
        for (unsigned byte = 0; byte < 256; byte++) {
            float scaled = quotient((float)byte, 255.0f, 1.0f / 255.0f) - normalizer->mean[channel];
            float value = quotient(scaled, normalizer->std[channel], normalizer->inverse[channel]);
            if (bits_of(value) != bits_of(normalizer->wide[channel][byte]))
                return false;
        }
    return true;
}

static void fill_tables(struct dls_normalizer *normalizer)
{
    for (unsigned channel = 0; channel < 3; channel++)
        for (unsigned byte = 0; byte < 256; byte++) {
            float scaled = (float)byte / 255.0f;
            float centered = scaled - normalizer->mean[channel];
            float value = centered / normalizer->std[channel];
            normalizer->wide[channel][byte] = value;
            normalizer->narrow[channel][byte] =
                normalizer->element == DLS_ELEMENT_FLOAT16 ? to_float16(value) : to_bfloat16(value);
        }
}

int dls_normalize_init(struct dls_normalizer *normalizer, enum dls_element element, enum dls_layout layout,
                       const float mean[3], const float std[3])
{
    for (unsigned channel = 0; channel < 3; channel++)
        if (!isfinite(mean[channel]) || !isfinite(std[channel]) || !(std[channel] > 0))
            return dls_err(EINVAL, "normalize: mean %g and std %g of channel %u: finite and std > 0 wanted",
                           (double)mean[channel], (double)std[channel], channel);
    normalizer->element = element;
    normalizer->layout = layout;
    for (unsigned channel = 0; channel < 3; channel++) {
        normalizer->mean[channel] = mean[channel];
        normalizer->std[channel] = std[channel];
        normalizer->inverse[channel] = 1.0f / std[channel];
    }
    fill_tables(normalizer);
    normalizer->short_cut = short_cut_holds(normalizer);
    unsigned best = 0;
    while (dls_normalize_kernels[best] != &dls_normalize_portable &&
           !(normalizer->short_cut && dls_normalize_kernels[best]->usable()))
        best++;
    normalizer->kernel = dls_normalize_kernels[best];
    return 0;
}

void dls_normalize(const struct dls_normalizer *normalizer, const struct dls_pixels *from, void *ret_elements)
{
    size_t size = dls_element_size(normalizer->element), plane = (size_t)from->width * from->height * size;
    bool planar = normalizer->layout == DLS_LAYOUT_NCHW;
    uint8_t *to = ret_elements;
    for (uint32_t y = 0; y < from->height; y++) {
        void *const rows[3] = {to, planar ? to + plane : NULL, planar ? to + 2 * plane : NULL};
        normalizer->kernel->row(normalizer, from->data + y * from->stride, from->width, rows);
        to += from->width * size * (planar ? 1 : 3);
    }
}

void dls_planes(const struct dls_pixels *from, uint8_t *ret_planes)
{
    size_t plane = (size_t)from->width * from->height;
    uint8_t *restrict red = ret_planes, *restrict green = red + plane, *restrict blue = green + plane;
    for (uint32_t y = 0; y < from->height; y++) {
        const uint8_t *row = from->data + y * from->stride;
        for (size_t x = 0; x < from->width; x++) {
            red[x] = row[3 * x];
            green[x] = row[3 * x + 1];
            blue[x] = row[3 * x + 2];
        }
        red += from->width;
        green += from->width;
        blue += from->width;
    }
}
