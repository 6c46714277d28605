/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/part.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

#include <inttypes.h>
#include <zstd.h>

int dls_part_check(const struct dls_part *part)
{
    switch (part->encoding) {
    case DLS_ENCODING_STORED:
        if (part->stored != part->raw)
            return dls_err(EBADMSG, "stored as it is with %" PRIu32 " bytes, but its raw length is %" PRIu32,
                           part->stored, part->raw);
        return 0;
    case DLS_ENCODING_ZSTD:
        if (part->raw > part->stored * DLS_RATIO_MAX)
            return dls_err(EBADMSG, "%" PRIu32 " stored bytes cannot hold %" PRIu32 " raw ones", part->stored,
                           part->raw);
        return 0;
    case DLS_ENCODING_ZSTD_DICT:
        return dls_err(ENOTSUP, "compressed with a dictionary, which this version does not read");
    default:
        return dls_err(EBADMSG, "there is no encoding %u", part->encoding);
    }
}

int dls_part_verify(const struct dls_part *part, const uint8_t *stored)
{
    uint64_t found = dls_hash64(stored, part->stored);
    if (found != part->checksum)
        return dls_err(EBADMSG, "checksum %016" PRIx64 " of its %" PRIu32 " bytes is not the %016" PRIx64 " expected",
                       found, part->stored, part->checksum);
    return 0;
}

/* Exactly one frame that says its size and needs no dictionary. */
static int check_frame(const struct dls_part *part, const uint8_t *stored)
{
    if (part->stored < 4 || dls_get32(stored) != ZSTD_MAGICNUMBER)
        return dls_err(EBADMSG, "not a zstd frame");
    if (ZSTD_getFrameContentSize(stored, part->stored) != part->raw)
        return dls_err(EBADMSG, "its zstd frame does not state the raw length %" PRIu32, part->raw);
    if (ZSTD_getDictID_fromFrame(stored, part->stored) != 0)
        return dls_err(EBADMSG, "its zstd frame asks for a dictionary");
    size_t frame = ZSTD_findFrameCompressedSize(stored, part->stored);
    if (ZSTD_isError(frame))
        return dls_err(EBADMSG, "its zstd frame is damaged: %s", ZSTD_getErrorName(frame));
    if (frame != part->stored)
        return dls_err(EBADMSG, "its zstd frame ends after %zu of %" PRIu32 " bytes", frame, part->stored);
    return 0;
}

int dls_part_decode(const struct dls_part *part, const uint8_t *stored, void **zstd, uint8_t *out)
{
    if (part->encoding == DLS_ENCODING_STORED) {
        if (part->raw > 0)
            memcpy(out, stored, part->raw);
        return 0;
    }
    int r = check_frame(part, stored);
    if (r < 0)
        return r;
    if (!*zstd && !(*zstd = ZSTD_createDCtx()))
        return dls_err(ENOMEM, "no memory for a zstd context");
    size_t length = ZSTD_decompressDCtx(*zstd, out, part->raw, stored, part->stored);
    if (ZSTD_isError(length))
        return dls_err(EBADMSG, "its zstd frame is damaged: %s", ZSTD_getErrorName(length));
    if (length != part->raw)
        return dls_err(EBADMSG, "its zstd frame gave %zu bytes, not %" PRIu32, length, part->raw);
    return 0;
}

void dls_part_zstd_free(void **zstd)
{
    ZSTD_freeDCtx(*zstd);
    *zstd = NULL;
}

int dls_part_encoder_init(struct dls_part_encoder *encoder, int level)
{
    encoder->level = level;
    encoder->zstd = ZSTD_createCCtx();
    return encoder->zstd ? 0 : dls_err(ENOMEM, "no memory for a zstd context");
}

void dls_part_encoder_free(struct dls_part_encoder *encoder)
{
    ZSTD_freeCCtx(encoder->zstd);
    encoder->zstd = NULL;
}

void dls_part_store(const void *raw, size_t length, struct dls_part *ret_part)
{
    *ret_part = (struct dls_part){
        .stored = (uint32_t)length,
        .raw = (uint32_t)length,
        .checksum = dls_hash64(raw, length),
        .encoding = DLS_ENCODING_STORED,
    };
}

int dls_part_encode(struct dls_part_encoder *encoder, int level, const void *raw, size_t length, unsigned least_gain,
                    struct dls_buffer *scratch, struct dls_part *ret_part, const uint8_t **ret_stored)
{
    size_t most = length - length / least_gain;
    if (most == length && length > 0)
        most--;
    scratch->length = 0;
    int r = dls_buffer_reserve(scratch, ZSTD_compressBound(length));
    if (r < 0)
        return r;
    size_t stored = ZSTD_compressCCtx(encoder->zstd, scratch->bytes, scratch->room, raw, length, level);
    if (ZSTD_isError(stored))
        return dls_err(ENOMEM, "zstd cannot compress %zu bytes: %s", length, ZSTD_getErrorName(stored));
    if (stored > most) {
        dls_part_store(raw, length, ret_part);
        *ret_stored = raw;
        return 0;
    }
    scratch->length = stored;
    *ret_part = (struct dls_part){
        .stored = (uint32_t)stored,
        .raw = (uint32_t)length,
        .checksum = dls_hash64(scratch->bytes, stored),
        .encoding = DLS_ENCODING_ZSTD,
    };
    *ret_stored = scratch->bytes;
    return 0;
}
