# SPDX-License-Identifier: Apache-2.0
"""The programs of python/examples do what they say, on the sample photos. Skipped where their packages are missing."""

import importlib.util
import os
import re
import subprocess
import sys
import unittest

from sample import HERE, SAMPLE, WithDataset

EXAMPLES = HERE.parents[1] / "python" / "examples"


def needs(*packages):
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"this Python has no {', '.join(missing)}")


class ExamplesTest(WithDataset):
    def example(self, name, *args, launcher=()):
        command = [sys.executable, *launcher, str(HERE / "with_build.py"), os.environ["DLS_BUILD"], str(EXAMPLES / name), *args]
        done = subprocess.run(command, capture_output=True, text=True, timeout=250, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def check_line(self, text):
        self.assertRegex(text, r"\d+ images/s, waiting \d+%, memory \d+ MB, with children \d+ MB, /dev/shm \d+ MB")
        return re.findall(r"loss (\S+)", text)

    @needs("torch", "torchvision", "PIL")
    def test_training_with_the_dataloader(self):
        out = self.example("train_dataloader.py", str(SAMPLE), "--batch=8", "--size=64", "--workers=1")
        self.assertEqual(len(self.check_line(out)), 2)

    @needs("torch")
    def test_training_with_dlshards(self):
        out = self.example("train_dlshards.py", self.path, "--batch=8", "--size=64", "--memory=256MiB")
        self.assertEqual(len(self.check_line(out)), 2)
        self.assertIn("/dev/shm 0 MB", out)

    @needs("torch", "torchvision", "PIL")
    def test_the_same_crops_give_the_same_losses(self):
        import PIL

        if int(PIL.__version__.split(".")[0]) < 13:
            self.skipTest("Pillow is older than 13 and resizes otherwise")
        self.assertIn("equal\n", self.example("same_losses.py", self.path, "--steps=3"))

    @needs("torch")
    def test_two_ranks_under_torchrun(self):
        launcher = ("-m", "torch.distributed.run", "--nproc-per-node=2", "--master-port=0", "--rdzv-backend=c10d", "--rdzv-endpoint=localhost:0")
        out = self.example("ddp.py", self.path, launcher=launcher)
        self.assertEqual(len(re.findall(r"24 records, good", out)), 2, out)

    @needs("jax")
    def test_jax(self):
        self.assertEqual(len(self.example("jax_batches.py", self.path).splitlines()), 3)

    def test_the_trainer_in_c_learns(self):
        trainer = os.path.join(os.environ["DLS_BUILD"], "python", "trainer")
        if not os.access(trainer, os.X_OK):
            self.skipTest("it is not built")
        done = subprocess.run([trainer, self.path, "5"], capture_output=True, text=True, timeout=60, check=True)
        losses = [float(loss) for loss in re.findall(r"24 samples, loss (\S+)", done.stdout)]
        self.assertEqual(len(losses), 5)
        self.assertLess(losses[-1], losses[0])
        self.assertRegex(done.stdout, r"images/s, waiting \d+ %")
        done = subprocess.run([trainer, "/nowhere"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere", done.stderr)
