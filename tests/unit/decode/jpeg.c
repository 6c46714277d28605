/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "unit/decode/support.h"

#include <stdio.h>
#include <jpeglib.h>

static const struct {
    int horizontal, vertical;
} samplings[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};
#define SAMPLINGS (sizeof(samplings) / sizeof(*samplings))

/* The picture as a plain program with libjpeg gets it. */
static struct dls_pixels plain_decode(const uint8_t *data, size_t length)
{
    struct jpeg_decompress_struct cinfo;
    struct jpeg_error_mgr errors;
    cinfo.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&cinfo);
    jpeg_mem_src(&cinfo, data, length);
    jpeg_read_header(&cinfo, TRUE);
    cinfo.out_color_space = JCS_RGB;
    jpeg_start_decompress(&cinfo);
    struct dls_pixels pixels = make_pixels(cinfo.output_width, cinfo.output_height);
    while (cinfo.output_scanline < cinfo.output_height) {
        JSAMPROW row = pixels.data + cinfo.output_scanline * pixels.stride;
        jpeg_read_scanlines(&cinfo, &row, 1);
    }
    jpeg_finish_decompress(&cinfo);
    jpeg_destroy_decompress(&cinfo);
    return pixels;
}

static bool same_pixels(const struct dls_pixels *a, const struct dls_pixels *b)
{
    return a->width == b->width && a->height == b->height && a->stride == b->stride &&
           memcmp(a->data, b->data, a->stride * a->height) == 0;
}

Test(jpeg, all_samplings_whole_and_in_boxes)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;
    dls_rng_init(&rng, 7, 0, 0);
    for (unsigned i = 0; i < 20 * SAMPLINGS; i++) {
        struct support_jpeg spec = {.width = 1 + (unsigned)dls_rng_below(&rng, i % 3 ? 150 : 20),
                                    .height = 1 + (unsigned)dls_rng_below(&rng, i % 3 ? 150 : 20),
                                    .quality = 20 + (int)dls_rng_below(&rng, 79),
                                    .grayscale = i % 9 == 8,
                                    .progressive = i % 2,
                                    .horizontal = samplings[i % SAMPLINGS].horizontal,
                                    .vertical = samplings[i % SAMPLINGS].vertical,
                                    .restart = (unsigned)dls_rng_below(&rng, 4),
                                    .orientation = (unsigned)dls_rng_below(&rng, 9),
                                    .seed = i};
        char name[80];
        size_t length;
        uint8_t *data = support_make_jpeg(&spec, &length);
        struct dls_picture picture;
        struct dls_pixels pixels, plain = plain_decode(data, length);
        struct dls_decode_notes notes;
        snprintf(name, sizeof(name), "%d×%d sampling, %u × %u, progressive %d, restart %u", spec.horizontal,
                 spec.vertical, spec.width, spec.height, spec.progressive, spec.restart);
        cr_assert_eq(decode_whole(decoder, data, length, &picture, &pixels, &notes), 0, "%s", dls_err_text());
        cr_assert(same_pixels(&pixels, &plain), "%s", name);
        cr_assert_eq(picture.width, spec.width);
        cr_assert_eq(picture.height, spec.height);
        cr_assert_eq(picture.orientation, spec.orientation);
        cr_assert_eq(picture.progressive, spec.progressive);
        cr_assert_eq(picture.channels, spec.grayscale ? 1 : 3);
        cr_assert_eq(notes.warnings, 0);
        cr_assert_eq(notes.trailing, 0);
        check_boxes(decoder, &picture, data, length, &pixels, 10, &rng, name);
        free(pixels.data);
        free(plain.data);
        free(data);
    }
    dls_decoder_free(&decoder);
}

/* Byte offset of the n-th occurrence of a marker, from 0. */
static size_t find_marker(const uint8_t *data, size_t length, uint8_t marker, unsigned n)
{
    for (size_t at = 0; at + 1 < length; at++) {
        if (data[at] == 0xff && data[at + 1] == marker && n-- == 0)
            return at;
    }
    cr_assert(false, "marker %02x is not there", marker);
    return 0;
}

/* A progressive picture without its last scans is smoothed over its blocks, further than a box's margin
 * reaches. */
Test(jpeg, boxes_of_an_incomplete_progressive_picture)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;
    dls_rng_init(&rng, 8, 0, 0);
    for (unsigned scans = 1; scans < 7; scans++) {
        struct support_jpeg spec = {.width = 130, .height = 90, .progressive = true, .quality = 60};
        size_t length;
        uint8_t *data = support_make_jpeg(&spec, &length);
        size_t cut = find_marker(data, length, 0xda, scans);
        struct dls_picture picture;
        struct dls_pixels pixels;
        data[cut + 1] = 0xd9; /* an end marker in place of the scan */
        length = cut + 2;
        cr_assert_eq(decode_whole(decoder, data, length, &picture, &pixels, NULL), 0, "%s", dls_err_text());
        check_boxes(decoder, &picture, data, length, &pixels, 30, &rng, "incomplete");
        free(pixels.data);
        free(data);
    }
    dls_decoder_free(&decoder);
}

/* libjpeg keeps tables from picture to picture; a picture without its own must not find another's. */
Test(jpeg, tables_do_not_outlive_their_picture)
{
    struct dls_decoder *used = make_decoder(), *fresh = make_decoder();
    struct support_jpeg spec = {.seed = 1}, other = {.seed = 2, .quality = 30, .progressive = true};
    size_t length, other_length;
    uint8_t *data = support_make_jpeg(&spec, &length), *before = support_make_jpeg(&other, &other_length);
    /* Its quantisation table becomes a comment. */
    data[find_marker(data, length, 0xdb, 0) + 1] = 0xfe;
    struct dls_picture picture;
    struct dls_pixels pixels;
    for (int i = 0; i < 20; i++) {
        cr_assert_eq(decode_whole(used, before, other_length, &picture, &pixels, NULL), 0);
        free(pixels.data);
        cr_assert_eq(decode_whole(used, data, length, &picture, &pixels, NULL), -EBADMSG);
    }
    cr_assert_eq(decode_whole(fresh, data, length, &picture, &pixels, NULL), -EBADMSG);
    cr_assert(strstr(dls_err_text(), "Quantization table") != NULL, "%s", dls_err_text());
    free(before);
    free(data);
    dls_decoder_free(&used);
    dls_decoder_free(&fresh);
}

Test(jpeg, after_an_error_the_next_picture_is_right)
{
    struct dls_decoder *decoder = make_decoder();
    struct support_jpeg spec = {.width = 100, .height = 80};
    size_t length;
    uint8_t *data = support_make_jpeg(&spec, &length);
    struct dls_pixels plain = plain_decode(data, length), pixels;
    struct dls_picture picture;
    for (size_t cut = 1; cut < length; cut += 37) {
        if (dls_codec_detect(data, cut) == DLS_CODEC_JPEG) {
            cr_assert_eq(decode_whole(decoder, data, cut, &picture, &pixels, NULL), -EBADMSG, "cut to %zu",
                         cut);
            cr_assert(strstr(dls_err_text(), "jpeg: ") != NULL, "%s", dls_err_text());
        }
        cr_assert_eq(decode_whole(decoder, data, length, &picture, &pixels, NULL), 0);
        cr_assert(same_pixels(&pixels, &plain), "after a cut to %zu", cut);
        free(pixels.data);
    }
    free(plain.data);
    free(data);
    dls_decoder_free(&decoder);
}

Test(jpeg, bytes_behind_the_end_are_counted)
{
    struct dls_decoder *decoder = make_decoder();
    struct support_jpeg spec = {0};
    struct dls_decode_notes notes;
    struct dls_picture picture;
    struct dls_pixels pixels;
    size_t length;
    uint8_t *data = support_make_jpeg(&spec, &length);
    data = realloc(data, length + 1000);
    cr_assert_not_null(data);
    memset(data + length, 0xff, 1000);
    cr_assert_eq(decode_whole(decoder, data, length + 1000, &picture, &pixels, &notes), 0);
    cr_assert_eq(notes.trailing, 1000);
    cr_assert_eq(notes.warnings, 0);
    cr_assert_gt(notes.codec_allocations, 0);
    free(pixels.data);
    free(data);
    dls_decoder_free(&decoder);
}

Test(jpeg, the_size_must_be_the_one_that_was_told)
{
    struct dls_decoder *decoder = make_decoder();
    struct support_jpeg spec = {0};
    size_t length;
    uint8_t *data = support_make_jpeg(&spec, &length);
    struct dls_picture picture;
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_JPEG, data, length, NULL, &picture), 0);
    picture.width--;
    struct dls_pixels pixels = make_pixels(picture.width, picture.height);
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, length, NULL, &pixels, NULL), -EBADMSG);
    cr_assert(strstr(dls_err_text(), "64 × 48, not 63 × 48") != NULL, "%s", dls_err_text());
    free(pixels.data);
    free(data);
    dls_decoder_free(&decoder);
}

/* A few hundred bytes with a thousand scans would otherwise cost a thousand passes over the picture. */
Test(jpeg, thousands_of_scans_are_refused)
{
    struct dls_decoder *decoder = make_decoder();
    struct support_jpeg spec = {.progressive = true, .grayscale = true};
    size_t length;
    uint8_t *data = support_make_jpeg(&spec, &length);
    /* The last scan once more, again and again: each is valid by itself. */
    size_t scan = 0, end = length - 2;
    for (size_t at = 0; at + 1 < length; at++) {
        if (data[at] == 0xff && data[at + 1] == 0xda)
            scan = at;
    }
    size_t piece = end - scan, grown = end + 600 * piece + 2;
    uint8_t *many = malloc(grown);
    cr_assert_not_null(many);
    memcpy(many, data, end);
    for (int i = 0; i < 600; i++)
        memcpy(many + end + (size_t)i * piece, data + scan, piece);
    memcpy(many + grown - 2, "\xff\xd9", 2);
    struct dls_picture picture;
    struct dls_pixels pixels;
    cr_assert_eq(decode_whole(decoder, many, grown, &picture, &pixels, NULL), -EBADMSG);
    cr_assert(strstr(dls_err_text(), "scans") != NULL, "%s", dls_err_text());
    free(many);
    free(data);
    dls_decoder_free(&decoder);
}

static size_t put_exif(uint8_t *at, const char *exif, size_t length)
{
    at[0] = 0xff;
    at[1] = 0xe1;
    at[2] = (uint8_t)((length + 2) >> 8);
    at[3] = (uint8_t)(length + 2);
    memcpy(at + 4, exif, length);
    return length + 4;
}

/* EXIF longer than a segment is split; the second piece continues the first. */
Test(jpeg, exif_in_several_segments_is_joined)
{
    static const char first[] = "Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3";
    static const char second[] = "Exif\0\0\0\0\0\1\0\x07\0\0\0\0\0\0";
    static const char xmp[] = "http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation=\"4\"/>";
    struct dls_decoder *decoder = make_decoder();
    struct support_jpeg spec = {0};
    size_t length, at = 2;
    uint8_t *data = support_make_jpeg(&spec, &length), *more = malloc(length + 200);
    struct dls_picture picture;
    cr_assert_not_null(more);
    memcpy(more, data, 2);
    at += put_exif(more + at, xmp, sizeof(xmp) - 1);
    size_t xmp_alone = at;
    at += put_exif(more + at, first, sizeof(first) - 1);
    at += put_exif(more + at, second, sizeof(second) - 1);
    memcpy(more + at, data + 2, length - 2);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_JPEG, more, at + length - 2, NULL, &picture), 0);
        cr_assert_eq(picture.orientation, 7);
    }
    memcpy(more + xmp_alone, data + 2, length - 2);
    cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_JPEG, more, xmp_alone + length - 2, NULL, &picture),
                 0);
    cr_assert_eq(picture.orientation, 4);
    free(more);
    free(data);
    dls_decoder_free(&decoder);
}

Test(jpeg, nothing_of_our_own_is_allocated_once_running)
{
    struct dls_decoder *decoder = make_decoder();
    struct support_jpeg spec = {.width = 200, .height = 100, .orientation = 6};
    size_t length;
    uint8_t *data = support_make_jpeg(&spec, &length);
    struct dls_box box = {31, 17, 90, 60};
    struct dls_pixels pixels = make_pixels(90, 60);
    struct dls_picture picture;
    uint64_t calls = 0;
    for (int i = 0; i < 5; i++) {
        if (i == 1)
            calls = dls_mem_count(DLS_MEM_TAGS);
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_JPEG, data, length, NULL, &picture), 0);
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, length, &box, &pixels, NULL), 0);
    }
    cr_assert_eq(dls_mem_count(DLS_MEM_TAGS), calls);
    free(pixels.data);
    free(data);
    dls_decoder_free(&decoder);
}

/* Rows above a box are passed over by restart markers, not decoded: what stands there does not matter. */
Test(jpeg, damage_above_a_box_is_not_seen_where_there_are_restart_markers)
{
    struct dls_decoder *decoder = make_decoder();

    for (unsigned variant = 0; variant < 4 * SAMPLINGS; variant++) {
        const int h = samplings[variant % SAMPLINGS].horizontal, v = samplings[variant % SAMPLINGS].vertical;
        const bool grey = variant / SAMPLINGS == 3;
        /* A marker each row of units, every third of a row, or every second row. */
        const unsigned in_row = grey ? 12 : (96 + 8 * (unsigned)h - 1) / (8 * (unsigned)h);
        const unsigned intervals[] = {in_row, 1, 2 * in_row, in_row};
        struct support_jpeg spec = {.width = 96,
                                    .height = 320,
                                    .grayscale = grey,
                                    .horizontal = h,
                                    .vertical = v,
                                    .restart = intervals[variant / SAMPLINGS],
                                    .seed = variant};
        struct dls_picture picture;
        struct dls_pixels whole, part = make_pixels(50, 60);
        struct dls_decode_notes notes;
        size_t length;
        uint8_t *data = support_make_jpeg(&spec, &length);
        const struct dls_box box = {20, 230, 50, 60};

        cr_assert_eq(decode_whole(decoder, data, length, &picture, &whole, NULL), 0);
        /* Behind the header of the scan, in the first interval. */
        size_t at = find_marker(data, length, 0xda, 0);
        at += 2 + (size_t)data[at + 3];
        for (unsigned i = 2; i < 12 && data[at + i] != 0xff && data[at + i + 1] != 0xff; i++)
            data[at + i] = (uint8_t)(data[at + i] ^ 0x5a) == 0xff ? 0 : data[at + i] ^ 0x5a;
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, length, &box, &part, &notes), 0);
        cr_assert_eq(notes.warnings, 0, "%d×%d, restart %u: %s", h, v, spec.restart, notes.first);
        for (uint32_t y = 0; y < box.height; y++)
            cr_assert_arr_eq(part.data + y * part.stride, whole.data + (box.y + y) * whole.stride + 3 * box.x,
                             part.stride, "%d×%d, restart %u, row %u", h, v, spec.restart, y);
        free(whole.data);
        free(part.data);
        free(data);
    }
    dls_decoder_free(&decoder);
}

/* Markers that are missing or out of order are libjpeg's to deal with: a box is then what the whole is. */
Test(jpeg, restart_markers_out_of_order)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_rng rng;

    dls_rng_init(&rng, 9, 0, 0);
    for (unsigned n = 0; n < 12; n++) {
        struct support_jpeg spec = {.width = 90, .height = 200, .restart = 6, .seed = n};
        struct dls_picture picture;
        struct dls_pixels whole;
        size_t length;
        uint8_t *data = support_make_jpeg(&spec, &length);
        size_t at = find_marker(data, length, (uint8_t)(0xd0 + n % 8), n / 8);

        data[at + 1] = n % 3 == 0 ? 0 : (uint8_t)(0xd0 + (n + n % 3) % 8);
        cr_assert_eq(decode_whole(decoder, data, length, &picture, &whole, NULL), 0, "%s", dls_err_text());
        check_boxes(decoder, &picture, data, length, &whole, 60, &rng, "restart markers out of order");
        free(whole.data);
        free(data);
    }
    dls_decoder_free(&decoder);
}

/* A picture at a part of its size is what libjpeg makes of it, and a box of it is what it is in the whole, but for the
 * smoothing of colours at its edges. */
Test(jpeg, decoded_at_a_part_of_its_size)
{
    struct dls_decoder *decoder = make_decoder();

    for (uint8_t eighths = 1; eighths <= 8; eighths++) {
        struct support_jpeg spec = {.width = 203, .height = 149, .restart = eighths % 2 ? 13 : 0, .seed = eighths};
        struct dls_picture picture;
        size_t length;
        uint8_t *data = support_make_jpeg(&spec, &length);
        struct dls_pixels pixels = make_pixels(dls_scaled_side(203, eighths), dls_scaled_side(149, eighths));
        double sum[3] = {0}, wanted[3] = {0};

        cr_assert(pixels.width == (203u * eighths + 7) / 8 && pixels.height == (149u * eighths + 7) / 8);
        cr_assert_eq(dls_decoder_header(decoder, DLS_CODEC_JPEG, data, length, NULL, &picture), 0);
        picture.eighths = eighths;
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, length, NULL, &pixels, NULL), 0, "%s", dls_err_text());
        uint8_t *source = support_make_pixels(203, 149, spec.seed);
        for (size_t i = 0; i < (size_t)pixels.width * pixels.height * 3; i++)
            sum[i % 3] += pixels.data[i];
        for (size_t i = 0; i < 203 * 149 * 3; i++)
            wanted[i % 3] += source[i];
        for (int c = 0; c < 3; c++) {
            double mean = sum[c] / (pixels.width * pixels.height), expected = wanted[c] / (203 * 149);
            cr_assert(mean > expected - 3 && mean < expected + 3, "%u/8, channel %d: %.1f, not %.1f", eighths, c, mean,
                      expected);
        }
        uint32_t top = pixels.height * 3 / 4;
        const struct dls_box box = {0, top, pixels.width, pixels.height - top};
        struct dls_pixels part = make_pixels(box.width, box.height);
        cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, length, &box, &part, NULL), 0, "%s", dls_err_text());
        cr_assert_arr_eq(part.data, pixels.data + top * pixels.stride, part.stride * part.height, "%u/8", eighths);
        free(source);
        free(part.data);
        free(pixels.data);
        free(data);
    }
    dls_decoder_free(&decoder);
}

Test(jpeg, other_codecs_have_one_size)
{
    struct dls_decoder *decoder = make_decoder();
    struct dls_picture picture = {.codec = DLS_CODEC_RAW, .width = 2, .height = 2, .channels = 3, .bits = 8, .eighths = 4};
    uint8_t data[12] = {0};
    struct dls_pixels pixels = make_pixels(1, 1);

    cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, sizeof(data), NULL, &pixels, NULL), -EINVAL);
    picture.codec = DLS_CODEC_JPEG;
    picture.eighths = 9;
    cr_assert_eq(dls_decoder_rgb(decoder, &picture, data, sizeof(data), NULL, &pixels, NULL), -EINVAL);
    free(pixels.data);
    dls_decoder_free(&decoder);
}
