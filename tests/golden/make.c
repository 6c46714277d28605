/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the committed datasets: golden-make FOLDER. Bytes depend on the version of zstd, those committed are of 1.5.4. */
#include "golden/make.h"

#include "support/specimen.h"
#include "support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct golden_good golden_good[] = {
    {"empty", 0, 0, "12f3d55c129882a1a00c5235d049d753"},
    {"three", 3, 0, "cf7ca99fb2e644a8fcdfce413514afa4"},
    {"two-shards", 9, 16384, "4ebbc03217d5647abf21f4a1c5e59a0e"},
    {NULL, 0, 0, NULL},
};

/* Offsets in the shard: docs/format.md, sections 4, 5 and 8. */
#define BLOCK 4096

static void replace(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);

    if (!at || strlen(from) != strlen(to)) {
        fprintf(stderr, "'%s' is not in the manifest\n", from);
        exit(99);
    }
    memcpy(at, to, strlen(to));
}

static void newer_manifest(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    replace(text, "\"version\": [1, 0]", "\"version\": [2, 0]");
    reseal_manifest(text, *text_length);
}

static void requires_more(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    replace(text, "\"creator\": \"specimen\"", "\"requires\": [\"wings\"]");
    reseal_manifest(text, *text_length);
}

static void edited_manifest(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    replace(text, "\"records\": 3", "\"records\": 4");
}

static void sums_differ(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    replace(text, "\"records\": 3", "\"records\": 4");
    reseal_manifest(text, *text_length);
}

static void cut_manifest(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    *text_length /= 2;
}

static void shard_outside(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    replace(text, "shard-00000.dls", "../bad-0000.dls");
    reseal_manifest(text, *text_length);
}

static void cut_shard(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    *length -= 1;
}

static void no_shard(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    *length = 0;
}

static void newer_shard(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[8] = 2;
    reseal_shard(shard, *length);
}

static void unknown_feature(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[16] = 4;
    reseal_shard(shard, *length);
}

static void reserved_header(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[300] = 1;
    reseal_shard(shard, *length);
}

static void header_flipped(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[52] ^= 0x10;
}

static void no_trailer(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    memset(shard + *length - 128, 0, 128);
}

static void block_magic(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[BLOCK] = 'd';
    reseal_shard(shard, *length);
}

static void block_flags(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[BLOCK + 4] = 1;
    reseal_shard(shard, *length);
}

static void block_layers(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[BLOCK + 6] = 2;
    reseal_shard(shard, *length);
}

static void directory_flipped(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    shard[BLOCK + 70] ^= 1;
}

/* The first image begins where the block's header says its data begin. */
static void value_flipped(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    uint32_t data;

    memcpy(&data, shard + BLOCK + 36, 4);
    shard[BLOCK + data + 5] ^= 0x40;
}

static void page_flipped(uint8_t *shard, uint64_t *length, char *text, uint64_t *text_length)
{
    uint64_t rows;

    memcpy(&rows, shard + *length - 128, 8);
    shard[rows + 9] ^= 1;
}

const struct golden_bad golden_bad[] = {
    {"manifest-of-version-2", -ENOTSUP, 0, newer_manifest},
    {"manifest-requires-a-feature", -ENOTSUP, 0, requires_more},
    {"manifest-edited", -EBADMSG, 0, edited_manifest},
    {"manifest-with-wrong-sums", -EBADMSG, 0, sums_differ},
    {"manifest-cut-off", -EBADMSG, 0, cut_manifest},
    {"manifest-names-a-file-elsewhere", -EBADMSG, 0, shard_outside},
    {"shard-cut-off", -EBADMSG, 0, cut_shard},
    {"shard-missing", -ENOENT, 0, no_shard},
    {"shard-of-version-2", 0, -ENOTSUP, newer_shard},
    {"shard-with-unknown-feature", 0, -ENOTSUP, unknown_feature},
    {"shard-with-reserved-byte", 0, -EBADMSG, reserved_header},
    {"shard-header-flipped", 0, -EBADMSG, header_flipped},
    {"shard-without-trailer", 0, -EBADMSG, no_trailer},
    {"block-without-magic", 0, -EBADMSG, block_magic},
    {"block-with-flags", 0, -EBADMSG, block_flags},
    {"block-with-layers", 0, -ENOTSUP, block_layers},
    {"block-directory-flipped", 0, -EBADMSG, directory_flipped},
    {"value-flipped", 0, -EBADMSG, value_flipped},
    {"record-table-flipped", 0, -EBADMSG, page_flipped},
    {NULL, 0, 0, NULL},
};

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST) {
        perror(path);
        exit(99);
    }
}

static void make_bad(const char *folder, const char *good, const struct golden_bad *bad)
{
    const char *path = support_path(folder, bad->name);
    size_t length, text_length;
    uint8_t *shard = support_read_file(support_path(good, "shard-00000.dls"), &length);
    char *text = (char *)support_read_file(support_path(good, "dataset.json"), &text_length);
    uint64_t shard_bytes = length, text_bytes = text_length;

    bad->spoil(shard, &shard_bytes, text, &text_bytes);
    make_folder(path);
    support_write_file(support_path(path, "dataset.json"), text, text_bytes);
    if (shard_bytes > 0)
        support_write_file(support_path(path, "shard-00000.dls"), shard, shard_bytes);
    free(shard);
    free(text);
}

void golden_make(const char *folder)
{
    const char *good = support_path(folder, "good"), *bad = support_path(folder, "bad");

    make_folder(good);
    make_folder(bad);
    for (const struct golden_good *g = golden_good; g->name; g++)
        specimen_write(support_path(good, g->name), g->records, g->shard_bytes);
    for (const struct golden_bad *b = golden_bad; b->name; b++)
        make_bad(bad, support_path(good, "three"), b);
}
