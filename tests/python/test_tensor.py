# SPDX-License-Identifier: Apache-2.0
"""Tensors and single pictures as other libraries see them, and how long their memory lives."""

import gc
import os
import sys
import unittest

import numpy

import dlshards
from sample import WithDataset

try:
    from PIL import Image, ImageOps
except ImportError:
    Image = None


class BufferTest(WithDataset):
    def test_memoryview_shows_shape_type_and_the_same_memory(self):
        loader = dlshards.Loader(self.path, 4, (24, 32), memory="64MiB")
        batch = next(loader.batches())
        view = memoryview(batch.images)
        self.assertEqual((view.format, view.shape, view.strides, view.readonly), ("B", (4, 24, 32, 3), (2304, 96, 3, 1), False))
        self.assertTrue(view.c_contiguous)
        array = numpy.frombuffer(batch.images, numpy.uint8)
        self.assertEqual(array.__array_interface__["data"][0], batch.images.__array_interface__["data"][0])
        self.assertEqual(bytes(view), numpy.asarray(batch.images).tobytes())
        for tensor, form in ((batch.labels, "q"), (batch.records, "Q"), (batch.valid, "B")):
            self.assertEqual((memoryview(tensor).format, memoryview(tensor).shape), (form, (4,)))
        self.assertEqual(batch.count, 4)

    def test_floats(self):
        for dtype, form in (("float32", "f"), ("float16", "e")):
            batch = next(dlshards.Loader(self.path, 2, 16, dtype=dtype, layout="nchw", memory="64MiB").batches())
            view = memoryview(batch.images)
            self.assertEqual((view.format, view.shape), (form, (2, 3, 16, 16)))
        batch = next(dlshards.Loader(self.path, 2, 16, dtype="bfloat16", memory="64MiB").batches())
        with self.assertRaisesRegex(BufferError, "bfloat16"):
            memoryview(batch.images)

    def test_a_view_keeps_the_batch(self):
        loader = dlshards.Loader(self.path, 2, 16, ring_batches=2, memory="64MiB")
        batches = loader.batches()
        view = memoryview(next(batches).images)
        with self.assertRaises(BufferError):
            next(batches)
        before = bytes(view)
        del loader, batches
        gc.collect()
        self.assertEqual(bytes(view), before)

    def test_dlpack_refuses_what_it_cannot_do(self):
        batch = next(dlshards.Loader(self.path, 2, 16, memory="64MiB").batches())
        for stream in (1, 2, 12345):
            with self.assertRaises(ValueError):
                batch.images.__dlpack__(stream=stream)
        self.assertIn("dltensor", repr(batch.images.__dlpack__(stream=-1)))
        for bad in ({"max_version": 1}, {"dl_device": (1,)}, {"max_version": ("a", 0)}):
            with self.assertRaises(TypeError, msg=str(bad)):
                batch.images.__dlpack__(**bad)

    def test_capsules_that_nobody_takes_give_the_batch_back(self):
        loader = dlshards.Loader(self.path, 2, 16, ring_batches=2, memory="64MiB")
        for versioned in (False, True):
            batch = loader._loader.next()
            capsule = batch.images.__dlpack__(max_version=(1, 0) if versioned else None)
            del batch
            with self.assertRaises(BufferError):
                loader._loader.next()
            del capsule
            gc.collect()
        self.assertEqual(loader._loader.next().index, 2)

    def test_types_cannot_be_made_by_hand(self):
        for kind in (dlshards.Tensor, dlshards.Batch):
            with self.assertRaises(TypeError):
                kind()


class KeepTest(WithDataset):
    def test_copies_of_any_number_of_batches_can_be_kept(self):
        want = [(images.copy(), labels.copy()) for images, labels in dlshards.Loader(self.path, 2, 16, epochs=1, memory="64MiB")]
        for ring in (2, 3, 4):
            for dtype in ("uint8", "float32"):
                loader = dlshards.Loader(self.path, 2, 16, epochs=1, keep="copy", ring_batches=ring, dtype=dtype, memory="64MiB")
                kept = list(loader)
                self.assertEqual(len(kept), 12)
                for (images, labels), (images2, labels2) in zip(kept, want):
                    self.assertTrue((labels == labels2).all())
                    self.assertEqual(images.__array_interface__["data"][0] % 64, 0)
                    if dtype == "uint8":
                        self.assertTrue((images == images2).all())
                del kept, images, labels

    def test_the_error_says_what_to_do(self):
        with self.assertRaisesRegex(BufferError, "all 3 batches.*keep='copy'.*ring_batches"):
            list(dlshards.Loader(self.path, 2, 16, memory="64MiB"))


class DrawsTest(WithDataset):
    def test_draws_made_again_give_the_same_images(self):
        params = {"crop": "random", "flip": True, "jitter": (0.3, 0.3, 0.3, 0.1), "epochs": 1, "memory": "64MiB"}
        draws, first = [], {}
        for batch in dlshards.Loader(self.path, 4, 16, draws=True, keep="copy", **params).batches():
            some = numpy.asarray(batch.draws).view(dlshards.DRAW)[:, 0]
            self.assertEqual(some["record"].tolist(), numpy.asarray(batch.records).tolist())
            draws.append(some.copy())
            first.update(zip(some["record"].tolist(), numpy.asarray(batch.images).copy()))
        draws = numpy.concatenate(draws)
        self.assertTrue((draws["width"] > 0).all() and 0 < draws["flip"].sum() < self.count)
        for replay in (draws, numpy.sort(draws, order=("epoch", "record")).tobytes()):
            for batch in dlshards.Loader(self.path, 4, 16, seed=77, replay=replay, **params).batches():
                for record, image in zip(numpy.asarray(batch.records).tolist(), numpy.asarray(batch.images)):
                    self.assertTrue((image == first[record]).all())
                del batch, image
        with self.assertRaises(ValueError):
            dlshards.Loader(self.path, 4, 16, replay=b"12345")

    def test_several_views(self):
        for crop, views in (("five", 5), ("ten", 10)):
            for layout, shape in (("nhwc", (4, views, 16, 20, 3)), ("nchw", (4, views, 3, 16, 20))):
                loader = dlshards.Loader(self.path, 4, (16, 20), crop=crop, layout=layout, memory="64MiB")
                self.assertEqual(next(iter(loader))[0].shape, shape)

    def test_the_other_ways_to_crop(self):
        for params in ({"crop": "center", "resize": 24}, {"crop": "pad", "pad_color": (1, 2, 3)}, {"filter": "bicubic"},
                       {"crop": "random", "crop_scale": (0.5, 1), "crop_ratio": (1, 1)}, {"augment": "imagenet-eval", "size": 224}):
            loader = dlshards.Loader(self.path, 4, **{"size": 16, "memory": "128MiB", **params})
            images, labels = next(iter(loader))
            self.assertEqual(images.dtype, numpy.float32 if "augment" in params else numpy.uint8)
            del images, labels
        with self.assertRaisesRegex(ValueError, "pad_color"):
            dlshards.Loader(self.path, 4, 16, crop="pad", pad_color=(1, 2, 300))


class PictureTest(WithDataset):
    def test_a_picture_is_what_pillow_shows(self):
        dataset = dlshards.Dataset(self.path)
        self.assertEqual(dataset[-1][1], dataset.raw(self.count - 1)["label"])
        for number in range(self.count):
            image, label = dataset[number]
            self.assertEqual((image.dtype, image.ndim, image.shape[2]), (numpy.uint8, 3, 3))
            self.assertEqual(label, dataset.raw(number)["label"])
        with self.assertRaisesRegex(IndexError, "has 24"):
            dataset[24]
        with self.assertRaises(IndexError):
            dataset[-25]
        with self.assertRaises(TypeError):
            dataset["0"]
        self.assertEqual(len([1 for _ in dataset]), self.count)

    @unittest.skipIf(Image is None, "this Python has no Pillow")
    def test_the_pixels_are_pillow_s(self):
        import io

        dataset, same = dlshards.Dataset(self.path), 0
        for number in range(self.count):
            data = dataset.raw(number)["image"]
            want = numpy.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))
            got = dataset[number][0]
            self.assertEqual(got.shape, want.shape)
            # Pillow's wheel brings a libjpeg-turbo of its own, whose rounding may differ from the system's.
            self.assertLessEqual(numpy.abs(got.astype(int) - want).mean(), 0.5)
            same += (got == want).all()
        self.assertGreater(same, 0)

    def test_pictures_outlive_the_dataset_and_can_be_written_to(self):
        image = dlshards.Dataset(self.path)[3][0]
        gc.collect()
        image[:] = 7
        self.assertTrue((image == 7).all())


class TypesTest(unittest.TestCase):
    def test_mypy_strict(self):
        try:
            from mypy import api
        except ImportError:
            self.skipTest("this Python has no mypy")
        here = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "python")
        os.environ["MYPYPATH"] = here
        out, err, status = api.run(["--strict", "--python-version", "3.10", "--cache-dir", os.devnull, "-p", "dlshards"])
        # Without torch its module cannot be looked at.
        lines = [line for line in out.splitlines() if "error:" in line and "torch" not in line]
        self.assertEqual((lines, err), ([], ""))

    def test_the_stub_names_what_the_extension_has(self):
        import ast

        extension = sys.modules["dlshards._dlshards"]
        here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(os.path.join(here, "python", "dlshards", "_dlshards.pyi")) as file:
            tree = ast.parse(file.read())
        for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            real = {name for name in vars(getattr(extension, kind.name)) if not name.startswith("__")}
            stub = {f.name for f in kind.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("__")}
            self.assertEqual(real, stub, kind.name)
