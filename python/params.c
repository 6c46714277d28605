/* SPDX-License-Identifier: Apache-2.0 */
/* Members of dls_loader_params by name: a new one is a line of the table. */
#include "module.h"

#include <stddef.h>
#include <string.h>

enum width { WIDTH_INT, WIDTH_32, WIDTH_64, WIDTH_REAL, WIDTH_REAL_2, WIDTH_REAL_3, WIDTH_BYTES, WIDTH_DRAWS, WIDTH_TEXT };
static const struct param {
    const char *name;
    size_t offset;
    enum width width;
    size_t size_offset; /* WIDTH_BYTES and WIDTH_DRAWS: of the member that holds the length */
} params_table[] = {
#define PARAM(name, width) {#name, offsetof(dls_loader_params, name), width, 0}
    PARAM(batch_size, WIDTH_32),
    PARAM(width, WIDTH_32),
    PARAM(height, WIDTH_32),
    PARAM(crop, WIDTH_INT),
    PARAM(flip, WIDTH_INT),
    PARAM(ignore_orientation, WIDTH_INT),
    PARAM(no_decode, WIDTH_INT),
    PARAM(no_verify, WIDTH_INT),
    PARAM(order, WIDTH_INT),
    PARAM(window_blocks, WIDTH_32),
    PARAM(tail, WIDTH_INT),
    PARAM(seed, WIDTH_64),
    PARAM(first_epoch, WIDTH_64),
    PARAM(epochs, WIDTH_64),
    PARAM(threads, WIDTH_32),
    PARAM(ring_batches, WIDTH_32),
    PARAM(memory_bytes, WIDTH_64),
    PARAM(engine, WIDTH_INT),
    PARAM(direct, WIDTH_INT),
    PARAM(io_depth, WIDTH_32),
    PARAM(io_bytes, WIDTH_32),
    PARAM(dtype, WIDTH_INT),
    PARAM(layout, WIDTH_INT),
    PARAM(mean, WIDTH_REAL_3),
    PARAM(std, WIDTH_REAL_3),
    PARAM(flip_vertical, WIDTH_INT),
    PARAM(brightness, WIDTH_REAL),
    PARAM(contrast, WIDTH_REAL),
    PARAM(saturation, WIDTH_REAL),
    PARAM(hue, WIDTH_REAL),
    PARAM(grayscale, WIDTH_REAL),
    PARAM(filter, WIDTH_INT),
    PARAM(resize, WIDTH_32),
    PARAM(on_error, WIDTH_INT),
    PARAM(strict, WIDTH_INT),
    PARAM(dct_scale, WIDTH_INT),
    PARAM(pad_color, WIDTH_32),
    PARAM(crop_scale, WIDTH_REAL_2),
    PARAM(crop_ratio, WIDTH_REAL_2),
    PARAM(draws, WIDTH_INT),
    PARAM(mask_field, WIDTH_TEXT),
    PARAM(mask_pad, WIDTH_32),
    PARAM(boxes_field, WIDTH_TEXT),
    {"replay", offsetof(dls_loader_params, replay), WIDTH_DRAWS, offsetof(dls_loader_params, replay_count)},
    PARAM(world, WIDTH_32),
    PARAM(rank, WIDTH_32),
    {"state", offsetof(dls_loader_params, state), WIDTH_BYTES, offsetof(dls_loader_params, state_size)},
    PARAM(device, WIDTH_INT),
    PARAM(device_index, WIDTH_32),
#undef PARAM
};

static int set_real(PyObject *value, double *ret_value)
{
    double real = PyFloat_AsDouble(value);

    if (real == -1.0 && PyErr_Occurred())
        return -1;
    *ret_value = real;
    return 0;
}

static int set_reals(const struct param *param, PyObject *value, double *ret_values)
{
    const Py_ssize_t count = param->width == WIDTH_REAL_2 ? 2 : 3;

    if (PySequence_Size(value) != count) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "%s: %s", param->name,
                         count == 2 ? "two numbers wanted, the least and the largest"
                                    : "three numbers wanted, of red, green and blue");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        int r = item ? set_real(item, &ret_values[i]) : -1;
        Py_XDECREF(item);
        if (r < 0)
            return -1;
    }
    return 0;
}

static int set_bytes(const struct param *param, PyObject *value, dls_loader_params *params)
{
    char *text = NULL;
    Py_ssize_t length = 0;

    if (PyBytes_AsStringAndSize(value, &text, &length) < 0)
        return -1;
    if (length == 0 && param->width == WIDTH_DRAWS) /* none */
        return 0;
    *(const void **)(void *)((char *)params + param->offset) = text;
    if (param->width == WIDTH_BYTES) {
        *(size_t *)(void *)((char *)params + param->size_offset) = (size_t)length;
        return 0;
    }
    if (length % (Py_ssize_t)sizeof(dls_draw) != 0) {
        PyErr_Format(PyExc_ValueError, "%s: %zd bytes are not a number of draws", param->name, length);
        return -1;
    }
    *(uint64_t *)(void *)((char *)params + param->size_offset) = (uint64_t)length / sizeof(dls_draw);
    return 0;
}

/* None or bytes without a NUL, which must live as long as `params` are used. */
static int set_text(PyObject *value, const char **ret_text)
{
    char *text = NULL;

    if (value != Py_None && PyBytes_AsStringAndSize(value, &text, NULL) < 0)
        return -1;
    *ret_text = text;
    return 0;
}

static int set_number(const struct param *param, PyObject *value, char *at)
{
    unsigned long long number = PyLong_AsUnsignedLongLong(value);

    if (number == (unsigned long long)-1 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) /* negative, or more than 64 bits */
            PyErr_Format(PyExc_ValueError, "%s is out of range: %R", param->name, value);
        return -1;
    }
    if (param->width == WIDTH_64) {
        memcpy(at, &(uint64_t){number}, 8);
        return 0;
    }
    if (number > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s is out of range: %R", param->name, value);
        return -1;
    }
    memcpy(at, &(uint32_t){(uint32_t)number}, 4);
    return 0;
}

static int set_param(dls_loader_params *params, PyObject *key, PyObject *value)
{
    for (size_t i = 0; i < sizeof(params_table) / sizeof(params_table[0]); i++) {
        const struct param *param = &params_table[i];
        char *at = (char *)params + param->offset;

        if (PyUnicode_CompareWithASCIIString(key, param->name) != 0)
            continue;
        switch (param->width) {
        case WIDTH_REAL:
            return set_real(value, (double *)(void *)at);
        case WIDTH_REAL_2:
        case WIDTH_REAL_3:
            return set_reals(param, value, (double *)(void *)at);
        case WIDTH_BYTES:
        case WIDTH_DRAWS:
            return set_bytes(param, value, params);
        case WIDTH_TEXT:
            return set_text(value, (const char **)(void *)at);
        default:
            return set_number(param, value, at);
        }
    }
    PyErr_Format(PyExc_TypeError, "Loader: no parameter '%U'", key);
    return -1;
}

int params_set(dls_loader_params *params, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;

    while (dict && PyDict_Next(dict, &at, &key, &value))
        if (set_param(params, key, value) < 0)
            return -1;
    return 0;
}
