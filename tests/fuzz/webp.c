/* SPDX-License-Identifier: Apache-2.0 */
/* Anything, as a WebP. */
#include "fuzz/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_picture(DLS_CODEC_WEBP, data, size);
}
