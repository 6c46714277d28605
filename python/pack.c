/* SPDX-License-Identifier: Apache-2.0 */
/* Capsules of the DLPack standard. */
#include "pack.h"

#include <stdlib.h>

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

static PyObject *capsule_old(PyObject *owner, const struct pack_view *view)
{
    struct pack_old *pack = calloc(1, sizeof(*pack));
    PyObject *capsule;

    if (!pack)
        return PyErr_NoMemory();
    pack->view = *view;
    pack->context = owner;
    pack->deleter = old_delete;
    capsule = PyCapsule_New(pack, "dltensor", old_capsule_delete);
    if (!capsule)
        free(pack);
    else
        Py_INCREF(owner);
    return capsule;
}

PyObject *pack_capsule(PyObject *owner, const struct pack_view *view, bool versioned)
{
    struct pack_versioned *pack;
    PyObject *capsule;

    if (!versioned)
        return capsule_old(owner, view);
    pack = calloc(1, sizeof(*pack));
    if (!pack)
        return PyErr_NoMemory();
    pack->view = *view;
    pack->version.major = 1;
    pack->context = owner;
    pack->deleter = versioned_delete;
    capsule = PyCapsule_New(pack, "dltensor_versioned", versioned_capsule_delete);
    if (!capsule)
        free(pack);
    else
        Py_INCREF(owner);
    return capsule;
}
