# SPDX-License-Identifier: Apache-2.0
"""Processes, threads, signals and the end of things."""

import gc
import os
import threading
import time

import numpy

import dlshards
from sample import WithDataset


def threads():
    return sorted(open(f"/proc/self/task/{task}/comm").read().strip() for task in os.listdir("/proc/self/task"))


def ours():
    return [name for name in threads() if name.startswith("dls-")]


def files():
    return sorted(os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{fd}"))


class LifeTest(WithDataset):
    def test_a_loader_dropped_in_mid_epoch_frees_everything(self):
        before = files()
        loader = dlshards.Loader(self.path, 2, 16, memory="64MiB", threads=2)
        images, labels = next(iter(loader))
        self.assertEqual(len([name for name in ours() if name.startswith("dls-decode")]), 2)
        del loader, images, labels
        gc.collect()
        self.assertEqual(ours(), [])
        self.assertEqual(files(), before)

    def test_an_exception_in_the_loop_frees_everything(self):
        try:
            for images, labels in dlshards.Loader(self.path, 2, 16, memory="64MiB"):
                raise KeyError("of the consumer")
        except KeyError:
            pass
        del images, labels
        gc.collect()
        self.assertEqual(ours(), [])
        with self.assertRaises(KeyError):  # not BufferError: what went wrong first counts
            with dlshards.Loader(self.path, 2, 16, memory="64MiB") as loader:
                for images, labels in loader:
                    raise KeyError("of the consumer")

    def test_two_loaders_on_one_dataset(self):
        dataset = dlshards.Dataset(self.path)
        first, second = (dlshards.Loader(dataset, 4, 16, memory="64MiB", seed=9) for _ in range(2))
        for (images, labels), (images2, labels2) in zip(first, second):
            self.assertTrue((images == images2).all() and (labels == labels2).all())
            del images, labels, images2, labels2

    def test_other_threads_run_while_one_waits(self):
        loader = dlshards.Loader(self.path, 2, 16, ring_batches=2, memory="64MiB")
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(1)
                time.sleep(0.0005)

        other = threading.Thread(target=tick)
        other.start()
        for _ in range(20):
            for images, labels in loader:
                del images, labels
        stop.set()
        other.join()
        self.assertGreater(len(ticks), 3)

    def test_several_threads_take_batches(self):
        loader = dlshards.Loader(self.path, 2, 16, ring_batches=8, epochs=1, memory="64MiB")
        inner, seen, lock = loader._loader, [], threading.Lock()

        def take():
            while True:
                batch = inner.next()
                if batch is None:
                    return
                with lock:
                    seen.extend(numpy.asarray(batch.records).tolist())
                del batch

        workers = [threading.Thread(target=take) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(sorted(seen), list(range(self.count)))

    def test_ctrl_c_interrupts_a_wait(self):
        # One decode thread makes large pictures: nearly all of the time is spent waiting in next().
        code = (
            "import os, signal, threading, time\n"
            "loader = dlshards.Loader(path, 2, 2048, threads=1, memory='900MiB', epochs=0)\n"
            "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try:\n"
            "    while True:\n"
            "        for images, labels in loader: del images, labels\n"
            "except KeyboardInterrupt:\n"
            "    loader.close()\n"
            "    print('interrupted')\n"
        )
        done = self.child(code)
        self.assertEqual((done.stdout, done.returncode), ("interrupted\n", 0), done.stderr)

    def test_fork_after_open_is_refused_in_every_call_and_the_child_can_end(self):
        loader = dlshards.Loader(self.path, 4, 16, memory="64MiB")
        batch = next(loader.batches())
        child = os.fork()
        if child == 0:
            status = 0
            for call in (lambda: next(loader.batches()), loader.stats, loader.verdict, loader.state_dict, lambda: len(loader),
                         lambda: loader.dataset[0], lambda: loader.dataset.raw(0),
                         lambda: dlshards.Loader(loader.dataset, 4, 16)):
                try:
                    call()
                    status = 1
                except RuntimeError as error:
                    status |= 0 if "fork" in str(error) else 2
            fresh = dlshards.Loader(self.path, 4, 16, memory="64MiB")
            status |= 0 if len(next(iter(fresh))) == 2 else 4
            del batch, loader, fresh
            gc.collect()
            os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        del batch
        self.assertEqual(len(next(iter(loader))), 2)

    def test_spawned_processes_open_their_own(self):
        code = (
            "import multiprocessing, os\n"
            "from spawned import count\n"
            "if __name__ == '__main__':\n"
            "    context = multiprocessing.get_context('spawn')\n"
            "    dataset = dlshards.Dataset(path)\n"
            "    loader = dlshards.Loader(dataset, 4, 16, memory='64MiB'); next(iter(loader))\n"
            "    with context.Pool(2) as pool: print(sum(pool.map(count, [(dataset, 0), (dataset, 1)])))\n"
        )
        done = self.child(code, env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))})
        self.assertEqual((done.stdout.strip(), done.returncode), (str(self.count), 0), done.stderr)

    def test_a_loader_cannot_be_pickled(self):
        import pickle

        with self.assertRaisesRegex(TypeError, "cannot be pickled"):
            pickle.dumps(dlshards.Loader(self.path, 4, 16, memory="64MiB"))
        dataset = pickle.loads(pickle.dumps(dlshards.Dataset(self.path)))
        self.assertEqual(len(dataset), self.count)

    def test_the_interpreter_ends_with_arrays_and_capsules_alive(self):
        code = (
            "import numpy, threading\n"
            "loader = dlshards.Loader(path, 4, 16, memory='64MiB')\n"
            "it = loader.batches(); batch = next(it); view = memoryview(batch.images)\n"
            "array = numpy.from_dlpack(batch.images); capsule = batch.labels.__dlpack__()\n"
            "import sys; sys.modules['kept'] = (array, capsule, view, loader, it)\n"
            "def wait():\n"
            "    while True:\n"
            "        for b in loader.batches(): del b\n"
            "threading.Thread(target=wait, daemon=True).start()\n"
        )
        for _ in range(3):
            done = self.child(code)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_dataset_that_is_being_packed_is_not_there_yet(self):
        target = os.path.join(self.folder.name, "growing.dls")
        os.mkdir(target)
        with self.assertRaisesRegex(FileNotFoundError, "dataset.json"):
            dlshards.Loader(target)


class PackTest(WithDataset):
    def setUp(self):
        self.target = os.path.join(self.folder.name, self.id() + ".dls")
        from sample import SAMPLE

        self.source = SAMPLE

    def test_a_folder_becomes_a_dataset_and_progress_is_told(self):
        events = []
        summary = dlshards.pack(self.source, self.target, progress=events.append, seed=5, shuffle=False, threads=1)
        self.assertEqual((summary["records"], summary["classes"]), (self.count, len(self.classes)))
        self.assertEqual((events[-1]["files"], events[-1]["total_files"]), (self.count, self.count))
        dataset = dlshards.Dataset(self.target)
        self.assertEqual(len(dataset), self.count)
        self.assertEqual([dataset.raw(i)["label"] for i in range(self.count)], sorted(dataset.raw(i)["label"] for i in range(self.count)))

    def test_without_progress(self):
        for progress in (None, False, True):
            target = f"{self.target}-{progress}"
            self.assertEqual(dlshards.pack(str(self.source), target, progress=progress, quiet=True)["records"], self.count)

    def test_errors_are_the_tool_s(self):
        with self.assertRaisesRegex(dlshards.PackError, "nowhere"):
            dlshards.pack("/nowhere", self.target)
        with self.assertRaisesRegex(dlshards.PackError, "exist"):
            dlshards.pack(self.source, self.path)
        with self.assertRaisesRegex(ValueError, "block-size"):
            dlshards.pack(self.source, self.target, block_size="5")
        with self.assertRaisesRegex(ValueError, "colour"):
            dlshards.pack(self.source, self.target, colour="red")
        self.assertFalse(os.path.exists(self.target))

    def test_an_exception_of_the_callback_leaves_nothing_behind(self):
        def progress(event):
            raise KeyError("of the callback")

        before = set(os.listdir(self.folder.name))
        with self.assertRaises(KeyError):
            dlshards.pack(self.source, self.target, progress=progress)
        self.assertLessEqual(set(os.listdir(self.folder.name)) - before, {os.path.basename(self.target)})
