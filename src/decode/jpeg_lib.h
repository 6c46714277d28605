/* SPDX-License-Identifier: Apache-2.0 */
/* libjpeg's object with managers of our own: input from memory, errors by a jump back to us, tables that do
 * not outlive their picture. */
#ifndef DLS_DECODE_JPEG_LIB_H
#define DLS_DECODE_JPEG_LIB_H

#include "decode/decode.h"
#include "decode/exif.h"
#include "decode/jpeg_huff.h"
#include "decode/scratch.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

#include <jpeglib.h>

struct dls_jpeg {
    struct jpeg_decompress_struct cinfo;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    struct dls_scratch *scratch;
    struct dls_decode_notes *notes; /* of the present call, never NULL within one */
    const uint8_t *data;
    size_t length;
    int restart_shift; /* restart markers passed over, modulo 8 */
    bool retried;   /* it is being decoded once more */
    bool irregular; /* the present picture is not as dls_huff wants it */
    struct dls_huff huff;
    bool finishing; /* all rows are out: a missing end marker is a warning now, not an error */
    char text[JMSG_LENGTH_MAX];
    int code; /* positive errno of the error that jumped */

    /* Side data seen by the present header, and memory for EXIF that comes in several pieces. */
    struct dls_side_data side;
    uint8_t *joined;
    size_t joined_size;

    /* libjpeg keeps Huffman and quantisation tables from picture to picture, so a damaged picture without
     * tables would be decoded with those of whichever came before. They are taken away before each picture
     * and handed out again when the next one defines its own. */
    JQUANT_TBL *spare_quant[NUM_QUANT_TBLS];
    JHUFF_TBL *spare_huff[2 * NUM_HUFF_TBLS];
    unsigned spare_quants, spare_huffs;
    void *(*alloc_small)(j_common_ptr cinfo, int pool, size_t size);
    void *(*alloc_large)(j_common_ptr cinfo, int pool, size_t size);
};

int dls_jpeg_create(struct dls_scratch *scratch, void **ret_jpeg);
void dls_jpeg_destroy(void *jpeg);

/* Sets the object to the start of a picture. To be called before setjmp(jpeg->escape); afterwards libjpeg may
 * be called until dls_jpeg_end(). want_side: look for EXIF and XMP too. */
void dls_jpeg_begin(struct dls_jpeg *jpeg, const uint8_t *data, size_t length, bool want_side,
                    struct dls_decode_notes *notes);
/* With the header read: if restart markers allow it, begins the picture as far down as rows [top, bottom) of the output,
 * of `eighths` of its size, allow, as if the rows above did not exist. Returns how many rows of the output that is. */
uint32_t dls_jpeg_start_below(struct dls_jpeg *jpeg, uint32_t top, uint32_t bottom, uint8_t eighths);
/* Ends the picture, after success, failure or a jump. */
void dls_jpeg_end(struct dls_jpeg *jpeg);
/* After a jump: sets the error text and returns the negative errno. */
int dls_jpeg_error(struct dls_jpeg *jpeg);

#endif
