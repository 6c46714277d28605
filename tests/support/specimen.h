/* SPDX-License-Identifier: Apache-2.0 */
/* Small datasets with every type of field, and repairs of the checksums of shards that a test has damaged on purpose,
 * so that what lies behind a checksum is looked at. */
#ifndef DLS_TESTS_SPECIMEN_H
#define DLS_TESTS_SPECIMEN_H

#include <dlshards/writer.h>
#include <stdbool.h>

#define SPECIMEN_FIELDS 7
#define SPECIMEN_CLASSES 3

/* image IMAGE, mask IMAGE, blob BYTES, label INT64, box FLOAT32 × 4, key STRING, caption STRING. */
extern const dls_field specimen_fields[SPECIMEN_FIELDS];
extern const char *const specimen_classes[SPECIMEN_CLASSES];

/* The values of record `number`, a pure function of it; they stay valid until the next call. Among the first nine
 * records are absent masks, empty blobs, empty and longest keys, keys with any byte, and values that zstd shrinks. */
void specimen_values(uint64_t number, dls_value ret_values[SPECIMEN_FIELDS]);
/* Writes `records` of them; block_bytes 4096. shard_bytes 0: one shard. */
void specimen_write(const char *path, uint64_t records, uint64_t shard_bytes);
/* Whether the dataset holds exactly these records; if not, says on stderr where it differs. */
bool specimen_check(dls_dataset *dataset, uint64_t records);
/* Whether one value is as expected, in all members. */
bool specimen_same(const dls_value *a, const dls_value *b);

/* Repairs, from the inside out: each makes the checksum of one structure right again. */
void reseal_header(uint8_t *shard); /* the header alone */
void reseal_block(uint8_t *block);  /* of its directory as it is stored, and of the block header */
void reseal_page(uint8_t *page);    /* a page of the record table */
/* Copies the header's checksum; of the block table, if it lies in the shard; of the trailer. */
void reseal_trailer(uint8_t *shard, size_t length);
/* All of the above, for every block and page. Values keep the checksums that they have. */
void reseal_shard(uint8_t *shard, size_t length);
/* The last line of a manifest. */
void reseal_manifest(char *text, size_t length);
/* Puts the checksums of the shard files of a dataset into its manifest. */
void reseal_dataset(const char *path);

#endif
