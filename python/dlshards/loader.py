# SPDX-License-Identifier: Apache-2.0
"""The loader as Python sees it."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union

import numpy
import numpy.typing

from . import _dlshards
from .dataset import Dataset, PathLike
from .options import choice, parse_bytes, parse_device, parse_replay, pixel_params, with_preset

Images = numpy.typing.NDArray[Any]
Labels = numpy.typing.NDArray[numpy.int64]

_STATE_VERSION = 1


class Loader:
    """Batches of a dataset, shuffled anew each epoch. Iterating it yields one epoch of ``(images, labels)``.

    images: numpy, of type ``dtype``, shape (N, height, width, 3), RGB, or (N, 3, height, width) with
    ``layout="nchw"``. labels: numpy int64, shape (N,), -1 where there is none. N is ``batch_size``, and less for
    the last batch with ``tail="exact"``. Both show the loader's own memory without a copy: it is lent until the last
    array on it is gone. With ``device="cuda"`` both are Tensors on the device, for any DLPack consumer.

    What to read
        dataset: a path or a Dataset. batch_size: samples. size: an int, or (height, width).
        shuffle: "auto" or True; "window" (in windows of blocks); "full" (a permutation of all records, each read by
        itself); False or "none" (as stored). seed: of the shuffle and of augmentation. epoch: the number of
        the first one. epochs: how many, then loops are empty; 0: no end.
        rank, world_size: of the processes that share each epoch; None: as torchrun, srun or mpirun say.
        tail: what becomes of a last batch that is not full: "drop" it; "pad": it has empty places, label -1 and black,
        and every rank gets as many batches (``batches()`` has ``valid``); "exact": it is smaller.

    What becomes of a picture
        augment: a preset, one of dlshards.options.PRESETS: "imagenet-train", "imagenet-eval", "half-train",
        "half-eval". Arguments given besides it win.
        crop: "squash" (the whole picture resized, as ``Resize((h, w))``); "center", with ``resize=256`` as ``Resize(256)``
        and CenterCrop, else the largest box of the target's aspect ratio; "random" (RandomResizedCrop with crop_scale
        and crop_ratio); "five" or "ten": ``Resize(resize)`` and FiveCrop or TenCrop, images are (N, 5 or 10, …); or
        "pad", Pillow's ``ImageOps.pad()`` with pad_color, (red, green, blue). filter: "bilinear" or "bicubic".
        masks: name of an image field that goes the image's way, with Pillow's NEAREST and without colours;
        ``batches()`` have ``masks``. mask_pad: their value where "pad" leaves the ground. boxes: name of a float field with
        x0, y0, x1, y1 of each box in pixels of the upright picture; ``batches()`` have ``boxes``, in pixels of the image.
        draws: True: ``batches()`` tell what was drawn (``batch.draws``, see dlshards.DRAW), to turn masks or boxes in the
        same way. replay: such draws, to be made again.
        flip, flip_vertical: mirror half the pictures. jitter: ColorJitter's (brightness, contrast, saturation, hue).
        grayscale: the probability of RandomGrayscale.
        dtype: "uint8"; or "float32", "float16", "bfloat16": (x / 255 - mean) / std, as torchvision's ToTensor and
        Normalize. numpy has no bfloat16: take ``batches()`` and DLPack for it, or TorchLoader. layout: "nhwc" or
        "nchw". mean, std: of red, green, blue, 1 = full scale.

    Where and how
        device: "cpu", "cuda" or "cuda:N". threads: that decode; None: the CPUs of this process. memory: the budget in
        bytes, or a str as "2GiB"; None: 1 GiB, or a quarter of the machine's if that is less.
        keep: at most ``ring_batches - 1`` (of 4) batches can be in use at a time. "error": one more raises BufferError.
        "copy": the last of them is a copy of its own memory, so that any number can be kept.
        on_error: "fail" at a record that is damaged or cannot be decoded, "skip" it (its batch has one sample fewer), or
        "substitute" a copy of its neighbour in the batch. strict: what a decoder only warns of is such an error.
        stats() counts both. dct_scale: "fast" decodes JPEGs at a fraction of their size where the images are much
        smaller; "exact" gives torchvision's pixels.
        engine, direct and the other parameters are those of ``dls_loader_params`` in loader.h; 0 = default.

    Each ``for`` loop is an epoch. A loop that was left early is over: the next one begins the next epoch, except behind
    ``load_state_dict()``, which goes on where the state was saved.

    Raises ValueError (an argument is out of range), TypeError (unknown or of a wrong type), MemoryError (the budget is
    too small: the text names the least that works), dlshards.Error (damaged data), FileNotFoundError and other
    OSErrors, NotImplementedError (built without CUDA), RuntimeError (no CUDA device; used after fork(); a newer loop
    has begun), BufferError (too many batches are kept).
    """

    def __init__(
        self,
        dataset: Union[PathLike, Dataset],
        batch_size: int = 256,
        size: Union[int, Tuple[int, int]] = 224,
        *,
        augment: Optional[str] = None,
        crop: Optional[str] = None,
        resize: Optional[int] = None,
        filter: Optional[str] = None,
        crop_scale: Optional[Sequence[float]] = None,
        crop_ratio: Optional[Sequence[float]] = None,
        pad_color: Optional[Sequence[int]] = None,
        flip: Optional[bool] = None,
        flip_vertical: Optional[bool] = None,
        jitter: Optional[Sequence[float]] = None,
        grayscale: Optional[float] = None,
        dtype: Optional[str] = None,
        layout: Optional[str] = None,
        mean: Optional[Sequence[float]] = None,
        std: Optional[Sequence[float]] = None,
        shuffle: Union[None, bool, str] = None,
        tail: Optional[str] = None,
        seed: int = 0,
        epoch: int = 0,
        epochs: int = 0,
        rank: Optional[int] = None,
        world_size: Optional[int] = None,
        threads: Optional[int] = None,
        memory: Union[None, int, str] = None,
        device: str = "cpu",
        keep: str = "error",
        on_error: str = "fail",
        strict: bool = False,
        dct_scale: str = "exact",
        masks: Optional[str] = None,
        mask_pad: int = 0,
        boxes: Optional[str] = None,
        draws: bool = False,
        replay: Any = None,
        engine: str = "auto",
        direct: str = "auto",
        **params: int,
    ) -> None:
        chosen = with_preset(augment, locals())
        if rank is not None and world_size is None:
            raise ValueError("rank is given without world_size")
        if keep not in ("error", "copy"):
            raise ValueError(f"keep={keep!r}: expected 'error' or 'copy'")
        if keep == "copy" and device != "cpu":
            raise ValueError("keep='copy' copies on the CPU: with a device, copy what is to be kept there")
        self.dataset = dataset if isinstance(dataset, Dataset) else Dataset(dataset)
        self.batch_size = batch_size
        self.dtype, self.layout = chosen["dtype"], chosen["layout"]
        self._keep, self._on_device = keep, device != "cpu"
        own: Dict[str, Any] = dict(
            pixel_params(size, chosen),
            batch_size=batch_size,
            seed=seed,
            world=world_size or 0,
            rank=rank or 0,
            threads=threads or 0,
            memory_bytes=0 if memory is None else parse_bytes(memory),
            engine=choice("engine", engine),
            direct=choice("direct", direct),
            on_error=choice("on_error", on_error),
            strict=int(strict),
            dct_scale=choice("dct_scale", dct_scale),
            mask_field=None if masks is None else masks.encode(),
            mask_pad=mask_pad,
            boxes_field=None if boxes is None else boxes.encode(),
            draws=int(draws),
            replay=b"" if replay is None else parse_replay(replay),
        )
        own["device"], own["device_index"] = parse_device(device)
        for name in params.keys() & (own.keys() | {"first_epoch", "state"}):
            raise TypeError(f"Loader: '{name}' is set by other arguments: see help(dlshards.Loader)")
        self._params: Dict[str, Any] = {**params, **own}
        for name in ("batch_size", "height", "width"):
            if self._params[name] < 1:
                raise ValueError(f"{name} is {self._params[name]}: expected 1 or more")
        self._first, self._epochs = epoch, epochs
        self._wanted: Optional[int] = None  # by set_epoch()
        self._loop, self._last = 0, False
        self._loader = self._open(epoch)

    # Where the C loader stands: _from: the epoch it was opened at; _epoch, _begun, _last: that of the next batch, whether
    # batches of it are out, and whether all are; _resumed: a state put it there. _loop: the number of the newest loop.

    def _open(self, epoch: int, state: bytes = b"", saved: Optional[Mapping[str, Any]] = None) -> _dlshards.Loader:
        start = epoch if saved is None else int(saved["from"])
        left = max(self._first + self._epochs - start, 0) if self._epochs else 0
        self._over = bool(self._epochs) and epoch >= self._first + self._epochs
        params = dict(self._params, epochs=1 if self._over else left)
        if saved is None:
            params["first_epoch"] = epoch
        else:
            params["state"] = state
            if self._over:
                params["epochs"] = 0
        loader = _dlshards.Loader(self.dataset._dataset, self._keep == "copy", **params)
        self._from, self._epoch = start, epoch
        self._begun, self._resumed = (False, False) if saved is None else (bool(saved["begun"]), True)
        return loader

    def _move(self, epoch: int) -> None:
        try:
            self._loader.close()
        except BufferError:
            pass  # arrays still show its batches: it ends with the last of them
        self._loader = self._open(epoch)

    def _settle(self) -> None:
        """Goes to where set_epoch() said."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None and not (wanted == self._epoch and (self._resumed or not self._begun)):
            self._move(wanted)

    def _end(self) -> None:
        self._epoch, self._begun = self._epoch + 1, False
        self._over = bool(self._epochs) and self._epoch >= self._first + self._epochs

    def _begin(self) -> None:
        self._loop += 1
        # Some trainers count batches and do not ask for the end of an epoch.
        if self._begun and self._last and not self._resumed and self._loader.next() is None:
            self._end()
        if self._wanted is None and self._begun and not self._resumed:
            self._wanted = self._epoch + 1
        self._settle()
        self._resumed = False

    def batches(self) -> Iterator[_dlshards.Batch]:
        """One epoch of Batch objects, whose ``images``, ``labels``, ``records`` and ``valid`` are tensors for any DLPack
        consumer (``torch.from_dlpack(batch.images)``)."""
        self._begin()
        return self._batches(self._loop)

    def _batches(self, loop: int) -> Iterator[_dlshards.Batch]:
        while not self._over:
            if self._loop != loop:
                raise RuntimeError("another loop over this loader has begun: this one cannot go on")
            batch = self._loader.next()
            if batch is None:
                self._end()
                return
            self._epoch, self._begun, self._last = batch.epoch, True, batch.index + 1 >= len(self)
            yield batch
            del batch  # not held while the next one is awaited

    def __iter__(self) -> Iterator[Tuple[Any, Any]]:
        if self.dtype == "bfloat16" and not self._on_device:
            raise TypeError("numpy has no bfloat16: use batches() and DLPack, or dlshards.torch.TorchLoader")
        return self._pairs(self.batches())

    def _pairs(self, batches: Iterator[_dlshards.Batch]) -> Iterator[Tuple[Any, Any]]:
        for batch in batches:
            pair: Tuple[Any, Any] = (batch.images, batch.labels)
            if not self._on_device:
                pair = (None if pair[0] is None else numpy.asarray(pair[0]), numpy.asarray(pair[1]))
            del batch
            yield pair
            del pair

    def __len__(self) -> int:
        """Batches in each whole epoch, of this rank."""
        return self._loader.batches()

    def set_epoch(self, epoch: int) -> None:
        """The next loop is this epoch, from its beginning (or, behind ``load_state_dict()``, from where that stands in
        it). In turn, 0, 1, 2, …, it costs nothing; other epochs start reading anew."""
        if epoch < 0:
            raise ValueError(f"epoch is {epoch}: expected 0 or more")
        self._wanted = epoch

    def state_dict(self) -> Dict[str, Any]:
        """Where the run stands, behind the last batch that was handed out: below 2 KiB, for torch.save(), pickle or json.
        One rank's stands for all, if they have taken as many batches; any number of ranks can go on with it."""
        self._settle()
        return {
            "dlshards": _STATE_VERSION,
            "state": self._loader.state().hex(),
            "from": self._from,
            "epoch": self._epoch,
            "begun": self._begun,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on where ``state_dict()`` was called, on the same dataset; batch_size, threads and the number of ranks may
        differ. The next loop yields what is left of the epoch.

        Raises ValueError if it is not a state, or of another dataset, seed or order."""
        if not isinstance(state, Mapping) or state.get("dlshards") != _STATE_VERSION:
            raise ValueError("not a state of a dlshards loader, or of a newer version")
        missing = {"state", "from", "epoch", "begun"} - set(state)
        if missing:
            raise ValueError(f"the state lacks {', '.join(sorted(missing))}")
        loader = self._loader
        self._loader = self._open(int(state["epoch"]), bytes.fromhex(state["state"]), state)
        self._wanted = None
        try:
            loader.close()
        except BufferError:
            pass

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
        try:
            self.close()
        except BufferError:
            if exc[0] is None:
                raise  # else the exception on its way is what counts: its frames hold the arrays

    def __reduce__(self) -> Any:
        raise TypeError("a Loader has threads and cannot be pickled: open one in the process that uses it")
