/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/jpeg_lib.h"

#include "base/err.h"
#include "base/mem.h"
#include "decode/codec.h"

#include <string.h>

#include <jerror.h>

/* Real progressive files have ten or so scans. Each one costs a pass over all coefficients, so a few
 * kilobytes with thousands of empty scans would keep a worker busy for minutes. */
#define SCANS_MAX 500

static struct dls_jpeg *self(j_common_ptr cinfo)
{
    return cinfo->client_data;
}

/* The errno for one of libjpeg's message codes. */
static int code_of(int message)
{
    switch (message) {
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_NOT_COMPILED:
        return ENOTSUP;
    case JERR_OUT_OF_MEMORY:
        return ENOMEM;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
        return EFBIG;
    default:
        return EBADMSG;
    }
}

/* The kinds of JPEG that libjpeg refuses, by their frame marker. */
static const char *process_name(int marker)
{
    switch (marker & 15) {
    case 3:
    case 11:
        return "lossless";
    case 7:
    case 15:
        return "differential lossless";
    default:
        return "hierarchical";
    }
}

static void error_exit(j_common_ptr cinfo)
{
    struct dls_jpeg *jpeg = self(cinfo);
    int first = cinfo->err->msg_parm.i[0];
    jpeg->code = code_of(cinfo->err->msg_code);
    if (cinfo->err->msg_code == JERR_BAD_PRECISION)
        snprintf(jpeg->text, sizeof(jpeg->text), "%d bits a sample; only 8 are decoded", first);
    else if (cinfo->err->msg_code == JERR_SOF_UNSUPPORTED)
        snprintf(jpeg->text, sizeof(jpeg->text), "%s JPEG (SOF%d) is not decoded", process_name(first),
                 first & 15);
    else
        cinfo->err->format_message(cinfo, jpeg->text);
    longjmp(jpeg->escape, 1);
}

static void fail(struct dls_jpeg *jpeg, int code, const char *text)
{
    snprintf(jpeg->text, sizeof(jpeg->text), "%s", text);
    jpeg->code = code;
    longjmp(jpeg->escape, 1);
}

static void emit_message(j_common_ptr cinfo, int level)
{
    struct dls_jpeg *jpeg = self(cinfo);
    if (level >= 0)
        return; /* traces */
    cinfo->err->num_warnings++;
    if (jpeg->notes->warnings == 0)
        cinfo->err->format_message(cinfo, jpeg->text);
    dls_notes_warn(jpeg->notes, "%s", jpeg->text);
}

static void output_message(j_common_ptr cinfo)
{
    (void)cinfo; /* a library does not print */
}

static void source_nothing(j_decompress_ptr cinfo)
{
    (void)cinfo;
}

/* libjpeg asks for more bytes: there are none. */
static boolean source_fill(j_decompress_ptr cinfo)
{
    static const uint8_t end[2] = {0xff, JPEG_EOI};
    struct dls_jpeg *jpeg = self((j_common_ptr)cinfo);
    if (!jpeg->finishing)
        fail(jpeg, EBADMSG, "the file is cut off");
    dls_notes_warn(jpeg->notes, "the end marker is missing");
    cinfo->src->next_input_byte = end;
    cinfo->src->bytes_in_buffer = sizeof(end);
    return TRUE;
}

static void source_skip(j_decompress_ptr cinfo, long count)
{
    struct jpeg_source_mgr *source = cinfo->src;
    if (count <= 0)
        return;
    size_t step = (size_t)count < source->bytes_in_buffer ? (size_t)count : source->bytes_in_buffer;
    source->next_input_byte += step;
    source->bytes_in_buffer -= step;
    /* What is missing is found out by the next read. */
}

/* After rows were passed over, libjpeg counts restart markers from 0, the file does not. */
static boolean resync(j_decompress_ptr cinfo, int desired)
{
    int marker = (desired + self((j_common_ptr)cinfo)->restart_shift) & 7;
    if (cinfo->unread_marker == JPEG_RST0 + marker) {
        cinfo->unread_marker = 0;
        return TRUE;
    }
    return jpeg_resync_to_restart(cinfo, marker);
}

static void watch_progress(j_common_ptr cinfo)
{
    if (((j_decompress_ptr)cinfo)->input_scan_number > SCANS_MAX)
        fail(self(cinfo), EBADMSG, "more than 500 scans");
}

static void *count_small(j_common_ptr cinfo, int pool, size_t size)
{
    struct dls_jpeg *jpeg = self(cinfo);
    if (pool == JPOOL_PERMANENT && size == sizeof(JQUANT_TBL) && jpeg->spare_quants > 0)
        return jpeg->spare_quant[--jpeg->spare_quants];
    if (pool == JPOOL_PERMANENT && size == sizeof(JHUFF_TBL) && jpeg->spare_huffs > 0)
        return jpeg->spare_huff[--jpeg->spare_huffs];
    if (jpeg->notes != NULL)
        jpeg->notes->codec_allocations++;
    return jpeg->alloc_small(cinfo, pool, size);
}

static void *count_large(j_common_ptr cinfo, int pool, size_t size)
{
    struct dls_jpeg *jpeg = self(cinfo);
    if (jpeg->notes != NULL)
        jpeg->notes->codec_allocations++;
    return jpeg->alloc_large(cinfo, pool, size);
}

static void take_tables(struct dls_jpeg *jpeg)
{
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    for (unsigned i = 0; i < NUM_QUANT_TBLS; i++) {
        if (cinfo->quant_tbl_ptrs[i] != NULL)
            jpeg->spare_quant[jpeg->spare_quants++] = cinfo->quant_tbl_ptrs[i];
        cinfo->quant_tbl_ptrs[i] = NULL;
    }
    for (unsigned i = 0; i < 2 * NUM_HUFF_TBLS; i++) {
        JHUFF_TBL **slot =
            i < NUM_HUFF_TBLS ? &cinfo->dc_huff_tbl_ptrs[i] : &cinfo->ac_huff_tbl_ptrs[i - NUM_HUFF_TBLS];
        if (*slot != NULL)
            jpeg->spare_huff[jpeg->spare_huffs++] = *slot;
        *slot = NULL;
    }
}

/* Keeps EXIF in place while it is one piece; further pieces are joined as Pillow joins them. */
static void add_exif(struct dls_jpeg *jpeg, const uint8_t *data, size_t length)
{
    struct dls_side_data *side = &jpeg->side;
    if (side->exif == NULL) {
        side->exif = data;
        side->exif_length = length;
        return;
    }
    size_t joined = side->exif_length + length - 6;
    if (joined > jpeg->joined_size) {
        uint8_t *memory = dls_alloc(DLS_MEM_DECODE, joined);
        if (memory == NULL)
            fail(jpeg, ENOMEM, "no memory for EXIF");
        memcpy(memory, side->exif, side->exif_length);
        dls_free(jpeg->joined);
        jpeg->joined = memory;
        jpeg->joined_size = joined;
    } else if (side->exif != jpeg->joined) {
        memcpy(jpeg->joined, side->exif, side->exif_length);
    }
    memcpy(jpeg->joined + side->exif_length, data + 6, length - 6);
    side->exif = jpeg->joined;
    side->exif_length = joined;
}

/* Called by libjpeg behind an APP1 marker: all input is in memory, so the segment is read where it lies. */
static boolean read_app1(j_decompress_ptr cinfo)
{
    static const char xmp[] = "http://ns.adobe.com/xap/1.0/";
    struct dls_jpeg *jpeg = self((j_common_ptr)cinfo);
    struct jpeg_source_mgr *source = cinfo->src;
    const uint8_t *data = source->next_input_byte;
    if (source->bytes_in_buffer < 2)
        fail(jpeg, EBADMSG, "the file is cut off");
    size_t count = (size_t)data[0] << 8 | data[1];
    if (count < 2)
        fail(jpeg, EBADMSG, "an APP1 segment of impossible length");
    if (count > source->bytes_in_buffer)
        fail(jpeg, EBADMSG, "the file is cut off within its EXIF or XMP");
    source->next_input_byte += count;
    source->bytes_in_buffer -= count;
    data += 2;
    count -= 2;
    if (count >= 6 && memcmp(data, "Exif\0\0", 6) == 0) {
        add_exif(jpeg, data, count);
    } else if (count >= sizeof(xmp) && memcmp(data, xmp, sizeof(xmp)) == 0) {
        jpeg->side.xmp = data + sizeof(xmp);
        jpeg->side.xmp_length = count - sizeof(xmp);
    }
    return TRUE;
}

static boolean skip_app1(j_decompress_ptr cinfo)
{
    struct dls_jpeg *jpeg = self((j_common_ptr)cinfo);
    struct jpeg_source_mgr *source = cinfo->src;
    if (source->bytes_in_buffer < 2)
        fail(jpeg, EBADMSG, "the file is cut off");
    size_t count = (size_t)source->next_input_byte[0] << 8 | source->next_input_byte[1];
    if (count < 2)
        fail(jpeg, EBADMSG, "an APP1 segment of impossible length");
    source_skip(cinfo, (long)count);
    return TRUE;
}

int dls_jpeg_create(struct dls_scratch *scratch, void **ret_jpeg)
{
    struct dls_jpeg *jpeg = dls_alloc(DLS_MEM_DECODE, sizeof(*jpeg));
    if (jpeg == NULL)
        return -ENOMEM;
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    jpeg->scratch = scratch;
    cinfo->err = jpeg_std_error(&jpeg->errors);
    jpeg->errors.error_exit = error_exit;
    jpeg->errors.emit_message = emit_message;
    jpeg->errors.output_message = output_message;
    cinfo->client_data = jpeg;
    if (setjmp(jpeg->escape)) {
        int r = dls_jpeg_error(jpeg);
        dls_jpeg_destroy(jpeg);
        return r;
    }
    jpeg_create_decompress(cinfo);
    jpeg->alloc_small = cinfo->mem->alloc_small;
    jpeg->alloc_large = cinfo->mem->alloc_large;
    cinfo->mem->alloc_small = count_small;
    cinfo->mem->alloc_large = count_large;
    jpeg->source = (struct jpeg_source_mgr){.init_source = source_nothing,
                                            .fill_input_buffer = source_fill,
                                            .skip_input_data = source_skip,
                                            .resync_to_restart = resync,
                                            .term_source = source_nothing};
    cinfo->src = &jpeg->source;
    jpeg->progress.progress_monitor = watch_progress;
    cinfo->progress = &jpeg->progress;
    *ret_jpeg = jpeg;
    return 0;
}

void dls_jpeg_destroy(void *object)
{
    struct dls_jpeg *jpeg = object;
    jpeg_destroy_decompress(&jpeg->cinfo);
    dls_free(jpeg->joined);
    dls_free(jpeg);
}

void dls_jpeg_begin(struct dls_jpeg *jpeg, const uint8_t *data, size_t length, bool want_side,
                    struct dls_decode_notes *notes)
{
    jpeg->notes = notes;
    jpeg->data = data;
    jpeg->length = length;
    jpeg->finishing = false;
    jpeg->restart_shift = 0;
    jpeg->side = (struct dls_side_data){0};
    jpeg->source.next_input_byte = data;
    jpeg->source.bytes_in_buffer = length;
    take_tables(jpeg);
    jpeg_set_marker_processor(&jpeg->cinfo, JPEG_APP0 + 1, want_side ? read_app1 : skip_app1);
}

void dls_jpeg_end(struct dls_jpeg *jpeg)
{
    jpeg_abort_decompress(&jpeg->cinfo);
    jpeg->notes = NULL;
}

int dls_jpeg_error(struct dls_jpeg *jpeg)
{
    size_t left = jpeg->source.bytes_in_buffer;
    size_t at = left <= jpeg->length ? jpeg->length - left : jpeg->length;
    return dls_err(jpeg->code, "jpeg: %s (at byte %zu of %zu)", jpeg->text, at, jpeg->length);
}
