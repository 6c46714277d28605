/* SPDX-License-Identifier: Apache-2.0 */
#include "support/support.h"

#include <stdio.h>
#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>

uint8_t *support_make_pixels(unsigned width, unsigned height, uint32_t seed)
{
    uint8_t *pixels = malloc((size_t)width * height * 3), *at = pixels;
    uint32_t noise = seed * 2654435761u + 1;

    if (pixels == NULL)
        abort();
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            noise = noise * 1664525u + 1013904223u;
            unsigned grain = noise >> 28;
            *at++ = (uint8_t)((x * 255 / width + seed * 37) % 240 + grain);
            *at++ = (uint8_t)((y * 255 / height + seed * 91) % 240 + grain);
            *at++ = (uint8_t)((((x / 8) ^ (y / 8)) * 16 + seed * 53) % 240 + grain);
        }
    }
    return pixels;
}

static void write_orientation(struct jpeg_compress_struct *jpeg, unsigned orientation)
{
    /* "Exif\0\0", a big-endian TIFF header, one entry: tag 0x0112, type SHORT, one value. */
    uint8_t exif[] = {'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12,
                      0,   3,   0,   0,   0, 1, 0,   0,   0, 0,  0, 0, 0, 0};

    exif[25] = (uint8_t)orientation;
    jpeg_write_marker(jpeg, JPEG_APP0 + 1, exif, sizeof(exif));
}

uint8_t *support_make_jpeg(const struct support_jpeg *spec, size_t *ret_length)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors; /* the default handler prints and exits, as setup that fails shall */
    unsigned char *data = NULL;
    unsigned long length = 0;
    unsigned width = spec->width != 0 ? spec->width : 64, height = spec->height != 0 ? spec->height : 48;
    uint8_t *pixels = support_make_pixels(width, height, spec->seed);

    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &data, &length);
    jpeg.image_width = width;
    jpeg.image_height = height;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    if (spec->grayscale)
        jpeg_set_colorspace(&jpeg, JCS_GRAYSCALE);
    jpeg_set_quality(&jpeg, spec->quality != 0 ? spec->quality : 90, TRUE);
    if (!spec->grayscale) {
        jpeg.comp_info[0].h_samp_factor = spec->horizontal != 0 ? spec->horizontal : 2;
        jpeg.comp_info[0].v_samp_factor = spec->vertical != 0 ? spec->vertical : 2;
    }
    jpeg.restart_interval = spec->restart;
    jpeg.optimize_coding = spec->optimize;
    if (spec->progressive)
        jpeg_simple_progression(&jpeg);
    jpeg_start_compress(&jpeg, TRUE);
    if (spec->orientation != 0)
        write_orientation(&jpeg, spec->orientation);
    while (jpeg.next_scanline < height) {
        JSAMPROW row = pixels + (size_t)jpeg.next_scanline * width * 3;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(pixels);
    *ret_length = length;
    return data;
}
