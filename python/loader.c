/* SPDX-License-Identifier: Apache-2.0 */
/* Loader: opening, the next batch, statistics. The package's Loader class turns batches into arrays. */
#include "module.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How long a wait lasts before Python may see to signals: Ctrl-C is noticed within this time. */
#define WAIT_SLICE_NS 100000000
#define RING_DEFAULT 4
#define STATE_BYTES_MAX 1024

static PyObject *loader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *module = PyType_GetModule(type), *dataset;
    struct module_state *state;
    LoaderObject *self = NULL;
    dls_loader_params params;
    int copy_last, r;

    if (!module || !PyArg_ParseTuple(args, "Op:Loader", &dataset, &copy_last))
        return NULL;
    state = module_state(module);
    if (!PyObject_TypeCheck(dataset, state->dataset_type)) {
        PyErr_SetString(PyExc_TypeError, "Loader: the first argument is a Dataset");
        return NULL;
    }
    dls_loader_params_init(&params);
    if (params_set(&params, kwargs) < 0 || check_process(((DatasetObject *)dataset)->pid, "dataset") < 0)
        return NULL;
    self = (LoaderObject *)alloc(type, 0);
    if (!self)
        return NULL;
    self->state = state;
    self->pid = getpid();
    self->lent_most = (params.ring_batches ? (Py_ssize_t)params.ring_batches : RING_DEFAULT) - 1;
    self->copy_last = copy_last != 0;
    self->pad = params.tail == DLS_TAIL_PAD;
    self->device = params.device == DLS_DEVICE_CUDA ? (int)params.device_index : -1;
    Py_XINCREF(kwargs);
    self->params = kwargs;
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
    dls_loader *loader = self->loader;

    self->loader = NULL;
    if (loader && self->pid == getpid()) {
        Py_BEGIN_ALLOW_THREADS
        dls_loader_close(&loader);
        Py_END_ALLOW_THREADS
    }
}

static void loader_dealloc(PyObject *object)
{
    LoaderObject *self = (LoaderObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    loader_end(self);
    Py_XDECREF(self->params);
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

static PyObject *raise_next(LoaderObject *self, int code)
{
    if (code != -EDEADLK)
        return raise_errno(self->state, code);
    PyErr_Format(PyExc_BufferError,
                 "all %zd batches that may be kept at a time are still in use: let go of one, copy what is to be kept, or "
                 "open the loader with keep='copy' or a larger ring_batches",
                 self->lent_most);
    return NULL;
}

static PyObject *loader_next(PyObject *object, PyObject *unused)
{
    LoaderObject *self = (LoaderObject *)object;
    const dls_batch *batch = NULL;
    int r;

    if (check_open(self) < 0)
        return NULL;
    self->inside++;
    do {
        Py_BEGIN_ALLOW_THREADS
        r = dls_loader_next(self->loader, WAIT_SLICE_NS, &batch);
        Py_END_ALLOW_THREADS
        if (r == -ETIMEDOUT && PyErr_CheckSignals() < 0) {
            self->inside--;
            return NULL;
        }
    } while (r == -ETIMEDOUT);
    self->inside--;
    if (r < 0)
        return raise_next(self, r);
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
    if (self->inside > 0) {
        PyErr_SetString(PyExc_RuntimeError, "close: another thread waits for this loader's next batch");
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

static PyObject *loader_state(PyObject *object, PyObject *unused)
{
    LoaderObject *self = (LoaderObject *)object;
    char state[STATE_BYTES_MAX];
    int r;

    if (check_open(self) < 0)
        return NULL;
    r = dls_loader_get_state(self->loader, state, sizeof(state));
    return r < 0 ? raise_errno(self->state, r) : PyBytes_FromStringAndSize(state, r);
}

static PyObject *loader_stats(PyObject *object, PyObject *unused)
{
    LoaderObject *self = (LoaderObject *)object;
    dls_stats stats;

    if (check_open(self) < 0)
        return NULL;
    dls_loader_get_stats(self->loader, &stats);
    return stats_dict(&stats);
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
    {"batches", loader_batches, METH_NOARGS, "batches() -> int: batches in each whole epoch."},
    {"state", loader_state, METH_NOARGS, "state() -> bytes, for the parameter `state` of another loader."},
    {"stats", loader_stats, METH_NOARGS, "stats() -> dict, see dls_stats in stats.h."},
    {"verdict", loader_verdict, METH_NOARGS, "verdict() -> str: what the bottleneck is, by how much, what would help."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot loader_slots[] = {
    {Py_tp_doc, "Loader(dataset, copy_last, **params)\n\ncopy_last: the last batch that may be kept is handed out as a copy.\n"
                "params: members of dls_loader_params by name, as numbers; mean and std as three, state as bytes."},
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
