/* SPDX-License-Identifier: Apache-2.0 */
#include "image/nearest.h"

/* Lines longer than this are not summed up pixel by pixel. */
#define SUMMED_MAX 65536u

void dls_nearest(uint32_t in, uint32_t to, uint32_t first, uint32_t count, uint32_t *ret_index)
{
    const double step = (double)in / to;
    double at = step * 0.5;

    /* Pillow adds the step up, and rounding errors with it, which now and then decide between two pixels. */
    if (to <= SUMMED_MAX)
        for (uint32_t x = 0; x < first; x++)
            at += step;
    else
        at += first * step;
    for (uint32_t i = 0; i < count; i++, at += step)
        ret_index[i] = at < in ? (uint32_t)at : in - 1;
}
