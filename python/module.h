/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension share. Limited API of CPython 3.10, so that one build serves all later versions. */
#ifndef DLSHARDS_PYTHON_MODULE_H
#define DLSHARDS_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030a0000
#include <Python.h>

#include <dlshards/dlshards.h>
#include <stdbool.h>
#include <sys/types.h>

struct module_state {
    PyObject *error; /* dlshards.Error */
    PyTypeObject *dataset_type, *loader_type, *batch_type, *image_type, *tensor_type;
};
struct module_state *module_state(PyObject *module);
extern struct PyModuleDef dls_python_module;

/* Raises the exception that belongs to a negative errno, with dls_last_error() as its text. Returns NULL. */
PyObject *raise_errno(struct module_state *state, int code);
/* -1 with RuntimeError in a process forked after `pid` opened the object: its threads live in the parent only. */
int check_process(pid_t pid, const char *what);

/* dataset.c */
typedef struct {
    PyObject_HEAD
    struct module_state *state;
    dls_dataset *dataset;
    pid_t pid;
} DatasetObject;
extern PyType_Spec dataset_spec;

/* A decoded picture, which tensors show. */
extern PyType_Spec image_spec;

/* params.c: sets members of *params by the names in `dict`. What they point to lives as long as `dict`. */
int params_set(dls_loader_params *params, PyObject *dict);

/* stats.c */
PyObject *stats_dict(const dls_stats *stats);

/* loader.c. The counts are guarded by the GIL. */
typedef struct {
    PyObject_HEAD
    struct module_state *state;
    DatasetObject *dataset;
    dls_loader *loader;
    Py_ssize_t lent, lent_most; /* batches that tensors still use, and may */
    Py_ssize_t inside;          /* threads that wait in next() */
    bool copy_last;             /* hands out a copy instead of the last batch that may be lent */
    bool pad;                   /* shows empty places too */
    int device;                 /* number of the CUDA device; -1: the CPU */
    PyObject *params; /* what they point to is used as long as the loader is */
    pid_t pid;
} LoaderObject;
extern PyType_Spec loader_spec;

/* batch.c: a batch goes back to the loader when the last tensor on it is gone. */
typedef struct {
    PyObject_HEAD
    LoaderObject *loader;
    const dls_batch *batch; /* lent, or: */
    dls_batch *copy;        /* of our own memory */
} BatchObject;
extern PyType_Spec batch_spec;
/* Takes over the loan of `batch`, also on failure (NULL). */
PyObject *batch_new(LoaderObject *loader, const dls_batch *batch);

/* tensor.c */
enum number_kind { NUMBER_INT64, NUMBER_UINT64, NUMBER_UINT8, NUMBER_FLOAT32, NUMBER_FLOAT16, NUMBER_BFLOAT16 };
enum place { PLACE_HOST, PLACE_IMAGES, PLACE_LABELS }; /* the latter two: of a batch on a CUDA device */
struct view {
    enum place place;
    void *data; /* on the host */
    enum number_kind kind;
    int32_t ndim;
    int64_t shape[5];
};
extern PyType_Spec tensor_spec;
/* Shows memory of `owner` (with PLACE_IMAGES and PLACE_LABELS a batch), which it keeps alive. */
PyObject *tensor_new(struct module_state *state, PyObject *owner, const struct view *view);

#endif
