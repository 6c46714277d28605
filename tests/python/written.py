# SPDX-License-Identifier: Apache-2.0
"""Datasets with fields of any kind, written by the C library, which the package has no function for."""

import ctypes
import os


class Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("count", ctypes.c_uint32)]


class Value(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_char_p),
        ("length", ctypes.c_size_t),
        ("codec", ctypes.c_int),
        ("width", ctypes.c_uint32),
        ("height", ctypes.c_uint32),
        ("channels", ctypes.c_uint8),
        ("orientation", ctypes.c_uint8),
    ]


class Params(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("fields", ctypes.POINTER(Field)), ("field_count", ctypes.c_uint32),
                ("rest", ctypes.c_uint8 * 512)]


IMAGE, FLOAT32 = 1, 5
JPEG, PNG = 1, 3


def write(path, fields, records):
    """fields: (name, type, count); records: lists of Value."""
    library = ctypes.CDLL(os.path.join(os.environ["DLS_BUILD"], "src", "libdlshards.so.0"))
    library.dls_last_error.restype = ctypes.c_char_p
    writer, params = ctypes.c_void_p(), Params()
    library.dls_writer_params_init(ctypes.byref(params))
    array = (Field * len(fields))(*fields)
    params.fields, params.field_count = array, len(fields)

    def check(r):
        if r < 0:
            raise OSError(-r, library.dls_last_error().decode())

    check(library.dls_writer_open(os.fsencode(path), ctypes.byref(params), ctypes.byref(writer)))
    for values in records:
        check(library.dls_writer_add(writer, (Value * len(values))(*values), len(values)))
    check(library.dls_writer_finish(writer))
    library.dls_writer_close(ctypes.byref(writer))
