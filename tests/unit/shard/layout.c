/* SPDX-License-Identifier: Apache-2.0 */
#include "shard/layout.h"

#include "base/err.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int add(struct dls_schema *schema, const char *name, uint32_t type, uint32_t count)
{
    return dls_schema_add(schema, name, strlen(name), type, count);
}

Test(layout, rows_have_the_length_that_the_fields_need)
{
    struct dls_schema schema = {0};

    cr_assert_eq(add(&schema, "image", DLS_FIELD_IMAGE, 0), 0);
    cr_assert_eq(add(&schema, "label", DLS_FIELD_INT64, 2), 0);
    cr_assert_eq(add(&schema, "box", DLS_FIELD_FLOAT32, 4), 0);
    cr_assert_eq(add(&schema, "key", DLS_FIELD_STRING, 0), 0);
    cr_assert_eq(add(&schema, "extra", DLS_FIELD_BYTES, 0), 0);
    cr_assert_eq(dls_schema_complete(&schema), 0);
    cr_assert_eq(dls_schema_row_bytes(&schema), 40 + 16 + 16 + 40);
    cr_assert(schema.image == 0 && schema.label == 1 && schema.key == 3);
}

Test(layout, fields_that_are_refused)
{
    struct dls_schema schema = {0};

    cr_assert_eq(add(&schema, "", DLS_FIELD_IMAGE, 0), -EINVAL);
    cr_assert_eq(add(&schema, "a name that is far too long for a field's", DLS_FIELD_IMAGE, 0), -EINVAL);
    cr_assert_eq(add(&schema, "with space", DLS_FIELD_IMAGE, 0), -EINVAL);
    cr_assert_eq(add(&schema, "quote\"", DLS_FIELD_IMAGE, 0), -EINVAL);
    cr_assert_eq(add(&schema, "x", 0, 0), -EINVAL);
    cr_assert_eq(add(&schema, "x", 6, 0), -EINVAL);
    cr_assert_eq(add(&schema, "x", DLS_FIELD_INT64, 0), -EINVAL);
    cr_assert_eq(add(&schema, "x", DLS_FIELD_INT64, 256), -EINVAL);
    cr_assert_eq(add(&schema, "x", DLS_FIELD_STRING, 1), -EINVAL);
    cr_assert_eq(schema.count, 0);
    cr_assert_eq(dls_schema_complete(&schema), -EINVAL);
    cr_assert_eq(add(&schema, "x", DLS_FIELD_INT64, 1), 0);
    cr_assert_eq(add(&schema, "x", DLS_FIELD_STRING, 0), -EINVAL);
}

Test(layout, at_most_32_fields_and_a_row_a_page)
{
    struct dls_schema schema = {0};
    char name[8];

    for (int i = 0; i < 32; i++) {
        snprintf(name, sizeof(name), "f%d", i);
        cr_assert_eq(add(&schema, name, DLS_FIELD_INT64, i < 2 ? 255 : 1), 0);
    }
    cr_assert_eq(add(&schema, "more", DLS_FIELD_INT64, 1), -EINVAL);
    cr_assert_eq(dls_schema_complete(&schema), -EINVAL); /* 4080 + 240 bytes */
    schema.fields[0].count = 200;
    cr_assert_eq(dls_schema_complete(&schema), 0);
}
