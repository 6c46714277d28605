/* SPDX-License-Identifier: Apache-2.0 */
/* What each file of tests/data/hard must give. The hashes are XXH3 of the pixels that Pillow 12.3 makes of
 * the file (convert("RGB"), before any turning), width × height × 3 bytes. */
#ifndef DLS_TESTS_HARD_TABLE_H
#define DLS_TESTS_HARD_TABLE_H

#include <errno.h>
#include <stdint.h>

static const struct hard_file {
    const char *name, *content;
    int result; /* -EINVAL: content that is not decoded */
    uint32_t width, height;
    uint8_t orientation;
    uint32_t warnings;
    uint64_t trailing, hash;
    const char *error;
} hard_files[] = {
    /* clang-format off */
    {"appledouble_hopper.jpg", "AppleDouble companion file", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"16bit.cropped.tif", "tiff", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"1x4000.jpg", "jpeg", 0, 1, 4000, 0, 0, 0, 0xea216c6e1b65a3a2u, NULL},
    {"2-color.webp", "webp", 0, 300, 300, 0, 0, 0, 0x9cec66b934862bb0u, NULL},
    {"4000x1.jpg", "jpeg", 0, 4000, 1, 0, 0, 0, 0x44c9fbb75dc3eff4u, NULL},
    {"65500x2.jpg", "jpeg", 0, 65500, 2, 0, 0, 0, 0x8e911b75f9656308u, NULL},
    {"anim.webp", "webp", 0, 200, 200, 0, 0, 0, 0x78c4ef5ff15e8fe9u, NULL},
    {"bad_huffman.jpg", "jpeg", 0, 1024, 768, 0, 1, 1, 0xe8f298a5de03363eu, NULL},
    {"basi6a16.png", "png", 0, 32, 32, 0, 0, 0, 0xef276b9f3256ba6du, NULL},
    {"basn3p01.png", "png", 0, 32, 32, 0, 0, 0, 0xe6343c1c58dceabfu, NULL},
    {"broken_data_stream.png", "png", -EBADMSG, 0, 0, 0, 0, 0, 0, "png: image data: invalid scanline filter"},
    {"cmyk_pytorch.jpg", "jpeg", 0, 100, 100, 0, 0, 0, 0x5d30f2405cdca012u, NULL},
    {"corrupt.jpg", "jpeg", -EBADMSG, 0, 0, 0, 0, 0, 0, "jpeg: Unsupported marker type 0xae (at byte 571 of 1552)"},
    {"corrupt34_2.jpg", "jpeg", -EBADMSG, 0, 0, 0, 0, 0, 0, "jpeg: the file is cut off (at byte 753 of 755)"},
    {"decompression_bomb.gif", "gif", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"dispose_bgnd.gif", "gif", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"extraneous-data.jpg", "jpeg", 0, 16, 16, 0, 1, 0, 0x0468d70cbb6ade85u, NULL},
    {"fill_ff.jpg", "jpeg", 0, 128, 128, 0, 0, 0, 0x203094f1d39c1f0fu, NULL},
    {"flower2.webp", "webp", 0, 300, 225, 1, 0, 0, 0x6515a96afd481453u, NULL},
    {"flower_411.jpg", "jpeg", 0, 480, 360, 0, 0, 0, 0x7dd7e74856ff86f5u, NULL},
    {"flower_mixed_2x2_1x2_2x1.jpg", "jpeg", 0, 480, 360, 0, 0, 0, 0x4a831b535e6b2d55u, NULL},
    {"flower_prog_30pct.jpg", "jpeg", -EBADMSG, 0, 0, 0, 0, 0, 0, "jpeg: the file is cut off (at byte 8423 of 8424)"},
    {"flower_rgb_adobe0.jpg", "jpeg", 0, 480, 360, 0, 0, 0, 0xcf9bd3c394e2aab8u, NULL},
    {"frame_size.mpo", "jpeg", 0, 56, 70, 1, 0, 10348, 0x3df5bf9c1eef6bb7u, NULL},
    {"g03n2c08.png", "png", 0, 32, 32, 0, 0, 0, 0x30d8b0705b0b5287u, NULL},
    {"grayalpha_pytorch.png", "png", 0, 100, 100, 0, 0, 0, 0xeb48934fe88a7ec1u, NULL},
    {"header_65500x65500.jpg", "jpeg", -EFBIG, 0, 0, 0, 0, 0, 0, "jpeg: the header says 65500 × 65500 pixels, more than the limit of 178956970"},
    {"heapbof.png", "png with a damaged signature", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"hopper.avif", "avif", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"hopper_16bit_qtables.jpg", "jpeg", 0, 128, 128, 0, 0, 0, 0x2894c38a254cfcb5u, NULL},
    {"hopper_50pct.webp", "webp", -EBADMSG, 0, 0, 0, 0, 0, 0, "webp: the file is cut off: 1641 bytes of 3282"},
    {"hopper_exif_bad9.jpg", "jpeg", 0, 128, 128, 0, 0, 0, 0xd908bf8f4e157beau, NULL},
    {"hopper_gray.jpg", "jpeg", 0, 128, 128, 0, 0, 0, 0xd17d27a4ee649a2eu, NULL},
    {"hopper_orientation_5.webp", "webp", 0, 128, 128, 5, 0, 0, 0xb51df0f7b997448du, NULL},
    {"html_404_named.jpg", "html", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"i_trns.png", "png", 0, 64, 64, 0, 0, 0, 0xcb7a10a04ad4303bu, NULL},
    {"icc-after-SOF.jpg", "jpeg", 0, 10, 10, 0, 0, 0, 0x56d0762b20085f91u, NULL},
    {"invalid-exif.jpg", "jpeg", 0, 200, 200, 0, 0, 0, 0x5307018cc1a13ca2u, NULL},
    {"jpeg_lossless_sel6.jpg", "jpeg", -ENOTSUP, 0, 0, 0, 0, 0, 0, "jpeg: lossless JPEG (SOF3) is not decoded (at byte 22 of 44796)"},
    {"jpeg_named.png", "jpeg", 0, 128, 128, 0, 0, 0, 0x203094f1d39c1f0fu, NULL},
    {"leading_crlf.jpg", "jpeg behind stray bytes", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"max_size.jpg", "jpeg", -EFBIG, 0, 0, 0, 0, 0, 0, "jpeg: Maximum supported image dimension is 65500 pixels (at byte 157 of 186)"},
    {"missing-sos.jpg", "jpeg", -EBADMSG, 0, 0, 0, 0, 0, 0, "jpeg: Invalid JPEG file structure: missing SOS marker (at byte 104 of 104)"},
    {"mode_16bit.png", "png", 0, 128, 64, 0, 0, 0, 0x5f5c7d752daefd25u, NULL},
    {"monkey12.jpg", "jpeg", -ENOTSUP, 0, 0, 0, 0, 0, 0, "jpeg: 12 bits a sample; only 8 are decoded (at byte 3412 of 32831)"},
    {"multipage.tiff", "tiff", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"multiple_exif.jpg", "jpeg", 0, 1, 1, 0, 0, 0, 0xeb5d658bb22f286bu, NULL},
    {"null_height.jpg", "jpeg", -EBADMSG, 0, 0, 0, 0, 0, 0, "jpeg: Empty JPEG image (DNL not supported) (at byte 91 of 186)"},
    {"odd_17x33_420.jpg", "jpeg", 0, 17, 33, 0, 0, 0, 0xce5a2789c78afb87u, NULL},
    {"orientation_rectangle.jpg", "jpeg", 0, 2, 1, 8, 0, 0, 0x072fdc776fd145efu, NULL},
    {"p_trns_single.png", "png", 0, 64, 64, 0, 0, 0, 0x2c95800cb9dfeba2u, NULL},
    {"pil123p.png", "png", 0, 162, 150, 0, 0, 0, 0xeec373d1442969ebu, NULL},
    {"pil_sample_cmyk.jpg", "jpeg", 0, 100, 100, 1, 0, 0, 0x47095fc200ddca67u, NULL},
    {"png_20000x20000_1bit.png", "png", -EFBIG, 0, 0, 0, 0, 0, 0, "png: the header says 20000 × 20000 pixels, more than the limit of 178956970"},
    {"png_decompression_dos.png", "png", 0, 1, 1, 0, 0, 0, 0xeb5d658bb22f286bu, NULL},
    {"png_named.jpg", "png", 0, 128, 128, 0, 0, 0, 0x42bd59fc764cdba2u, NULL},
    {"progressive-missing-ac.jpg", "jpeg", 0, 8, 8, 0, 0, 0, 0x1455c7b8a9047a38u, NULL},
    {"rgb16-565.bmp", "bmp", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"rgb_pytorch16.png", "png", 0, 100, 100, 1, 0, 0, 0x5744e02fed2acd2cu, NULL},
    {"s01i3p01.png", "png", 0, 1, 1, 0, 0, 0, 0x75cdc4c0bec88964u, NULL},
    {"sigsegv.png", "png", -EBADMSG, 0, 0, 0, 0, 0, 0, "png: the file is cut off within chunk bKGD at byte 63"},
    {"tbbn3p08.png", "png", 0, 32, 32, 0, 0, 0, 0x4d5596b772ec3252u, NULL},
    {"testimgari.jpg", "jpeg", 0, 227, 149, 0, 0, 0, 0x8f486b7fa3387fd8u, NULL},
    {"testorig_grayscale_q80_rst8.jpg", "jpeg", 0, 227, 149, 0, 0, 0, 0x06dce026e96ddb43u, NULL},
    {"testorig_rot90_441_q25_scan_script.jpg", "jpeg", 0, 149, 227, 0, 0, 0, 0x4c04b7a39477f3d5u, NULL},
    {"testorig_transpose_440_q90_ari_rst1.jpg", "jpeg", 0, 149, 227, 0, 0, 0, 0x42f3423bc0424e2du, NULL},
    {"testorig_vflip_410_q10_baseline.jpg", "jpeg", 0, 227, 149, 0, 0, 0, 0xb73ca747928e64f7u, NULL},
    {"text_named.jpg", "text", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"trailing_random_5k.jpg", "jpeg", 0, 128, 128, 0, 0, 5000, 0x203094f1d39c1f0fu, NULL},
    {"transparent.webp", "webp", 0, 200, 150, 0, 0, 0, 0x13381779176fc500u, NULL},
    {"truncated_end_chunk.png", "png", -EBADMSG, 0, 0, 0, 0, 0, 0, "png: the file is cut off within chunk IDAT at byte 30331"},
    {"truncated_jpeg.jpg", "jpeg", -EBADMSG, 0, 0, 0, 0, 0, 0, "jpeg: the file is cut off (at byte 6690 of 6698)"},
    {"vgl_5674_0098.png", "png", 0, 120, 96, 0, 0, 0, 0x2a0a3c01ded3e4b3u, NULL},
    {"xcrn0g04.png", "png with a damaged signature", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"xcsn0g01.png", "png", 0, 32, 32, 0, 0, 0, 0x7905f0b3a8a2665fu, NULL},
    {"xdtn0g01.png", "png", -EBADMSG, 0, 0, 0, 0, 0, 0, "png: there is no image data"},
    {"xmp_tags_orientation_exiftool.png", "png", 0, 10, 10, 3, 0, 0, 0xee248a1a0cdc1581u, NULL},
    {"zero_byte.jpg", "empty file", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    {"zero_width.gif", "gif", -EINVAL, 0, 0, 0, 0, 0, 0, ""},
    /* clang-format on */
};

#endif
