/* SPDX-License-Identifier: Apache-2.0 */
#include "common/emit.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>

static char *room;

static void emit_all(bool json)
{
    size_t size = 0;
    FILE *out = open_memstream(&room, &size);
    struct tool_emit emit;

    tool_emit_start(&emit, out, json);
    tool_emit_count(&emit, "records", UINT64_MAX);
    tool_emit_bytes(&emit, "block_size", 8u << 20);
    tool_emit_bytes(&emit, "small", 12);
    tool_emit_int(&emit, "label", -1);
    tool_emit_bool(&emit, "shuffled", true);
    tool_emit_text(&emit, "who", "a \"b\"\n");
    tool_emit_name(&emit, "odd", "\xFF", 1);
    tool_emit_object(&emit, "codecs");
    tool_emit_count(&emit, "jpeg", 3);
    tool_emit_close(&emit);
    tool_emit_array(&emit, "mean");
    tool_emit_real(&emit, NULL, 0.5, 3);
    tool_emit_real(&emit, NULL, 0.0 / 0.0, 3);
    tool_emit_close(&emit);
    tool_emit_object(&emit, "nothing");
    tool_emit_close(&emit);
    tool_emit_line(&emit, "a line of %d", 1);
    tool_emit_end(&emit);
    fclose(out);
}

Test(emit, text_is_aligned)
{
    emit_all(false);
    cr_expect_str_eq(room, "records           18446744073709551615\n"
                           "block size        8 MiB (8388608)\n"
                           "small             12\n"
                           "label             -1\n"
                           "shuffled          yes\n"
                           "who               a \"b\"\\x0a\n"
                           "odd               \\xff\n"
                           "codecs\n"
                           "  jpeg            3\n"
                           "mean              0.500 -\n"
                           "nothing\n"
                           "a line of 1\n");
    free(room);
}

Test(emit, json_is_what_a_parser_reads)
{
    json_t *root;

    emit_all(true);
    root = json_loads(room, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    cr_assert_not_null(root, "%s", room);
    cr_expect_eq(json_object_size(root), 10);
    cr_expect_eq(json_real_value(json_object_get(root, "block_size")), 8388608);
    cr_expect_eq(json_real_value(json_object_get(root, "label")), -1);
    cr_expect(json_is_true(json_object_get(root, "shuffled")));
    cr_expect_str_eq(json_string_value(json_object_get(root, "who")), "a \"b\"\n");
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(root, "odd"), "hex")), "ff");
    cr_expect_eq(json_real_value(json_object_get(json_object_get(root, "codecs"), "jpeg")), 3);
    cr_expect_eq(json_array_size(json_object_get(root, "mean")), 2);
    cr_expect(json_is_null(json_array_get(json_object_get(root, "mean"), 1)));
    cr_expect_eq(json_object_size(json_object_get(root, "nothing")), 0);
    json_decref(root);
    free(room);
}
