# SPDX-License-Identifier: Apache-2.0
"""Packing from Python: runs the tool ``dlpack-shards``, which comes with the package."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sysconfig
from typing import Any, Callable, Dict, List, Optional, Union

from .dataset import PathLike

Progress = Callable[[Dict[str, Any]], None]


class PackError(RuntimeError):
    """The tool failed; the text is its message."""


def _tool() -> str:
    beside = os.path.join(sysconfig.get_path("scripts"), "dlpack-shards")
    found = beside if os.access(beside, os.X_OK) else shutil.which("dlpack-shards")
    if not found:
        raise FileNotFoundError("dlpack-shards is neither installed beside this Python nor in PATH")
    return found


def _arguments(options: Dict[str, Any]) -> List[str]:
    """block_size="8M" → --block-size=8M, shuffle=False → --no-shuffle, hidden=True → --hidden."""
    arguments = []
    for name, value in options.items():
        option = name.replace("_", "-")
        if value is True:
            arguments.append(f"--{option}")
        elif value is False:
            arguments.append(f"--no-{option}")
        elif value is not None:
            arguments.append(f"--{option}={value}")
    return arguments


class _Bar:
    """tqdm's bar, where tqdm is."""

    def __init__(self) -> None:
        self._bar: Any = importlib.import_module("tqdm.auto").tqdm(unit="file", desc="packing", leave=False)

    def __call__(self, event: Dict[str, Any]) -> None:
        self._bar.total = event.get("total_files")
        self._bar.update(event.get("files", 0) - self._bar.n)

    def close(self) -> None:
        self._bar.close()


def _make_progress(progress: Union[None, bool, Progress]) -> Optional[Progress]:
    if callable(progress):
        return progress
    if not progress:
        return None
    try:
        return _Bar()
    except ImportError:
        return None


def _follow(process: "subprocess.Popen[str]", progress: Optional[Progress]) -> List[str]:
    """Hands progress on; returns the other lines."""
    assert process.stderr is not None
    messages = []
    for line in process.stderr:
        event = None
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except ValueError:
                pass
        if not isinstance(event, dict) or event.get("event") != "progress":
            messages.append(line)
        elif progress:
            progress(event)
    return messages


def pack(
    source: PathLike, target: PathLike, *, progress: Union[None, bool, Progress] = True, **options: Any
) -> Dict[str, Any]:
    """Packs the folder ``source`` (source/class/picture) into the new dataset ``target``; ``source`` is not touched.

    progress: True: a bar, where tqdm is installed; a function: called with a dict now and then, of "files",
    "total_files", "bytes", "total_bytes", "seconds"; False or None: nothing.
    options: those of ``dlpack-shards pack``, with _ for -: seed=1, shard_size="1G", threads=8, on_error="skip",
    report="skipped.jsonl", hidden=True, shuffle=False (for --no-shuffle), …

    Returns the tool's summary: "dataset", "records", "classes", "image_bytes", "codecs", "mean", "std", "skipped",
    "problems", "seconds", … Nothing is left behind if it fails, is interrupted, or ``progress`` raises.

    Raises PackError (with the tool's message), ValueError (an option that it does not take), KeyboardInterrupt,
    FileNotFoundError (no tool).
    """
    report = _make_progress(progress)
    command = [_tool(), "pack", "--json", "--progress=json" if report else "--progress=none"]
    command += _arguments(options) + ["--", os.fspath(source), os.fspath(target)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="surrogateescape")
    try:
        messages = _follow(process, report)
        summary = process.stdout.read() if process.stdout else ""
        status = process.wait()
    except BaseException:
        process.terminate()  # it removes what it has written
        process.communicate()
        raise
    finally:
        if isinstance(report, _Bar):
            report.close()
    text = "".join(messages).strip()
    if status == 2:
        raise ValueError(text)
    if status == 130:
        raise KeyboardInterrupt(text)
    if status != 0:
        raise PackError(text or f"dlpack-shards ended with status {status}")
    result: Dict[str, Any] = json.loads(summary)
    return result
