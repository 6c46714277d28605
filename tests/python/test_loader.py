# SPDX-License-Identifier: Apache-2.0
"""dlshards.Loader and dlshards.Dataset over a dataset packed from the sample photos."""

import gc
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

import dlshards
from sample import SAMPLE, WithDataset
from dlshards.options import parse_bytes

class DatasetTest(WithDataset):
    def test_classes_are_the_folders_in_order(self):
        self.assertEqual(dlshards.Dataset(self.path).classes, self.classes)

    def test_raw_gives_back_the_file_and_its_label(self):
        dataset = dlshards.Dataset(self.path)
        keys = set()
        for number in range(len(dataset)):
            record = dataset.raw(number)
            keys.add(record["key"])
            self.assertEqual(record["image"], (SAMPLE / record["key"]).read_bytes())
            self.assertEqual(dataset.classes[record["label"]], record["key"].split("/")[0])
        self.assertEqual(len(keys), len(dataset))

    def test_raw_past_the_end(self):
        dataset = dlshards.Dataset(self.path)
        with self.assertRaises(IndexError):
            dataset.raw(len(dataset))

    def test_missing_dataset(self):
        with self.assertRaisesRegex(FileNotFoundError, "nowhere"):
            dlshards.Dataset(os.path.join(self.folder.name, "nowhere"))


class LoaderTest(WithDataset):
    def test_an_epoch_has_every_record_once_with_its_label(self):
        loader = dlshards.Loader(self.path, batch_size=4, size=(32, 48), tail="exact", epochs=1, memory="64MiB")
        seen = []
        for batch in loader.batches():
            self.assertEqual(numpy.asarray(batch.images).shape[1:], (32, 48, 3))
            labels, records = numpy.asarray(batch.labels), numpy.asarray(batch.records)
            for label, record in zip(labels, records):
                self.assertEqual(loader.dataset.raw(int(record))["label"], label)
            seen += records.tolist()
            del batch
        self.assertEqual(sorted(seen), list(range(self.count)))

    def test_arrays_are_views_of_the_right_type(self):
        with dlshards.Loader(self.path, batch_size=4, size=32, memory="64MiB") as loader:
            self.assertEqual(len(loader), self.count // 4)
            for images, labels in loader:
                self.assertEqual((images.dtype, images.shape), (numpy.uint8, (4, 32, 32, 3)))
                self.assertEqual((labels.dtype, labels.shape), (numpy.int64, (4,)))
                self.assertGreater(images.std(), 1.0)
                del images, labels

    def test_the_same_seed_gives_the_same_pixels_for_any_threads(self):
        def epoch(**params):
            loader = dlshards.Loader(self.path, 4, 32, crop="random", flip=True, epochs=1, memory="64MiB", **params)
            return numpy.concatenate([images.copy() for images, _ in loader])

        first = epoch(threads=1, seed=5)
        self.assertTrue((first == epoch(threads=3, engine="pread", seed=5)).all())
        self.assertFalse((first == epoch(threads=1, seed=6)).all())

    def test_floats_in_planes_are_the_normalised_bytes(self):
        def epoch(**params):
            loader = dlshards.Loader(self.path, 4, (24, 32), crop="random", flip=True, epochs=1, memory="64MiB", **params)
            return numpy.concatenate([images.copy() for images, _ in loader])

        mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
        planes = epoch().transpose(0, 3, 1, 2)
        self.assertTrue((epoch(layout="nchw") == planes).all())
        column = [numpy.asarray(values, numpy.float32).reshape(1, 3, 1, 1) for values in (mean, std)]
        wanted = (planes.astype(numpy.float32) / numpy.float32(255) - column[0]) / column[1]
        for dtype in ("float32", "float16"):
            got = epoch(dtype=dtype, layout="nchw", mean=mean, std=std)
            self.assertEqual(got.dtype, numpy.dtype(dtype))
            self.assertEqual(got.shape[1:], (3, 24, 32))
            self.assertTrue((got == wanted.astype(dtype)).all())
        scaled = epoch(dtype="float32")
        self.assertTrue((scaled == planes.transpose(0, 2, 3, 1).astype(numpy.float32) / numpy.float32(255)).all())

    def test_bfloat16_goes_by_dlpack_only(self):
        loader = dlshards.Loader(self.path, 4, 32, dtype="bfloat16", memory="64MiB")
        with self.assertRaisesRegex(TypeError, "bfloat16"):
            iter(loader)
        images = next(loader.batches()).images
        self.assertEqual(images.shape, (4, 32, 32, 3))
        self.assertFalse(hasattr(images, "__array_interface__"))
        self.assertIn('"dltensor"', repr(images.__dlpack__()))

    def test_jitter_and_grey(self):
        def epoch(**params):
            loader = dlshards.Loader(self.path, 4, 32, shuffle=False, epochs=1, memory="64MiB", **params)
            return numpy.concatenate([images.copy() for images, _ in loader])

        grey = epoch(grayscale=1.0)
        self.assertTrue((grey[..., 0] == grey[..., 1]).all() and (grey[..., 0] == grey[..., 2]).all())
        jitter = epoch(jitter=(0.4, 0.4, 0.4, 0.1), threads=1)
        self.assertTrue((jitter == epoch(jitter=(0.4, 0.4, 0.4, 0.1), threads=3)).all())
        self.assertFalse((jitter == epoch()).all())

    def test_dlpack_in_both_forms_shows_the_same_memory(self):
        loader = dlshards.Loader(self.path, 4, 32, memory="64MiB")
        batch = next(loader.batches())
        old = numpy.from_dlpack(batch.images)
        self.assertEqual(old.__array_interface__["data"][0], batch.images.__array_interface__["data"][0])
        self.assertEqual(batch.images.__dlpack_device__(), (1, 0))
        self.assertIn('"dltensor_versioned"', repr(batch.images.__dlpack__(max_version=(1, 1))))
        with self.assertRaises(BufferError):
            batch.images.__dlpack__(copy=True)
        with self.assertRaises(BufferError):
            batch.images.__dlpack__(dl_device=(2, 0))

    def test_kept_batches_fill_the_ring_and_come_back(self):
        loader = dlshards.Loader(self.path, 2, 32, ring_batches=3, memory="64MiB")
        kept = []
        with self.assertRaisesRegex(BufferError, "batch"):
            for images, labels in loader:
                kept.append((images, images.copy()))
        self.assertEqual(len(kept), 2)
        for lent, copied in kept:
            self.assertTrue((lent == copied).all())
        with self.assertRaises(BufferError):
            loader.close()
        kept.clear()
        del images, labels, lent, copied
        gc.collect()
        self.assertEqual(len(next(iter(loader))), 2)
        loader.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            len(loader)

    def test_arrays_outlive_a_loader_that_was_dropped(self):
        images = next(iter(dlshards.Loader(self.path, 4, 32, memory="64MiB")))[0]
        before = images.copy()
        gc.collect()
        self.assertTrue((images == before).all())

    def test_wrong_parameters(self):
        for params in ({"crop": "diagonal"}, {"memory": "much"}, {"batch_size": 0}, {"threads": 100000}, {"dtype": "int4"},
                       {"jitter": (0.1, 0.1)}, {"jitter": (0, 0, 0, 0.6)}, {"grayscale": float("nan")},
                       {"mean": (0.5, 0.5, 0.5)}, {"dtype": "float32", "std": (1, 1)},
                       {"dtype": "float32", "std": (0.2, 0, 0.2)},
                       {"augment": "imagenet"}, {"on_error": "ignore"}, {"dct_scale": "x"}, {"shuffle": "much"}, {"device": "tpu"}, {"device": "cuda:x"}, {"keep": "all"},
                       {"rank": 1}, {"rank": 2, "world_size": 2}, {"seed": -1}, {"epoch": 1 << 64}, {"threads": 1 << 40}):
            with self.assertRaises(ValueError, msg=str(params)):
                dlshards.Loader(self.path, **params)
        for params in ({"workers": 4}, {"order": 1}, {"first_epoch": 3}, {"state": b""}, {"batch_size": "4"}, {"seed": 1.5},
                       {"mean": 0.5, "dtype": "float32"}):
            with self.assertRaises(TypeError, msg=str(params)):
                dlshards.Loader(self.path, **params)
        with self.assertRaisesRegex(MemoryError, "memory"):
            dlshards.Loader(self.path, 4, memory=4096)
        with self.assertRaisesRegex(ValueError, "batch_size 25 is more than the 24 records"):
            dlshards.Loader(self.path, 25)

    def test_a_child_of_fork_is_refused_and_can_leave(self):
        loader = dlshards.Loader(self.path, 4, 32, memory="64MiB")
        child = os.fork()
        if child == 0:
            try:
                len(loader)
            except RuntimeError as error:
                os._exit(0 if "fork" in str(error) else 1)
            os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(len(next(iter(loader))), 2)

    def test_the_end_of_the_interpreter_with_a_loader_alive(self):
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); import run; run.load_package(sys.argv[2])\n"
            "import dlshards\n"
            "loader = dlshards.Loader(sys.argv[3], 4, 32, memory='64MiB'); images, labels = next(iter(loader))\n"
        )
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([sys.executable, "-c", code, here, os.environ["DLS_BUILD"], self.path], timeout=60)
        self.assertEqual(done.returncode, 0)

    def test_stats_and_verdict(self):
        loader = dlshards.Loader(self.path, 4, 32, epochs=1, memory="64MiB")
        batches = sum(1 for _ in loader)
        stats = loader.stats()
        self.assertEqual(stats["consume"]["items"], batches)
        self.assertIn(stats["engine"], ("io_uring", "pread"))
        self.assertLessEqual(stats["memory_bytes"], 64 << 20)
        self.assertTrue(loader.verdict())

    def test_damage_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, "bad.dls")
            subprocess.run(["cp", "-r", self.path, target], check=True)
            shard = os.path.join(target, "shard-00000.dls")
            with open(shard, "r+b") as file:
                file.seek(4096 + 8)
                file.write(b"\xff" * 8)
            with self.assertRaisesRegex(dlshards.Error, "shard-00000.dls"):
                for _ in dlshards.Loader(target, 4, 32, memory="64MiB", epochs=1):
                    pass


class ParseBytesTest(unittest.TestCase):
    def test_units(self):
        self.assertEqual(parse_bytes(5), 5)
        self.assertEqual(parse_bytes("2GiB"), 2 << 30)
        self.assertEqual(parse_bytes("64k"), 64 << 10)
        self.assertEqual(parse_bytes(" 7 MB "), 7 << 20)
        for text in ("", "GiB", "1.5G", "-1", "1x"):
            with self.assertRaises(ValueError, msg=text):
                parse_bytes(text)
