/* SPDX-License-Identifier: Apache-2.0 */
/* Dataset: facts, classes, single records. */
#include "module.h"

#include <string.h>
#include <unistd.h>

static PyObject *dataset_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"path", NULL};
    PyObject *path = NULL;
    DatasetObject *self = NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *module = NULL;
    int r;

    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O&:Dataset", names, PyUnicode_FSConverter, &path))
        return NULL;
    self = (DatasetObject *)alloc(type, 0);
    if (!self)
        goto fail;
    module = PyType_GetModule(type);
    if (!module)
        goto fail;
    self->state = module_state(module);
    self->pid = getpid();
    const char *text = PyBytes_AsString(path);
    Py_BEGIN_ALLOW_THREADS
    r = dls_dataset_open(text, &self->dataset);
    Py_END_ALLOW_THREADS
    if (r < 0) {
        raise_errno(self->state, r);
        goto fail;
    }
    Py_DECREF(path);
    return (PyObject *)self;
fail:
    Py_DECREF(path);
    Py_XDECREF(self);
    return NULL;
}

static void dataset_dealloc(PyObject *object)
{
    DatasetObject *self = (DatasetObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    dls_dataset_close(&self->dataset);
    release(object);
    Py_DECREF(type);
}

static Py_ssize_t dataset_length(PyObject *object)
{
    dls_dataset_info info;

    dls_dataset_get_info(((DatasetObject *)object)->dataset, &info);
    return (Py_ssize_t)info.records;
}

static PyObject *dataset_info(PyObject *object, PyObject *unused)
{
    dls_dataset_info info;

    dls_dataset_get_info(((DatasetObject *)object)->dataset, &info);
    return Py_BuildValue("{s:y#,s:K,s:K,s:K,s:I,s:I,s:I,s:K,s:O}", "uuid", (const char *)info.uuid, (Py_ssize_t)16,
                         "records", (unsigned long long)info.records, "blocks", (unsigned long long)info.blocks,
                         "bytes", (unsigned long long)info.bytes, "shards", (unsigned)info.shards, "classes",
                         (unsigned)info.classes, "block_bytes", (unsigned)info.block_bytes, "largest_block",
                         (unsigned long long)info.largest_block, "shuffled", info.shuffled ? Py_True : Py_False);
}

static PyObject *dataset_classes(PyObject *object, PyObject *unused)
{
    DatasetObject *self = (DatasetObject *)object;
    dls_dataset_info info;
    PyObject *list;

    dls_dataset_get_info(self->dataset, &info);
    list = PyList_New((Py_ssize_t)info.classes);
    for (uint32_t i = 0; list && i < info.classes; i++) {
        const char *name = NULL;
        size_t length = 0;
        int r = dls_dataset_get_class(self->dataset, i, &name, &length);
        PyObject *text = r < 0 ? raise_errno(self->state, r) : PyUnicode_DecodeFSDefaultAndSize(name, (Py_ssize_t)length);

        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *value_object(const dls_field *field, const dls_value *value)
{
    if (field->type == DLS_FIELD_INT64 || field->type == DLS_FIELD_FLOAT32) {
        PyObject *tuple = PyTuple_New((Py_ssize_t)field->count);

        for (uint32_t i = 0; tuple && i < field->count; i++) {
            PyObject *number;

            if (field->type == DLS_FIELD_INT64) {
                int64_t integer;
                memcpy(&integer, (const char *)value->data + i * 8u, 8);
                number = PyLong_FromLongLong(integer);
            } else {
                float real;
                memcpy(&real, (const char *)value->data + i * 4u, 4);
                number = PyFloat_FromDouble((double)real);
            }
            if (!number || PyTuple_SetItem(tuple, (Py_ssize_t)i, number) < 0)
                Py_CLEAR(tuple);
        }
        if (tuple && field->count == 1) {
            PyObject *only = PyTuple_GetItem(tuple, 0);
            Py_INCREF(only);
            Py_DECREF(tuple);
            return only;
        }
        return tuple;
    }
    if (field->type == DLS_FIELD_STRING)
        return PyUnicode_DecodeFSDefaultAndSize(value->data, (Py_ssize_t)value->length);
    return PyBytes_FromStringAndSize(value->data, (Py_ssize_t)value->length);
}

static PyObject *dataset_raw(PyObject *object, PyObject *args)
{
    DatasetObject *self = (DatasetObject *)object;
    unsigned long long number;
    dls_record *record = NULL;
    PyObject *dict = NULL;
    int r;

    if (!PyArg_ParseTuple(args, "K:raw", &number) || check_process(self->pid, "dataset") < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = dls_dataset_read(self->dataset, number, &record);
    Py_END_ALLOW_THREADS
    if (r < 0)
        return raise_errno(self->state, r);
    dict = PyDict_New();
    for (uint32_t i = 0; dict && i < record->fields; i++) {
        dls_field field;
        PyObject *value = NULL;

        if (dls_dataset_get_field(self->dataset, i, &field) == 0)
            value = value_object(&field, &record->values[i]);
        if (!value || PyDict_SetItemString(dict, field.name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    dls_record_free(&record);
    return dict;
}

typedef struct {
    PyObject_HEAD
    dls_image *image;
} ImageObject;

static void image_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    dls_image_free(&((ImageObject *)object)->image);
    release(object);
    Py_DECREF(type);
}

static PyType_Slot image_slots[] = {{Py_tp_dealloc, (void *)image_dealloc}, {0, NULL}};

PyType_Spec image_spec = {
    .name = "dlshards._dlshards.Image",
    .basicsize = sizeof(ImageObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = image_slots,
};

static PyObject *image_tensor(DatasetObject *self, dls_image *image)
{
    PyTypeObject *type = self->state->image_type;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    ImageObject *owner = (ImageObject *)alloc(type, 0);
    const struct view view = {.data = image->pixels,
                              .kind = NUMBER_UINT8,
                              .ndim = 3,
                              .shape = {image->height, image->width, image->channels}};
    PyObject *tensor;

    if (!owner) {
        dls_image_free(&image);
        return NULL;
    }
    owner->image = image;
    tensor = tensor_new(self->state, (PyObject *)owner, &view);
    Py_DECREF((PyObject *)owner);
    return tensor;
}

/* The index of the field of this name, or of the first of this type; -1 if there is none. */
static int find_field(const dls_dataset *dataset, const char *name, dls_field_type type)
{
    dls_field field;

    for (uint32_t i = 0; dls_dataset_get_field(dataset, i, &field) == 0; i++)
        if (field.type == type && (!name || strcmp(field.name, name) == 0))
            return (int)i;
    return -1;
}

static PyObject *dataset_decode(PyObject *object, PyObject *args)
{
    DatasetObject *self = (DatasetObject *)object;
    unsigned long long number;
    dls_record *record = NULL;
    dls_image *image = NULL;
    int64_t label = -1;
    int as_stored = 0, at, r;

    if (!PyArg_ParseTuple(args, "K|p:decode", &number, &as_stored) || check_process(self->pid, "dataset") < 0)
        return NULL;
    at = find_field(self->dataset, NULL, DLS_FIELD_IMAGE);
    if (at < 0) {
        PyErr_SetString(PyExc_ValueError, "the dataset has no image field");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    r = dls_dataset_read(self->dataset, number, &record);
    if (r == 0)
        r = dls_record_decode(record, (uint32_t)at, as_stored, &image);
    Py_END_ALLOW_THREADS
    if (r < 0) {
        dls_record_free(&record);
        return raise_errno(self->state, r);
    }
    at = find_field(self->dataset, "label", DLS_FIELD_INT64);
    if (at >= 0 && record->values[at].length >= sizeof(label))
        memcpy(&label, record->values[at].data, sizeof(label));
    dls_record_free(&record);
    return Py_BuildValue("(NL)", image_tensor(self, image), (long long)label);
}

static PyMethodDef dataset_methods[] = {
    {"decode", dataset_decode, METH_VARARGS,
     "decode(number, as_stored=False) -> (Tensor, int)\n\nThe picture of record `number`, whole: (height, width, 3) uint8, RGB,\n"
     "upright unless as_stored; and its label, -1 if it has none.\n\nRaises IndexError, OSError, dlshards.Error."},
    {"raw", dataset_raw, METH_VARARGS,
     "raw(number) -> dict\n\nRecord `number` in stored order: field name to value. Images and bytes fields are bytes as\n"
     "stored (the JPEG file, …), numbers are int or float (a tuple when there are several), strings are str with\n"
     "surrogate escapes for bytes that are not UTF-8.\n\nRaises IndexError, OSError, dlshards.Error."},
    {"info", dataset_info, METH_NOARGS, "info() -> dict of counts and sizes, see dls_dataset_info in dataset.h."},
    {"classes", dataset_classes, METH_NOARGS, "classes() -> list of class names; a label is an index into it."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot dataset_slots[] = {
    {Py_tp_doc, "Dataset(path)\n\nAn open dataset directory."},
    {Py_tp_new, (void *)dataset_new},
    {Py_tp_dealloc, (void *)dataset_dealloc},
    {Py_tp_methods, dataset_methods},
    {Py_sq_length, (void *)dataset_length},
    {0, NULL},
};

PyType_Spec dataset_spec = {
    .name = "dlshards._dlshards.Dataset",
    .basicsize = sizeof(DatasetObject),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = dataset_slots,
};
