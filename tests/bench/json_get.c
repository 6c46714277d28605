/* SPDX-License-Identifier: Apache-2.0 */
/* json_get FILE NAME.NAME...: prints that member of the JSON object in FILE (a string without quotes), or
 * fails. In an array a name is a number. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    json_error_t error;

    if (argc != 3) {
        fprintf(stderr, "usage: json_get FILE NAME.NAME...\n");
        return 2;
    }
    json_t *root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text);
        return 1;
    }
    const json_t *at = root;
    for (char *rest, *name = strtok_r(argv[2], ".", &rest); name && at; name = strtok_r(NULL, ".", &rest))
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(name)) : json_object_get(at, name);
    if (at && json_is_string(at)) {
        puts(json_string_value(at));
    } else if (at) {
        json_dumpf(at, stdout, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
        putchar('\n');
    } else {
        fprintf(stderr, "%s: no such member\n", argv[1]);
    }
    json_decref(root);
    return at ? 0 : 1;
}
