/* SPDX-License-Identifier: Apache-2.0 */
/* In place of png.c where its library was not there at build time. */
#include "decode/codec.h"

#include "base/err.h"

static int missing(void)
{
    return dls_err(ENOTSUP, "png: this build has no PNG decoder");
}

static int png_header(void *state, const uint8_t *data, size_t length, const struct dls_picture *hint,
                      struct dls_picture *ret_picture)
{
    return missing();
}

static int png_rgb(void *state, const struct dls_picture *picture, const uint8_t *data, size_t length,
                   const struct dls_box *box, const struct dls_pixels *pixels, struct dls_decode_notes *notes)
{
    return missing();
}

const struct dls_codec_ops dls_codec_png = {.name = "png", .header = png_header, .rgb = png_rgb};
