/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over a PNG file's chunks: its header and what lies beside the image data, without decoding any of
 * that. */
#ifndef DLS_DECODE_PNG_CHUNKS_H
#define DLS_DECODE_PNG_CHUNKS_H

#include "decode/exif.h"
#include "decode/scratch.h"

#include <stdbool.h>

struct dls_png_facts {
    uint32_t width, height;
    uint8_t depth, colour, interlaced;
    bool has_trns, animated;
    size_t end; /* just behind IEND, or the file's length if there is none */
    struct dls_side_data side;
};

/* Refuses what Pillow refuses: wrong checksums before the image data, no image data, a chunk after it that is
 * cut off. Compressed text with EXIF or XMP in it is inflated into `arena`, which must stay until `side` has
 * been used. */
int dls_png_walk(const uint8_t *data, size_t length, struct dls_arena *arena,
                 struct dls_png_facts *ret_facts);

#endif
