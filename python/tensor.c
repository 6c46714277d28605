/* SPDX-License-Identifier: Apache-2.0 */
/* Batch and Tensor: memory of the loader's ring, lent to numpy, torch, jax by DLPack or __array_interface__, zero-copy.
 * The batch goes back to the ring when the last tensor that shows it is gone. */
#include "module.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The structures of the DLPack standard (ABI 1.0 and the unversioned one before it), under names of our own. */
struct pack_view {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
};
struct pack_old {
    struct pack_view view;
    void *context;
    void (*deleter)(struct pack_old *self);
};
struct pack_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct pack_versioned *self);
    uint64_t flags;
    struct pack_view view;
};

enum { PACK_INT = 0, PACK_UINT = 1, PACK_FLOAT = 2, PACK_BFLOAT = 4, PACK_CPU = 1 };

typedef struct {
    PyObject_HEAD
    BatchObject *batch;
    void *data;
    uint8_t code, bits;
    int32_t ndim;
    int64_t shape[5];
} TensorObject;

static void batch_dealloc(PyObject *object)
{
    BatchObject *self = (BatchObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    if (self->batch) {
        dls_batch_release(self->loader->loader, &self->batch);
        self->loader->lent--;
    }
    Py_XDECREF((PyObject *)self->loader);
    release(object);
    Py_DECREF(type);
}

static PyObject *tensor_new(BatchObject *batch, const void *data, uint8_t code, uint8_t bits, int32_t ndim,
                            const int64_t *shape)
{
    PyTypeObject *type = batch->loader->state->tensor_type;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    TensorObject *self = (TensorObject *)alloc(type, 0);

    if (!self)
        return NULL;
    Py_INCREF((PyObject *)batch);
    self->batch = batch;
    self->data = (void *)(uintptr_t)data;
    self->code = code;
    self->bits = bits;
    self->ndim = ndim;
    memcpy(self->shape, shape, (size_t)ndim * sizeof(*shape));
    return (PyObject *)self;
}

static void tensor_dealloc(PyObject *object)
{
    TensorObject *self = (TensorObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF((PyObject *)self->batch);
    release(object);
    Py_DECREF(type);
}

PyObject *batch_new(LoaderObject *loader, const dls_batch *batch)
{
    PyTypeObject *type = loader->state->batch_type;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    BatchObject *self = (BatchObject *)alloc(type, 0);

    if (!self) {
        dls_batch_release(loader->loader, &batch);
        return NULL;
    }
    Py_INCREF((PyObject *)loader);
    self->loader = loader;
    self->batch = batch;
    loader->lent++;
    return (PyObject *)self;
}

/* batch.images: (count, height, width, 3), or (count, 3, height, width) with NCHW; the arrays beside it have `count` places. */
static PyObject *batch_images(PyObject *object, void *unused)
{
    BatchObject *self = (BatchObject *)object;
    const dls_batch *batch = self->batch;
    static const struct {
        uint8_t code, bits;
    } types[] = {[DLS_DTYPE_UINT8] = {PACK_UINT, 8},
                 [DLS_DTYPE_FLOAT32] = {PACK_FLOAT, 32},
                 [DLS_DTYPE_FLOAT16] = {PACK_FLOAT, 16},
                 [DLS_DTYPE_BFLOAT16] = {PACK_BFLOAT, 16}};
    const bool planar = batch->layout == DLS_LAYOUT_NCHW;
    int64_t shape[5] = {batch->count, batch->views, batch->height, batch->width, batch->channels};

    if (!batch->images)
        Py_RETURN_NONE;
    if (planar) {
        shape[2] = batch->channels;
        shape[3] = batch->height;
        shape[4] = batch->width;
    }
    if (batch->views > 1)
        return tensor_new(self, batch->images, types[batch->dtype].code, types[batch->dtype].bits, 5, shape);
    shape[1] = shape[0];
    return tensor_new(self, batch->images, types[batch->dtype].code, types[batch->dtype].bits, 4, shape + 1);
}

static PyObject *batch_column(BatchObject *self, const void *data, uint8_t code, uint8_t bits)
{
    int64_t shape[1] = {self->batch->count};

    return tensor_new(self, data, code, bits, 1, shape);
}

static PyObject *batch_labels(PyObject *object, void *unused)
{
    BatchObject *self = (BatchObject *)object;
    return batch_column(self, self->batch->labels, PACK_INT, 64);
}

static PyObject *batch_records(PyObject *object, void *unused)
{
    BatchObject *self = (BatchObject *)object;
    return batch_column(self, self->batch->records, PACK_UINT, 64);
}

static PyObject *batch_number(PyObject *object, void *which)
{
    const dls_batch *batch = ((BatchObject *)object)->batch;
    return PyLong_FromUnsignedLongLong(which ? batch->epoch : batch->index);
}

static PyObject *tensor_shape(PyObject *object, void *unused)
{
    TensorObject *self = (TensorObject *)object;
    PyObject *tuple = PyTuple_New(self->ndim);

    for (int32_t i = 0; tuple && i < self->ndim; i++) {
        PyObject *number = PyLong_FromLongLong(self->shape[i]);
        if (!number || PyTuple_SetItem(tuple, i, number) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *tensor_array_interface(PyObject *object, void *unused)
{
    TensorObject *self = (TensorObject *)object;
    char type[8];
    PyObject *shape;

    if (self->code == PACK_BFLOAT) {
        PyErr_SetString(PyExc_AttributeError, "__array_interface__: numpy has no bfloat16; use DLPack, as torch.from_dlpack()");
        return NULL;
    }
    shape = tensor_shape(object, NULL);
    if (!shape)
        return NULL;
    PyOS_snprintf(type, sizeof(type), "%c%c%d", self->bits == 8 ? '|' : '<', "iuf"[self->code],
                  self->bits / 8);
    return Py_BuildValue("{s:i,s:N,s:s,s:(KO)}", "version", 3, "shape", shape, "typestr", type, "data",
                         (unsigned long long)(uintptr_t)self->data, Py_False);
}

static void fill_view(TensorObject *self, struct pack_view *view)
{
    view->data = self->data;
    view->device.type = PACK_CPU;
    view->ndim = self->ndim;
    view->dtype.code = self->code;
    view->dtype.bits = self->bits;
    view->dtype.lanes = 1;
    view->shape = self->shape; /* lives as long as the tensor, which the capsule holds */
}

/* Consumers call the deleters from any thread, with or without the GIL. */
static void drop_reference(void *context)
{
    PyGILState_STATE gil;

    if (!Py_IsInitialized())
        return;
    gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)context);
    PyGILState_Release(gil);
}

static void old_delete(struct pack_old *pack)
{
    drop_reference(pack->context);
    free(pack);
}

static void versioned_delete(struct pack_versioned *pack)
{
    drop_reference(pack->context);
    free(pack);
}

/* A capsule that no one consumed still holds its tensor. */
static void old_capsule_delete(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        struct pack_old *pack = PyCapsule_GetPointer(capsule, "dltensor");
        pack->deleter(pack);
    }
}

static void versioned_capsule_delete(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        struct pack_versioned *pack = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        pack->deleter(pack);
    }
}

static PyObject *capsule_old(TensorObject *self)
{
    struct pack_old *pack = calloc(1, sizeof(*pack));
    PyObject *capsule;

    if (!pack)
        return PyErr_NoMemory();
    fill_view(self, &pack->view);
    pack->context = self;
    pack->deleter = old_delete;
    capsule = PyCapsule_New(pack, "dltensor", old_capsule_delete);
    if (!capsule)
        free(pack);
    else
        Py_INCREF((PyObject *)self);
    return capsule;
}

static PyObject *capsule_versioned(TensorObject *self)
{
    struct pack_versioned *pack = calloc(1, sizeof(*pack));
    PyObject *capsule;

    if (!pack)
        return PyErr_NoMemory();
    fill_view(self, &pack->view);
    pack->version.major = 1;
    pack->context = self;
    pack->deleter = versioned_delete;
    capsule = PyCapsule_New(pack, "dltensor_versioned", versioned_capsule_delete);
    if (!capsule)
        free(pack);
    else
        Py_INCREF((PyObject *)self);
    return capsule;
}

static PyObject *tensor_dlpack(PyObject *object, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    long major = 0;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
        return NULL;
    if (stream != Py_None) {
        PyErr_SetString(PyExc_ValueError, "__dlpack__: memory of the host has no stream; pass stream=None");
        return NULL;
    }
    if (copy == Py_True) {
        PyErr_SetString(PyExc_BufferError, "__dlpack__: this tensor is lent, not copied; copy it at the consumer");
        return NULL;
    }
    if (device != Py_None) {
        long type, id;
        if (!PyArg_ParseTuple(device, "ll;dl_device is a pair of integers", &type, &id))
            return NULL;
        if (type != PACK_CPU) {
            PyErr_SetString(PyExc_BufferError, "__dlpack__: this tensor is in the host's memory");
            return NULL;
        }
    }
    if (version != Py_None) {
        long minor;
        if (!PyArg_ParseTuple(version, "ll;max_version is a pair of integers", &major, &minor))
            return NULL;
    }
    return major >= 1 ? capsule_versioned((TensorObject *)object) : capsule_old((TensorObject *)object);
}

static PyObject *tensor_dlpack_device(PyObject *object, PyObject *unused)
{
    return Py_BuildValue("(ii)", PACK_CPU, 0);
}

static PyGetSetDef batch_getset[] = {
    {"images", batch_images, NULL, "Tensor (count, height, width, 3), or (count, 3, height, width) with layout nchw, of the loader's dtype; None if the loader does not decode.", NULL},
    {"labels", batch_labels, NULL, "Tensor (count,) int64; -1 where a record has no label.", NULL},
    {"records", batch_records, NULL, "Tensor (count,) uint64: record numbers for Dataset.raw().", NULL},
    {"index", batch_number, NULL, "int: the number of the batch in its epoch.", NULL},
    {"epoch", batch_number, NULL, "int: the number of the epoch.", (void *)1},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot batch_slots[] = {
    {Py_tp_doc, "A lent batch. It returns to the loader when it and all its tensors are gone."},
    {Py_tp_dealloc, (void *)batch_dealloc},
    {Py_tp_getset, batch_getset},
    {0, NULL},
};

PyType_Spec batch_spec = {
    .name = "dlshards._dlshards.Batch",
    .basicsize = sizeof(BatchObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = batch_slots,
};

static PyGetSetDef tensor_getset[] = {
    {"shape", tensor_shape, NULL, "tuple of int", NULL},
    {"__array_interface__", tensor_array_interface, NULL, "numpy's array interface, version 3", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef tensor_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS,
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n\nDLPack capsule, zero-copy."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "(1, 0): the host's memory."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot tensor_slots[] = {
    {Py_tp_doc, "Memory of a batch, for numpy.from_dlpack(), torch.from_dlpack() and their like."},
    {Py_tp_dealloc, (void *)tensor_dealloc},
    {Py_tp_getset, tensor_getset},
    {Py_tp_methods, tensor_methods},
    {0, NULL},
};

PyType_Spec tensor_spec = {
    .name = "dlshards._dlshards.Tensor",
    .basicsize = sizeof(TensorObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = tensor_slots,
};
