/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/png_chunks.h"

#include "base/bytes.h"
#include "base/err.h"

#include <ctype.h>
#include <string.h>

#include <zlib.h>

#define SIGNATURE 8
/* Pillow's limit for one inflated text; a larger one is a bomb. */
#define TEXT_MAX (1u << 20)

struct chunk {
    char type[5];
    const uint8_t *data;
    size_t at, length, present; /* present: bytes of the data that the file really has */
};

static uint32_t big32(const uint8_t *at)
{
    return __builtin_bswap32(dls_get32(at));
}

/* 1 with a chunk, 0 at the end of the file, negative if what follows is no chunk. */
static int next_chunk(const uint8_t *data, size_t length, size_t *at, struct chunk *ret_chunk)
{
    if (length - *at < 8)
        return 0;
    ret_chunk->at = *at;
    ret_chunk->length = big32(data + *at);
    memcpy(ret_chunk->type, data + *at + 4, 4);
    ret_chunk->type[4] = '\0';
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)ret_chunk->type[i];
        if (!isalnum(c) && c != '_')
            return dls_err(EBADMSG, "png: no chunk at byte %zu, where one should begin", *at);
    }
    *at += 8;
    ret_chunk->data = data + *at;
    ret_chunk->present = ret_chunk->length < length - *at ? ret_chunk->length : length - *at;
    *at += ret_chunk->present;
    *at += length - *at < 4 ? length - *at : 4;
    return 1;
}

static bool is(const struct chunk *chunk, const char *type)
{
    return memcmp(chunk->type, type, 4) == 0;
}

static int check_sum(const uint8_t *data, size_t length, const struct chunk *chunk)
{
    size_t behind = (size_t)(chunk->data - data) + chunk->length;
    if (length - behind < 4)
        return dls_err(EBADMSG, "png: the file is cut off behind chunk %s at byte %zu", chunk->type,
                       chunk->at);
    uint32_t sum = (uint32_t)crc32(0, chunk->data - 4, (uInt)chunk->length + 4);
    if (sum != big32(data + behind))
        return dls_err(EBADMSG, "png: wrong checksum in chunk %s at byte %zu", chunk->type, chunk->at);
    return 0;
}

static int read_ihdr(const struct chunk *chunk, struct dls_png_facts *facts)
{
    if (chunk->length < 13)
        return dls_err(EBADMSG, "png: the header chunk has %zu bytes, not 13", chunk->length);
    facts->width = big32(chunk->data);
    facts->height = big32(chunk->data + 4);
    facts->depth = chunk->data[8];
    facts->colour = chunk->data[9];
    facts->interlaced = chunk->data[12];
    return 0;
}

/* Inflates a zlib stream into the arena; NULL if it is damaged or too large. */
static const uint8_t *inflate_text(const uint8_t *data, size_t length, struct dls_arena *arena,
                                   size_t *ret_length)
{
    uLongf size = TEXT_MAX;
    uint8_t *text = dls_arena_alloc(arena, TEXT_MAX);
    if (text == NULL || uncompress(text, &size, data, length) != Z_OK)
        return NULL;
    *ret_length = size;
    return text;
}

/* ImageMagick's way to carry EXIF: lines of hexadecimal digits behind three lines of heading. */
static void read_raw_profile(const uint8_t *text, size_t length, struct dls_arena *arena,
                             struct dls_side_data *side)
{
    size_t at = 0, count = 0;
    for (int lines = 0; lines < 3; lines++) {
        const uint8_t *end = at < length ? memchr(text + at, '\n', length - at) : NULL;
        if (end == NULL)
            return;
        at = (size_t)(end - text) + 1;
    }
    uint8_t *bytes = dls_arena_alloc(arena, (length - at) / 2 + 1);
    int high = -1;
    for (; bytes != NULL && at < length; at++) {
        int c = tolower(text[at]);
        if (isspace(c))
            continue;
        if (!isxdigit(c))
            return;
        int digit = c <= '9' ? c - '0' : c - 'a' + 10;
        if (high >= 0)
            bytes[count++] = (uint8_t)(high << 4 | digit);
        high = high >= 0 ? -1 : digit;
    }
    side->exif = bytes;
    side->exif_length = count;
}

/* The text's key decides; side data that a text carries gives way to a proper eXIf chunk. */
static void read_text(const struct chunk *chunk, struct dls_arena *arena, struct dls_side_data *side,
                      struct dls_side_data *profile)
{
    static const char xmp[] = "XML:com.adobe.xmp", exif[] = "Raw profile type exif";
    const uint8_t *data = chunk->data, *end = data + chunk->length;
    bool is_xmp = chunk->length >= sizeof(xmp) && memcmp(data, xmp, sizeof(xmp)) == 0;
    bool is_exif = chunk->length >= sizeof(exif) && memcmp(data, exif, sizeof(exif)) == 0;
    bool deflated = is(chunk, "zTXt");
    if (!is_xmp && !is_exif)
        return;
    data += is_xmp ? sizeof(xmp) : sizeof(exif);
    if (is(chunk, "iTXt")) {
        if (end - data < 2)
            return;
        deflated = data[0] != 0;
        data += 2;
        for (int i = 0; i < 2; i++) { /* the language, and the key in that language */
            data = memchr(data, '\0', (size_t)(end - data));
            if (data == NULL)
                return;
            data++;
        }
    } else if (deflated && data++ == end) {
        return;
    }
    size_t length = (size_t)(end - data);
    if (deflated)
        data = inflate_text(data, length, arena, &length);
    if (data != NULL && is_xmp) {
        side->xmp = data;
        side->xmp_length = length;
    } else if (data != NULL) {
        read_raw_profile(data, length, arena, profile);
    }
}

static int read_chunk(const struct chunk *chunk, struct dls_arena *arena, struct dls_png_facts *facts,
                      struct dls_side_data *profile)
{
    if (is(chunk, "IHDR"))
        return read_ihdr(chunk, facts);
    if (is(chunk, "tRNS"))
        facts->has_trns = true;
    if (is(chunk, "acTL"))
        facts->animated = true;
    if (is(chunk, "eXIf")) {
        facts->side.exif = chunk->data;
        facts->side.exif_length = chunk->length;
    }
    if (is(chunk, "tEXt") || is(chunk, "zTXt") || is(chunk, "iTXt"))
        read_text(chunk, arena, &facts->side, profile);
    return 0;
}

int dls_png_walk(const uint8_t *data, size_t length, struct dls_arena *arena, struct dls_png_facts *ret_facts)
{
    struct dls_png_facts facts = {.end = length};
    struct dls_side_data profile = {0};
    struct chunk chunk;
    bool image_seen = false, frames_follow = false;
    size_t at = SIGNATURE;
    if (length < SIGNATURE || memcmp(data, "\x89PNG\r\n\x1a\n", SIGNATURE) != 0)
        return dls_err(EBADMSG, "png: the signature is missing");
    for (;;) {
        int r = next_chunk(data, length, &at, &chunk);
        if (r <= 0 && image_seen)
            break; /* what lies behind the image does not matter */
        if (r == 0)
            return dls_err(EBADMSG, "png: the file is cut off at byte %zu, before any image data", length);
        if (r < 0)
            return r;
        if (is(&chunk, "IEND")) {
            facts.end = at;
            break;
        }
        frames_follow |= image_seen && is(&chunk, "fcTL");
        if (frames_follow)
            continue; /* an animation's further frames, whole or not, and what lies among them */
        if (chunk.present < chunk.length)
            return dls_err(EBADMSG, "png: the file is cut off within chunk %s at byte %zu", chunk.type,
                           chunk.at);
        if (is(&chunk, "IDAT")) {
            image_seen = true;
            continue;
        }
        if (!image_seen)
            r = check_sum(data, length, &chunk);
        if (r >= 0)
            r = read_chunk(&chunk, arena, &facts, &profile);
        if (r < 0)
            return r;
    }
    if (!image_seen)
        return dls_err(EBADMSG, "png: there is no image data");
    if (facts.side.exif == NULL) {
        facts.side.exif = profile.exif;
        facts.side.exif_length = profile.exif_length;
    }
    *ret_facts = facts;
    return 0;
}
