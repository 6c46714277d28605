/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to pixels. A codec is a vtable; dls_decoder holds one reusable object of each for one thread. */
#ifndef DLS_DECODE_DECODE_H
#define DLS_DECODE_DECODE_H

#include <dlshards/dataset.h>
#include <stdint.h>

struct dls_box {
    uint32_t x, y, width, height;
};

/* 8-bit RGB rows in memory. */
struct dls_pixels {
    uint8_t *data;
    uint32_t width, height;
    size_t stride; /* bytes from row to row, ≥ 3 × width */
};

/* What a picture says of itself, from its header alone. */
struct dls_picture {
    dls_codec codec;
    uint32_t width, height; /* as stored */
    uint8_t channels, bits; /* as stored: 1–4 components, bits a component */
    uint8_t orientation;    /* EXIF, 1–8; 0 = none stated (or out of range) */
    uint8_t progressive, animated, has_alpha, arithmetic;
    uint8_t eighths; /* of its size, at which it is to be decoded: 1 to 8, JPEG only; 0 is 8. Boxes are in that size */
    uint8_t indexes; /* of a PNG with a palette the indexes are wanted, in all three channels, not the colours */
    uint8_t cmyk; /* four components, inverted or not as Adobe's marker says */
};

/* What went on in one decode that was not an error. */
struct dls_decode_notes {
    uint32_t warnings;          /* libjpeg's corrupt-data warnings and their like */
    char first[160];            /* the first warning's text */
    uint64_t trailing;          /* bytes behind the picture's end */
    uint64_t codec_allocations; /* counted where the codec library lets us */
};

/* Pictures of more pixels than this are refused by their header: Pillow's limit, 2 × 89,478,485. */
#define DLS_PICTURE_PIXELS_MAX 178956970u

/* Thread-safety: one thread at a time. It keeps its scratch memory between pictures, so that decoding
 * allocates nothing of its own once the largest picture has been seen (scratch for huge ones is given back at
 * once). */
struct dls_decoder;

int dls_decoder_create(struct dls_decoder **ret_decoder);
void dls_decoder_free(struct dls_decoder **decoder);
/* Another limit than DLS_PICTURE_PIXELS_MAX, which is what 0 means. */
void dls_decoder_limit(struct dls_decoder *decoder, uint64_t pixels);
/* Memory of the caller's, 64-byte aligned, that the next decodes work in as far as it suffices, instead of memory of
 * the decoder's own. NULL, 0 ends that. */
void dls_decoder_lend(struct dls_decoder *decoder, uint8_t *memory, size_t size);

/* The codec that the first bytes show, by content alone; DLS_CODEC_NONE if it is none we decode. */
dls_codec dls_codec_detect(const uint8_t *data, size_t length);
/* A word for messages: "jpeg", "png", …; "unknown" for others. For content we cannot decode but know (gif,
 * tiff, bmp, heif, avif, html, pdf, …) dls_content_name() gives a word for the error message, else "not an
 * image". */
const char *dls_codec_name(dls_codec codec);
const char *dls_content_name(const uint8_t *data, size_t length);

/* A side of that many pixels at `eighths` of its size, rounded up as libjpeg does. */
uint32_t dls_scaled_side(uint32_t side, uint8_t eighths);

/* Reads the header. -EBADMSG with the reason when it is damaged, -ENOTSUP for a kind that is not decoded
 * (12-bit, lossless JPEG …), -EFBIG above the pixel limit, -EINVAL for codec NONE. For RAW, `hint` gives
 * width, height and channels (else it may be NULL). */
int dls_decoder_header(struct dls_decoder *decoder, dls_codec codec, const uint8_t *data, size_t length,
                       const struct dls_picture *hint, struct dls_picture *ret_picture);

/* Decodes box `box` (in stored coordinates, before orientation; NULL = all) of the picture to RGB into
 * *pixels, whose memory the caller gives and whose size is the box's. Pixels are the same as those of a
 * decode of the whole. Semantics: Pillow's convert("RGB"). picture: from dls_decoder_header(), or from the
 * record's cell. notes may be NULL. Errors as above; a failed decode leaves the pixels undefined. */
int dls_decoder_rgb(struct dls_decoder *decoder, const struct dls_picture *picture, const uint8_t *data,
                    size_t length, const struct dls_box *box, const struct dls_pixels *pixels,
                    struct dls_decode_notes *notes);

#endif
