/* SPDX-License-Identifier: Apache-2.0 */
/* A run of bytes that may be stored compressed; docs/format.md, section 3. */
#ifndef DLS_SHARD_PART_H
#define DLS_SHARD_PART_H

#include "shard/buffer.h"
#include "shard/layout.h"

struct dls_part {
    uint32_t stored, raw;
    uint64_t checksum; /* of the stored bytes */
    uint8_t encoding;
};

/* What can be said of a part before its bytes are there: lengths that contradict the encoding, an implausible ratio.
 * -EBADMSG or -ENOTSUP with the reason. */
int dls_part_check(const struct dls_part *part);
/* -EBADMSG if the stored bytes are not those of the checksum. */
int dls_part_verify(const struct dls_part *part, const uint8_t *stored);
/* Writes part->raw bytes to `out`. *zstd: a decompression context that is made when first needed. The part has passed
 * dls_part_check(). -EBADMSG with the reason, -ENOMEM. */
int dls_part_decode(const struct dls_part *part, const uint8_t *stored, void **zstd, uint8_t *out);
void dls_part_zstd_free(void **zstd);

/* The other direction, for writers. */
struct dls_part_encoder {
    void *zstd; /* owned */
    int level;
};
int dls_part_encoder_init(struct dls_part_encoder *encoder, int level);
void dls_part_encoder_free(struct dls_part_encoder *encoder);
/* Compresses raw[0, length) at `level` into *scratch (overwritten) if that saves at least length / least_gain bytes
 * and one byte; *ret_stored then points into scratch, else at raw. */
int dls_part_encode(struct dls_part_encoder *encoder, int level, const void *raw, size_t length, unsigned least_gain,
                    struct dls_buffer *scratch, struct dls_part *ret_part, const uint8_t **ret_stored);
/* A part stored as it is. */
void dls_part_store(const void *raw, size_t length, struct dls_part *ret_part);

#endif
