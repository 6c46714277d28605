/* SPDX-License-Identifier: Apache-2.0 */
#include "image/normalize.h"

static bool usable(void)
{
    return true;
}

static void wide_row(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                     float *const to[3], size_t step)
{
    for (size_t i = 0; i < width; i++, from += 3) {
        to[0][i * step] = normalizer->wide[0][from[0]];
        to[1][i * step] = normalizer->wide[1][from[1]];
        to[2][i * step] = normalizer->wide[2][from[2]];
    }
}

static void narrow_row(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width,
                       uint16_t *const to[3], size_t step)
{
    for (size_t i = 0; i < width; i++, from += 3) {
        to[0][i * step] = normalizer->narrow[0][from[0]];
        to[1][i * step] = normalizer->narrow[1][from[1]];
        to[2][i * step] = normalizer->narrow[2][from[2]];
    }
}

static void row(const struct dls_normalizer *normalizer, const uint8_t *from, size_t width, void *const to[3])
{
    bool planar = normalizer->layout == DLS_LAYOUT_NCHW;
    if (normalizer->element == DLS_ELEMENT_FLOAT32) {
        float *first = to[0];
        float *const places[3] = {first, planar ? to[1] : first + 1, planar ? to[2] : first + 2};
        wide_row(normalizer, from, width, places, planar ? 1 : 3);
    } else {
        uint16_t *first = to[0];
        uint16_t *const places[3] = {first, planar ? to[1] : first + 1, planar ? to[2] : first + 2};
        narrow_row(normalizer, from, width, places, planar ? 1 : 3);
    }
}

const struct dls_normalize_kernel dls_normalize_portable = {.name = "portable", .usable = usable, .row = row};
