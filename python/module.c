/* SPDX-License-Identifier: Apache-2.0 */
/* dlshards._dlshards: the C API as Python sees it. The package around it (python/dlshards) is what users import. */
#include "module.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct module_state *module_state(PyObject *module)
{
    return PyModule_GetState(module);
}

PyObject *raise_errno(struct module_state *state, int code)
{
    const char *text = dls_last_error();

    if (!text[0])
        text = strerror(-code);
    switch (-code) {
    case EINVAL:
    case ERANGE:
        PyErr_SetString(code == -ERANGE ? PyExc_IndexError : PyExc_ValueError, text);
        return NULL;
    case ENOMEM:
        PyErr_SetString(PyExc_MemoryError, text);
        return NULL;
    case ENOTSUP:
        PyErr_SetString(PyExc_NotImplementedError, text);
        return NULL;
    case ENODEV:
        PyErr_SetString(PyExc_RuntimeError, text);
        return NULL;
    case EDEADLK:
        PyErr_SetString(PyExc_BufferError, text);
        return NULL;
    case EBADMSG:
        PyErr_SetString(state->error, text);
        return NULL;
    default: { /* OSError chooses FileNotFoundError and its like by the number */
        PyObject *args = Py_BuildValue("(is)", -code, text);

        if (args) {
            PyErr_SetObject(PyExc_OSError, args);
            Py_DECREF(args);
        }
        return NULL;
    }
    }
}

int check_process(pid_t pid, const char *what)
{
    if (pid == getpid())
        return 0;
    PyErr_Format(PyExc_RuntimeError,
                 "this %s was opened by process %d and cannot be used after fork(): open it in the child", what,
                 (int)pid);
    return -1;
}

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **ret_type)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

    if (!type)
        return -1;
    *ret_type = (PyTypeObject *)type;
    return PyModule_AddType(module, *ret_type);
}

static int module_exec(PyObject *module)
{
    struct module_state *state = module_state(module);

    state->error = PyErr_NewExceptionWithDoc("dlshards.Error",
                                             "A dataset is damaged: the text names shard, record, key and offset.",
                                             PyExc_ValueError, NULL);
    if (!state->error || PyModule_AddObjectRef(module, "Error", state->error) < 0)
        return -1;
    if (PyModule_AddStringConstant(module, "__version__", dls_version()) < 0)
        return -1;
    if (add_type(module, &dataset_spec, &state->dataset_type) < 0 ||
        add_type(module, &loader_spec, &state->loader_type) < 0 ||
        add_type(module, &batch_spec, &state->batch_type) < 0 ||
        add_type(module, &image_spec, &state->image_type) < 0 ||
        add_type(module, &tensor_spec, &state->tensor_type) < 0)
        return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct module_state *state = module_state(module);

    Py_VISIT(state->error);
    Py_VISIT(state->dataset_type);
    Py_VISIT(state->loader_type);
    Py_VISIT(state->batch_type);
    Py_VISIT(state->image_type);
    Py_VISIT(state->tensor_type);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct module_state *state = module_state(module);

    Py_CLEAR(state->error);
    Py_CLEAR(state->dataset_type);
    Py_CLEAR(state->loader_type);
    Py_CLEAR(state->batch_type);
    Py_CLEAR(state->image_type);
    Py_CLEAR(state->tensor_type);
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
    {0, NULL},
};

struct PyModuleDef dls_python_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_dlshards",
    .m_doc = "The C side of the dlshards package.",
    .m_size = sizeof(struct module_state),
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__dlshards(void);
PyMODINIT_FUNC PyInit__dlshards(void)
{
    return PyModuleDef_Init(&dls_python_module);
}
