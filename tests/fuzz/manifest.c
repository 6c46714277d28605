/* SPDX-License-Identifier: Apache-2.0 */
/* dataset.json: what parses must parse again to the same text when it is written. */
#include "shard/manifest.h"

#include "base/mem.h"
#include "seal.h"
#include "shard/manifest_json.h"

static void round_trip(const struct dls_manifest *manifest)
{
    struct dls_manifest again;
    char *first, *second;
    size_t first_length, second_length;

    if (dls_manifest_format(manifest, &first, &first_length) < 0)
        return;
    if (dls_manifest_parse(first, first_length, &again) < 0 ||
        dls_manifest_format(&again, &second, &second_length) < 0 || first_length != second_length ||
        memcmp(first, second, first_length) != 0)
        abort();
    dls_free(first);
    dls_free(second);
    dls_manifest_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    struct dls_manifest manifest;
    char seal_line[DLS_SEAL_BYTES + 1];
    char *text;

    if (size < 1)
        return 0;
    size--;
    text = (char *)seal_copy(input, size + 1);
    if (input[0] & 1 && size >= DLS_SEAL_BYTES) {
        dls_manifest_seal(text, size - DLS_SEAL_BYTES, seal_line);
        memcpy(text + size - DLS_SEAL_BYTES, seal_line, DLS_SEAL_BYTES);
    }
    if (dls_manifest_parse(text, size, &manifest) == 0)
        round_trip(&manifest);
    dls_manifest_free(&manifest);
    free(text);
    return 0;
}
