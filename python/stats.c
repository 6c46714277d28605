/* SPDX-License-Identifier: Apache-2.0 */
/* dls_stats as a dict: a new member is a line of the table. */
#include "module.h"

#include <stddef.h>
#include <string.h>

enum kind { KIND_32, KIND_64, KIND_TEXT, KIND_STAGE, KIND_BOUND, KIND_LATENCY };
struct member {
    const char *name;
    size_t offset;
    enum kind kind;
};

#define LATENCY(name) {#name, offsetof(dls_latency, name), KIND_64}
static const struct member latency_members[] = {
    LATENCY(count), LATENCY(min), LATENCY(p50), LATENCY(p90), LATENCY(p99), LATENCY(p999), LATENCY(max), {NULL, 0, 0}};

#define STAGE(name, kind) {#name, offsetof(dls_stage, name), kind}
static const struct member stage_members[] = {STAGE(threads, KIND_32),
                                              STAGE(items, KIND_64),
                                              STAGE(bytes, KIND_64),
                                              STAGE(busy_ns, KIND_64),
                                              STAGE(wait_in_ns, KIND_64),
                                              STAGE(wait_out_ns, KIND_64),
                                              {"latency_ns", offsetof(dls_stage, latency), KIND_LATENCY},
                                              {NULL, 0, 0}};

#define STATS(name, kind) {#name, offsetof(dls_stats, name), kind}
static const struct member stats_members[] = {STATS(elapsed_ns, KIND_64),
                                              STATS(read, KIND_STAGE),
                                              STATS(decode, KIND_STAGE),
                                              STATS(consume, KIND_STAGE),
                                              STATS(bound, KIND_BOUND),
                                              STATS(engine, KIND_TEXT),
                                              STATS(engine_detail, KIND_TEXT),
                                              STATS(io_depth, KIND_32),
                                              STATS(io_bytes, KIND_32),
                                              STATS(window_blocks, KIND_32),
                                              STATS(window_bytes, KIND_64),
                                              STATS(memory_bytes, KIND_64),
                                              STATS(memory_budget, KIND_64),
                                              STATS(memory_detail, KIND_TEXT),
                                              STATS(device_bytes, KIND_64),
                                              STATS(read_retries, KIND_64),
                                              STATS(heap_allocations, KIND_64),
                                              STATS(bad_records, KIND_64),
                                              STATS(decode_warnings, KIND_64),
                                              {NULL, 0, 0}};

static PyObject *dict_of(const struct member *members, const void *memory);

static PyObject *object_of(enum kind kind, const char *at)
{
    static const char *const bounds[] = {"unknown", "disk", "decoder", "consumer"};
    uint64_t wide;
    uint32_t narrow;
    const char *text;
    dls_bound bound;

    switch (kind) {
    case KIND_32:
        memcpy(&narrow, at, sizeof(narrow));
        return PyLong_FromUnsignedLong(narrow);
    case KIND_64:
        memcpy(&wide, at, sizeof(wide));
        return PyLong_FromUnsignedLongLong(wide);
    case KIND_TEXT:
        memcpy(&text, at, sizeof(text));
        return PyUnicode_DecodeFSDefault(text ? text : "");
    case KIND_BOUND:
        memcpy(&bound, at, sizeof(bound));
        return PyUnicode_FromString(bounds[bound <= DLS_BOUND_CONSUMER ? bound : 0]);
    case KIND_STAGE:
        return dict_of(stage_members, at);
    default:
        return dict_of(latency_members, at);
    }
}

static PyObject *dict_of(const struct member *members, const void *memory)
{
    PyObject *dict = PyDict_New();

    for (const struct member *member = members; dict && member->name; member++) {
        PyObject *value = object_of(member->kind, (const char *)memory + member->offset);

        if (!value || PyDict_SetItemString(dict, member->name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

PyObject *stats_dict(const dls_stats *stats)
{
    return dict_of(stats_members, stats);
}
