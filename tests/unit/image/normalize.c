/* SPDX-License-Identifier: Apache-2.0 */
#include "image/normalize.h"

#include "base/rng.h"
#include "support/synthetic.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float imagenet_mean[3] = {0.485f, 0.456f, 0.406f}, imagenet_std[3] = {0.229f, 0.224f, 0.225f};
static const float half[3] = {0.5f, 0.5f, 0.5f}, zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};

/* What torch computes, step by step. */
static float expected(uint8_t byte, float mean, float std)
{
    volatile float value = byte;
    value = value / 255.0f;
    value = value - mean;
    value = value / std;
    return value;
}

static double decode(uint16_t bits, enum dls_element element)
{
    if (element == DLS_ELEMENT_BFLOAT16) {
        uint32_t wide = (uint32_t)bits << 16;
        float value;
        memcpy(&value, &wide, sizeof(value));
        return value;
    }
    double sign = bits & 0x8000 ? -1 : 1, mantissa = bits & 0x3FF;
    int exponent = bits >> 10 & 31;
    if (exponent == 31)
        return sign * (mantissa > 0 ? NAN : INFINITY);
    return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

/* Neither neighbour is nearer, and of two as near the even one was taken. */
static void check_nearest(uint16_t bits, double value, enum dls_element element)
{
    double here = decode(bits, element), distance = fabs(here - value);
    cr_assert_eq(signbit(here) != 0, signbit(value) != 0);
    double above = fabs(decode((uint16_t)(bits + 1), element) - value);
    cr_assert(distance < above || (distance == above && !(bits & 1)), "%04x for %.9g", bits, value);
    if (bits & 0x7FFF) {
        double below = fabs(decode((uint16_t)(bits - 1), element) - value);
        cr_assert(distance < below || (distance == below && !(bits & 1)), "%04x for %.9g", bits, value);
    }
}

static void check_bytes(const float mean[3], const float std[3], enum dls_element element)
{
    struct dls_normalizer normalizer;
    uint8_t bytes[768];
    float wide[768];
    uint16_t narrow[768];
    for (unsigned i = 0; i < 768; i++)
        bytes[i] = (uint8_t)(i / 3);
    const struct dls_pixels from = {bytes, 256, 1, 768};
    cr_assert_eq(dls_normalize_init(&normalizer, element, DLS_LAYOUT_NHWC, mean, std), 0);
    dls_normalize(&normalizer, &from, element == DLS_ELEMENT_FLOAT32 ? (void *)wide : narrow);
    for (unsigned i = 0; i < 768; i++) {
        float value = expected(bytes[i], mean[i % 3], std[i % 3]);
        if (element == DLS_ELEMENT_FLOAT32)
            cr_assert_eq(memcmp(&value, &wide[i], sizeof(value)), 0, "%.9g is not %.9g", wide[i], value);
        else
            check_nearest(narrow[i], value, element);
    }
}

Test(normalize, every_byte_as_torch_computes_it)
{
    struct dls_rng rng;
    dls_rng_init(&rng, 1, 1, 1);
    for (int element = 0; element < 3; element++) {
        check_bytes(imagenet_mean, imagenet_std, element);
        check_bytes(half, half, element);
        check_bytes(zero, one, element);
        for (int i = 0; i < 300; i++) {
            float mean[3], std[3];
            for (unsigned c = 0; c < 3; c++) {
                mean[c] = (float)(dls_rng_double(&rng) * 2 - 0.5);
                std[c] = (float)exp(dls_rng_double(&rng) * 8 - 6);
            }
            check_bytes(mean, std, element);
        }
    }
}

Test(normalize, known_values)
{
    struct dls_normalizer normalizer;
    uint8_t bytes[3] = {0, 255, 128};
    const struct dls_pixels from = {bytes, 1, 1, 3};
    uint16_t narrow[3];
    float wide[3];
    cr_assert_eq(dls_normalize_init(&normalizer, DLS_ELEMENT_FLOAT32, DLS_LAYOUT_NHWC, half, half), 0);
    dls_normalize(&normalizer, &from, wide);
    cr_assert(wide[0] == -1.0f && wide[1] == 1.0f && fabsf(wide[2] - 0.00392163f) < 1e-7f);
    cr_assert_eq(dls_normalize_init(&normalizer, DLS_ELEMENT_FLOAT16, DLS_LAYOUT_NHWC, half, half), 0);
    dls_normalize(&normalizer, &from, narrow);
    cr_assert(narrow[0] == 0xBC00 && narrow[1] == 0x3C00 && narrow[2] == 0x1C04);
    cr_assert_eq(dls_normalize_init(&normalizer, DLS_ELEMENT_BFLOAT16, DLS_LAYOUT_NHWC, half, half), 0);
    dls_normalize(&normalizer, &from, narrow);
    cr_assert(narrow[0] == 0xBF80 && narrow[1] == 0x3F80 && narrow[2] == 0x3B80 + 1);
}

/* Magnitudes at which float16 is subnormal, zero, or overflows. */
Test(normalize, extreme_scales)
{
    const float tiny[3] = {1e-5f, 3e-6f, 1e-7f}, huge[3] = {1e5f, 1e7f, 3e9f};
    struct dls_normalizer normalizer;
    for (int element = 1; element < 3; element++)
        check_bytes(half, huge, element);
    cr_assert_eq(dls_normalize_init(&normalizer, DLS_ELEMENT_FLOAT16, DLS_LAYOUT_NHWC, zero, tiny), 0);
    uint8_t bytes[6] = {255, 255, 255, 0, 0, 0};
    const struct dls_pixels from = {bytes, 2, 1, 6};
    uint16_t narrow[6];
    dls_normalize(&normalizer, &from, narrow);
    for (unsigned i = 0; i < 6; i++)
        cr_assert_eq(narrow[i], i < 3 ? 0x7C00 : 0);
}

/* All kernels, layouts, types and widths write the same bytes, and none outside. */
static void compare(const struct dls_normalize_kernel *kernel, enum dls_element element,
                    enum dls_layout layout, uint32_t width, uint32_t height)
{
    struct dls_normalizer normalizer;
    size_t stride = 3 * (size_t)width + width % 5, size = dls_element_size(element);
    size_t bytes = 3 * (size_t)width * height * size, source = stride * (height - 1) + 3 * (size_t)width;
    struct dls_pixels from = {malloc(source), width, height, stride};
    uint8_t *plain = malloc(bytes), *fast = malloc(bytes), *turned = malloc(bytes);
    support_fill(SUPPORT_NOISE, width, 1, from.data, source);
    cr_assert_eq(dls_normalize_init(&normalizer, element, layout, imagenet_mean, imagenet_std), 0);
    cr_assert(normalizer.short_cut);
    normalizer.kernel = &dls_normalize_portable;
    dls_normalize(&normalizer, &from, plain);
    normalizer.kernel = kernel;
    dls_normalize(&normalizer, &from, fast);
    cr_assert_arr_eq(plain, fast, bytes, "%s: element %d layout %d width %u", kernel->name, element, layout,
                     width);
    normalizer.layout = layout == DLS_LAYOUT_NHWC ? DLS_LAYOUT_NCHW : DLS_LAYOUT_NHWC;
    dls_normalize(&normalizer, &from, turned);
    for (size_t i = 0; i < (size_t)width * height; i++)
        for (size_t c = 0; c < 3; c++) {
            const uint8_t *a = layout == DLS_LAYOUT_NHWC ? plain : turned, *b = a == plain ? turned : plain;
            cr_assert_arr_eq(a + (3 * i + c) * size, b + (c * width * height + i) * size, size);
        }
    free(from.data);
    free(plain);
    free(fast);
    free(turned);
}

Test(normalize, kernels_and_layouts_agree)
{
    for (unsigned k = 0; dls_normalize_kernels[k]; k++)
        for (uint32_t width = 1; width <= 70 && dls_normalize_kernels[k]->usable(); width++)
            for (int element = 0; element < 3; element++)
                for (int layout = 0; layout < 2; layout++)
                    compare(dls_normalize_kernels[k], element, layout, width, 1 + width % 3);
}

/* The short cut holds for the numbers that people use, whatever kernel then runs. */
Test(normalize, common_numbers_take_the_short_cut)
{
    const float cifar_mean[3] = {0.4914f, 0.4822f, 0.4465f}, cifar_std[3] = {0.2470f, 0.2435f, 0.2616f};
    const float clip_mean[3] = {0.48145466f, 0.4578275f, 0.40821073f};
    const float clip_std[3] = {0.26862954f, 0.26130258f, 0.27577711f};
    const float *const pairs[][2] = {{imagenet_mean, imagenet_std},
                                     {half, half},
                                     {zero, one},
                                     {cifar_mean, cifar_std},
                                     {clip_mean, clip_std}};
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct dls_normalizer normalizer;
        cr_assert_eq(dls_normalize_init(&normalizer, 0, 0, pairs[i][0], pairs[i][1]), 0);
        cr_assert(normalizer.short_cut, "pair %u", i);
    }
}

Test(normalize, refuses_what_cannot_be)
{
    struct dls_normalizer normalizer;
    const float nan_mean[3] = {0, NAN, 0}, zero_std[3] = {1, 1, 0}, minus[3] = {1, -1, 1},
                inf[3] = {INFINITY, 1, 1};
    cr_assert_eq(dls_normalize_init(&normalizer, 0, 0, nan_mean, one), -EINVAL);
    cr_assert_eq(dls_normalize_init(&normalizer, 0, 0, zero, zero_std), -EINVAL);
    cr_assert_eq(dls_normalize_init(&normalizer, 0, 0, zero, minus), -EINVAL);
    cr_assert_eq(dls_normalize_init(&normalizer, 0, 0, zero, inf), -EINVAL);
}

Test(normalize, bytes_in_planes_are_the_bytes)
{
    uint8_t from[2][12], planes[19];
    const uint8_t wanted[] = {0, 3, 6, 16, 19, 22, 1, 4, 7, 17, 20, 23, 2, 5, 8, 18, 21, 24};
    const struct dls_pixels pixels = {.data = from[0], .width = 3, .height = 2, .stride = 12};

    for (unsigned i = 0; i < 12; i++) { /* three bytes of a row belong to no pixel */
        from[0][i] = (uint8_t)i;
        from[1][i] = (uint8_t)(16 + i);
    }
    memset(planes, 99, sizeof(planes));
    dls_planes(&pixels, planes);
    cr_assert_arr_eq(planes, wanted, sizeof(wanted));
    cr_assert_eq(planes[18], 99);
}
