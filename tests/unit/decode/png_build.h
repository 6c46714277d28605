/* SPDX-License-Identifier: Apache-2.0 */
/* PNG files put together chunk by chunk. */
#ifndef DLS_TESTS_PNG_BUILD_H
#define DLS_TESTS_PNG_BUILD_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct png_build {
    uint8_t bytes[1 << 16];
    size_t length;
};

static inline void put_big32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline void png_chunk(struct png_build *png, const char *type, const void *data, size_t length)
{
    uint8_t *at = png->bytes + png->length;
    cr_assert_lt(png->length + length + 12, sizeof(png->bytes));
    put_big32(at, (uint32_t)length);
    memcpy(at + 4, type, 4);
    if (length > 0)
        memcpy(at + 8, data, length);
    put_big32(at + 8 + length, (uint32_t)crc32(0, at + 4, (uInt)length + 4));
    png->length += length + 12;
}

static inline void png_start(struct png_build *png, uint32_t width, uint32_t height, uint8_t depth,
                             uint8_t colour, uint8_t interlace)
{
    uint8_t header[13] = {0};
    memcpy(png->bytes, "\x89PNG\r\n\x1a\n", 8);
    png->length = 8;
    put_big32(header, width);
    put_big32(header + 4, height);
    header[8] = depth;
    header[9] = colour;
    header[12] = interlace;
    png_chunk(png, "IHDR", header, sizeof(header));
}

/* rows: each with its filter byte before it. */
static inline void png_image(struct png_build *png, const void *rows, size_t length)
{
    uint8_t packed[1 << 15];
    uLongf size = sizeof(packed);
    cr_assert_eq(compress(packed, &size, rows, length), Z_OK);
    png_chunk(png, "IDAT", packed, size);
}

static inline void png_end(struct png_build *png)
{
    png_chunk(png, "IEND", NULL, 0);
}

#endif
