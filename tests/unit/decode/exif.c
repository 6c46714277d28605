/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exif.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint8_t orientation(const char *exif, size_t exif_length, const char *xmp)
{
    struct dls_side_data side = {0};
    uint8_t *exact = malloc(exif_length + 1);
    cr_assert_not_null(exact);
    /* The end of the block is the end of its memory. */
    memcpy(exact + 1, exif, exif_length);
    if (exif_length > 0) {
        side.exif = exact + 1;
        side.exif_length = exif_length;
    }
    if (xmp != NULL) {
        side.xmp = (const uint8_t *)xmp;
        side.xmp_length = strlen(xmp);
    }
    uint8_t value = dls_side_orientation(&side);
    free(exact);
    return value;
}
#define EXIF(bytes) bytes, sizeof(bytes) - 1

#define LITTLE "II*\0\10\0\0\0"
#define BIG "MM\0*\0\0\0\10"

Test(exif, both_byte_orders)
{
    cr_assert_eq(orientation(EXIF(LITTLE "\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0"), NULL), 6);
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\3\0\0\0\1\0\3\0\0\0\0\0\0"), NULL), 3);
    cr_assert_eq(orientation(EXIF("Exif\0\0" BIG "\0\1\1\x12\0\3\0\0\0\1\0\3\0\0\0\0\0\0"), NULL), 3);
    cr_assert_eq(orientation(EXIF("Exif\0\0Exif\0\0" BIG "\0\1\1\x12\0\3\0\0\0\1\0\3\0\0\0\0\0\0"), NULL), 3);
    /* Written by cameras that get the magic number's byte order wrong. */
    cr_assert_eq(orientation(EXIF("II\0*\10\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0"), NULL), 6);
}

Test(exif, types_of_the_value)
{
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\4\0\0\0\1\0\0\0\5\0\0\0\0"), NULL), 5, "LONG");
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\6\0\0\0\1\7\0\0\0\0\0\0\0"), NULL), 7, "SBYTE");
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\1\0\0\0\1\6\0\0\0\0\0\0\0"), NULL), 0,
                 "BYTE is no number to Pillow");
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\2\0\0\0\1"
                                      "6\0\0\0\0\0\0\0"),
                             NULL),
                 0, "ASCII");
    /* Three values do not fit the entry: they lie at offset 26, and the first counts. */
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\3\0\0\0\3\0\0\0\x1a\0\0\0\0\0\4\0\5\0\6"), NULL), 4);
}

Test(exif, values_out_of_range_state_nothing)
{
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\3\0\0\0\1\0\0\0\0\0\0\0\0"), NULL), 0);
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\3\0\0\0\1\0\x09\0\0\0\0\0\0"), NULL), 0);
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\3\0\0\0\1\1\1\0\0\0\0\0\0"), NULL), 0, "257 is not 1");
}

Test(exif, damaged_blocks_state_nothing)
{
    static const char good[] = LITTLE "\1\0\x12\1\3\0\1\0\0\0\6\0\0\0";
    for (size_t cut = 0; cut < sizeof(good) - 1; cut++)
        cr_assert_eq(orientation(good, cut, NULL), 0, "cut to %zu", cut);
    cr_assert_eq(orientation(EXIF("XX*\0\10\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0"), NULL), 0);
    cr_assert_eq(orientation(EXIF("II*\0\xff\xff\xff\xff\1\0\x12\1\3\0\1\0\0\0\6\0\0\0"), NULL), 0);
    cr_assert_eq(orientation(EXIF("II*\0\x16\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0"), NULL), 0,
                 "directory at the end");
    /* An entry before it that points outside ends the directory, one of unknown type does not. */
    cr_assert_eq(
        orientation(EXIF(LITTLE "\2\0\x0f\1\2\0\x40\0\0\0\xff\0\0\0\x12\1\3\0\1\0\0\0\6\0\0\0"), NULL), 0);
    cr_assert_eq(
        orientation(EXIF(LITTLE "\2\0\x0f\1\x63\0\x40\0\0\0\xff\0\0\0\x12\1\3\0\1\0\0\0\6\0\0\0"), NULL), 6);
    /* A count that overflows 32 bits with its type's size. */
    cr_assert_eq(orientation(EXIF(LITTLE "\1\0\x12\1\3\0\0\0\0\x80\0\0\0\0\0\0\0\0"), NULL), 0);
}

Test(exif, xmp_counts_only_where_exif_is_silent)
{
    cr_assert_eq(orientation("", 0, "<rdf tiff:Orientation=\"8\"/>"), 8);
    cr_assert_eq(orientation("", 0, "<tiff:Orientation>2</tiff:Orientation>"), 2);
    cr_assert_eq(orientation("", 0, "<tiff:Orientation> 2<"), 0);
    cr_assert_eq(orientation("", 0, "tiff:Orientation='2' tiff:Orientation=\"4\""), 4);
    cr_assert_eq(orientation("", 0, "tiff:Orientation=\"9\""), 0);
    cr_assert_eq(orientation("", 0, "tiff:Orientation"), 0);
    cr_assert_eq(orientation("", 0, "tiff:Orientation>"), 0);
    cr_assert_eq(orientation("", 0, "tiff:Orientation=\""), 0);
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\3\0\0\0\1\0\1\0\0\0\0\0\0"), "tiff:Orientation=\"8\""),
                 1);
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x12\0\3\0\0\0\1\0\x09\0\0\0\0\0\0"), "tiff:Orientation=\"8\""),
                 0);
    cr_assert_eq(orientation(EXIF(BIG "\0\1\1\x0f\0\3\0\0\0\1\0\x03\0\0\0\0\0\0"), "tiff:Orientation=\"8\""),
                 8);
}
