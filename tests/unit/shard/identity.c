/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/identity.h"

#include <criterion/criterion.h>
#include <string.h>

static struct dls_schema schema;
static struct dls_manifest_class classes[2] = {{.name = (char *)"a", .length = 1},
                                               {.name = (char *)"bc", .length = 2}};
static struct dls_manifest_shard shards[2] = {{.checksum = 11}, {.checksum = 22}};

static struct dls_manifest sample(void)
{
    if (!schema.count) {
        dls_schema_add(&schema, "image", 5, DLS_FIELD_IMAGE, 0);
        dls_schema_add(&schema, "label", 5, DLS_FIELD_INT64, 1);
        dls_schema_complete(&schema);
    }
    return (struct dls_manifest){.schema = schema,
                                 .classes = classes,
                                 .class_count = 2,
                                 .shards = shards,
                                 .shard_count = 2,
                                 .seed = 3};
}

static void identify(struct dls_manifest *manifest)
{
    cr_assert_eq(dls_manifest_identify(manifest), 0);
}

Test(identity, is_the_same_for_the_same_content_whatever_else_differs)
{
    struct dls_manifest one = sample(), two = sample();

    two.records = 77;
    two.creator = (char *)"another";
    two.block_bytes = 1 << 20;
    identify(&one);
    identify(&two);
    cr_assert_arr_eq(one.uuid, two.uuid, 16);
    static const uint8_t none[16] = {0};
    cr_assert_neq(memcmp(one.uuid, none, 16), 0);
}

Test(identity, differs_with_seed_shards_classes_and_schema)
{
    struct dls_manifest base = sample(), other;
    struct dls_manifest_class merged[2] = {{.name = (char *)"ab", .length = 2},
                                           {.name = (char *)"c", .length = 1}};
    struct dls_manifest_shard swapped[2] = {{.checksum = 22}, {.checksum = 11}};

    identify(&base);
    other = sample();
    other.seed = 4;
    identify(&other);
    cr_assert_neq(memcmp(base.uuid, other.uuid, 16), 0);
    other = sample();
    other.shards = swapped;
    identify(&other);
    cr_assert_neq(memcmp(base.uuid, other.uuid, 16), 0);
    other = sample();
    other.shard_count = 1;
    identify(&other);
    cr_assert_neq(memcmp(base.uuid, other.uuid, 16), 0);
    other = sample();
    other.classes = merged; /* the same letters */
    identify(&other);
    cr_assert_neq(memcmp(base.uuid, other.uuid, 16), 0);
    other = sample();
    other.schema.fields[1].count = 2;
    identify(&other);
    cr_assert_neq(memcmp(base.uuid, other.uuid, 16), 0);
}
