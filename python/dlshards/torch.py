# SPDX-License-Identifier: Apache-2.0
"""torch tensors instead of numpy arrays: ``from dlshards.torch import TorchLoader``."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Tuple

import torch
from torch.utils.dlpack import from_dlpack

from . import _dlshards
from .loader import Loader


class TorchLoader(Loader):
    """As Loader, but yields ``(images, labels)`` as torch tensors, on the CPU or the CUDA device, without a copy.

    images: torch.uint8 or what ``dtype`` says, (N, 3, height, width), or (N, 5 or 10, 3, …): with ``layout="nhwc"``, the default, a view
    in torch's channels_last format; contiguous with "nchw". labels: torch.int64, (N,).

    keys: two names, as ("pixel_values", "labels"): yields dicts instead, as Hugging Face's Trainer wants them.
    rank and world_size are those of torch.distributed, if it is initialised and they are not given.

    It takes a DataLoader's place in Lightning (``trainer.fit(model, loader)``), in Hugging Face's Trainer (return it from
    ``get_train_dataloader``) and in a plain loop. There is nothing to move: leave ``.to(device)`` out, or let it do
    nothing.
    """

    def __init__(
        self,
        *args: Any,
        keys: Optional[Tuple[str, str]] = None,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        **kwargs: Any,
    ) -> None:
        if keys is not None and (isinstance(keys, str) or len(keys) != 2):
            raise ValueError(f"keys={keys!r}: expected two names, of images and labels")
        self.keys = keys
        if rank is None and world_size is None and torch.distributed.is_available():
            if torch.distributed.is_initialized():
                rank, world_size = torch.distributed.get_rank(), torch.distributed.get_world_size()
        super().__init__(*args, rank=rank, world_size=world_size, **kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self._tensors(self.batches())

    def _tensors(self, batches: Iterator[_dlshards.Batch]) -> Iterator[Any]:
        for batch in batches:
            if batch.images is None:
                raise TypeError("the loader does not decode: use batches()")
            images = from_dlpack(batch.images)
            if self.layout == "nhwc":
                images = images.movedim(-1, -3)
            labels = from_dlpack(batch.labels)
            del batch
            yield (images, labels) if self.keys is None else {self.keys[0]: images, self.keys[1]: labels}
            del images, labels
