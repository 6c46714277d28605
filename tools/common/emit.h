/* SPDX-License-Identifier: Apache-2.0 */
/* A command's result, said once and printed as JSON or as text. Values are printed as they come. */
#ifndef TOOLS_COMMON_EMIT_H
#define TOOLS_COMMON_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TOOL_EMIT_DEPTH 16

struct tool_emit {
    FILE *out;
    bool json;
    unsigned depth;
    bool any[TOOL_EMIT_DEPTH];   /* something has been printed at this depth */
    bool array[TOOL_EMIT_DEPTH]; /* this depth is an array: values have no names */
};

/* JSON: opens the outermost object. */
void tool_emit_start(struct tool_emit *emit, FILE *out, bool json);
/* Closes it. */
void tool_emit_end(struct tool_emit *emit);

/* `name` is the JSON member; as text its underscores are shown as blanks: "name      value". In an array the
 * name is not used and may be NULL. */

/* Text: a heading, its members indented below. */
void tool_emit_object(struct tool_emit *emit, const char *name);
/* Text: the values on one line. Arrays of objects are for JSON; as text use tool_emit_line(). */
void tool_emit_array(struct tool_emit *emit, const char *name);
/* Closes the innermost object or array. */
void tool_emit_close(struct tool_emit *emit);

void tool_emit_count(struct tool_emit *emit, const char *name, uint64_t value);
/* JSON: the number; text: as people read it, and the exact number behind. */
void tool_emit_bytes(struct tool_emit *emit, const char *name, uint64_t bytes);
void tool_emit_int(struct tool_emit *emit, const char *name, int64_t value);
/* `digits` behind the point; what is not finite becomes null. */
void tool_emit_real(struct tool_emit *emit, const char *name, double value, unsigned digits);
void tool_emit_bool(struct tool_emit *emit, const char *name, bool value);
void tool_emit_text(struct tool_emit *emit, const char *name, const char *text);
/* Any bytes: names. */
void tool_emit_name(struct tool_emit *emit, const char *name, const char *bytes, size_t length);

/* Text only: a line of its own, with the indentation of the place; printf manner. */
void tool_emit_line(struct tool_emit *emit, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
