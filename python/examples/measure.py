# SPDX-License-Identifier: Apache-2.0
"""What a training loop waits for and what it holds: both programs of this folder print the same line."""

import os
import time


def _children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            for child in map(int, file.read().split()):
                found += [child] + _children(child)
    return found


def memory():
    """Bytes: resident memory of this process alone, the same of it and its children with shared pages counted once (PSS),
    and what lies in /dev/shm."""

    def of(pid, name):
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))

    together = 0
    for pid in [os.getpid()] + _children(os.getpid()):
        try:
            together += of(pid, "Pss:")
        except (OSError, StopIteration):
            pass  # it has just ended
    shm = os.statvfs("/dev/shm")
    return of(os.getpid(), "Rss:"), together, (shm.f_blocks - shm.f_bfree) * shm.f_frsize


class Meter:
    """Goes around a loader: `for images, labels in meter(loader)`."""

    def __init__(self):
        self.images = self.waiting = 0
        self.shm_before = memory()[2]
        self.shm = self.rss = self.together = 0
        self.started = None

    def __call__(self, loader):
        batches = iter(loader)
        while True:
            before = time.perf_counter()
            self.started = self.started or before
            try:
                images, labels = next(batches)
            except StopIteration:
                return
            self.waiting += time.perf_counter() - before
            self.images += len(labels)
            yield images, labels
            del images, labels

    def look(self):
        """At memory; between batches, where workers are alive."""
        rss, together, shm = memory()
        self.rss, self.together = max(self.rss, rss), max(self.together, together)
        self.shm = max(self.shm, shm - self.shm_before)

    def line(self, name):
        seconds = time.perf_counter() - self.started
        return (
            f"{name}: {self.images / seconds:.0f} images/s, waiting {self.waiting / seconds:.0%}, memory "
            f"{self.rss / 1e6:.0f} MB, with children {self.together / 1e6:.0f} MB, /dev/shm {self.shm / 1e6:.0f} MB"
        )
