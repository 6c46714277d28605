/* SPDX-License-Identifier: Apache-2.0 */
/* The first 4096 bytes of a shard: what parses must give the same bytes when it is written again. */
#include "shard/header.h"

#include "seal.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint8_t bytes[DLS_HEADER_BYTES] = {0}, again[DLS_HEADER_BYTES];
    struct dls_shard_header header;

    if (size < 2)
        return 0;
    memcpy(bytes, input + 1, dls_min64(size - 1, sizeof(bytes)));
    if (input[0] & 1)
        seal(bytes, 0, 4088, 4088);
    if (dls_header_parse(bytes, &header) == 0) {
        /* Minor version and compatible features are read and not kept. */
        memset(bytes + 10, 0, 2);
        memset(bytes + 24, 0, 8);
        seal(bytes, 0, 4088, 4088);
        dls_header_format(&header, again);
        if (memcmp(bytes, again, sizeof(bytes)) != 0)
            abort();
    }
    return 0;
}
