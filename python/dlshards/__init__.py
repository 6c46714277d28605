# SPDX-License-Identifier: Apache-2.0
"""Stream shuffled, decoded image batches from a dlshards dataset.

    import dlshards
    for images, labels in dlshards.Loader("train.dls", batch_size=256, size=224, crop="random", flip=True):
        ...

Pack a folder first: ``dlpack-shards pack photos/ train.dls``.
"""

from ._dlshards import Error, __version__
from .loader import Dataset, Loader

__all__ = ["Dataset", "Error", "Loader", "__version__"]
