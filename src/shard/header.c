/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/header.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/hash.h"

#include <dlshards/version.h>
#include <inttypes.h>

#define FIELDS_AT 512u
#define FIELD_BYTES 64u
#define CHECKSUM_AT 4088u

void dls_header_format(struct dls_shard_header *header, uint8_t ret_bytes[DLS_HEADER_BYTES])
{
    memset(ret_bytes, 0, DLS_HEADER_BYTES);
    memcpy(ret_bytes, DLS_MAGIC_HEADER, 8);
    dls_put16(ret_bytes + 8, DLS_FORMAT_MAJOR);
    dls_put16(ret_bytes + 10, DLS_FORMAT_MINOR);
    dls_put32(ret_bytes + 12, DLS_HEADER_BYTES);
    memcpy(ret_bytes + 32, header->pack_id, 16);
    dls_put32(ret_bytes + 48, header->number);
    dls_put32(ret_bytes + 52, header->block_bytes);
    dls_put32(ret_bytes + 56, header->schema.count);
    for (uint32_t f = 0; f < header->schema.count; f++) {
        const struct dls_schema_field *field = &header->schema.fields[f];
        uint8_t *at = ret_bytes + FIELDS_AT + FIELD_BYTES * f;
        at[0] = (uint8_t)strlen(field->name);
        at[1] = (uint8_t)field->type;
        at[2] = (uint8_t)field->count;
        memcpy(at + 8, field->name, at[0]);
    }
    header->checksum = dls_hash64(ret_bytes, CHECKSUM_AT);
    dls_put64(ret_bytes + CHECKSUM_AT, header->checksum);
}

static const char *feature_name(uint64_t bit)
{
    return bit == DLS_FEATURE_LAYERS ? " (layers)" : bit == DLS_FEATURE_DICTIONARIES ? " (dictionaries)" : "";
}

/* What tells a reader that it need not go on: magic, version, checksum, features. */
static int check_identity(const uint8_t *bytes)
{
    if (memcmp(bytes, DLS_MAGIC_HEADER, 8) != 0)
        return dls_err(EBADMSG, "offset 0: not a shard, the magic is missing");
    bool known = dls_get16(bytes + 8) == DLS_FORMAT_MAJOR;
    if (known && dls_get32(bytes + 12) != DLS_HEADER_BYTES)
        return dls_err(EBADMSG, "offset 12: a header of %" PRIu32 " bytes", dls_get32(bytes + 12));
    /* Before the version, so that a damaged version is not taken for a newer one. A header of another length can only
     * be a newer one's. */
    uint64_t found = dls_hash64(bytes, CHECKSUM_AT);
    if (found != dls_get64(bytes + CHECKSUM_AT) && dls_get32(bytes + 12) == DLS_HEADER_BYTES)
        return dls_err(EBADMSG, "offset %u: the header's checksum is %016" PRIx64 ", not %016" PRIx64, CHECKSUM_AT,
                       found, dls_get64(bytes + CHECKSUM_AT));
    if (!known)
        return dls_err(ENOTSUP, "offset 8: format version %u.%u, this library reads %d.x", dls_get16(bytes + 8),
                       dls_get16(bytes + 10), DLS_FORMAT_MAJOR);
    uint64_t features = dls_get64(bytes + 16);
    if (features)
        return dls_err(ENOTSUP, "offset 16: the shard uses feature bit %d%s, which this version does not read",
                       __builtin_ctzll(features), feature_name(features & -features));
    return 0;
}

static int parse_field(const uint8_t *at, uint32_t offset, struct dls_schema *schema)
{
    if (at[0] > DLS_FIELD_NAME_MAX || at[3] || !dls_all_zero(at + 4, 4) || !dls_all_zero(at + 48, 16) ||
        !dls_all_zero(at + 8 + at[0], 40u - at[0]))
        return dls_err(EBADMSG, "offset %" PRIu32 ": reserved bytes of the field are not zero", offset);
    int r = dls_schema_add(schema, (const char *)at + 8, at[0], at[1], at[2]);
    if (r < 0) {
        dls_err_context(r, "offset %" PRIu32, offset);
        return -EBADMSG;
    }
    return 0;
}

int dls_header_parse(const uint8_t bytes[DLS_HEADER_BYTES], struct dls_shard_header *ret_header)
{
    struct dls_shard_header header = {0};
    int r = check_identity(bytes);
    if (r < 0)
        return r;
    uint32_t fields = dls_get32(bytes + 56);
    if (fields < 1 || fields > DLS_FIELDS_MAX)
        return dls_err(EBADMSG, "offset 56: %" PRIu32 " fields", fields);
    uint32_t end = FIELDS_AT + FIELD_BYTES * fields;
    if (!dls_all_zero(bytes + 60, FIELDS_AT - 60) || !dls_all_zero(bytes + end, CHECKSUM_AT - end))
        return dls_err(EBADMSG, "offset 60: reserved bytes of the header are not zero");
    for (uint32_t f = 0; r == 0 && f < fields; f++)
        r = parse_field(bytes + FIELDS_AT + FIELD_BYTES * f, FIELDS_AT + FIELD_BYTES * f, &header.schema);
    if (r == 0 && dls_schema_complete(&header.schema) < 0)
        r = -EBADMSG;
    if (r < 0)
        return r;
    memcpy(header.pack_id, bytes + 32, 16);
    header.number = dls_get32(bytes + 48);
    header.block_bytes = dls_get32(bytes + 52);
    if (header.block_bytes < DLS_ALIGN || header.block_bytes > DLS_BLOCK_BYTES_MAX || header.block_bytes % DLS_ALIGN)
        return dls_err(EBADMSG, "offset 52: a block size of %" PRIu32 " bytes", header.block_bytes);
    header.checksum = dls_get64(bytes + CHECKSUM_AT);
    *ret_header = header;
    return 0;
}
