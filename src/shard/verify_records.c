/* SPDX-License-Identifier: Apache-2.0 */
/* The records of one block, for dls_verify_shard(). */
#include "shard/verify_job.h"

#include "base/bytes.h"
#include "base/err.h"
#include "shard/cell.h"
#include "shard/file.h"

#include <inttypes.h>

static void report_record(struct dls_verify_job *job, uint32_t index, const char *kind, uint64_t offset, int code)
{
    const struct dls_schema *schema = &job->set->manifest.schema;
    struct dls_fault fault = {.kind = kind,
                              .block = job->block,
                              .record = (int64_t)(job->listed->first_record + job->view.first_record + index),
                              .offset = (int64_t)offset,
                              .code = code};
    if (schema->key >= 0)
        fault.key = (const char *)dls_block_inline(&job->view, (uint32_t)schema->key, index, &fault.key_length);
    dls_verify_report(job, fault);
}

/* The row of the record table must say what the block's directory says. */
static void check_row(struct dls_verify_job *job, uint32_t index)
{
    const struct dls_trailer *trailer = &job->shard.trailer;
    const struct dls_schema *schema = &job->set->manifest.schema;
    uint64_t record = (uint64_t)job->view.first_record + index;

    if (trailer->rows_a_page == 0)
        return;
    uint64_t number = record / trailer->rows_a_page;
    uint64_t page_at = trailer->rows_offset + number * DLS_PAGE_BYTES;
    if (job->page_state == 0 || job->page_number != number) {
        int r = dls_file_read(job->fd, job->path, job->page, DLS_PAGE_BYTES, page_at);
        if (r == 0)
            r = dls_row_page_check(trailer, job->page, number);
        if (r < 0)
            dls_verify_report_shard(job, "table", (int64_t)page_at, r);
        job->page_number = number;
        job->page_state = r < 0 ? -1 : 1;
    }
    if (job->page_state < 0)
        return;
    const uint8_t *at = job->page + 8 + record % trailer->rows_a_page * trailer->row_bytes;
    for (uint32_t f = 0; f < schema->count; f++) {
        uint32_t bytes = dls_field_row_bytes(&schema->fields[f]);
        uint8_t expected[DLS_CELL_BYTES];
        const uint8_t *value = expected;
        struct dls_cell cell;
        size_t length;

        if (bytes == 0)
            continue;
        if (dls_field_has_cell(&schema->fields[f])) {
            dls_block_cell(&job->view, f, index, &cell);
            cell.offset += job->offset;
            dls_cell_put(&cell, expected);
        } else {
            value = dls_block_inline(&job->view, f, index, &length);
        }
        if (memcmp(value, at, bytes) != 0) {
            dls_err(EBADMSG, "field '%s' of the record table is not what the block's directory says",
                    schema->fields[f].name);
            report_record(job, index, "table", page_at, -EBADMSG);
        }
        at += bytes;
    }
}

/* One value of one record. *end: where the values before it end in the block; padding up to it must be zero. */
static void check_cell(struct dls_verify_job *job, uint32_t index, uint32_t field, uint64_t *end)
{
    const struct dls_schema_field *schema = &job->set->manifest.schema.fields[field];
    struct dls_cell cell;
    const uint8_t *data;

    dls_block_cell(&job->view, field, index, &cell);
    uint64_t offset = job->offset + cell.offset;
    if (cell.offset != dls_align_up(*end, DLS_DATA_ALIGN)) {
        dls_err(EBADMSG, "field '%s' is not where the value before it ends", schema->name);
        report_record(job, index, "record", offset, -EBADMSG);
    } else if (!dls_all_zero(job->data + *end, cell.offset - *end)) {
        dls_err(EBADMSG, "padding before field '%s' is not zero", schema->name);
        report_record(job, index, "record", offset, -EBADMSG);
    }
    *end = cell.offset + cell.stored;
    int r = dls_cell_open(&cell, job->data + cell.offset, 1, &job->scratch, &data);
    if (r < 0)
        dls_err_context(r, "field '%s'", schema->name);
    else if (schema->type == DLS_FIELD_IMAGE && cell.codec != DLS_CODEC_NONE && job->verify->picture)
        r = job->verify->picture(job->verify->user, &cell, data);
    if (r < 0)
        report_record(job, index, "record", offset, r);
}

void dls_verify_records(struct dls_verify_job *job)
{
    const struct dls_schema *schema = &job->set->manifest.schema;
    uint64_t directory = DLS_BLOCK_HEADER_BYTES + (uint64_t)dls_get32(job->data + 28);
    uint64_t end = job->view.data_offset;

    if (!dls_all_zero(job->data + directory, job->view.data_offset - directory)) {
        dls_err(EBADMSG, "padding behind the directory is not zero");
        dls_verify_report_block(job, -EBADMSG);
    }
    for (uint32_t i = 0; i < job->view.records; i++) {
        for (uint32_t f = 0; f < schema->count; f++)
            if (dls_field_has_cell(&schema->fields[f]))
                check_cell(job, i, f, &end);
        check_row(job, i);
    }
    if (dls_align_up(end, DLS_ALIGN) != job->view.length) {
        dls_err(EBADMSG, "the block has %" PRIu64 " bytes, its values end at %" PRIu64, job->view.length, end);
        dls_verify_report_block(job, -EBADMSG);
    } else if (!dls_all_zero(job->data + end, job->view.length - end)) {
        dls_err(EBADMSG, "padding at the end of the block is not zero");
        dls_verify_report_block(job, -EBADMSG);
    }
}
