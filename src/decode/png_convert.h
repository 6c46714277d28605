/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of PNG samples to RGB as Pillow's convert("RGB") makes them. */
#ifndef DLS_DECODE_PNG_CONVERT_H
#define DLS_DECODE_PNG_CONVERT_H

#include <stdint.h>

/* row: samples as stored but for 16-bit ones, which are in the machine's order. Pixels [x, x + width) of it
 * become RGB at `to`. palette: 256 RGB entries, for indexed colour. */
typedef void dls_png_convert(const uint8_t *row, uint32_t x, uint32_t width, const uint8_t *palette,
                             uint8_t *to);

/* NULL for a pair of depth and colour type that PNG does not have. */
dls_png_convert *dls_png_converter(uint8_t colour, uint8_t depth);

#endif
