/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor: memory of a batch or a picture, for numpy, torch, jax and their like, zero-copy: by the buffer protocol,
 * __array_interface__ and DLPack. */
#include "module.h"

#include "pack.h"

#include <string.h>

/* The buffer protocol has been part of the stable ABI since 3.11. 3.10 has the same slot under the same number, taken by
 * PyType_FromSpec(), and a struct with the same members; its headers only hide them. */
#define SLOT_GETBUFFER 1
struct buffer_view {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
};
enum { WANT_FORMAT = 0x0004, WANT_SHAPE = 0x0008, WANT_STRIDES = 0x0018, WANT_FORTRAN = 0x0058 };

typedef struct {
    PyObject_HEAD
    PyObject *owner;
    struct view view;
    int device; /* -1: the host */
    Py_ssize_t strides[5], lengths[5]; /* for the buffer protocol, in bytes and numbers */
} TensorObject;

/* The letters are those of the struct module; numpy's type is the same but for the byte order in front. */
static const struct number {
    uint8_t code, bits;
    char format[2];
    char numpy[4];
} numbers[] = {
    [NUMBER_INT64] = {PACK_INT, 64, "q", "<i8"},    [NUMBER_UINT64] = {PACK_UINT, 64, "Q", "<u8"},
    [NUMBER_UINT8] = {PACK_UINT, 8, "B", "|u1"},    [NUMBER_FLOAT32] = {PACK_FLOAT, 32, "f", "<f4"},
    [NUMBER_FLOAT16] = {PACK_FLOAT, 16, "e", "<f2"}, [NUMBER_BFLOAT16] = {PACK_BFLOAT, 16, "", ""},
};

PyObject *tensor_new(struct module_state *state, PyObject *owner, const struct view *view)
{
    PyTypeObject *type = state->tensor_type;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    TensorObject *self = (TensorObject *)alloc(type, 0);
    Py_ssize_t stride = numbers[view->kind].bits / 8;

    if (!self)
        return NULL;
    Py_INCREF(owner);
    self->owner = owner;
    self->view = *view;
    self->device = view->place == PLACE_HOST ? -1 : ((BatchObject *)owner)->loader->device;
    for (int32_t i = view->ndim - 1; i >= 0; i--) {
        self->strides[i] = stride;
        self->lengths[i] = (Py_ssize_t)view->shape[i];
        stride *= (Py_ssize_t)view->shape[i];
    }
    return (PyObject *)self;
}

static void tensor_dealloc(PyObject *object)
{
    TensorObject *self = (TensorObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(self->owner);
    release(object);
    Py_DECREF(type);
}

static PyObject *tensor_shape(PyObject *object, void *unused)
{
    TensorObject *self = (TensorObject *)object;
    PyObject *tuple = PyTuple_New(self->view.ndim);

    for (int32_t i = 0; tuple && i < self->view.ndim; i++) {
        PyObject *number = PyLong_FromLongLong(self->view.shape[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* Why numpy cannot show it; NULL if it can. */
static const char *not_for_numpy(const TensorObject *self)
{
    if (self->device >= 0)
        return "the tensor is on a CUDA device; use DLPack, as torch.from_dlpack() does";
    if (self->view.kind == NUMBER_BFLOAT16)
        return "numpy has no bfloat16; use DLPack, as torch.from_dlpack() does";
    return NULL;
}

static PyObject *tensor_array_interface(PyObject *object, void *unused)
{
    TensorObject *self = (TensorObject *)object;
    const char *why = not_for_numpy(self);
    PyObject *shape;

    if (why) {
        PyErr_Format(PyExc_AttributeError, "__array_interface__: %s", why);
        return NULL;
    }
    shape = tensor_shape(object, NULL);
    if (!shape)
        return NULL;
    return Py_BuildValue("{s:i,s:N,s:s#,s:(KO)}", "version", 3, "shape", shape, "typestr", numbers[self->view.kind].numpy,
                         (Py_ssize_t)3, "data", (unsigned long long)(uintptr_t)self->view.data, Py_False);
}

static int tensor_buffer(PyObject *object, struct buffer_view *view, int flags)
{
    TensorObject *self = (TensorObject *)object;
    const char *why = not_for_numpy(self);

    view->obj = NULL;
    if (!why && (flags & WANT_FORTRAN) == WANT_FORTRAN && self->view.ndim > 1)
        why = "the memory is in C's order, not in Fortran's";
    if (why) {
        PyErr_Format(PyExc_BufferError, "%s", why);
        return -1;
    }
    Py_INCREF(object);
    view->obj = object;
    view->buf = self->view.data;
    view->itemsize = numbers[self->view.kind].bits / 8;
    view->len = self->strides[0] * self->lengths[0];
    view->readonly = 0;
    view->format = flags & WANT_FORMAT ? (char *)(uintptr_t)numbers[self->view.kind].format : NULL;
    view->ndim = flags & WANT_SHAPE ? self->view.ndim : 1;
    view->shape = flags & WANT_SHAPE ? self->lengths : NULL;
    view->strides = (flags & WANT_STRIDES) == WANT_STRIDES ? self->strides : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

/* The stream that a consumer of DLPack names, as CUDA knows it: None and 1 are the default stream, 2 the thread's own
 * default stream, more is a handle. -1 says that the consumer waits by itself: waiting in the default stream, which we
 * do then, disturbs nobody. */
static int stream_of(PyObject *object, void **ret_stream)
{
    long long number = 1;

    if (object != Py_None) {
        number = PyLong_AsLongLong(object);
        if (number == -1 && PyErr_Occurred())
            return -1;
    }
    if (number == 0 || number < -1) {
        PyErr_SetString(PyExc_ValueError, "__dlpack__: stream 0 is ambiguous and negative ones are none: pass 1, 2, a handle, -1 or None");
        return -1;
    }
    *ret_stream = number <= 1 ? NULL : (void *)(uintptr_t)number;
    return 0;
}

/* Where the memory is, ready for what the consumer puts into its stream. */
static int locate(TensorObject *self, PyObject *stream, void **ret_data)
{
    BatchObject *batch = (BatchObject *)self->owner;
    dls_device_tensor tensor;
    void *handle = NULL;
    int r;

    if (self->device < 0) {
        if (stream != Py_None && !(PyLong_Check(stream) && PyLong_AsLong(stream) == -1)) {
            PyErr_SetString(PyExc_ValueError, "__dlpack__: memory of the host has no stream; pass stream=None");
            return -1;
        }
        *ret_data = self->view.data;
        return 0;
    }
    if (stream_of(stream, &handle) < 0 || check_process(batch->loader->pid, "loader") < 0)
        return -1;
    Py_BEGIN_ALLOW_THREADS
    r = dls_batch_device_tensor(batch->loader->loader, batch->batch, handle, &tensor);
    Py_END_ALLOW_THREADS
    if (r < 0) {
        raise_errno(batch->loader->state, r);
        return -1;
    }
    *ret_data = (void *)(uintptr_t)(self->view.place == PLACE_LABELS ? (const void *)tensor.labels : tensor.images);
    return 0;
}

static int pair_of(const char *name, PyObject *object, long *ret_first, long *ret_second)
{
    if (PyTuple_Check(object) && PyArg_ParseTuple(object, "ll", ret_first, ret_second))
        return 0;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "__dlpack__: %s is a pair of integers", name);
    return -1;
}

static int check_device(const TensorObject *self, PyObject *device)
{
    long type, id;

    if (device == Py_None)
        return 0;
    if (pair_of("dl_device", device, &type, &id) < 0)
        return -1;
    if (type == (self->device < 0 ? PACK_CPU : PACK_CUDA) && (self->device < 0 || id == self->device))
        return 0;
    PyErr_SetString(PyExc_BufferError, "__dlpack__: the tensor is on another device, and is not copied");
    return -1;
}

static PyObject *tensor_dlpack(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    TensorObject *self = (TensorObject *)object;
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    long major = 0, minor = 0;
    struct pack_view view;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
        return NULL;
    if (copy == Py_True) {
        PyErr_SetString(PyExc_BufferError, "__dlpack__: this tensor is lent, not copied; copy it at the consumer");
        return NULL;
    }
    if (version != Py_None && pair_of("max_version", version, &major, &minor) < 0)
        return NULL;
    memset(&view, 0, sizeof(view));
    if (check_device(self, device) < 0 || locate(self, stream, &view.data) < 0)
        return NULL;
    view.device.type = self->device < 0 ? PACK_CPU : PACK_CUDA;
    view.device.id = self->device < 0 ? 0 : self->device;
    view.ndim = self->view.ndim;
    view.dtype.code = numbers[self->view.kind].code;
    view.dtype.bits = numbers[self->view.kind].bits;
    view.dtype.lanes = 1;
    view.shape = self->view.shape; /* lives as long as the tensor, which the capsule holds */
    return pack_capsule(object, &view, major >= 1);
}

static PyObject *tensor_dlpack_device(PyObject *object, PyObject *unused)
{
    int device = ((TensorObject *)object)->device;

    return Py_BuildValue("(ii)", device < 0 ? PACK_CPU : PACK_CUDA, device < 0 ? 0 : device);
}

static PyGetSetDef tensor_getset[] = {
    {"shape", tensor_shape, NULL, "tuple of int", NULL},
    {"__array_interface__", tensor_array_interface, NULL, "numpy's array interface, version 3", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef tensor_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n\nDLPack capsule, zero-copy."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "(1, 0): the host's memory; (2, i): CUDA device i."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot tensor_slots[] = {
    {Py_tp_doc, "Memory of a batch, for numpy.asarray(), memoryview(), torch.from_dlpack() and their like."},
    {Py_tp_dealloc, (void *)tensor_dealloc},
    {Py_tp_getset, tensor_getset},
    {Py_tp_methods, tensor_methods},
    {SLOT_GETBUFFER, (void *)tensor_buffer},
    {0, NULL},
};

PyType_Spec tensor_spec = {
    .name = "dlshards._dlshards.Tensor",
    .basicsize = sizeof(TensorObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = tensor_slots,
};
