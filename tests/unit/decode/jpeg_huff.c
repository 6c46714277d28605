/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/decode/support.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

static const struct {
    int horizontal, vertical;
} samplings[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};
#define SAMPLINGS (sizeof(samplings) / sizeof(*samplings))

static bool same_pixels(const struct dls_pixels *a, const struct dls_pixels *b)
{
    return a->width == b->width && a->height == b->height && a->stride == b->stride &&
           memcmp(a->data, b->data, a->stride * a->height) == 0;
}

/* Where the header of the scan is. */
static size_t find_scan(const uint8_t *data, size_t length)
{
    for (size_t at = 0; at + 1 < length; at++)
        if (data[at] == 0xff && data[at + 1] == 0xda)
            return at;
    cr_assert(false, "there is no scan");
    return 0;
}

struct quiet {
    struct jpeg_error_mgr errors;
    jmp_buf escape;
};

static void quiet_exit(j_common_ptr cinfo)
{
    longjmp(((struct quiet *)cinfo->err)->escape, 1);
}

static void quiet_message(j_common_ptr cinfo, int level)
{
    cinfo->err->num_warnings += level < 0;
}

/* As plain_decode(), of damaged data: false if libjpeg gives up. */
static bool quiet_decode(const uint8_t *data, size_t length, struct dls_pixels *pixels)
{
    struct jpeg_decompress_struct cinfo;
    struct quiet quiet;
    cinfo.err = jpeg_std_error(&quiet.errors);
    quiet.errors.error_exit = quiet_exit;
    quiet.errors.emit_message = quiet_message;
    jpeg_create_decompress(&cinfo);
    if (setjmp(quiet.escape) != 0) {
        jpeg_destroy_decompress(&cinfo);
        return false;
    }
    jpeg_mem_src(&cinfo, data, length);
    jpeg_read_header(&cinfo, TRUE);
    cinfo.out_color_space = JCS_RGB;
    jpeg_start_decompress(&cinfo);
    while (cinfo.output_scanline < cinfo.output_height) {
        JSAMPROW row = pixels->data + cinfo.output_scanline * pixels->stride;
        jpeg_read_scanlines(&cinfo, &row, 1);
    }
    jpeg_destroy_decompress(&cinfo);
    return true;
}

/* Tables made for the picture, grey and colour, coarse and fine: codes of all lengths, up to 16 bits. And the same with bits
 * turned, bytes put in and taken away: what libjpeg makes of damage is what comes. */
Test(jpeg_huff, own_tables_and_damaged_data_give_libjpegs_pixels)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;
    unsigned damaged = 0;

    dls_rng_init(&rng, 10, 0, 0);
    for (unsigned n = 0; n < 240; n++) {
        struct support_jpeg spec = {.width = 40 + n % 50,
                                    .height = 30 + n % 37,
                                    .quality = (int[]){3, 30, 75, 92, 100}[n % 5],
                                    .grayscale = n % 7 == 6,
                                    .horizontal = samplings[n % SAMPLINGS].horizontal,
                                    .vertical = samplings[n % SAMPLINGS].vertical,
                                    .optimize = n % 2,
                                    .restart = n % 4 == 3 ? 5 : 0,
                                    .seed = n};
        struct dls_picture picture;
        struct dls_pixels whole, wanted = make_pixels(spec.width, spec.height);
        size_t length;
        uint8_t *data = support_make_jpeg(&spec, &length);
        size_t scan = find_scan(data, length) + 14;

        cr_assert(quiet_decode(data, length, &wanted));
        cr_assert_eq(decode_whole(decoder, data, length, &picture, &whole, NULL), 0, "%s", dls_err_text());
        cr_assert(same_pixels(&whole, &wanted), "picture %u", n);
        for (unsigned round = 0; round < 6; round++) {
            size_t at = scan + (size_t)dls_rng_below(&rng, length - scan - 2);
            uint8_t before = data[at];
            data[at] = (uint8_t)(round % 3 == 0 ? before ^ 1u << dls_rng_below(&rng, 8) : dls_rng_u32(&rng));
            if (dls_decoder_rgb(decoder, &picture, data, length, NULL, &whole, NULL) == 0 &&
                quiet_decode(data, length, &wanted)) {
                cr_assert(same_pixels(&whole, &wanted), "picture %u, byte %zu is %02x, not %02x", n, at, data[at], before);
                damaged++;
            }
            data[at] = before;
        }
        free(whole.data);
        free(wanted.data);
        free(data);
    }
    cr_assert_gt(damaged, 700);
    dls_decoder_free(&decoder);
}
