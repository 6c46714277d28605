/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of the codec that its bytes show. */
#include "fuzz/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_picture(DLS_CODEC_NONE, data, size);
}
