/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/exif.h"

#include "base/bytes.h"

#include <string.h>

#define TAG_ORIENTATION 274

struct tiff {
    const uint8_t *data;
    size_t length;
    bool big_endian;
};

static uint32_t tiff16(const struct tiff *tiff, size_t at)
{
    uint16_t value = dls_get16(tiff->data + at);
    return tiff->big_endian ? __builtin_bswap16(value) : value;
}

static uint32_t tiff32(const struct tiff *tiff, size_t at)
{
    uint32_t value = dls_get32(tiff->data + at);
    return tiff->big_endian ? __builtin_bswap32(value) : value;
}

/* Bytes of one value of a TIFF type; 0 = a type that is not known, whose entry is passed over. */
static unsigned type_size(uint32_t type)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8};
    return type < sizeof(sizes) ? sizes[type] : 0;
}

/* The first value of an entry of an integer type, else 0. A BYTE is no number here: Pillow keeps it as a
 * string. */
static uint32_t entry_value(const struct tiff *tiff, uint32_t type, size_t at)
{
    switch (type) {
    case 3: /* SHORT */
    case 8: /* SSHORT */
        return tiff16(tiff, at);
    case 4:  /* LONG */
    case 9:  /* SLONG */
    case 13: /* IFD */
        return tiff32(tiff, at);
    case 6: /* SBYTE */
        return tiff->data[at];
    default:
        return 0;
    }
}

static bool open_tiff(const uint8_t *data, size_t length, struct tiff *ret_tiff)
{
    while (length >= 6 && memcmp(data, "Exif\0\0", 6) == 0) {
        data += 6;
        length -= 6;
    }
    if (length < 8)
        return false;
    /* Either byte order of the 42 passes, as some cameras write it wrongly. */
    if (memcmp(data, "II*\0", 4) == 0 || memcmp(data, "II\0*", 4) == 0)
        *ret_tiff = (struct tiff){data, length, false};
    else if (memcmp(data, "MM\0*", 4) == 0 || memcmp(data, "MM*\0", 4) == 0)
        *ret_tiff = (struct tiff){data, length, true};
    else
        return false;
    return true;
}

/* True if the first directory has an orientation tag; *ret_value is its value, whatever it is. The last of
 * several counts, and an entry that points outside ends the directory. */
static bool exif_tag(const uint8_t *data, size_t length, uint32_t *ret_value)
{
    struct tiff tiff;
    bool found = false;
    if (!open_tiff(data, length, &tiff))
        return false;
    size_t at = tiff32(&tiff, 4);
    if (!dls_range_ok(at, 2, tiff.length))
        return false;
    uint32_t entries = tiff16(&tiff, at);
    at += 2;
    for (uint32_t i = 0; i < entries && dls_range_ok(at, 12, tiff.length); i++, at += 12) {
        uint32_t tag = tiff16(&tiff, at), type = tiff16(&tiff, at + 2);
        uint64_t size = (uint64_t)tiff32(&tiff, at + 4) * type_size(type);
        size_t value_at = at + 8;
        if (size == 0)
            continue;
        if (size > 4) {
            value_at = tiff32(&tiff, at + 8);
            if (!dls_range_ok(value_at, size, tiff.length))
                break;
        }
        if (tag == TAG_ORIENTATION) {
            *ret_value = entry_value(&tiff, type, value_at);
            found = true;
        }
    }
    return found;
}

/* The digit behind the first tiff:Orientation=" or <tiff:Orientation>. */
static uint32_t xmp_value(const uint8_t *xmp, size_t length)
{
    static const char word[] = "tiff:Orientation";
    const size_t count = sizeof(word) - 1;
    const uint8_t *end = xmp + length;
    while ((size_t)(end - xmp) > count) {
        const uint8_t *at = memmem(xmp, (size_t)(end - xmp), word, count);
        if (at == NULL)
            return 0;
        xmp = at + count;
        size_t skip = 0;
        if (end - xmp >= 3 && xmp[0] == '=' && xmp[1] == '"')
            skip = 2;
        else if (end - xmp >= 2 && xmp[0] == '>')
            skip = 1;
        if (skip > 0 && xmp[skip] >= '0' && xmp[skip] <= '9')
            return xmp[skip] - (uint32_t)'0';
    }
    return 0;
}

uint8_t dls_side_orientation(const struct dls_side_data *side)
{
    uint32_t value = 0;
    bool stated = side->exif != NULL && exif_tag(side->exif, side->exif_length, &value);
    if (!stated && side->xmp != NULL)
        value = xmp_value(side->xmp, side->xmp_length);
    return value >= 1 && value <= 8 ? (uint8_t)value : 0;
}
