# SPDX-License-Identifier: Apache-2.0
"""What the arguments of Loader become: members of ``dls_loader_params``. A new one is a line of a table."""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping, Optional, Tuple, Union

import numpy

#: What was drawn for an image, ``dls_draw`` of batch.h: ``numpy.asarray(batch.draws).view(DRAW)[:, 0]``.
DRAW = numpy.dtype(
    [("epoch", "u8"), ("record", "u8")]
    + [(name, "u4") for name in ("x", "y", "width", "height", "resized_width", "resized_height")]
    + [("left", "i4"), ("top", "i4")]
    + [(name, "u1") for name in ("flip", "flip_vertical", "grayscale", "jitter")]
    + [("jitter_order", "u1", (4,)), ("jitter_factor", "f8", (4,))]
)

_CHOICES: Dict[str, Tuple[str, ...]] = {
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
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}

_IMAGENET: Dict[str, Any] = {
    "dtype": "float32",
    "layout": "nchw",
    "mean": (0.485, 0.456, 0.406),
    "std": (0.229, 0.224, 0.225),
}
_HALF: Dict[str, Any] = {"dtype": "float32", "layout": "nchw", "mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)}

#: What ``augment=`` stands for; arguments that are given besides it win.
PRESETS: Dict[str, Dict[str, Any]] = {
    "none": {},
    "imagenet-train": {"crop": "random", "flip": True, **_IMAGENET},
    "imagenet-eval": {"crop": "center", "resize": 256, "shuffle": False, "tail": "exact", **_IMAGENET},
    "half-train": {"flip": True, **_HALF},
    "half-eval": {"shuffle": False, "tail": "exact", **_HALF},
}

#: Arguments that a preset may set, and what they are without one.
DEFAULTS: Dict[str, Any] = {
    "crop": "squash",
    "resize": 0,
    "filter": "bilinear",
    "crop_scale": (0.0, 0.0),
    "crop_ratio": (0.0, 0.0),
    "pad_color": (0, 0, 0),
    "flip": False,
    "flip_vertical": False,
    "jitter": (0.0, 0.0, 0.0, 0.0),
    "grayscale": 0.0,
    "dtype": "uint8",
    "layout": "nhwc",
    "mean": (0.0, 0.0, 0.0),
    "std": (0.0, 0.0, 0.0),
    "shuffle": "auto",
    "tail": "drop",
}


def choice(name: str, value: object) -> int:
    """The number of one of the words that ``name`` takes."""
    words = _CHOICES[name]
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(words)}")
    return words.index(value)


def _color(value: Any) -> int:
    if len(value) != 3 or not all(0 <= part <= 255 for part in value):
        raise ValueError(f"pad_color={value!r}: expected red, green and blue, each 0 to 255")
    red, green, blue = value
    return int(red) << 16 | int(green) << 8 | int(blue)


def parse_replay(value: Any) -> bytes:
    """Draws as bytes; an array of them is sorted as the C API wants them."""
    if isinstance(value, bytes):
        return value
    return numpy.sort(numpy.asarray(value, DRAW).reshape(-1), order=("epoch", "record")).tobytes()


def parse_bytes(value: Union[int, str]) -> int:
    """An amount of memory: an int is bytes, a str is a number with k, M, G or T (powers of 1024), as "2GiB"."""
    if isinstance(value, int):
        return value
    match = re.fullmatch(r"\s*(\d+)\s*([kmgt]?)(i?b)?\s*", value, re.IGNORECASE)
    if not match:
        raise ValueError(f"{value!r} is not an amount of memory: expected a number and k, M, G or T, as '2GiB'")
    return int(match[1]) << _UNITS[match[2].lower()]


def parse_device(value: str) -> Tuple[int, int]:
    """("cpu" | "cuda" | "cuda:N") as (0 or 1, N)."""
    match = re.fullmatch(r"cpu|cuda(?::(\d+))?", value) if isinstance(value, str) else None
    if not match:
        raise ValueError(f"device={value!r}: expected 'cpu', 'cuda' or 'cuda:N'")
    return (0, 0) if value == "cpu" else (1, int(match[1] or 0))


def parse_shuffle(value: Union[bool, str]) -> int:
    """True, False or a word of the C API."""
    if isinstance(value, bool):
        value = "auto" if value else "none"
    try:
        return choice("order", value)
    except ValueError:
        raise ValueError(f"shuffle={value!r}: expected True, False or one of {', '.join(_CHOICES['order'])}") from None


def with_preset(augment: Optional[str], given: Mapping[str, Any]) -> Dict[str, Any]:
    """Each argument of DEFAULTS: as given (None: not given), else as the preset says, else its default."""
    preset = PRESETS.get(augment or "none")
    if preset is None:
        raise ValueError(f"augment={augment!r}: expected one of {', '.join(PRESETS)}")
    return {
        name: given[name] if given.get(name) is not None else preset.get(name, default)
        for name, default in DEFAULTS.items()
    }


def pixel_params(size: Union[int, Tuple[int, int]], chosen: Mapping[str, Any]) -> Dict[str, Any]:
    """What is made of a picture, in the C API's members."""
    height, width = (size, size) if isinstance(size, int) else size
    jitter = tuple(chosen["jitter"])
    if len(jitter) != 4:
        raise ValueError(f"jitter={jitter!r}: expected brightness, contrast, saturation and hue")
    params: Dict[str, Any] = {"height": height, "width": width}
    params.update((name, choice(name, chosen[name])) for name in ("crop", "filter", "dtype", "layout", "tail"))
    params.update((name, int(chosen[name])) for name in ("flip", "flip_vertical"))
    params.update(zip(("brightness", "contrast", "saturation", "hue"), jitter))
    params.update((name, chosen[name]) for name in ("resize", "crop_scale", "crop_ratio", "grayscale", "mean", "std"))
    params["pad_color"] = _color(chosen["pad_color"])
    params["order"] = parse_shuffle(chosen["shuffle"])
    return params
