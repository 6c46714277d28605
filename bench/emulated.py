# SPDX-License-Identifier: Apache-2.0
"""An emulated disk (`dls-bench sim`) for scripts that let other programs read from it."""
import json
import subprocess
import sys
import time


class Disk:
    """The emulated disk, mounted for the length of a `with`; `report` is what it says at its end."""

    def __init__(self, bench, profile, folder, mountpoint, options):
        self.command = [bench, "sim", profile, folder, mountpoint, "--json"]
        if options:
            self.command.append("--options=" + options)
        self.mountpoint, self.report = mountpoint, None

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if "is ready" not in line:
            sys.exit(line)
        return self

    def __exit__(self, *_):
        for _ in range(50):
            if subprocess.run(["fusermount3", "-uq", self.mountpoint], check=False).returncode == 0:
                break
            time.sleep(0.1)
        out, _ = self.process.communicate(timeout=30)
        self.report = json.loads(out)
