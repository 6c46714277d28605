/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color.h"

#include "base/hash.h"
#include "base/rng.h"
#include "image/color_kernel.h"
#include "support/synthetic.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GREY = DLS_COLOR_STEPS };

struct line {
    int pattern;
    uint64_t seed;
    uint32_t width, height;
    int operation;
    double factor;
    uint64_t hash;
};

static const struct line lines[] = {
#include "unit/image/color_table.h"
};

static void adjust(const struct dls_pixels *pixels, int operation, double factor)
{
    if (operation == DLS_COLOR_BRIGHTNESS)
        dls_color_brightness(pixels, (float)factor);
    else if (operation == DLS_COLOR_CONTRAST)
        dls_color_contrast(pixels, (float)factor);
    else if (operation == DLS_COLOR_SATURATION)
        dls_color_saturation(pixels, (float)factor);
    else if (operation == DLS_COLOR_HUE)
        dls_color_hue(pixels, factor);
    else
        dls_color_grey(pixels);
}

static struct dls_pixels make_picture(int pattern, uint64_t seed, uint32_t width, uint32_t height)
{
    struct dls_pixels pixels = {malloc(3 * (size_t)width * height), width, height, 3 * (size_t)width};
    cr_assert_not_null(pixels.data);
    support_fill(pattern, seed, pixels.stride, pixels.data, pixels.stride * height);
    return pixels;
}

Test(color, equals_pillow)
{
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct line *line = &lines[i];
        struct dls_pixels pixels = make_picture(line->pattern, line->seed, line->width, line->height);
        adjust(&pixels, line->operation, line->factor);
        cr_assert_eq(dls_hash64(pixels.data, pixels.stride * pixels.height), line->hash,
                     "line %zu: operation %d by %g", i, line->operation, line->factor);
        free(pixels.data);
    }
}

/* Rows of a larger picture: what lies beside them stays. */
Test(color, keeps_to_its_rows)
{
    for (int operation = 0; operation <= GREY; operation++) {
        struct dls_pixels whole = make_picture(SUPPORT_NOISE, 5, 150, 12),
                          copy = make_picture(SUPPORT_NOISE, 5, 150, 12);
        struct dls_pixels part = {whole.data + 2 * whole.stride + 30, 100, 8, whole.stride};
        struct dls_pixels packed = make_picture(0, 0, 100, 8);
        for (uint32_t y = 0; y < 8; y++)
            memcpy(packed.data + y * packed.stride, part.data + y * part.stride, packed.stride);
        adjust(&part, operation, 0.3);
        adjust(&packed, operation, 0.3);
        for (uint32_t y = 0; y < 12; y++)
            for (uint32_t i = 0; i < 450; i++) {
                bool inside = y >= 2 && y < 10 && i >= 30 && i < 330;
                uint8_t want = inside ? packed.data[(y - 2) * 300 + i - 30] : copy.data[y * 450 + i];
                cr_assert_eq(whole.data[y * 450 + i], want, "operation %d row %u byte %u", operation, y, i);
            }
        free(whole.data);
        free(copy.data);
        free(packed.data);
    }
}

Test(color, known_colors)
{
    uint8_t bytes[12] = {255, 0, 0, 0, 255, 0, 10, 20, 30, 200, 200, 200};
    const struct dls_pixels pixels = {bytes, 4, 1, 12};
    dls_color_brightness(&pixels, 2.0f);
    static const uint8_t brighter[12] = {255, 0, 0, 0, 255, 0, 20, 40, 60, 255, 255, 255};
    cr_assert_arr_eq(bytes, brighter, 12);
    dls_color_hue(&pixels, 1.0 / 3);
    cr_assert(bytes[1] == 255 && bytes[0] == 0 && bytes[5] == 255 &&
              bytes[9] == 255); /* red to green to blue */
    dls_color_grey(&pixels);
    cr_assert(bytes[0] == 150 && bytes[3] == 29);
    dls_color_saturation(&pixels, 2.0f);
    cr_assert(bytes[0] == 150 && bytes[1] == 150 && bytes[2] == 150);
}

Test(color, ranges)
{
    struct dls_color_ranges ranges;
    dls_color_ranges_init(0.4, 1.5, 0, 0.1, &ranges);
    cr_assert_float_eq(ranges.low[DLS_COLOR_BRIGHTNESS], 0.6, 1e-12);
    cr_assert_float_eq(ranges.high[DLS_COLOR_BRIGHTNESS], 1.4, 1e-12);
    cr_assert_eq(ranges.low[DLS_COLOR_CONTRAST], 0);
    cr_assert_eq(ranges.high[DLS_COLOR_CONTRAST], 2.5);
    cr_assert(ranges.low[DLS_COLOR_SATURATION] == 1 && ranges.high[DLS_COLOR_SATURATION] == 1);
    cr_assert_float_eq(ranges.low[DLS_COLOR_HUE], -0.1, 1e-12);
}

/* All 24 orders equally often; factors uniform in their ranges; a step without a range is left out. */
Test(color, choice_is_distributed_as_defined)
{
    enum { PICTURES = 48000, BINS = 20 };
    struct dls_color_ranges ranges;
    unsigned orders[256] = {0}, bins[DLS_COLOR_STEPS][BINS] = {{0}};
    dls_color_ranges_init(0.4, 1.5, 0, 0.1, &ranges);
    for (uint64_t item = 0; item < PICTURES; item++) {
        struct dls_rng rng;
        struct dls_color_jitter jitter;
        unsigned code = 0;
        dls_rng_init(&rng, 3, 1, item);
        dls_color_choose(&ranges, &rng, &jitter);
        cr_assert_not(jitter.use[DLS_COLOR_SATURATION]);
        for (int i = 0; i < DLS_COLOR_STEPS; i++) {
            double low = ranges.low[i], high = ranges.high[i];
            code = code * 4 + jitter.order[i];
            if (jitter.use[i]) {
                cr_assert(jitter.factor[i] >= low && jitter.factor[i] <= high);
                bins[i][(unsigned)fmin((jitter.factor[i] - low) / (high - low) * BINS, BINS - 1)]++;
            }
        }
        orders[code]++;
    }
    unsigned kinds = 0;
    double chi2 = 0;
    for (unsigned i = 0; i < 256; i++)
        if (orders[i]) {
            kinds++;
            chi2 += (orders[i] - 2000.0) * (orders[i] - 2000.0) / 2000;
        }
    cr_assert_eq(kinds, 24);
    cr_assert_leq(chi2, 23 + 5 * sqrt(46));
    for (int step = 0; step < DLS_COLOR_STEPS; step++) {
        chi2 = 0;
        for (unsigned b = 0; b < BINS && step != DLS_COLOR_SATURATION; b++)
            chi2 += (bins[step][b] - 2400.0) * (bins[step][b] - 2400.0) / 2400;
        cr_assert_leq(chi2, 19 + 5 * sqrt(38));
    }
}

Test(color, apply_takes_the_steps_in_order)
{
    struct dls_color_jitter jitter = {
        .order = {DLS_COLOR_HUE, DLS_COLOR_CONTRAST, DLS_COLOR_SATURATION, DLS_COLOR_BRIGHTNESS},
        .use = {true, true, false, true},
        .factor = {1.4, 0.6, 1, 0.2}};
    struct dls_pixels a = make_picture(SUPPORT_WAVES, 1, 40, 30), b = make_picture(SUPPORT_WAVES, 1, 40, 30);
    dls_color_apply(&jitter, &a);
    dls_color_hue(&b, 0.2);
    dls_color_contrast(&b, 0.6f);
    dls_color_brightness(&b, 1.4f);
    cr_assert_arr_eq(a.data, b.data, a.stride * 30);
    free(a.data);
    free(b.data);
}

/* Every colour that there is, in rows whose ends no vector fits, by every kernel: the bytes of the plain loops. */
Test(color, kernels_agree)
{
    enum { WIDTH = 4099 };
    static uint8_t wanted[3 * WIDTH], got[3 * WIDTH + 1];
    static const double factors[] = {0, 0.3, 0.999, 1.7, 12};
    uint32_t color = 0;

    for (unsigned round = 0; color < 1u << 24; round++) {
        uint8_t row[3 * WIDTH];
        for (size_t x = 0; x < WIDTH; x++, color += 1 + round % 2) {
            row[3 * x] = (uint8_t)(color >> 16);
            row[3 * x + 1] = (uint8_t)(color >> 8);
            row[3 * x + 2] = (uint8_t)color;
        }
        uint32_t width = WIDTH - round % 9;
        int operation = (int)(round % 5);
        double factor = operation == DLS_COLOR_HUE ? (round % 101) / 100.0 - 0.5 : factors[round % 5 ? round / 5 % 5 : 1];
        const struct dls_pixels plain = {wanted, width, 1, sizeof(wanted)}, fast = {got, width, 1, sizeof(got)};
        memcpy(wanted, row, sizeof(wanted));
        dls_color_use(&dls_color_portable);
        adjust(&plain, operation, factor);
        for (unsigned k = 0; dls_color_kernels[k] != NULL; k++) {
            if (!dls_color_kernels[k]->usable())
                continue;
            memcpy(got, row, sizeof(row));
            dls_color_use(dls_color_kernels[k]);
            adjust(&fast, operation, factor);
            cr_assert_arr_eq(got, wanted, sizeof(wanted), "%s, operation %d by %g, colours to %06x",
                             dls_color_kernels[k]->name, operation, factor, color);
        }
        dls_color_use(NULL);
    }
}

/* The hue goes through more arithmetic than the others: each of its turns over many colours. */
Test(color, every_turn_of_the_hue_is_the_same_by_every_kernel)
{
    enum { WIDTH = 8192 };
    static uint8_t row[3 * WIDTH], wanted[3 * WIDTH], got[3 * WIDTH];
    struct dls_rng rng;

    dls_rng_init(&rng, 12, 0, 0);
    for (unsigned turn = 0; turn < 256; turn++) {
        for (size_t i = 0; i < sizeof(row); i++)
            row[i] = (uint8_t)(turn % 3 ? dls_rng_u32(&rng) : 120 + dls_rng_u32(&rng) % 8);
        memcpy(wanted, row, sizeof(row));
        dls_color_portable.turn(wanted, WIDTH, (uint8_t)turn);
        for (unsigned k = 0; dls_color_kernels[k] != NULL; k++) {
            if (!dls_color_kernels[k]->usable())
                continue;
            memcpy(got, row, sizeof(row));
            dls_color_kernels[k]->turn(got, WIDTH, (uint8_t)turn);
            cr_assert_arr_eq(got, wanted, sizeof(wanted), "%s, turn %u", dls_color_kernels[k]->name, turn);
        }
    }
}
