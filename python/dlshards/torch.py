# SPDX-License-Identifier: Apache-2.0
"""torch tensors instead of numpy arrays: ``from dlshards.torch import TorchLoader``."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import torch

from .loader import Loader


class TorchLoader(Loader):
    """As Loader, but yields ``(images, labels)`` as torch tensors on the CPU, without a copy.

    images: torch.uint8 or what ``dtype`` says, (count, 3, height, width): with ``layout="nhwc"``, the default, a view
    in torch's channels_last format; contiguous with "nchw".
    labels: torch.int64, (count,).
    """

    def __iter__(self) -> Iterator[Tuple[Any, Any]]:  # type: ignore[override]
        for batch in self.batches():
            images = torch.from_dlpack(batch.images)
            if self._layout == "nhwc":
                images = images.movedim(-1, -3)
            pair = (images, torch.from_dlpack(batch.labels))
            del batch, images
            yield pair
            del pair
