"""What is sent beside the numbers, each as one array: shape and dtype, and small values as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentTypeError, DTypeError

HEADER = 72  # int64 words: whether the dtype is one of ml_dtypes, ndim, 64 lengths, 48 bytes of its name


def header() -> np.ndarray:
    return np.zeros(HEADER, np.int64)


def describe(x: np.ndarray) -> np.ndarray:
    """Shape and dtype as one array of fixed length."""
    extension = x.dtype.type.__module__ == "ml_dtypes"  # bfloat16 and its kin
    if x.dtype.hasobject or (x.dtype.kind == "V" and not extension):
        raise DTypeError(f"an array of dtype {x.dtype} cannot be sent to another rank; send its parts as plain arrays.")
    words = header()
    words[0], words[1] = extension, x.ndim
    words[2 : 2 + x.ndim] = x.shape
    name = (x.dtype.name if extension else x.dtype.str).encode()
    words[66:].view(np.uint8)[: len(name)] = np.frombuffer(name, np.uint8)
    return words


def described(words: np.ndarray) -> tuple[tuple[int, ...], np.dtype]:
    shape = tuple(words[2 : 2 + words[1]].tolist())
    name = bytes(words[66:].view(np.uint8)).rstrip(b"\0").decode()
    if not words[0]:
        return shape, np.dtype(name)
    import ml_dtypes

    return shape, np.dtype(getattr(ml_dtypes, name))


def words(shape: tuple[int, ...], dtype: np.dtype) -> str:
    return f"{dtype.name}{list(shape)}"


def encode(value: Any) -> np.ndarray:
    """JSON with a leading 1, or the reason why there is none with a leading 0."""
    try:
        return np.frombuffer(b"1" + json.dumps(value).encode(), np.uint8)
    except (TypeError, ValueError) as error:
        return np.frombuffer(b"0" + str(error).encode(), np.uint8)


def decode(name: str, rank: int, text: np.ndarray) -> Any:
    data = text.tobytes()
    if data[:1] == b"1":
        return json.loads(data[1:])
    raise ArgumentTypeError(
        f"{name}: the value of rank {rank} cannot be written as JSON ({data[1:].decode()}). "
        "Send arrays by broadcast or all_gather, and only small plain values this way."
    )
