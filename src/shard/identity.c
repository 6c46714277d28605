/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/identity.h"

#include "base/hash.h"

#include <string.h>

static void add8(struct dls_hasher *hasher, uint8_t value)
{
    dls_hasher_add(hasher, &value, 1);
}

static void add32(struct dls_hasher *hasher, uint32_t value)
{
    dls_hasher_add(hasher, &value, 4);
}

int dls_manifest_identify(struct dls_manifest *manifest)
{
    struct dls_hasher *hasher = NULL;
    int r = dls_hasher_create(&hasher);

    if (r < 0)
        return r;
    dls_hasher_reset(hasher);
    add32(hasher, manifest->schema.count);
    for (uint32_t f = 0; f < manifest->schema.count; f++) {
        const struct dls_schema_field *field = &manifest->schema.fields[f];
        add8(hasher, (uint8_t)strlen(field->name));
        dls_hasher_add(hasher, field->name, strlen(field->name));
        add8(hasher, (uint8_t)field->type);
        add8(hasher, (uint8_t)field->count);
    }
    add32(hasher, manifest->class_count);
    for (uint32_t i = 0; i < manifest->class_count; i++) {
        add32(hasher, (uint32_t)manifest->classes[i].length);
        dls_hasher_add(hasher, manifest->classes[i].name, manifest->classes[i].length);
    }
    dls_hasher_add(hasher, &manifest->seed, 8);
    add32(hasher, manifest->shard_count);
    for (uint32_t i = 0; i < manifest->shard_count; i++)
        dls_hasher_add(hasher, &manifest->shards[i].checksum, 8);
    dls_hasher_128(hasher, manifest->uuid);
    dls_hasher_free(&hasher);
    return 0;
}
