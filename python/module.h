/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension share. Limited API of CPython 3.10, so that one build serves all later versions. */
#ifndef DLSHARDS_PYTHON_MODULE_H
#define DLSHARDS_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030a0000
#include <Python.h>

#include <dlshards/dlshards.h>
#include <sys/types.h>

struct module_state {
    PyObject *error; /* dlshards.Error */
    PyTypeObject *dataset_type, *loader_type, *batch_type, *tensor_type;
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

/* loader.c */
typedef struct {
    PyObject_HEAD
    struct module_state *state;
    DatasetObject *dataset;
    dls_loader *loader;
    Py_ssize_t lent; /* batches that tensors still use; guarded by the GIL */
    pid_t pid;
} LoaderObject;
extern PyType_Spec loader_spec;

/* tensor.c: a batch goes back to the loader when the last tensor on it is gone. */
typedef struct {
    PyObject_HEAD
    LoaderObject *loader;
    const dls_batch *batch;
} BatchObject;
extern PyType_Spec batch_spec;
extern PyType_Spec tensor_spec;
/* Takes over the loan of `batch`, also on failure (NULL). */
PyObject *batch_new(LoaderObject *loader, const dls_batch *batch);

#endif
