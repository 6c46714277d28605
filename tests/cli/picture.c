/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a small picture for a test: picture FILE.jpg|.png|.webp [seed=N] [width=N] [height=N] [quality=N]
 * [gray=1] [progressive=1] [orientation=N] [restart=N] (the last four for JPEG). */
#include "config.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if DLS_HAVE_PNG
#include <spng.h>
#endif
#if DLS_HAVE_WEBP
#include <webp/encode.h>
#endif

static uint8_t *make_png(const struct support_jpeg *spec, size_t *ret_length)
{
#if DLS_HAVE_PNG
    spng_ctx *ctx = spng_ctx_new(SPNG_CTX_ENCODER);
    struct spng_ihdr header = {.width = spec->width,
                               .height = spec->height,
                               .bit_depth = 8,
                               .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
    uint8_t *rgb = support_make_pixels(spec->width, spec->height, spec->seed), *png = NULL;
    int error = 0;

    spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
    spng_set_ihdr(ctx, &header);
    if (spng_encode_image(ctx, rgb, (size_t)spec->width * spec->height * 3, SPNG_FMT_PNG,
                          SPNG_ENCODE_FINALIZE) == 0)
        png = spng_get_png_buffer(ctx, ret_length, &error);
    spng_ctx_free(ctx);
    free(rgb);
    return png;
#else
    return NULL;
#endif
}

static uint8_t *make_webp(const struct support_jpeg *spec, size_t *ret_length)
{
#if DLS_HAVE_WEBP
    uint8_t *rgb = support_make_pixels(spec->width, spec->height, spec->seed), *webp = NULL;

    *ret_length =
        WebPEncodeLosslessRGB(rgb, (int)spec->width, (int)spec->height, (int)spec->width * 3, &webp);
    free(rgb);
    return webp;
#else
    return NULL;
#endif
}

int main(int argc, char **argv)
{
    struct support_jpeg spec = {.width = 64, .height = 48, .quality = 90};
    const char *dot = argc > 1 ? strrchr(argv[1], '.') : NULL;
    uint8_t *picture;
    size_t length = 0;

    for (int i = 2; i < argc; i++) {
        unsigned value = strchr(argv[i], '=') ? (unsigned)strtoul(strchr(argv[i], '=') + 1, NULL, 10) : 0;
        if (!strncmp(argv[i], "seed=", 5))
            spec.seed = value;
        else if (!strncmp(argv[i], "width=", 6))
            spec.width = value;
        else if (!strncmp(argv[i], "height=", 7))
            spec.height = value;
        else if (!strncmp(argv[i], "quality=", 8))
            spec.quality = (int)value;
        else if (!strncmp(argv[i], "gray=", 5))
            spec.grayscale = value;
        else if (!strncmp(argv[i], "progressive=", 12))
            spec.progressive = value;
        else if (!strncmp(argv[i], "orientation=", 12))
            spec.orientation = value;
        else if (!strncmp(argv[i], "restart=", 8))
            spec.restart = value;
        else
            dot = NULL;
    }
    if (!dot) {
        fprintf(stderr, "picture: see the head of picture.c for how it is called\n");
        return 2;
    }
    picture = !strcmp(dot, ".png")    ? make_png(&spec, &length)
              : !strcmp(dot, ".webp") ? make_webp(&spec, &length)
                                      : support_make_jpeg(&spec, &length);
    if (!picture)
        return 77;
    support_write_file(argv[1], picture, length);
    free(picture);
    return 0;
}
