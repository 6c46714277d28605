/* SPDX-License-Identifier: Apache-2.0 */
/* dataset.json in memory; docs/format.md, section 9. */
#ifndef DLS_SHARD_MANIFEST_H
#define DLS_SHARD_MANIFEST_H

#include "shard/layout.h"

struct dls_manifest_shard {
    char *file; /* a plain name in the dataset's directory */
    uint64_t bytes, records, blocks;
    uint64_t checksum; /* XXH3-64 of the whole file */
    uint64_t first_record, first_block; /* in the dataset: sums over the shards before */
};

struct dls_manifest_class {
    char *name; /* bytes, NUL behind */
    size_t length;
    uint64_t records;
};

struct dls_manifest {
    uint8_t uuid[16];
    struct dls_schema schema;
    struct dls_manifest_class *classes;
    uint32_t class_count;
    struct dls_manifest_shard *shards;
    uint32_t shard_count;
    uint64_t records, blocks, bytes;
    uint32_t block_bytes;     /* as asked for */
    uint64_t largest_block;   /* bytes */
    uint64_t directory_bytes; /* raw length of the longest block directory */
    uint64_t image_bytes;     /* sum of the stored images */
    uint64_t largest_pixels;  /* width × height of the image with the most pixels */
    int shuffled;
    uint64_t seed;
    char *creator;
    uint64_t codec_records[256]; /* images by codec */
    /* Percentiles of the images' sizes: 0 (least), 1, 5, 25, 50, 75, 95, 99, 100 % of width, height, stored bytes. */
    uint64_t width_percentile[9], height_percentile[9], bytes_percentile[9];
    /* Per-channel mean and standard deviation of the pixels, 0 … 1; has_pixels 0 when the packer did not decode. */
    int has_pixels;
    double mean[3], std[3];
};

/* Parses text[0, length). -EBADMSG with the reason and the byte offset or member; -ENOTSUP for later versions. The
 * caller ends *ret_manifest with dls_manifest_free(), after failure too. */
int dls_manifest_parse(const char *text, size_t length, struct dls_manifest *ret_manifest);
/* The file's text, checksum line included; the caller frees it with dls_free(). */
int dls_manifest_format(const struct dls_manifest *manifest, char **ret_text, size_t *ret_length);
void dls_manifest_free(struct dls_manifest *manifest);

#endif
