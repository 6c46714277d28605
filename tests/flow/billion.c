/* SPDX-License-Identifier: Apache-2.0 */
/* A dataset of a billion records, of which only what is touched exists: it opens in bounded memory, any place
 * of any epoch is reached without what lies before it, and the records there are the ones that the order
 * promises. */
#include "base/bytes.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "order/order.h"
#include "order/state.h"
#include "shard/build.h"
#include "shard/dataset.h"
#include "shard/header.h"
#include "shard/tables.h"
#include "support/check.h"
#include "support/support.h"

#include <dlshards/dlshards.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* As dlpack-shards makes them of pictures of 100 KB: shards of 1 GiB, blocks of 80 records. The blocks are
 * smaller here. */
#define SHARDS 97657u
#define SHARD_BLOCKS 128u
#define BLOCK_RECORDS 80u
#define SHARD_RECORDS (SHARD_BLOCKS * BLOCK_RECORDS)
#define RECORDS ((uint64_t)SHARDS * SHARD_RECORDS)
#define LINKS_MOST 60000u

static const uint8_t pack_id[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static struct dls_schema schema;
static uint64_t block_bytes, directory_bytes, shard_bytes;

static const char *shard_path(const char *folder, uint32_t number)
{
    static char path[4200];

    snprintf(path, sizeof(path), "%s/shard-%05u.dls", folder, number);
    return path;
}

/* Block `number` of any shard. */
static void build_block(uint32_t number, struct dls_block_builder *builder)
{
    static const uint8_t picture[600] = {0xff, 0xd8};
    uint32_t data_offset;

    dls_block_builder_reset(builder);
    for (uint32_t i = 0; i < BLOCK_RECORDS; i++) {
        int64_t label = i;
        dls_value values[2] = {{.data = picture,
                                .length = sizeof(picture),
                                .codec = DLS_CODEC_JPEG,
                                .width = 8,
                                .height = 8,
                                .channels = 3},
                               {.data = &label, .length = 8}};
        struct dls_encoded encoded = {0};
        CHECK(dls_block_builder_encode(builder, values, &encoded) == 0);
        CHECK(dls_block_builder_add(builder, values, &encoded) == 0);
        dls_encoded_free(&encoded);
    }
    CHECK(dls_block_builder_finish(builder, number, number * BLOCK_RECORDS, pack_id, &data_offset) == 0);
    directory_bytes = builder->directory.length;
}

static void put(int fd, const void *bytes, size_t length, uint64_t offset)
{
    CHECK(pwrite(fd, bytes, length, (off_t)offset) == (ssize_t)length);
}

/* Header, block table and trailer; with `blocks` the blocks, too. */
static void write_shard(const char *folder, uint32_t number, bool blocks)
{
    struct dls_shard_header header = {
        .number = number, .block_bytes = DLS_BLOCK_BYTES_DEFAULT, .schema = schema};
    struct dls_trailer trailer = {.records = SHARD_RECORDS, .blocks = SHARD_BLOCKS};
    struct dls_block_builder builder;
    struct dls_part_encoder encoder;
    struct dls_buffer scratch = {0};
    uint8_t head[DLS_HEADER_BYTES], tail[DLS_TRAILER_BYTES], table[16 * SHARD_BLOCKS] = {0};
    const uint8_t *stored;

    CHECK(dls_block_builder_init(&builder, &schema, 3) == 0 && dls_part_encoder_init(&encoder, 3) == 0);
    build_block(0, &builder);
    block_bytes = builder.block.length;
    memcpy(header.pack_id, pack_id, 16);
    dls_header_format(&header, head);
    for (uint64_t b = 0; b < SHARD_BLOCKS; b++) {
        dls_put64(table + 16 * b, DLS_HEADER_BYTES + b * block_bytes);
        dls_put32(table + 16 * b + 8, (uint32_t)(block_bytes / DLS_ALIGN));
        dls_put32(table + 16 * b + 12, BLOCK_RECORDS);
    }
    trailer.rows_offset = DLS_HEADER_BYTES + SHARD_BLOCKS * block_bytes;
    trailer.row_bytes = dls_schema_row_bytes(&schema);
    trailer.rows_a_page = DLS_PAGE_ROWS_BYTES / trailer.row_bytes;
    trailer.row_pages = (SHARD_RECORDS + trailer.rows_a_page - 1) / trailer.rows_a_page;
    trailer.table_offset = trailer.rows_offset + trailer.row_pages * DLS_PAGE_BYTES;
    CHECK(dls_part_encode(&encoder, 3, table, sizeof(table), UINT32_MAX, &scratch, &trailer.table, &stored) ==
          0);
    uint64_t end = dls_align_up(trailer.table_offset + trailer.table.stored, 8);
    trailer.shard_bytes = shard_bytes = end + DLS_TRAILER_BYTES;
    trailer.header_checksum = header.checksum;
    dls_trailer_format(&trailer, tail);

    unlink(shard_path(folder, number)); /* it may be a link to one that stands for many */
    int fd = open(shard_path(folder, number), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)shard_bytes) == 0);
    put(fd, head, sizeof(head), 0);
    put(fd, stored, trailer.table.stored, trailer.table_offset);
    put(fd, tail, sizeof(tail), end);
    for (uint32_t b = 0; blocks && b < SHARD_BLOCKS; b++) {
        build_block(b, &builder);
        CHECK(builder.block.length == block_bytes);
        put(fd, builder.block.bytes, block_bytes, DLS_HEADER_BYTES + b * block_bytes);
    }
    close(fd);
    dls_buffer_free(&scratch);
    dls_part_encoder_free(&encoder);
    dls_block_builder_free(&builder);
}

static void write_manifest(const char *folder)
{
    struct dls_manifest manifest = {
        .uuid = {42}, .schema = schema, .shard_count = SHARDS, .records = RECORDS};
    struct dls_manifest_class one = {.name = (char *)"one", .length = 3, .records = RECORDS};
    char *names = malloc(SHARDS * 24ull), *text, path[4200];
    size_t length;

    manifest.shards = calloc(SHARDS, sizeof(*manifest.shards));
    CHECK(names != NULL && manifest.shards != NULL);
    for (uint32_t i = 0; i < SHARDS; i++) {
        struct dls_manifest_shard *shard = &manifest.shards[i];
        snprintf(names + 24ull * i, 24, "shard-%05u.dls", i);
        *shard = (struct dls_manifest_shard){.file = names + 24ull * i,
                                             .bytes = shard_bytes,
                                             .records = SHARD_RECORDS,
                                             .blocks = SHARD_BLOCKS,
                                             .checksum = i};
    }
    manifest.blocks = (uint64_t)SHARDS * SHARD_BLOCKS;
    manifest.bytes = SHARDS * shard_bytes;
    manifest.block_bytes = DLS_BLOCK_BYTES_DEFAULT;
    manifest.largest_block = block_bytes;
    manifest.directory_bytes = directory_bytes;
    manifest.image_bytes = RECORDS * 600;
    manifest.largest_pixels = 64;
    manifest.shuffled = 1;
    manifest.creator = (char *)"test";
    manifest.classes = &one;
    manifest.class_count = 1;
    manifest.codec_records[DLS_CODEC_JPEG] = RECORDS;
    for (int i = 0; i < 9; i++) {
        manifest.width_percentile[i] = manifest.height_percentile[i] = 8;
        manifest.bytes_percentile[i] = 600;
    }
    CHECK(dls_manifest_format(&manifest, &text, &length) == 0);
    snprintf(path, sizeof(path), "%s/dataset.json", folder);
    support_write_file(path, text, length);
    printf("manifest: %zu bytes\n", length);
    dls_free(text);
    free(manifest.shards);
    free(names);
}

static const char *make(void)
{
    const char *folder = support_path(support_temp_dir(), "billion.dls");
    char target[4200];

    CHECK(dls_schema_add(&schema, "image", 5, DLS_FIELD_IMAGE, 0) == 0);
    CHECK(dls_schema_add(&schema, "label", 5, DLS_FIELD_INT64, 1) == 0);
    CHECK(dls_schema_complete(&schema) == 0);
    CHECK(mkdir(folder, 0700) == 0);
    for (uint32_t i = 0; i < SHARDS; i++) {
        if (i % LINKS_MOST == 0) {
            write_shard(folder, i, false);
            snprintf(target, sizeof(target), "%s", shard_path(folder, i));
        } else {
            CHECK(link(target, shard_path(folder, i)) == 0);
        }
    }
    write_manifest(folder);
    return folder;
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;

    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return (uint64_t)usage.ru_maxrss << 10;
}

/* Starts in the middle of an epoch, at sample `taken` of rank 2 of 5, and looks at the first batch. */
static void seek(dls_dataset *dataset, const char *folder, dls_order order, uint64_t epoch, uint64_t taken)
{
    struct dls_state state = {
        .uuid = {42}, .seed = 11, .mode = order, .window = 1, .epoch = epoch, .batches = taken / 16};
    struct dls_share share = {0};
    struct dls_stretch stretch;
    struct dls_order_config config = {.uuid = {42},
                                      .seed = 11,
                                      .mode = order,
                                      .window = 1,
                                      .records = RECORDS,
                                      .shard_count = SHARDS,
                                      .shards = dls_set_manifest(dataset)->shards};
    uint8_t bytes[DLS_STATE_MAX];
    dls_loader_params params;
    dls_loader *loader = NULL;
    const dls_batch *batch = NULL;

    CHECK(dls_progress_add(&state.progress, 5, taken) == 0);
    CHECK(dls_share_make(&state.progress, RECORDS, 2, 5, &share) == 0);
    uint64_t begin = share.pieces[0].first, place = begin + share.pieces[0].from;
    dls_share_free(&share);
    dls_stretch_find(&config, epoch, place, &stretch);
    for (uint32_t i = 0; i < stretch.count; i++)
        write_shard(folder, stretch.shards[i], true);

    dls_loader_params_init(&params);
    params.state = bytes;
    params.state_size = dls_state_format(&state, bytes);
    params.world = 5;
    params.rank = 2;
    params.batch_size = 16;
    params.no_decode = 1;
    params.threads = 2;
    params.memory_bytes = 128u << 20;
    uint64_t before = dls_now();
    CHECK(dls_loader_open(dataset, &params, &loader) == 0);
    CHECK(dls_loader_next(loader, -1, &batch) == 1);
    uint64_t after = dls_now();
    printf("order %d, epoch %llu, sample %llu of rank 2 of 5: open and first batch %.1f ms, peak %.1f MB\n",
           (int)order, (unsigned long long)epoch, (unsigned long long)taken, (double)(after - before) / 1e6,
           (double)peak_bytes() / 1e6);
    CHECK(batch->epoch == epoch && batch->index == taken / 16 && batch->count == 16);
    /* All blocks are equally long, so that it is known where each stands. */
    for (uint32_t i = 0; i < 16; i++) {
        uint64_t at = place + i, record = at;
        if (order == DLS_ORDER_WINDOW) {
            uint64_t in = at - stretch.first,
                     block = dls_stretch_block(&config, &stretch, in / BLOCK_RECORDS);
            uint64_t first = at - in % BLOCK_RECORDS; /* of the block; the rank's share may begin within it */
            uint64_t skip = begin > first ? begin - first : 0;
            record = block * BLOCK_RECORDS + skip +
                     dls_order_sample(&config, epoch, first + skip, BLOCK_RECORDS - skip, at - first - skip);
        }
        CHECK(batch->records[i] == record && batch->labels[i] == (int64_t)(record % BLOCK_RECORDS));
    }
    dls_loader_close(&loader);
}

int main(void)
{
    const char *folder = make();
    dls_dataset *dataset = NULL;
    uint64_t before = dls_now();

    CHECK(dls_dataset_open(folder, &dataset) == 0);
    printf("%llu records, %u shards: opened in %.0f ms, peak %.1f MB\n", (unsigned long long)RECORDS, SHARDS,
           (double)(dls_now() - before) / 1e6, (double)peak_bytes() / 1e6);
    seek(dataset, folder, DLS_ORDER_WINDOW, 0, 16);
    seek(dataset, folder, DLS_ORDER_WINDOW, 3, 64000000);
    seek(dataset, folder, DLS_ORDER_WINDOW, 1000000, 199999984);
    seek(dataset, folder, DLS_ORDER_NONE, 7, 123456000);
#ifndef __SANITIZE_ADDRESS__
    CHECK(peak_bytes() < 256u << 20);
#endif
    dls_dataset_close(&dataset);
    return 0;
}
