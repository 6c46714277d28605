/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/cell.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "shard/block.h"

#include <inttypes.h>

void dls_cell_get(const uint8_t bytes[DLS_CELL_BYTES], struct dls_cell *ret_cell)
{
    *ret_cell = (struct dls_cell){
        .offset = dls_get64(bytes),
        .stored = dls_get32(bytes + 8),
        .raw = dls_get32(bytes + 12),
        .checksum = dls_get64(bytes + 16),
        .width = dls_get32(bytes + 24),
        .height = dls_get32(bytes + 28),
        .codec = bytes[32],
        .encoding = bytes[33],
        .orientation = bytes[34],
        .channels = bytes[35],
    };
}

void dls_cell_put(const struct dls_cell *cell, uint8_t ret_bytes[DLS_CELL_BYTES])
{
    dls_put64(ret_bytes, cell->offset);
    dls_put32(ret_bytes + 8, cell->stored);
    dls_put32(ret_bytes + 12, cell->raw);
    dls_put64(ret_bytes + 16, cell->checksum);
    dls_put32(ret_bytes + 24, cell->width);
    dls_put32(ret_bytes + 28, cell->height);
    ret_bytes[32] = cell->codec;
    ret_bytes[33] = cell->encoding;
    ret_bytes[34] = cell->orientation;
    ret_bytes[35] = cell->channels;
    ret_bytes[36] = 1;
    memset(ret_bytes + 37, 0, 3);
}

struct dls_part dls_cell_part(const struct dls_cell *cell)
{
    return (struct dls_part){
        .stored = cell->stored, .raw = cell->raw, .checksum = cell->checksum, .encoding = cell->encoding};
}

static int check_picture(const struct dls_cell *cell)
{
    if (cell->width == 0 || cell->height == 0 || cell->raw == 0)
        return dls_err(EBADMSG, "an image of %" PRIu32 " x %" PRIu32 " pixels in %" PRIu32 " bytes", cell->width,
                       cell->height, cell->raw);
    if (cell->channels < 1 || cell->channels > 4 || cell->orientation > 8)
        return dls_err(EBADMSG, "an image of %u channels and orientation %u", cell->channels, cell->orientation);
    uint64_t samples;
    if (cell->codec == DLS_CODEC_RAW &&
        (dls_mul_overflows((uint64_t)cell->width * cell->height, cell->channels, &samples) || samples != cell->raw))
        return dls_err(EBADMSG, "raw pixels of %" PRIu32 " x %" PRIu32 " x %u in %" PRIu32 " bytes", cell->width,
                       cell->height, cell->channels, cell->raw);
    return 0;
}

int dls_cell_parse(const uint8_t bytes[DLS_CELL_BYTES], const struct dls_schema_field *field,
                   struct dls_cell *ret_cell)
{
    struct dls_cell cell;
    dls_cell_get(bytes, &cell);
    if (cell.offset % DLS_DATA_ALIGN != 0)
        return dls_err(EBADMSG, "offset %" PRIu64 " is not a multiple of %u", cell.offset, DLS_DATA_ALIGN);
    if (bytes[36] != 1 || !dls_all_zero(bytes + 37, 3))
        return dls_err(EBADMSG, "layers %u, reserved bytes %02x %02x %02x; expected 1, 0, 0, 0", bytes[36], bytes[37],
                       bytes[38], bytes[39]);
    struct dls_part part = dls_cell_part(&cell);
    int r = dls_part_check(&part);
    if (r < 0)
        return r;
    if (cell.codec != DLS_CODEC_NONE) {
        if (field->type != DLS_FIELD_IMAGE)
            return dls_err(EBADMSG, "codec %u in a field of bytes", cell.codec);
        r = check_picture(&cell);
        if (r < 0)
            return r;
    } else if (cell.width || cell.height || cell.channels || cell.orientation ||
               (field->type == DLS_FIELD_IMAGE && cell.stored)) {
        return dls_err(EBADMSG, "no codec, but the properties of an image");
    }
    *ret_cell = cell;
    return 0;
}

int dls_cell_open(const struct dls_cell *cell, const uint8_t *stored, int verify, struct dls_cell_scratch *scratch,
                  const uint8_t **ret_data)
{
    struct dls_part part = dls_cell_part(cell);
    int r = dls_part_check(&part);
    if (r == 0 && verify)
        r = dls_part_verify(&part, stored);
    if (r < 0)
        return r;
    if (cell->encoding == DLS_ENCODING_STORED) {
        *ret_data = stored;
        return 0;
    }
    if (scratch->room < cell->raw) {
        dls_free(scratch->bytes);
        scratch->room = 0;
        scratch->bytes = dls_alloc(DLS_MEM_SHARD, cell->raw);
        if (!scratch->bytes)
            return -ENOMEM;
        scratch->room = cell->raw;
    }
    r = dls_part_decode(&part, stored, &scratch->zstd, scratch->bytes);
    if (r < 0)
        return r;
    *ret_data = scratch->bytes;
    return 0;
}

void dls_cell_scratch_free(struct dls_cell_scratch *scratch)
{
    dls_free(scratch->bytes);
    dls_part_zstd_free(&scratch->zstd);
    *scratch = (struct dls_cell_scratch){0};
}
