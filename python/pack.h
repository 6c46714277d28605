/* SPDX-License-Identifier: Apache-2.0 */
/* The structures of the DLPack standard (ABI 1.0 and the unversioned one before it), under names of our own. */
#ifndef DLSHARDS_PYTHON_PACK_H
#define DLSHARDS_PYTHON_PACK_H

#include "module.h"

enum { PACK_INT = 0, PACK_UINT = 1, PACK_FLOAT = 2, PACK_BFLOAT = 4 }; /* kinds of numbers */
enum { PACK_CPU = 1, PACK_CUDA = 2 };                                  /* devices */

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

/* A capsule that holds `owner` until its consumer, or nobody, has done with it. */
PyObject *pack_capsule(PyObject *owner, const struct pack_view *view, bool versioned);

#endif
