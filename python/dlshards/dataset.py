# SPDX-License-Identifier: Apache-2.0
"""An open dataset, and single records of it."""

from __future__ import annotations

import os
from typing import Any, Tuple, Union

import numpy
import numpy.typing

from . import _dlshards

PathLike = Union[str, "os.PathLike[str]"]


class Dataset:
    """An open dataset directory. ``len()`` is the number of records, ``dataset[i]`` a decoded one.

    ``dataset[i]`` is ``(image, label)``: numpy uint8 (height, width, 3), RGB, upright as its EXIF orientation says, and
    an int (-1 where there is none). This reads and decodes one record: to look at pictures, not to train from.
    Datasets can be pickled: a process that is started with spawn opens its own.

    Raises FileNotFoundError when there is none at ``path``, dlshards.Error when it is damaged,
    NotImplementedError when a newer version made it. Of records: IndexError, dlshards.Error, OSError; RuntimeError
    when used after fork().
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

    def _number(self, number: int) -> int:
        count = len(self._dataset)
        at = number + count if number < 0 else number
        if not 0 <= at < count:
            raise IndexError(f"record {number}: the dataset has {count}")
        return at

    def raw(self, number: int) -> dict[str, Any]:
        """Record ``number`` in stored order, as a dict of its fields; the image stays coded (the JPEG file's bytes)."""
        return self._dataset.raw(self._number(number))

    def __getitem__(self, number: int) -> Tuple[numpy.typing.NDArray[numpy.uint8], int]:
        if not hasattr(number, "__index__"):
            raise TypeError(f"records are numbered by int, not {type(number).__name__}")
        image, label = self._dataset.decode(self._number(number.__index__()))
        return numpy.asarray(image), label

    def __len__(self) -> int:
        return len(self._dataset)

    def __reduce__(self) -> Tuple[type, Tuple[PathLike]]:
        return type(self), (self.path,)

    def __repr__(self) -> str:
        return f"Dataset({self.path!r}): {len(self)} records, {len(self.classes)} classes"
