/* SPDX-License-Identifier: Apache-2.0 */
/* Without libjpeg-turbo's jpegint.h, libjpeg's own decoder it is. */
#include "decode/jpeg_huff.h"

void dls_huff_take_over(struct dls_jpeg *jpeg)
{
    (void)jpeg;
}
