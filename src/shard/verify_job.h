/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of dls_verify_shard(): what is known of the shard so far. */
#ifndef DLS_SHARD_VERIFY_JOB_H
#define DLS_SHARD_VERIFY_JOB_H

#include "shard/set.h"
#include "shard/verify.h"

struct dls_hasher;

struct dls_verify_job {
    struct dls_dataset *set;
    const struct dls_verify *verify;
    const struct dls_manifest_shard *listed;
    uint32_t number;
    const char *path;
    int fd;
    uint64_t faults;
    struct dls_shard shard;    /* header, trailer and tables of this pass; `loaded` if all of them are right */
    struct dls_hasher *hasher; /* over the file, in order */
    uint64_t hashed;
    /* The block being looked at. */
    uint32_t block;
    uint64_t offset;
    uint8_t *data; /* owned */
    uint64_t data_room;
    struct dls_block_view view;
    struct dls_cell_scratch scratch;
    uint8_t page[DLS_PAGE_BYTES]; /* of the record table */
    uint64_t page_number;
    int page_state; /* 0: none loaded, 1: right, -1: damaged (reported) */
};

/* Hands this thread's error text and the numbers given to the caller of dls_verify_shard(). */
void dls_verify_report(struct dls_verify_job *job, struct dls_fault fault);
/* A fault of the shard as a whole, or (offset ≥ 0) of a place in it that belongs to no block. */
void dls_verify_report_shard(struct dls_verify_job *job, const char *kind, int64_t offset, int code);
void dls_verify_report_block(struct dls_verify_job *job, int code);
/* Looks at every record of the block that job->view has open in job->data. */
void dls_verify_records(struct dls_verify_job *job);

#endif
