/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG by libjpeg-turbo with its defaults (accurate integer DCT, smooth chroma upsampling, block smoothing),
 * which are Pillow's, with Huffman codes read by jpeg_huff.c. Only the rows and columns a box needs are decoded. */
#include "decode/codec.h"

#include "base/err.h"
#include "decode/jpeg_lib.h"

#include <inttypes.h>
#include <string.h>

/* Rows given to libjpeg in one call; it fills as many as it has at hand. */
#define ROWS 16

static int read_header(struct dls_jpeg *jpeg, struct dls_picture *ret_picture)
{
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    jpeg_read_header(cinfo, TRUE);
    if (cinfo->data_precision != 8)
        return dls_err(ENOTSUP, "jpeg: %d bits a sample; only 8 are decoded", cinfo->data_precision);
    if (cinfo->num_components != 1 && cinfo->num_components != 3 && cinfo->num_components != 4)
        return dls_err(ENOTSUP, "jpeg: %d colour components; only 1, 3 and 4 are decoded",
                       cinfo->num_components);
    ret_picture->width = cinfo->image_width;
    ret_picture->height = cinfo->image_height;
    ret_picture->channels = (uint8_t)cinfo->num_components;
    ret_picture->bits = (uint8_t)cinfo->data_precision;
    ret_picture->progressive = cinfo->progressive_mode;
    ret_picture->arithmetic = cinfo->arith_code;
    ret_picture->cmyk = cinfo->num_components == 4;
    return 0;
}

static int jpeg_header(void *state, const uint8_t *data, size_t length, const struct dls_picture *hint,
                       struct dls_picture *ret_picture)
{
    struct dls_jpeg *jpeg = state;
    struct dls_decode_notes notes = {0};
    int r;
    (void)hint;
    dls_jpeg_begin(jpeg, data, length, true, &notes);
    if (setjmp(jpeg->escape) == 0)
        r = read_header(jpeg, ret_picture);
    else
        r = dls_jpeg_error(jpeg);
    dls_jpeg_end(jpeg);
    if (r == 0)
        ret_picture->orientation = dls_side_orientation(&jpeg->side);
    return r;
}

/* Pillow takes every four-component JPEG for inverted, as Adobe's programs write them, and multiplies with
 * rounding: colour = (255 - ink) × (255 - black) / 255 after inversion, here on the stored values. */
static void cmyk_to_rgb(const uint8_t *from, uint8_t *to, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++, from += 4, to += 3) {
        int black = from[3]; /* 255 - (255 - stored) */
        for (int i = 0; i < 3; i++) {
            int product = (255 - from[i]) * black + 128;
            int value = black - ((product + (product >> 8)) >> 8);
            to[i] = value < 0 ? 0 : (uint8_t)value;
        }
    }
}

/* True if every coefficient is known to full precision, so that libjpeg does not smooth over blocks. */
static bool is_complete(const struct jpeg_decompress_struct *cinfo)
{
    if (!cinfo->progressive_mode || cinfo->coef_bits == NULL)
        return true;
    for (int c = 0; c < cinfo->num_components; c++) {
        for (int i = 0; i < DCTSIZE2; i++) {
            if (cinfo->coef_bits[c][i] != 0)
                return false;
        }
    }
    return true;
}

/* Narrows the decode to what the box needs; *ret_x is the first column that libjpeg will give. The margin is
 * for upsampling, which looks at the chroma samples beside its own. */
static void narrow(struct dls_jpeg *jpeg, const struct dls_box *box, uint32_t *ret_x)
{
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    JDIMENSION margin = (JDIMENSION)cinfo->max_h_samp_factor;
    JDIMENSION x = box->x > margin ? box->x - margin : 0;
    JDIMENSION right = box->x + box->width;
    right = cinfo->output_width - right > margin ? right + margin : cinfo->output_width;
    JDIMENSION width = right - x;
    *ret_x = 0;
    if (!is_complete(cinfo))
        return; /* smoothing looks further around itself than a margin allows for */
    if (width < cinfo->output_width) {
        jpeg_crop_scanline(cinfo, &x, &width);
        *ret_x = x;
    }
    if (box->y > 0)
        jpeg_skip_scanlines(cinfo, box->y);
}

static int read_rows(struct dls_jpeg *jpeg, const struct dls_box *box, uint32_t x,
                     const struct dls_pixels *pixels)
{
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    bool cmyk = cinfo->out_color_space == JCS_CMYK;
    bool direct = !cmyk && x == box->x && cinfo->output_width == box->width;
    size_t step = (size_t)cinfo->output_components;
    size_t row_bytes = ((size_t)cinfo->output_width * step + 63) & ~(size_t)63;
    JSAMPROW rows[ROWS];
    uint8_t *scratch = dls_scratch_get(jpeg->scratch, ROWS * row_bytes);
    if (scratch == NULL)
        return -ENOMEM;
    for (unsigned i = 0; i < ROWS; i++)
        rows[i] = scratch + i * row_bytes;
    /* Rows above the box that could not be skipped. */
    while (cinfo->output_scanline < box->y)
        jpeg_read_scanlines(cinfo, rows, 1);
    for (uint32_t y = 0; y < box->height;) {
        uint32_t want = box->height - y < ROWS ? box->height - y : ROWS;
        for (uint32_t i = 0; direct && i < want; i++)
            rows[i] = pixels->data + (y + i) * pixels->stride;
        uint32_t got = jpeg_read_scanlines(cinfo, rows, want);
        for (uint32_t i = 0; !direct && i < got; i++) {
            const uint8_t *from = rows[i] + (box->x - x) * step;
            uint8_t *to = pixels->data + (y + i) * pixels->stride;
            if (cmyk)
                cmyk_to_rgb(from, to, box->width);
            else
                memcpy(to, from, 3 * (size_t)box->width);
        }
        y += got;
    }
    return 0;
}

static int decode_box(struct dls_jpeg *jpeg, const struct dls_picture *picture, const struct dls_box *wanted,
                      const struct dls_pixels *pixels)
{
    struct dls_box own = *wanted;
    const struct dls_box *box = &own;
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    struct dls_picture found;
    uint32_t x;
    int r = read_header(jpeg, &found);
    if (r < 0)
        return r;
    if (found.width != picture->width || found.height != picture->height)
        return dls_err(EBADMSG, "jpeg: the picture is %" PRIu32 " × %" PRIu32 ", not %" PRIu32 " × %" PRIu32,
                       found.width, found.height, picture->width, picture->height);
    own.y -= dls_jpeg_start_below(jpeg, own.y, own.y + own.height, picture->eighths);
    cinfo->out_color_space = cinfo->num_components == 4 ? JCS_CMYK : JCS_RGB;
    if (picture->eighths != 0) {
        cinfo->scale_num = picture->eighths;
        cinfo->scale_denom = 8;
    }
    jpeg_start_decompress(cinfo);
    if (!jpeg->irregular)
        dls_huff_take_over(jpeg);
    narrow(jpeg, box, &x);
    r = read_rows(jpeg, box, x, pixels);
    if (r < 0)
        return r;
    if (cinfo->output_scanline == cinfo->output_height) {
        jpeg->finishing = true;
        jpeg_finish_decompress(cinfo);
        jpeg->notes->trailing = jpeg->source.bytes_in_buffer;
    }
    return 0;
}

static int jpeg_rgb(void *state, const struct dls_picture *picture, const uint8_t *data, size_t length,
                    const struct dls_box *box, const struct dls_pixels *pixels,
                    struct dls_decode_notes *notes)
{
    struct dls_jpeg *jpeg = state;
    int r;
    jpeg->irregular = false;
    dls_jpeg_begin(jpeg, data, length, false, notes);
    if (setjmp(jpeg->escape) != 0) {
        if (!jpeg->irregular || jpeg->retried) {
            r = dls_jpeg_error(jpeg);
            goto end;
        }
        jpeg->retried = true;
        dls_jpeg_end(jpeg);
        memset(notes, 0, sizeof(*notes));
        dls_jpeg_begin(jpeg, data, length, false, notes);
    }
    r = decode_box(jpeg, picture, box, pixels);
end:
    jpeg->retried = false;
    dls_jpeg_end(jpeg);
    return r;
}

const struct dls_codec_ops dls_codec_jpeg = {.name = "jpeg",
                                             .create = dls_jpeg_create,
                                             .destroy = dls_jpeg_destroy,
                                             .header = jpeg_header,
                                             .rgb = jpeg_rgb};
