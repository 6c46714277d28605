/* SPDX-License-Identifier: Apache-2.0 */
/* Loader: opening, the next batch, statistics. The package's Loader class turns batches into arrays. */
#include "module.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long a wait lasts before Python may see to signals: Ctrl-C is noticed within this time. */
#define WAIT_SLICE_NS 100000000

/* Members of dls_loader_params that are set by name from Python. */
enum width { WIDTH_INT, WIDTH_32, WIDTH_64, WIDTH_REAL, WIDTH_REAL_2, WIDTH_REAL_3 };
static const struct param {
    const char *name;
    size_t offset;
    enum width width;
} params_table[] = {
#define PARAM(name, width) {#name, offsetof(dls_loader_params, name), width}
    PARAM(batch_size, WIDTH_32),    PARAM(width, WIDTH_32),         PARAM(height, WIDTH_32),
    PARAM(crop, WIDTH_INT),         PARAM(flip, WIDTH_INT),         PARAM(ignore_orientation, WIDTH_INT),
    PARAM(no_decode, WIDTH_INT),    PARAM(no_verify, WIDTH_INT),    PARAM(order, WIDTH_INT),
    PARAM(window_blocks, WIDTH_32), PARAM(tail, WIDTH_INT),         PARAM(seed, WIDTH_64),
    PARAM(first_epoch, WIDTH_64),   PARAM(epochs, WIDTH_64),        PARAM(threads, WIDTH_32),
    PARAM(ring_batches, WIDTH_32),  PARAM(memory_bytes, WIDTH_64),  PARAM(engine, WIDTH_INT),
    PARAM(direct, WIDTH_INT),       PARAM(io_depth, WIDTH_32),      PARAM(io_bytes, WIDTH_32),
    PARAM(dtype, WIDTH_INT),        PARAM(layout, WIDTH_INT),       PARAM(mean, WIDTH_REAL_3),
    PARAM(std, WIDTH_REAL_3),       PARAM(flip_vertical, WIDTH_INT), PARAM(brightness, WIDTH_REAL),
    PARAM(contrast, WIDTH_REAL),    PARAM(saturation, WIDTH_REAL),  PARAM(hue, WIDTH_REAL),
    PARAM(grayscale, WIDTH_REAL),   PARAM(filter, WIDTH_INT),       PARAM(resize, WIDTH_32),
    PARAM(on_error, WIDTH_INT),     PARAM(strict, WIDTH_INT),       PARAM(dct_scale, WIDTH_INT),
    PARAM(pad_color, WIDTH_32),     PARAM(crop_scale, WIDTH_REAL_2), PARAM(crop_ratio, WIDTH_REAL_2),
#undef PARAM
};

/* A number, or a sequence of two or three. */
static int set_reals(const struct param *param, PyObject *value, double *ret_values)
{
    if (param->width == WIDTH_REAL) {
        *ret_values = PyFloat_AsDouble(value);
        return *ret_values == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    Py_ssize_t count = param->width == WIDTH_REAL_2 ? 2 : 3;
    if (PySequence_Size(value) != count) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "%s: %s", param->name,
                         count == 2 ? "two numbers wanted, the least and the largest"
                                    : "three numbers wanted, of red, green and blue");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        ret_values[i] = item ? PyFloat_AsDouble(item) : -1.0;
        Py_XDECREF(item);
        if (ret_values[i] == -1.0 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static int set_param(dls_loader_params *params, PyObject *key, PyObject *value)
{
    for (size_t i = 0; i < sizeof(params_table) / sizeof(params_table[0]); i++) {
        const struct param *param = &params_table[i];
        char *at = (char *)params + param->offset;
        unsigned long long number;

        if (PyUnicode_CompareWithASCIIString(key, param->name) != 0)
            continue;
        if (param->width >= WIDTH_REAL)
            return set_reals(param, value, (double *)(void *)at);
        number = PyLong_AsUnsignedLongLong(value);
        if (number == (unsigned long long)-1 && PyErr_Occurred())
            return -1;
        if (param->width != WIDTH_64 && number > INT32_MAX) {
            PyErr_Format(PyExc_ValueError, "%s is out of range", param->name);
            return -1;
        }
        if (param->width == WIDTH_64) {
            memcpy(at, &(uint64_t){number}, 8);
        } else {
            memcpy(at, &(uint32_t){(uint32_t)number}, 4);
        }
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "Loader: no parameter '%U'", key);
    return -1;
}

static PyObject *loader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *module = PyType_GetModule(type), *dataset, *key, *value;
    struct module_state *state;
    LoaderObject *self = NULL;
    dls_loader_params params;
    Py_ssize_t at = 0;
    int r;

    if (!module || !PyArg_ParseTuple(args, "O:Loader", &dataset))
        return NULL;
    state = module_state(module);
    if (!PyObject_TypeCheck(dataset, state->dataset_type)) {
        PyErr_SetString(PyExc_TypeError, "Loader: the first argument is a Dataset");
        return NULL;
    }
    dls_loader_params_init(&params);
    while (kwargs && PyDict_Next(kwargs, &at, &key, &value))
        if (set_param(&params, key, value) < 0)
            return NULL;
    if (check_process(((DatasetObject *)dataset)->pid, "dataset") < 0)
        return NULL;
    self = (LoaderObject *)alloc(type, 0);
    if (!self)
        return NULL;
    self->state = state;
    self->pid = getpid();
    Py_INCREF(dataset);
    self->dataset = (DatasetObject *)dataset;
    Py_BEGIN_ALLOW_THREADS
    r = dls_loader_open(self->dataset->dataset, &params, &self->loader);
    Py_END_ALLOW_THREADS
    if (r < 0) {
        raise_errno(state, r);
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

/* In a child of fork() the threads are not there to be joined: its copy of the memory is left as it is. */
static void loader_end(LoaderObject *self)
{
    if (self->loader && self->pid == getpid()) {
        Py_BEGIN_ALLOW_THREADS
        dls_loader_close(&self->loader);
        Py_END_ALLOW_THREADS
    }
    self->loader = NULL;
}

static void loader_dealloc(PyObject *object)
{
    LoaderObject *self = (LoaderObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    loader_end(self);
    Py_XDECREF((PyObject *)self->dataset);
    release(object);
    Py_DECREF(type);
}

static int check_open(LoaderObject *self)
{
    if (check_process(self->pid, "loader") < 0)
        return -1;
    if (self->loader)
        return 0;
    PyErr_SetString(PyExc_ValueError, "the loader is closed");
    return -1;
}

static PyObject *loader_next(PyObject *object, PyObject *unused)
{
    LoaderObject *self = (LoaderObject *)object;
    const dls_batch *batch = NULL;
    int r;

    if (check_open(self) < 0)
        return NULL;
    do {
        Py_BEGIN_ALLOW_THREADS
        r = dls_loader_next(self->loader, WAIT_SLICE_NS, &batch);
        Py_END_ALLOW_THREADS
        if (r == -ETIMEDOUT && PyErr_CheckSignals() < 0)
            return NULL;
    } while (r == -ETIMEDOUT);
    if (r < 0)
        return raise_errno(self->state, r);
    if (r == 0)
        Py_RETURN_NONE;
    return batch_new(self, batch);
}

static PyObject *loader_close(PyObject *object, PyObject *unused)
{
    LoaderObject *self = (LoaderObject *)object;

    if (self->lent > 0) {
        PyErr_Format(PyExc_BufferError, "close: tensors still use %zd batches of this loader", self->lent);
        return NULL;
    }
    loader_end(self);
    Py_RETURN_NONE;
}

static PyObject *loader_batches(PyObject *object, PyObject *unused)
{
    LoaderObject *self = (LoaderObject *)object;

    if (check_open(self) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(dls_loader_batches(self->loader));
}

static PyObject *stage_dict(const dls_stage *stage)
{
    return Py_BuildValue("{s:I,s:K,s:K,s:K,s:K,s:K,s:{s:K,s:K,s:K,s:K,s:K}}", "threads", (unsigned)stage->threads, "items",
                         (unsigned long long)stage->items, "bytes", (unsigned long long)stage->bytes, "busy_ns",
                         (unsigned long long)stage->busy_ns, "wait_in_ns", (unsigned long long)stage->wait_in_ns,
                         "wait_out_ns", (unsigned long long)stage->wait_out_ns, "latency_ns", "p50",
                         (unsigned long long)stage->latency.p50, "p90", (unsigned long long)stage->latency.p90, "p99",
                         (unsigned long long)stage->latency.p99, "p999", (unsigned long long)stage->latency.p999, "max",
                         (unsigned long long)stage->latency.max);
}

static PyObject *loader_stats(PyObject *object, PyObject *unused)
{
    static const char *const bound[] = {"unknown", "disk", "decoder", "consumer"};
    LoaderObject *self = (LoaderObject *)object;
    dls_stats stats;

    if (check_open(self) < 0)
        return NULL;
    dls_loader_get_stats(self->loader, &stats);
    return Py_BuildValue("{s:K,s:N,s:N,s:N,s:s,s:s,s:s,s:I,s:I,s:I,s:K,s:K,s:K,s:K,s:K,s:K,s:K}", "elapsed_ns",
                         (unsigned long long)stats.elapsed_ns, "read", stage_dict(&stats.read), "decode",
                         stage_dict(&stats.decode), "consume", stage_dict(&stats.consume), "bound",
                         bound[stats.bound <= DLS_BOUND_CONSUMER ? stats.bound : 0], "engine", stats.engine,
                         "engine_detail", stats.engine_detail, "io_depth", (unsigned)stats.io_depth, "io_bytes",
                         (unsigned)stats.io_bytes, "window_blocks", (unsigned)stats.window_blocks, "window_bytes",
                         (unsigned long long)stats.window_bytes, "memory_bytes",
                         (unsigned long long)stats.memory_bytes, "memory_budget",
                         (unsigned long long)stats.memory_budget, "read_retries",
                         (unsigned long long)stats.read_retries, "heap_allocations",
                         (unsigned long long)stats.heap_allocations, "bad_records",
                         (unsigned long long)stats.bad_records, "decode_warnings",
                         (unsigned long long)stats.decode_warnings);
}

static PyObject *loader_verdict(PyObject *object, PyObject *unused)
{
    LoaderObject *self = (LoaderObject *)object;
    char text[1024];

    if (check_open(self) < 0)
        return NULL;
    dls_loader_verdict(self->loader, text, sizeof(text));
    return PyUnicode_FromString(text);
}

static PyMethodDef loader_methods[] = {
    {"next", loader_next, METH_NOARGS, "next() -> Batch, or None at the end of an epoch. Waits without the GIL."},
    {"close", loader_close, METH_NOARGS, "close()\n\nStops the threads. BufferError while tensors use batches."},
    {"batches", loader_batches, METH_NOARGS, "batches() -> int: batches in each epoch."},
    {"stats", loader_stats, METH_NOARGS, "stats() -> dict, see dls_stats in stats.h."},
    {"verdict", loader_verdict, METH_NOARGS, "verdict() -> str: what the bottleneck is, by how much, what would help."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot loader_slots[] = {
    {Py_tp_doc, "Loader(dataset, **params)\n\nparams: members of dls_loader_params by name, as numbers; mean and std as three."},
    {Py_tp_new, (void *)loader_new},
    {Py_tp_dealloc, (void *)loader_dealloc},
    {Py_tp_methods, loader_methods},
    {0, NULL},
};

PyType_Spec loader_spec = {
    .name = "dlshards._dlshards.Loader",
    .basicsize = sizeof(LoaderObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = loader_slots,
};
