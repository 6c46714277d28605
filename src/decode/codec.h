/* SPDX-License-Identifier: Apache-2.0 */
/* One image codec. Each lives in a file of its own; decode.c alone knows the list. */
#ifndef DLS_DECODE_CODEC_H
#define DLS_DECODE_CODEC_H

#include "decode/decode.h"
#include "decode/scratch.h"

struct dls_codec_ops {
    const char *name;
    /* ret_state is the codec's own object; it may use `scratch`, which outlives it, within one call. */
    int (*create)(struct dls_scratch *scratch, void **ret_state);
    void (*destroy)(void *state);
    int (*header)(void *state, const uint8_t *data, size_t length, const struct dls_picture *hint,
                  struct dls_picture *ret_picture);
    /* box lies within the picture and is not empty; notes is zeroed and never NULL. */
    int (*rgb)(void *state, const struct dls_picture *picture, const uint8_t *data, size_t length,
               const struct dls_box *box, const struct dls_pixels *pixels, struct dls_decode_notes *notes);
};

extern const struct dls_codec_ops dls_codec_jpeg, dls_codec_png, dls_codec_webp, dls_codec_raw;

/* A warning that did not stop the decode: counts it and keeps the first text. */
void dls_notes_warn(struct dls_decode_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
