/* SPDX-License-Identifier: Apache-2.0 */
#include "image/geometry.h"

#include <assert.h>
#include <string.h>

/* EXIF orientations as what is done to the stored picture to make it upright: first exchange x and y (5–8),
 * then mirror the upright picture left to right and/or top to bottom. */
struct turn {
    bool swap, mirror_x, mirror_y;
};

static struct turn turn_of(uint8_t orientation)
{
    static const struct turn turns[9] = {
        [2] = {.mirror_x = true},
        [3] = {.mirror_x = true, .mirror_y = true},
        [4] = {.mirror_y = true},
        [5] = {.swap = true},
        [6] = {.swap = true, .mirror_x = true},
        [7] = {.swap = true, .mirror_x = true, .mirror_y = true},
        [8] = {.swap = true, .mirror_y = true},
    };
    return turns[orientation <= 8 ? orientation : 0];
}

bool dls_orientation_swaps(uint8_t orientation)
{
    return turn_of(orientation).swap;
}

void dls_orientation_mirrors(uint8_t orientation, bool *ret_x, bool *ret_y)
{
    struct turn turn = turn_of(orientation);
    *ret_x = turn.mirror_x;
    *ret_y = turn.mirror_y;
}

void dls_box_to_stored(const struct dls_box *box, uint8_t orientation, uint32_t width, uint32_t height,
                       struct dls_box *ret_stored)
{
    struct turn turn = turn_of(orientation);
    uint32_t upright_width = turn.swap ? height : width, upright_height = turn.swap ? width : height;
    assert(box->width <= upright_width && box->x <= upright_width - box->width);
    assert(box->height <= upright_height && box->y <= upright_height - box->height);
    uint32_t x = turn.mirror_x ? upright_width - box->x - box->width : box->x;
    uint32_t y = turn.mirror_y ? upright_height - box->y - box->height : box->y;
    *ret_stored = turn.swap ? (struct dls_box){y, x, box->height, box->width}
                            : (struct dls_box){x, y, box->width, box->height};
}

static void mirror_row(const uint8_t *from, uint8_t *to, uint32_t width)
{
    to += 3 * (size_t)width;
    for (uint32_t x = 0; x < width; x++, from += 3) {
        to -= 3;
        to[0] = from[0];
        to[1] = from[1];
        to[2] = from[2];
    }
}

/* Squares of pixels, so that the lines that a column of the source touches stay in the first cache until all
 * of their pixels are used. */
#define TILE 32

static void swap_tile(const struct dls_pixels *from, struct turn turn, const struct dls_pixels *to,
                      uint32_t x0, uint32_t y0)
{
    uint32_t x1 = x0 + TILE < from->width ? x0 + TILE : from->width;
    uint32_t y1 = y0 + TILE < from->height ? y0 + TILE : from->height;
    ptrdiff_t step = turn.mirror_x ? -3 : 3;
    for (uint32_t x = x0; x < x1; x++) {
        uint8_t *out = to->data + (turn.mirror_y ? to->height - 1 - x : x) * to->stride +
                       3 * (size_t)(turn.mirror_x ? to->width - 1 - y0 : y0);
        const uint8_t *in = from->data + y0 * from->stride + 3 * (size_t)x;
        for (uint32_t y = y0; y < y1; y++, in += from->stride, out += step) {
            out[0] = in[0];
            out[1] = in[1];
            out[2] = in[2];
        }
    }
}

void dls_orient(const struct dls_pixels *from, uint8_t orientation, const struct dls_pixels *to)
{
    struct turn turn = turn_of(orientation);
    if (turn.swap) {
        assert(to->width == from->height && to->height == from->width);
        for (uint32_t y = 0; y < from->height; y += TILE)
            for (uint32_t x = 0; x < from->width; x += TILE)
                swap_tile(from, turn, to, x, y);
        return;
    }
    assert(to->width == from->width && to->height == from->height);
    for (uint32_t y = 0; y < from->height; y++) {
        const uint8_t *in = from->data + y * from->stride;
        uint8_t *out = to->data + (turn.mirror_y ? to->height - 1 - y : y) * to->stride;
        if (turn.mirror_x)
            mirror_row(in, out, from->width);
        else
            memcpy(out, in, 3 * (size_t)from->width);
    }
}
