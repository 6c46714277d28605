# SPDX-License-Identifier: Apache-2.0
"""The loader and the dataset, as Python sees them."""

from __future__ import annotations

import os
import re
from typing import Any, Iterator, Sequence, Tuple, Union

import numpy
import numpy.typing

from . import _dlshards

Images = numpy.typing.NDArray[Any]
Labels = numpy.typing.NDArray[numpy.int64]
PathLike = Union[str, "os.PathLike[str]"]

_CHOICES = {
    "crop": ("squash", "center", "random", "five", "ten", "pad"),
    "filter": ("bilinear", "bicubic"),
    "on_error": ("fail", "skip", "substitute"),
    "dct_scale": ("exact", "fast"),
    "order": ("auto", "window", "none", "full"),
    "tail": ("drop", "pad", "exact"),
    "engine": ("auto", "uring", "pread"),
    "direct": ("auto", "on", "off"),
    "dtype": ("uint8", "float32", "float16", "bfloat16"),
    "layout": ("nhwc", "nchw"),
}
_UNITS = {"": 1, "k": 10, "m": 20, "g": 30, "t": 40}


def _choice(name: str, value: str) -> int:
    try:
        return _CHOICES[name].index(value)
    except ValueError:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(_CHOICES[name])}") from None


def _color(value: Sequence[int]) -> int:
    if len(value) != 3 or not all(0 <= part <= 255 for part in value):
        raise ValueError(f"pad_color={value!r}: expected red, green and blue, each 0 to 255")
    return value[0] << 16 | value[1] << 8 | value[2]


def parse_bytes(value: Union[int, str]) -> int:
    """An amount of memory: an int is bytes, a str is a number with k, M, G or T (powers of 1024), as "2GiB"."""
    if isinstance(value, int):
        return value
    match = re.fullmatch(r"\s*(\d+)\s*([kmgt]?)(i?b)?\s*", value, re.IGNORECASE)
    if not match:
        raise ValueError(f"{value!r} is not an amount of memory: expected a number and k, M, G or T, as '2GiB'")
    unit = match[2].lower()
    return int(match[1]) << (_UNITS[unit] if unit else 0)


class Dataset:
    """An open dataset directory. ``len()`` is the number of records.

    Raises FileNotFoundError when there is none at ``path``, dlshards.Error when it is damaged,
    NotImplementedError when a newer version made it.
    """

    def __init__(self, path: PathLike) -> None:
        self._dataset = _dlshards.Dataset(path)
        self.path = os.fspath(path)

    @property
    def classes(self) -> list[str]:
        """Class names; a label is an index into this list."""
        return self._dataset.classes()

    @property
    def info(self) -> dict[str, Any]:
        """Counts and sizes, as in ``dls_dataset_info`` (dataset.h)."""
        return self._dataset.info()

    def raw(self, number: int) -> dict[str, Any]:
        """Record ``number`` in stored order, as a dict of its fields; the image stays coded (the JPEG file's bytes)."""
        return self._dataset.raw(number)

    def __len__(self) -> int:
        return len(self._dataset)


class Loader:
    """Batches of a dataset, shuffled anew each epoch. Iterating it yields one epoch of ``(images, labels)``.

    images: numpy, of type ``dtype``, shape (count, height, width, 3), RGB, or (count, 3, height, width) with
    ``layout="nchw"``. labels: numpy int64, shape (count,).
    Both show the loader's own memory without a copy: it is lent until the last array on it is gone. At most
    ``ring_batches - 1`` batches can be kept at a time; one more raises BufferError (copy what is to be kept).

    dataset: a path or a Dataset. size: an int, or (height, width). crop: "squash" (the whole picture resized, as
    ``Resize((h, w))``), "center", "random" (RandomResizedCrop with crop_scale and crop_ratio), "five", "ten", or "pad".
    "center" with ``resize=256`` is ``Resize(256)`` and CenterCrop, without it the largest box of the target's aspect
    ratio. "five" and "ten" are ``Resize(resize)`` and FiveCrop or TenCrop: images then have the shape (count, 5 or 10,
    …). "pad" is Pillow's ``ImageOps.pad()`` with pad_color, (red, green, blue). filter: "bilinear" or "bicubic".
    flip: mirror half the pictures. order: "window" (shuffled within windows of blocks), "full" (a permutation of all
    records), "none" (as stored), or "auto", which is "window". tail: what becomes of a last, partly filled batch:
    "drop" it, or "exact": it is
    yielded with fewer samples ("pad" is the same here, since arrays show the filled places only). memory: the budget
    in bytes, or a str as "2GiB".

    dtype: "uint8"; or "float32", "float16", "bfloat16": (x / 255 - mean) / std, as torchvision's ToTensor and
    Normalize. numpy has no bfloat16: take ``batches()`` and DLPack for it, or TorchLoader. layout: "nhwc" or "nchw".
    mean, std: of red, green, blue, 1 = full scale. flip_vertical: turn half upside down. jitter: ColorJitter's
    (brightness, contrast, saturation, hue). grayscale: the probability of RandomGrayscale.

    on_error: "fail" at a record that is damaged or cannot be decoded, "skip" it (its batch has one sample fewer), or
    "substitute" a copy of its neighbour in the batch. strict: what a decoder only warns of is such an error. stats()
    counts both. dct_scale: "fast" decodes JPEGs at a fraction of their size where the images are much smaller; "exact"
    gives torchvision's pixels.

    The other parameters are those of ``dls_loader_params`` in loader.h; 0 = default.

    Each ``for`` loop is one epoch; leaving it early with ``break`` goes on with the same epoch in the next loop, so
    take all batches or open a new loader. After ``epochs`` epochs loops are empty.

    Raises ValueError (a parameter is out of range), MemoryError (the budget is too small: the text names the least
    that works), dlshards.Error (damaged data), OSError; RuntimeError when used after fork().
    """

    def __init__(
        self,
        dataset: Union[PathLike, Dataset],
        batch_size: int = 256,
        size: Union[int, Tuple[int, int]] = 224,
        *,
        crop: str = "squash",
        flip: bool = False,
        order: str = "auto",
        tail: str = "drop",
        seed: int = 0,
        first_epoch: int = 0,
        epochs: int = 0,
        threads: int = 0,
        memory: Union[int, str] = 0,
        engine: str = "auto",
        direct: str = "auto",
        dtype: str = "uint8",
        layout: str = "nhwc",
        mean: Sequence[float] = (0.0, 0.0, 0.0),
        std: Sequence[float] = (1.0, 1.0, 1.0),
        flip_vertical: bool = False,
        jitter: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        grayscale: float = 0.0,
        resize: int = 0,
        filter: str = "bilinear",
        crop_scale: Sequence[float] = (0.08, 1.0),
        crop_ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0),
        pad_color: Sequence[int] = (0, 0, 0),
        on_error: str = "fail",
        strict: bool = False,
        dct_scale: str = "exact",
        **params: int,
    ) -> None:
        height, width = (size, size) if isinstance(size, int) else size
        self.dataset = dataset if isinstance(dataset, Dataset) else Dataset(dataset)
        for name, value in (("batch_size", batch_size), ("height", height), ("width", width)):
            if value < 1:
                raise ValueError(f"{name} is {value}: expected 1 or more")
        if len(jitter) != 4:
            raise ValueError(f"jitter={jitter!r}: expected brightness, contrast, saturation and hue")
        if dtype == "uint8" and tuple(std) == (1.0, 1.0, 1.0):
            std = (0.0, 0.0, 0.0)  # not given
        self._dtype, self._layout = dtype, layout
        self._loader = _dlshards.Loader(
            self.dataset._dataset,
            batch_size=batch_size,
            width=width,
            height=height,
            crop=_choice("crop", crop),
            flip=int(flip),
            order=_choice("order", order),
            tail=_choice("tail", tail),
            seed=seed,
            first_epoch=first_epoch,
            epochs=epochs,
            threads=threads,
            memory_bytes=parse_bytes(memory),
            engine=_choice("engine", engine),
            direct=_choice("direct", direct),
            dtype=_choice("dtype", dtype),
            layout=_choice("layout", layout),
            mean=mean,
            std=std,
            flip_vertical=int(flip_vertical),
            brightness=jitter[0],
            contrast=jitter[1],
            saturation=jitter[2],
            hue=jitter[3],
            grayscale=grayscale,
            resize=resize,
            filter=_choice("filter", filter),
            crop_scale=crop_scale,
            crop_ratio=crop_ratio,
            pad_color=_color(pad_color),
            on_error=_choice("on_error", on_error),
            strict=int(strict),
            dct_scale=_choice("dct_scale", dct_scale),
            **params,
        )

    def batches(self) -> Iterator[_dlshards.Batch]:
        """One epoch of Batch objects, whose ``images``, ``labels`` and ``records`` are tensors for any DLPack consumer
        (``torch.from_dlpack(batch.images)``)."""
        while True:
            batch = self._loader.next()
            if batch is None:
                return
            yield batch
            del batch  # not held while the next one is awaited

    def __iter__(self) -> Iterator[Tuple[Images, Labels]]:
        if self._dtype == "bfloat16":
            raise TypeError("numpy has no bfloat16: use batches() and DLPack, or dlshards.torch.TorchLoader")
        return self._arrays()

    def _arrays(self) -> Iterator[Tuple[Images, Labels]]:
        for batch in self.batches():
            pair = (numpy.asarray(batch.images), numpy.asarray(batch.labels))
            del batch
            yield pair
            del pair

    def __len__(self) -> int:
        """Batches in each epoch."""
        return self._loader.batches()

    @property
    def classes(self) -> list[str]:
        """Class names; a label is an index into this list."""
        return self.dataset.classes

    def stats(self) -> dict[str, Any]:
        """Counters of each stage since the loader was opened, as in ``dls_stats`` (stats.h); times in ns."""
        return self._loader.stats()

    def verdict(self) -> str:
        """One sentence: whether the disk, the decoder or the consumer holds the rest up, and what would help."""
        return self._loader.verdict()

    def close(self) -> None:
        """Stops the threads and frees the memory. BufferError while arrays still show batches."""
        self._loader.close()

    def __enter__(self) -> "Loader":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
