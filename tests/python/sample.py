# SPDX-License-Identifier: Apache-2.0
"""A dataset packed from the sample photos, once a test class."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import dlshards

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "sample"


class WithDataset(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "sample.dls")
        tool = os.path.join(os.environ["DLS_BUILD"], "tools", "dlpack-shards")
        subprocess.run([tool, "pack", "-q", "--block-size=256k", str(SAMPLE), cls.path], check=True)
        cls.classes = sorted(entry.name for entry in (SAMPLE).iterdir() if entry.is_dir())
        cls.count = len(dlshards.Dataset(cls.path))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def child(self, code, *args, **options):
        """Runs Python code that finds the package as this process does: `path` is the dataset, `args` are its others."""
        start = (
            "import sys; sys.path.insert(0, sys.argv[1]); import run; run.load_package(sys.argv[2])\n"
            "import dlshards; path, args = sys.argv[3], sys.argv[4:]\n"
        )
        command = [sys.executable, "-c", start + code, str(HERE), os.environ["DLS_BUILD"], self.path, *args]
        return subprocess.run(command, timeout=120, capture_output=True, text=True, **options)
