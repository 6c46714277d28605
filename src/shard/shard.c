/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/shard.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/mem.h"
#include "shard/file.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static int load_header(struct dls_shard *shard, int fd, const struct dls_manifest *manifest, uint32_t number,
                       uint64_t *ret_checksum)
{
    struct dls_shard_header header;
    uint8_t bytes[DLS_HEADER_BYTES];
    int r = dls_file_read(fd, shard->path, bytes, sizeof(bytes), 0);

    if (r < 0)
        return r;
    r = dls_header_parse(bytes, &header);
    if (r < 0)
        return dls_err_context(r, "'%s'", shard->path);
    if (!dls_schema_equal(&header.schema, &manifest->schema))
        return dls_err(EBADMSG, "'%s', offset 512: its fields are not those of the manifest", shard->path);
    if (header.number != number || header.block_bytes != manifest->block_bytes)
        return dls_err(EBADMSG,
                       "'%s', offset 48: it says it is shard %" PRIu32 " with blocks of %" PRIu32
                       " bytes, the manifest says %" PRIu32 " with %" PRIu32,
                       shard->path, header.number, header.block_bytes, number, manifest->block_bytes);
    shard->pack_prefix = dls_get64(header.pack_id);
    *ret_checksum = header.checksum;
    return 0;
}

static int load_trailer(struct dls_shard *shard, int fd, const struct dls_manifest *manifest, uint32_t number,
                        uint64_t header_checksum)
{
    const struct dls_manifest_shard *listed = &manifest->shards[number];
    uint64_t size = listed->bytes;
    uint8_t bytes[DLS_TRAILER_BYTES];
    int r = dls_file_read(fd, shard->path, bytes, sizeof(bytes), size - sizeof(bytes));

    if (r < 0)
        return r;
    r = dls_trailer_parse(bytes, size, &manifest->schema, &shard->trailer);
    if (r < 0)
        return dls_err_context(r, "'%s', offset %" PRIu64, shard->path, size - sizeof(bytes));
    if (shard->trailer.header_checksum != header_checksum)
        return dls_err(EBADMSG, "'%s': header and trailer are not of the same shard", shard->path);
    if (shard->trailer.records != listed->records || shard->trailer.blocks != listed->blocks)
        return dls_err(EBADMSG, "'%s' has %" PRIu64 " records in %" PRIu32 " blocks, the manifest says %" PRIu64
                       " in %" PRIu64, shard->path, shard->trailer.records, shard->trailer.blocks, listed->records,
                       listed->blocks);
    return 0;
}

static int load_table(struct dls_shard *shard, int fd)
{
    uint8_t *stored = dls_alloc(DLS_MEM_SHARD, shard->trailer.table.stored + 1ull);
    int r;

    if (!stored)
        return -ENOMEM;
    r = dls_file_read(fd, shard->path, stored, shard->trailer.table.stored, shard->trailer.table_offset);
    if (r == 0) {
        r = dls_table_parse(&shard->trailer, stored, &shard->marks);
        if (r < 0)
            dls_err_context(r, "'%s'", shard->path);
    }
    dls_free(stored);
    return r;
}

int dls_shard_load(struct dls_shard *shard, const struct dls_manifest *manifest, uint32_t number)
{
    const struct dls_manifest_shard *listed = &manifest->shards[number];
    uint64_t header_checksum = 0;
    struct stat st;
    int fd, r = dls_file_open(shard->path, &fd);

    if (r < 0)
        return r;
    if (fstat(fd, &st) < 0)
        r = dls_err_sys(errno, "'%s'", shard->path);
    else if ((uint64_t)st.st_size != listed->bytes || listed->bytes < DLS_HEADER_BYTES + DLS_TRAILER_BYTES)
        r = dls_err(EBADMSG, "'%s' has %" PRIu64 " bytes, the manifest says %" PRIu64 ": it was cut off or replaced",
                    shard->path, (uint64_t)st.st_size, listed->bytes);
    if (r == 0)
        r = load_header(shard, fd, manifest, number, &header_checksum);
    if (r == 0)
        r = load_trailer(shard, fd, manifest, number, header_checksum);
    if (r == 0)
        r = load_table(shard, fd);
    close(fd);
    shard->loaded = r == 0;
    return r;
}

void dls_shard_free(struct dls_shard *shard)
{
    dls_free(shard->path);
    dls_free(shard->marks);
    *shard = (struct dls_shard){0};
}

uint32_t dls_shard_find(const struct dls_shard *shard, uint64_t record)
{
    uint32_t low = 0, high = shard->trailer.blocks;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (shard->marks[middle].first_record <= record)
            low = middle;
        else
            high = middle;
    }
    return low;
}
