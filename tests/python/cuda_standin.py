# SPDX-License-Identifier: Apache-2.0
"""device="cuda" over a stand-in for CUDA's runtime (tests/support/fake_cuda.c), whose "device memory" is the host's and
which does work as late as it can: a stream that was not waited for shows as wrong bytes."""

import ctypes
import gc
import sys

import numpy

import dlshards
from sample import WithDataset


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


fake = ctypes.CDLL(sys.modules["dlshards._dlshards"].__file__)
fake.fake_cuda_count.restype = ctypes.c_uint64
fake.fake_cuda_stream.restype = ctypes.c_void_p
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
PINS, MEMORY, STREAMS, EVENTS = 1, 2, 3, 4


def read(tensor, stream):
    """A consumer: the view of the capsule, and its bytes as they will be once the stream is waited for."""
    capsule = tensor.__dlpack__(stream=stream)
    view = View.from_address(pointer(capsule, b"dltensor"))
    shape = [view.shape[i] for i in range(view.ndim)]
    raw = numpy.zeros(int(numpy.prod(shape)) * view.bits // 8, numpy.uint8)
    fake.fake_cuda_read(ctypes.c_void_p(raw.ctypes.data), ctypes.c_void_p(view.data), ctypes.c_uint64(raw.nbytes),
                        ctypes.c_void_p(stream))
    return (view.device_type, view.device_id, view.code, view.bits, shape), raw


class CudaTest(WithDataset):
    def setUp(self):
        fake.fake_cuda_reset()

    def tearDown(self):
        gc.collect()
        self.assertEqual([fake.fake_cuda_count(live) for live in (PINS, MEMORY, STREAMS, EVENTS)], [0] * 4)

    def test_a_device_has_the_bits_of_the_cpu(self):
        for dtype, code, bits in (("uint8", 1, 8), ("float32", 2, 32), ("float16", 2, 16)):
            for layout in ("nhwc", "nchw"):
                params = dict(crop="random", flip=True, dtype=dtype, layout=layout, epochs=2, memory="64MiB", tail="pad")
                want = [(images.copy(), labels.copy()) for images, labels in dlshards.Loader(self.path, 5, 16, **params)]
                stream, got = fake.fake_cuda_stream(), []
                loader = dlshards.Loader(self.path, 5, 16, device="cuda:1", **params)
                for images, labels in loader:
                    self.assertEqual((images.__dlpack_device__(), labels.__dlpack_device__()), ((2, 1), (2, 1)))
                    got.append((read(images, stream), read(labels, stream)))
                    del images, labels
                fake.fake_cuda_sync(ctypes.c_void_p(stream))
                self.assertEqual(len(got), len(want))
                for ((facts, raw), (_, label)), (images, labels) in zip(got, want):
                    self.assertEqual(facts, (2, 1, code, bits, list(images.shape)))
                    self.assertEqual(raw.tobytes(), images.tobytes())
                    self.assertEqual(label.tobytes(), labels.tobytes())
                self.assertIn("pinned for CUDA device 1", loader.stats()["memory_detail"])
                self.assertGreater(loader.stats()["device_bytes"], 0)
                del loader
                fake.fake_cuda_stream_end(ctypes.c_void_p(stream))

    def test_several_views_come_to_the_device(self):
        params = dict(crop="ten", dtype="float32", layout="nchw", epochs=1, memory="64MiB", tail="pad")
        want = [images.copy() for images, _ in dlshards.Loader(self.path, 10, 16, **params)]
        got = [read(images, 1) for images, _ in dlshards.Loader(self.path, 10, 16, device="cuda", **params)]
        fake.fake_cuda_sync(None)
        self.assertEqual([raw.tobytes() for _, raw in got], [images.tobytes() for images in want])
        self.assertEqual(got[0][0][4], [10, 10, 3, 16, 16])

    def test_streams_as_dlpack_names_them(self):
        loader = dlshards.Loader(self.path, 4, 16, device="cuda", memory="64MiB")
        batch = next(loader.batches())
        for stream in (None, 1, 2, -1):
            batch.images.__dlpack__(stream=stream)
        for stream in (0, -2):
            with self.assertRaises(ValueError):
                batch.images.__dlpack__(stream=stream)
        with self.assertRaises(TypeError):
            batch.images.__dlpack__(stream="1")
        with self.assertRaises(BufferError):
            batch.images.__dlpack__(dl_device=(1, 0))
        with self.assertRaises(BufferError):
            memoryview(batch.images)
        self.assertFalse(hasattr(batch.labels, "__array_interface__"))
        self.assertEqual(numpy.asarray(batch.records).shape, (4,))  # on the CPU
        self.assertIn("dltensor_versioned", repr(batch.images.__dlpack__(stream=1, max_version=(1, 2), dl_device=(2, 0))))

    def test_no_driver_no_such_device_and_copies(self):
        fake.fake_cuda_devices(-1)
        with self.assertRaisesRegex(RuntimeError, "no driver"):
            dlshards.Loader(self.path, 4, 16, device="cuda", memory="64MiB")
        fake.fake_cuda_devices(2)
        with self.assertRaisesRegex(RuntimeError, "no device 2"):
            dlshards.Loader(self.path, 4, 16, device="cuda:2", memory="64MiB")
        with self.assertRaisesRegex(ValueError, "keep"):
            dlshards.Loader(self.path, 4, 16, device="cuda", keep="copy", memory="64MiB")

    def test_faults_are_oserrors(self):
        kept, failed = [], 0  # kept: what is written to late
        for nth in range(1, 200, 7):
            fake.fake_cuda_reset()
            fake.fake_cuda_fail(ctypes.c_uint64(nth))
            try:
                for images, labels in dlshards.Loader(self.path, 4, 16, device="cuda", memory="64MiB", epochs=1):
                    kept.append(read(images, 1))
            except OSError as error:
                self.assertIn("CUDA: ", str(error))
                failed += 1
            images = labels = None
            gc.collect()
        self.assertGreater(failed, 10)
