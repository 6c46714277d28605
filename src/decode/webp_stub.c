/* SPDX-License-Identifier: Apache-2.0 */
/* In place of webp.c where its library was not there at build time. */
#include "decode/codec.h"

#include "base/err.h"

static int missing(void)
{
    return dls_err(ENOTSUP, "webp: this build has no WebP decoder");
}

static int webp_header(void *state, const uint8_t *data, size_t length, const struct dls_picture *hint,
                       struct dls_picture *ret_picture)
{
    return missing();
}

static int webp_rgb(void *state, const struct dls_picture *picture, const uint8_t *data, size_t length,
                    const struct dls_box *box, const struct dls_pixels *pixels,
                    struct dls_decode_notes *notes)
{
    return missing();
}

const struct dls_codec_ops dls_codec_webp = {.name = "webp", .header = webp_header, .rgb = webp_rgb};
