/* SPDX-License-Identifier: Apache-2.0 */
/* Orientation out of what a picture's file carries beside its pixels. */
#ifndef DLS_DECODE_EXIF_H
#define DLS_DECODE_EXIF_H

#include <stddef.h>
#include <stdint.h>

/* Blocks of memory a file's walk found; NULL if it has none. */
struct dls_side_data {
    const uint8_t *exif; /* a TIFF structure, with or without "Exif\0\0" before it */
    size_t exif_length;
    const uint8_t *xmp;
    size_t xmp_length;
};

/* 1–8, or 0 if none is stated or the value is out of range. As Pillow reads it: the EXIF tag if there is one,
 * with whatever value, else XMP's tiff:Orientation. Nothing here is an error: a damaged block states nothing.
 */
uint8_t dls_side_orientation(const struct dls_side_data *side);

#endif
