/* SPDX-License-Identifier: Apache-2.0 */
/* Batch: memory of the loader's ring, lent until the last tensor that shows it is gone; or a copy of it. */
#include "module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void batch_dealloc(PyObject *object)
{
    BatchObject *self = (BatchObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    if (self->batch) {
        /* In a child of fork() the ring's lock may be held by a thread that is not there. */
        if (self->loader->pid == getpid())
            dls_batch_release(self->loader->loader, &self->batch);
        self->loader->lent--;
    }
    free(self->copy);
    Py_XDECREF((PyObject *)self->loader);
    release(object);
    Py_DECREF(type);
}

/* All of it in one piece of memory. NULL if there is not enough. */
static dls_batch *copy_of(const dls_batch *batch)
{
    const size_t images = batch->images ? (batch->images_bytes + 63) & ~(size_t)63 : 0, head = 256;
    const size_t draws = batch->draws ? batch->size * (size_t)batch->views * sizeof(dls_draw) : 0;
    const size_t pixels = batch->size * (size_t)batch->views * batch->width * batch->height;
    const size_t masks = batch->masks ? (pixels + 7) & ~(size_t)7 : 0;
    const size_t boxes = batch->size * (size_t)batch->views * batch->boxes_per_image * 4 * sizeof(float);
    char *memory = malloc(head + images + draws + masks + boxes + batch->size * (size_t)17 + 64);
    dls_batch *copy = (dls_batch *)(void *)memory;
    char *at;

    if (!memory)
        return NULL;
    _Static_assert(sizeof(*copy) <= 256 - 64, "the images follow, aligned");
    *copy = *batch;
    at = memory + head - ((uintptr_t)memory & 63);
    if (batch->images)
        copy->images = memcpy(at, batch->images, batch->images_bytes);
    at += images;
    if (batch->draws)
        copy->draws = memcpy(at, batch->draws, draws);
    at += draws;
    if (batch->masks)
        copy->masks = memcpy(at, batch->masks, pixels);
    at += masks;
    if (batch->boxes)
        copy->boxes = memcpy(at, batch->boxes, boxes);
    at += boxes;
    copy->labels = memcpy(at, batch->labels, batch->size * sizeof(int64_t));
    at += batch->size * sizeof(int64_t);
    copy->records = memcpy(at, batch->records, batch->size * sizeof(uint64_t));
    at += batch->size * sizeof(uint64_t);
    copy->valid = memcpy(at, batch->valid, batch->size);
    return copy;
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
    if (!loader->copy_last || loader->lent + 1 < loader->lent_most) {
        self->batch = batch;
        loader->lent++;
        return (PyObject *)self;
    }
    Py_BEGIN_ALLOW_THREADS
    self->copy = copy_of(batch);
    dls_batch_release(loader->loader, &batch);
    Py_END_ALLOW_THREADS
    if (!self->copy) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static const dls_batch *view_of(const BatchObject *self)
{
    return self->copy ? self->copy : self->batch;
}

static int64_t shown(const BatchObject *self)
{
    return self->loader->pad ? view_of(self)->size : view_of(self)->count;
}

/* (N, height, width, 3), or (N, 3, height, width) with NCHW; with several views (N, views, …). */
static PyObject *batch_images(PyObject *object, void *unused)
{
    static const enum number_kind kinds[] = {[DLS_DTYPE_UINT8] = NUMBER_UINT8,
                                             [DLS_DTYPE_FLOAT32] = NUMBER_FLOAT32,
                                             [DLS_DTYPE_FLOAT16] = NUMBER_FLOAT16,
                                             [DLS_DTYPE_BFLOAT16] = NUMBER_BFLOAT16};
    BatchObject *self = (BatchObject *)object;
    const dls_batch *batch = view_of(self);
    const bool planes = batch->layout == DLS_LAYOUT_NCHW, device = self->loader->device >= 0;
    struct view view = {.place = device ? PLACE_IMAGES : PLACE_HOST,
                        .data = (void *)(uintptr_t)batch->images,
                        .kind = kinds[batch->dtype]};
    int32_t n = 0;

    if (!batch->images && !device)
        Py_RETURN_NONE;
    view.shape[n++] = shown(self);
    if (batch->views > 1)
        view.shape[n++] = batch->views;
    if (planes)
        view.shape[n++] = batch->channels;
    view.shape[n++] = batch->height;
    view.shape[n++] = batch->width;
    if (!planes)
        view.shape[n++] = batch->channels;
    view.ndim = n;
    return tensor_new(self->loader->state, object, &view);
}

static PyObject *column(PyObject *object, enum place place, const void *data, enum number_kind kind)
{
    BatchObject *self = (BatchObject *)object;
    const struct view view = {
        .place = place, .data = (void *)(uintptr_t)data, .kind = kind, .ndim = 1, .shape = {shown(self)}};

    return tensor_new(self->loader->state, object, &view);
}

static PyObject *batch_labels(PyObject *object, void *unused)
{
    const BatchObject *self = (BatchObject *)object;

    return column(object, self->loader->device >= 0 ? PLACE_LABELS : PLACE_HOST, view_of(self)->labels, NUMBER_INT64);
}

static PyObject *batch_records(PyObject *object, void *unused)
{
    return column(object, PLACE_HOST, view_of((BatchObject *)object)->records, NUMBER_UINT64);
}

static PyObject *batch_valid(PyObject *object, void *unused)
{
    return column(object, PLACE_HOST, view_of((BatchObject *)object)->valid, NUMBER_UINT8);
}

/* (N, sizeof(dls_draw)) bytes, with several views (N × views, …). */
static PyObject *batch_draws(PyObject *object, void *unused)
{
    BatchObject *self = (BatchObject *)object;
    const dls_batch *batch = view_of(self);
    const struct view view = {.data = (void *)(uintptr_t)batch->draws,
                              .kind = NUMBER_UINT8,
                              .ndim = 2,
                              .shape = {shown(self) * batch->views, sizeof(dls_draw)}};

    if (!batch->draws)
        Py_RETURN_NONE;
    return tensor_new(self->loader->state, object, &view);
}

/* With several views a second number, behind the sample's. */
static PyObject *beside(BatchObject *self, const void *data, enum number_kind kind, int64_t rows, int64_t columns)
{
    const dls_batch *batch = view_of(self);
    struct view view = {.place = PLACE_HOST, .data = (void *)(uintptr_t)data, .kind = kind};
    int32_t n = 0;

    if (!data)
        Py_RETURN_NONE;
    view.shape[n++] = shown(self);
    if (batch->views > 1)
        view.shape[n++] = batch->views;
    view.shape[n++] = rows;
    view.shape[n++] = columns;
    view.ndim = n;
    return tensor_new(self->loader->state, (PyObject *)self, &view);
}

static PyObject *batch_masks(PyObject *object, void *unused)
{
    const dls_batch *batch = view_of((BatchObject *)object);

    return beside((BatchObject *)object, batch->masks, NUMBER_UINT8, batch->height, batch->width);
}

static PyObject *batch_boxes(PyObject *object, void *unused)
{
    const dls_batch *batch = view_of((BatchObject *)object);

    return beside((BatchObject *)object, batch->boxes, NUMBER_FLOAT32, batch->boxes_per_image, 4);
}

static PyObject *batch_index(PyObject *object, void *unused)
{
    return PyLong_FromUnsignedLongLong(view_of((BatchObject *)object)->index);
}

static PyObject *batch_epoch(PyObject *object, void *unused)
{
    return PyLong_FromUnsignedLongLong(view_of((BatchObject *)object)->epoch);
}

static PyObject *batch_count(PyObject *object, void *unused)
{
    return PyLong_FromUnsignedLong(view_of((BatchObject *)object)->count);
}

static PyGetSetDef batch_getset[] = {
    {"images", batch_images, NULL, "Tensor (N, height, width, 3), or (N, 3, height, width) with layout nchw, of the loader's dtype; (N, 5 or 10, …) with crop five or ten; None if the loader does not decode. N: count, or with tail pad the batch size.", NULL},
    {"labels", batch_labels, NULL, "Tensor (N,) int64; -1 where a record has no label, and in empty places.", NULL},
    {"records", batch_records, NULL, "Tensor (N,) uint64 on the CPU: record numbers for Dataset.raw().", NULL},
    {"valid", batch_valid, NULL, "Tensor (N,) uint8 on the CPU: 1 = a sample, 0 = an empty place (tail pad).", NULL},
    {"draws", batch_draws, NULL, "Tensor of bytes (N, sizeof(dls_draw)), see dlshards.DRAW; None without draws=True.", NULL},
    {"masks", batch_masks, NULL, "Tensor (N, height, width) uint8 on the CPU; (N, views, …) with crop five or ten; None without masks.", NULL},
    {"boxes", batch_boxes, NULL, "Tensor (N, boxes, 4) float32 on the CPU; (N, views, …) with crop five or ten; None without boxes.", NULL},
    {"count", batch_count, NULL, "int: samples.", NULL},
    {"index", batch_index, NULL, "int: the number of the batch in its epoch.", NULL},
    {"epoch", batch_epoch, NULL, "int: the number of the epoch.", NULL},
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
