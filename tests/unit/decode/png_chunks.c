/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "decode/png_chunks.h"
#include "unit/decode/png_build.h"

#include <errno.h>

static const char exif6[] = "MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0";
static const char xmp4[] = "<x tiff:Orientation=\"4\"/>";
static struct png_build png;

static int walk(struct dls_png_facts *ret_facts, uint8_t *ret_orientation)
{
    struct dls_arena arena = {0};
    uint8_t *exact = malloc(png.length);
    cr_assert_not_null(exact);
    memcpy(exact, png.bytes, png.length);
    int r = dls_png_walk(exact, png.length, &arena, ret_facts);
    if (r == 0)
        *ret_orientation = dls_side_orientation(&ret_facts->side);
    dls_arena_free(&arena);
    free(exact);
    return r;
}

static void start(void)
{
    png_start(&png, 2, 3, 8, 0, 0);
}

static void finish(void)
{
    png_image(&png, "\0ab\0cd\0ef", 9);
    png_end(&png);
}

static uint8_t orientation_of_text(const char *type, const void *data, size_t length)
{
    struct dls_png_facts facts;
    uint8_t before, after;
    start();
    png_chunk(&png, type, data, length);
    finish();
    cr_assert_eq(walk(&facts, &before), 0, "%s", dls_err_text());
    start();
    png_image(&png, "\0ab\0cd\0ef", 9);
    png_chunk(&png, type, data, length);
    png_end(&png);
    cr_assert_eq(walk(&facts, &after), 0, "%s", dls_err_text());
    cr_assert_eq(before, after);
    return before;
}

/* key, then `middle`, then the text, deflated or not */
static uint8_t orientation_of(const char *type, const char *key, const char *middle, size_t middle_length,
                              const char *text, bool deflate)
{
    uint8_t data[1000];
    size_t at = strlen(key) + 1;
    uLongf size = sizeof(data) / 2;
    memcpy(data, key, at);
    memcpy(data + at, middle, middle_length);
    at += middle_length;
    if (deflate) {
        cr_assert_eq(compress(data + at, &size, (const uint8_t *)text, strlen(text)), Z_OK);
        at += size;
    } else {
        memcpy(data + at, text, strlen(text));
        at += strlen(text);
    }
    return orientation_of_text(type, data, at);
}

Test(png_chunks, header_and_end)
{
    struct dls_png_facts facts;
    uint8_t orientation;
    start();
    png_chunk(&png, "tRNS", "\0\1", 2);
    png_chunk(&png, "acTL", "\0\0\0\1\0\0\0\0", 8);
    finish();
    size_t end = png.length;
    memcpy(png.bytes + end, "more", 4);
    png.length += 4;
    cr_assert_eq(walk(&facts, &orientation), 0);
    cr_assert_eq(facts.width, 2);
    cr_assert_eq(facts.height, 3);
    cr_assert_eq(facts.depth, 8);
    cr_assert_eq(facts.colour, 0);
    cr_assert(facts.has_trns && facts.animated);
    cr_assert_eq(facts.end, end);
    cr_assert_eq(orientation, 0);
}

Test(png_chunks, every_place_for_an_orientation)
{
    const char *xmp = "XML:com.adobe.xmp", *raw = "Raw profile type exif";
    const char *hex = "\nexif\n      32\n4578696600004d4d002a000000080001\n0112000300000001000500000000\n";
    cr_assert_eq(orientation_of_text("eXIf", exif6, sizeof(exif6) - 1), 6);
    cr_assert_eq(orientation_of("tEXt", xmp, "", 0, xmp4, false), 4);
    cr_assert_eq(orientation_of("zTXt", xmp, "", 1, xmp4, true), 4);
    cr_assert_eq(orientation_of("iTXt", xmp, "\0\0\0\0", 4, xmp4, false), 4);
    cr_assert_eq(orientation_of("iTXt", xmp, "\1\0en\0key\0", 9, xmp4, true), 4);
    cr_assert_eq(orientation_of("zTXt", raw, "", 1, hex, true), 5);
    cr_assert_eq(orientation_of("tEXt", raw, "", 0, hex, false), 5);
    cr_assert_eq(orientation_of("tEXt", "Comment", "", 0, xmp4, false), 0);
}

Test(png_chunks, damaged_texts_state_nothing)
{
    const char *xmp = "XML:com.adobe.xmp", *raw = "Raw profile type exif";
    cr_assert_eq(orientation_of_text("tEXt", xmp, strlen(xmp)), 0, "no NUL behind the key");
    cr_assert_eq(orientation_of_text("zTXt", xmp, strlen(xmp) + 1), 0, "nothing behind the key");
    cr_assert_eq(orientation_of_text("iTXt", xmp, strlen(xmp) + 1), 0);
    cr_assert_eq(orientation_of("iTXt", xmp, "\0\0en", 4, xmp4, false), 0, "the language does not end");
    cr_assert_eq(orientation_of("zTXt", xmp, "", 1, xmp4, false), 0, "not deflated");
    cr_assert_eq(orientation_of("tEXt", raw, "", 0, "\nexif\n", false), 0);
    cr_assert_eq(orientation_of("tEXt", raw, "", 0, "\nexif\n 4\n4d4dxx", false), 0);
    cr_assert_eq(orientation_of("tEXt", raw, "", 0, "\nexif\n 4\n", false), 0);
}

static void refuse(const char *why)
{
    struct dls_png_facts facts;
    uint8_t orientation;
    cr_assert_eq(walk(&facts, &orientation), -EBADMSG);
    cr_assert(strstr(dls_err_text(), why) != NULL, "\"%s\" lacks \"%s\"", dls_err_text(), why);
}

Test(png_chunks, what_is_refused)
{
    start();
    finish();
    png.bytes[0] = 'x';
    refuse("signature");
    start();
    png.bytes[20] ^= 1;
    finish();
    refuse("checksum in chunk IHDR at byte 8");
    start();
    png_chunk(&png, "tEXt", "a\0b", 3);
    png.bytes[png.length - 1] ^= 1;
    finish();
    refuse("checksum in chunk tEXt at byte 33");
    start();
    png_end(&png);
    refuse("no image data");
    start();
    refuse("cut off at byte 33");
    start();
    png.length -= 2;
    refuse("IHDR");
    start();
    memcpy(png.bytes + png.length, "\0\0\0\0\1\2\3\4\0\0\0\0", 12);
    png.length += 12;
    refuse("no chunk at byte 33");
    png_start(&png, 2, 3, 8, 0, 0);
    put_big32(png.bytes + 8, 12);
    refuse("IHDR");
}

Test(png_chunks, files_cut_behind_the_header)
{
    struct dls_png_facts facts;
    uint8_t orientation;
    start();
    finish();
    size_t whole = png.length, image = 33;
    for (size_t cut = 8; cut < whole; cut++) {
        png.length = cut;
        /* With its image data whole, a picture can be decoded without its end, as Pillow does. */
        int expected = cut >= whole - 12 - 4 ? 0 : -EBADMSG;
        cr_assert_eq(walk(&facts, &orientation), expected, "cut to %zu of %zu, image at %zu", cut, whole,
                     image);
    }
}

Test(png_chunks, a_checksum_behind_the_image_does_not_matter)
{
    struct dls_png_facts facts;
    uint8_t orientation;
    start();
    png_image(&png, "\0ab\0cd\0ef", 9);
    png_chunk(&png, "eXIf", exif6, sizeof(exif6) - 1);
    png.bytes[png.length - 1] ^= 1;
    png_end(&png);
    cr_assert_eq(walk(&facts, &orientation), 0);
    cr_assert_eq(orientation, 6);
}
