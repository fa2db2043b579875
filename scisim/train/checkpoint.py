"""Checkpoints: folders of zarr arrays with a description in JSON, written whole or not at all.

A checkpoint is data: loading runs no code from it.  It is written beside its place and renamed, so that a run that dies
while writing leaves the one before; every array carries a checksum, since a lost chunk would read as zeros.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from scisim.core.checks import is_integer
from scisim.core.errors import ArgumentError, ArgumentTypeError, CheckpointError, FileError

VERSION = 1
_DESCRIPTION, _ARRAYS = "checkpoint.json", "arrays.zarr"
_NAME = re.compile(r"step-(\d{8,})$")
PathLike = str | os.PathLike[str]


class Checkpoints:
    """Where the checkpoints of a run go, how often, and how many are kept.

    Parameters
    ----------
    path : path
        A folder of the run's own; made if need be.
    every : int
        Steps between checkpoints; the last step has one anyway.
    keep : int
        How many are kept, the newest.

    Examples
    --------
    >>> from scisim import train
    >>> train.Checkpoints("run1", every=50)
    Checkpoints('run1', every=50, keep=2)
    """

    def __init__(self, path: PathLike, every: int = 100, keep: int = 2) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentTypeError(f"Checkpoints: path is {path!r}; expected the path of a folder")
        self.path, self.every, self.keep = os.fspath(path), every, keep
        for name, n in (("every", every), ("keep", keep)):
            if not is_integer(n, 1):
                raise ArgumentError(f"Checkpoints: {name} is {n!r}; expected a positive integer")

    def __repr__(self) -> str:
        return f"Checkpoints({self.path!r}, every={self.every}, keep={self.keep})"

    def steps(self) -> list[int]:
        """The steps of which there are checkpoints, in order."""
        if not os.path.isdir(self.path):
            return []
        names = [name for name in os.listdir(self.path) if os.path.isdir(os.path.join(self.path, name))]
        return sorted(int(m[1]) for name in names if (m := _NAME.match(name)))

    def folder(self, step: int) -> str:
        """The folder of a step's checkpoint."""
        return os.path.join(self.path, f"step-{step:08d}")

    def prepare(self) -> None:
        """Make the folder, and find out before any work whether it can be written."""
        try:
            os.makedirs(self.path, exist_ok=True)
            probe = os.path.join(self.path, f".probe-{os.getpid()}")
            with open(probe, "wb"):
                pass
            os.remove(probe)
        except OSError as error:
            raise FileError(
                f"fit: cannot write checkpoint={self.path!r} ({error.strerror or error}); give a folder that you may "
                f"write to"
            ) from error

    def clear(self) -> None:
        """Remove what runs that died while writing have left."""
        for name in os.listdir(self.path):
            if name.startswith(".step-"):
                shutil.rmtree(os.path.join(self.path, name), ignore_errors=True)

    def write(self, step: int, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
        """Write a step's checkpoint, and remove those beyond ``keep``."""
        target = self.folder(step)
        if not os.path.isdir(target):
            write(target, {**meta, "step": step}, arrays)
        for old in self.steps()[: -self.keep]:
            shutil.rmtree(self.folder(old), ignore_errors=True)
        return target

    def latest(self) -> str:
        """The folder of the newest checkpoint."""
        steps = self.steps()
        if not steps:
            there = "has none" if os.path.isdir(self.path) else "does not exist"
            raise CheckpointError(
                f"fit: no checkpoint to resume from: {self.path!r} {there}; check the path, or start without resume"
            )
        return self.folder(steps[-1])


def write(folder: str, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a description and arrays to a new folder, whole or not at all."""
    parent = os.path.dirname(os.path.abspath(folder))
    draft = os.path.join(parent, f".{os.path.basename(folder)}-{os.getpid()}")
    try:
        os.makedirs(parent, exist_ok=True)
        shutil.rmtree(draft, ignore_errors=True)
        os.mkdir(draft)
        listing = _write_arrays(os.path.join(draft, _ARRAYS), arrays)
        description = {"format": "scisim checkpoint", "version": VERSION, **meta, "arrays": listing}
        description["sha256"] = _digest_text(description)
        with open(os.path.join(draft, _DESCRIPTION), "w", encoding="utf-8") as file:
            json.dump(description, file, indent=1)
        _flush(draft)
        os.replace(draft, folder)
        _flush_folder(parent)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise FileError(
            f"checkpoint: cannot write {folder!r} ({error.strerror or error}); free space, or give a folder that you "
            f"may write to"
        ) from error


def _write_arrays(path: str, arrays: Mapping[str, np.ndarray]) -> dict[str, dict]:
    import zarr

    with _quiet():
        group = zarr.open_group(path, mode="w", zarr_format=3)
        for name, a in arrays.items():
            group.create_array(name, shape=a.shape, dtype=a.dtype, chunks=a.shape or "auto")[...] = a
    return {name: {"shape": list(a.shape), "dtype": a.dtype.str, "sha256": _digest(a)} for name, a in arrays.items()}


def read(folder: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Description and arrays of a checkpoint, each array compared with its checksum."""
    meta = _read_description(folder)
    arrays = {}
    for name, entry in meta["arrays"].items():
        a = _read_array(folder, name)
        if list(a.shape) != entry["shape"] or a.dtype.str != entry["dtype"] or _digest(a) != entry["sha256"]:
            raise _damaged(folder, f"the array {name!r} is not what was written")
        arrays[name] = a
    return meta, arrays


def _read_description(folder: str) -> dict[str, Any]:
    if not os.path.isdir(folder):
        raise CheckpointError(f"checkpoint: there is no {folder!r}; check the path")
    try:
        with open(os.path.join(folder, _DESCRIPTION), encoding="utf-8") as file:
            meta = json.load(file)
    except FileNotFoundError:
        raise CheckpointError(
            f"checkpoint: {folder!r} has no {_DESCRIPTION}: it is no checkpoint, or was cut short; {_WAY_OUT}"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(folder, f"{_DESCRIPTION} cannot be read ({error})") from error
    if (
        not isinstance(meta, dict)
        or meta.get("format") != "scisim checkpoint"
        or not isinstance(meta.get("arrays"), dict)
    ):
        raise CheckpointError(f"checkpoint: {folder!r} is no checkpoint of scisim; check the path")
    if meta.get("version") != VERSION:
        raise CheckpointError(
            f"checkpoint: {folder!r} is of format version {meta.get('version')}, this scisim reads version {VERSION}; "
            f"load it with the scisim that wrote it ({meta.get('scisim')}), or train again"
        )
    if meta.pop("sha256", None) != _digest_text(meta):
        raise _damaged(folder, f"{_DESCRIPTION} is not what was written")
    return meta


def _read_array(folder: str, name: str) -> np.ndarray:
    import zarr

    try:
        with _quiet():
            return np.asarray(zarr.open_group(os.path.join(folder, _ARRAYS), mode="r")[name][...])
    except Exception as error:
        raise _damaged(folder, f"the array {name!r} cannot be read ({type(error).__name__}: {error})") from error


_WAY_OUT = "remove that folder to resume from the checkpoint before it, or start without resume"


def _damaged(folder: str, what: str) -> CheckpointError:
    return CheckpointError(f"checkpoint: {folder!r} is damaged or was cut short: {what}; {_WAY_OUT}")


def _digest(a: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()


def _digest_text(description: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()


@contextlib.contextmanager
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zarr warns of its own coming changes
        yield


def _flush(folder: str) -> None:
    """Have everything on the disk before the name says that it is there."""
    for root, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(root, name), "rb") as file:
                os.fsync(file.fileno())
        _flush_folder(root)


def _flush_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
