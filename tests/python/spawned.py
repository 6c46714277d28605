# SPDX-License-Identifier: Apache-2.0
"""What a spawned process of test_life.py runs."""

import os
import sys

if "dlshards._dlshards" not in sys.modules:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import run

    run.load_package(os.environ["DLS_BUILD"])

import dlshards


def count(arguments):
    """The records that this rank of two gets, through the dataset that was sent here."""
    dataset, rank = arguments
    loader = dlshards.Loader(dataset, 5, 16, rank=rank, world_size=2, tail="exact", memory="64MiB", epochs=1)
    return sum(len(labels) for _, labels in loader)
