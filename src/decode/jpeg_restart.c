/* SPDX-License-Identifier: Apache-2.0 */
/* Between restart markers, the data of a JPEG can be decoded by itself: rows above a box need not be, not even to find
 * out where the next ones begin. */
#include "decode/jpeg_lib.h"

#include <string.h>

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The bytes behind marker `wanted` (counted from 1). The markers up to `last` must follow each other as they should, or
 * NULL: libjpeg would look for a way out of that, which depends on what came before. */
static const uint8_t *find_marker(const uint8_t *at, const uint8_t *end, uint64_t wanted, uint64_t last)
{
    const uint8_t *found = NULL;
    uint64_t count = 0;
    while (count < last && end - at >= 2) {
        at = memchr(at, 0xff, (size_t)(end - at) - 1);
        if (at == NULL)
            break;
        if (at[1] == 0xff) {
            at++;
            continue;
        }
        if (at[1] != 0) {
            if (at[1] < JPEG_RST0 || at[1] > JPEG_RST0 + 7)
                break;
            if (at[1] != JPEG_RST0 + count % 8)
                return NULL;
            if (++count == wanted)
                found = at + 2;
        }
        at += 2;
    }
    return found;
}

/* libjpeg worked out the numbers of rows when it met the scan. */
static void take_rows_away(struct jpeg_decompress_struct *cinfo, uint32_t rows)
{
    const JDIMENSION most = (JDIMENSION)cinfo->max_v_samp_factor;
    cinfo->image_height -= rows * most * DCTSIZE;
    cinfo->total_iMCU_rows -= rows;
    for (int c = 0; c < cinfo->num_components; c++) {
        jpeg_component_info *component = &cinfo->comp_info[c];
        const JDIMENSION own = (JDIMENSION)component->v_samp_factor;
        component->height_in_blocks -= rows * own;
        component->downsampled_height = (cinfo->image_height * own + most - 1) / most;
    }
}

uint32_t dls_jpeg_start_below(struct dls_jpeg *jpeg, uint32_t top, uint32_t bottom, uint8_t eighths)
{
    struct jpeg_decompress_struct *cinfo = &jpeg->cinfo;
    if (cinfo->restart_interval == 0 || cinfo->progressive_mode || cinfo->comps_in_scan != cinfo->num_components)
        return 0;
    const uint32_t lines = (uint32_t)cinfo->max_v_samp_factor * (eighths == 0 ? DCTSIZE : eighths);
    const uint32_t mcu_width = (uint32_t)cinfo->max_h_samp_factor * DCTSIZE;
    /* The scan of a single component goes block by block. */
    const uint32_t in_row = cinfo->num_components == 1
                                ? cinfo->comp_info[0].width_in_blocks * (uint32_t)cinfo->comp_info[0].v_samp_factor
                                : (cinfo->image_width + mcu_width - 1) / mcu_width;
    const uint32_t step = cinfo->restart_interval / common_divisor(cinfo->restart_interval, in_row);
    /* One row of units more, which upsampling looks at. */
    uint32_t rows = top / lines;
    rows = rows > 0 ? (rows - 1) / step * step : 0;
    if (rows == 0)
        return 0;
    const uint64_t wanted = (uint64_t)rows * in_row / cinfo->restart_interval;
    const uint64_t last = ((uint64_t)bottom / lines + 2) * in_row / cinfo->restart_interval + 1;
    const uint8_t *end = jpeg->data + jpeg->length;
    const uint8_t *at = find_marker(jpeg->source.next_input_byte, end, wanted, last);
    if (at == NULL)
        return 0;
    jpeg->source.next_input_byte = at;
    jpeg->source.bytes_in_buffer = (size_t)(end - at);
    jpeg->restart_shift = (int)(wanted % 8);
    take_rows_away(cinfo, rows);
    return rows * lines;
}
