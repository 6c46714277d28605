# SPDX-License-Identifier: Apache-2.0
"""Stream shuffled, decoded image batches from a dlshards dataset.

    import dlshards
    dlshards.pack("photos/", "train.dls")
    train = dlshards.Loader("train.dls", batch_size=256, size=224, augment="imagenet-train")
    for images, labels in train:
        ...

``dlshards.torch.TorchLoader`` yields torch tensors.
"""

from ._dlshards import Batch, Error, Tensor, __version__
from .dataset import Dataset
from .loader import Loader
from .options import DRAW
from .packer import PackError, pack

__all__ = ["DRAW", "Batch", "Dataset", "Error", "Loader", "PackError", "Tensor", "__version__", "pack"]
