/* SPDX-License-Identifier: Apache-2.0 */
#include "common/emit.h"

#include "common/quote.h"
#include "common/units.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define TEXT_COLUMN 18

void tool_emit_start(struct tool_emit *emit, FILE *out, bool json)
{
    *emit = (struct tool_emit){.out = out, .json = json};
    if (json)
        fputc('{', out);
}

/* What stands before a value: comma, line break and name. */
static void lead(struct tool_emit *emit, const char *name)
{
    bool array = emit->array[emit->depth];
    int indent = (int)emit->depth * 2;

    if (emit->json) {
        fprintf(emit->out, "%s\n%*s", emit->any[emit->depth] ? "," : "", indent + 2, "");
        if (!array)
            fprintf(emit->out, "\"%s\": ", name);
    } else if (array) {
        if (emit->any[emit->depth])
            fputc(' ', emit->out);
    } else {
        int length = (int)strlen(name);
        fprintf(emit->out, "%*s", indent, "");
        for (int i = 0; i < length; i++)
            fputc(name[i] == '_' ? ' ' : name[i], emit->out);
        fprintf(emit->out, "%*s", indent + length < TEXT_COLUMN ? TEXT_COLUMN - indent - length : 1, "");
    }
    emit->any[emit->depth] = true;
}

/* What stands behind a value. */
static void trail(struct tool_emit *emit)
{
    if (!emit->json && !emit->array[emit->depth])
        fputc('\n', emit->out);
}

static void down(struct tool_emit *emit, bool array)
{
    emit->depth++;
    assert(emit->depth < TOOL_EMIT_DEPTH);
    emit->any[emit->depth] = false;
    emit->array[emit->depth] = array;
}

void tool_emit_object(struct tool_emit *emit, const char *name)
{
    if (emit->json) {
        lead(emit, name);
        fputc('{', emit->out);
    } else if (name) {
        tool_emit_line(emit, "%s", name);
    }
    down(emit, false);
}

void tool_emit_array(struct tool_emit *emit, const char *name)
{
    lead(emit, name);
    if (emit->json)
        fputc('[', emit->out);
    down(emit, true);
}

void tool_emit_close(struct tool_emit *emit)
{
    bool array = emit->array[emit->depth], any = emit->any[emit->depth];

    assert(emit->depth);
    emit->depth--;
    if (emit->json) {
        if (any)
            fprintf(emit->out, "\n%*s", (int)emit->depth * 2 + 2, "");
        fputc(array ? ']' : '}', emit->out);
    } else if (array) {
        fputc('\n', emit->out);
    }
}

void tool_emit_end(struct tool_emit *emit)
{
    assert(!emit->depth);
    if (emit->json)
        fputs("\n}\n", emit->out);
}

void tool_emit_count(struct tool_emit *emit, const char *name, uint64_t value)
{
    lead(emit, name);
    fprintf(emit->out, "%llu", (unsigned long long)value);
    trail(emit);
}

void tool_emit_int(struct tool_emit *emit, const char *name, int64_t value)
{
    lead(emit, name);
    fprintf(emit->out, "%lld", (long long)value);
    trail(emit);
}

void tool_emit_bytes(struct tool_emit *emit, const char *name, uint64_t bytes)
{
    char shown[TOOL_UNIT_ROOM];

    if (emit->json || emit->array[emit->depth] || bytes < 1000) {
        tool_emit_count(emit, name, bytes);
        return;
    }
    lead(emit, name);
    fprintf(emit->out, "%s (%llu)", tool_show_bytes(bytes, shown), (unsigned long long)bytes);
    trail(emit);
}

void tool_emit_real(struct tool_emit *emit, const char *name, double value, unsigned digits)
{
    lead(emit, name);
    if (isfinite(value))
        fprintf(emit->out, "%.*f", (int)digits, value);
    else
        fputs(emit->json ? "null" : "-", emit->out);
    trail(emit);
}

void tool_emit_bool(struct tool_emit *emit, const char *name, bool value)
{
    lead(emit, name);
    fputs(emit->json ? (value ? "true" : "false") : (value ? "yes" : "no"), emit->out);
    trail(emit);
}

void tool_emit_name(struct tool_emit *emit, const char *name, const char *bytes, size_t length)
{
    lead(emit, name);
    if (emit->json)
        tool_put_json(emit->out, bytes, length);
    else
        tool_put_shown(emit->out, bytes, length);
    trail(emit);
}

void tool_emit_text(struct tool_emit *emit, const char *name, const char *text)
{
    tool_emit_name(emit, name, text, strlen(text));
}

void tool_emit_line(struct tool_emit *emit, const char *format, ...)
{
    char text[8192];
    va_list args;

    if (emit->json)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(emit->out, "%*s", (int)emit->depth * 2, "");
    tool_put_shown(emit->out, text, strlen(text));
    fputc('\n', emit->out);
}
