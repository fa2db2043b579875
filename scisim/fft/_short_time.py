"""Frames of a signal and their overlapping sum, each the transpose of the other; windows by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.values import shape
from scisim.ops.index import slice_axis
from scisim.ops.shape import broadcast, concat_p, reshape


# --- the primitives ------------------------------------------------------------------------------------------
def count_of(n: int, length: int, hop: int) -> int:
    """How many frames lie within n samples."""
    return (n - length) // hop + 1


def _frames(x: np.ndarray, length: int, hop: int) -> np.ndarray:
    """A view, in which a sample stands in several frames."""
    step = x.strides[-1]
    to = (*x.shape[:-1], count_of(x.shape[-1], length, hop), length)
    return np.lib.stride_tricks.as_strided(x, to, (*x.strides[:-1], hop * step, step), writeable=False)


def _overlap_add(f: np.ndarray, hop: int, n: int, out: np.ndarray | None = None) -> np.ndarray:
    y = np.empty((*f.shape[:-2], n), f.dtype) if out is None else out
    y[...] = 0
    count, length = f.shape[-2:]
    parts = -(-length // hop)
    if count <= parts:
        for k in range(count):
            y[..., k * hop : k * hop + length] += f[..., k, :]
        return y
    block = max(1, _CACHED // length)  # frames whose sums stay within a cache
    for first in range(0, count, block):
        some = f[..., first : first + block, :]
        for j in range(parts):  # the parts of frames that lie side by side
            part = some[..., j * hop : (j + 1) * hop]
            _rows(y[..., first * hop + j * hop :], part.shape, hop)[...] += part
    return y


def _rows(y: np.ndarray, to: tuple[int, ...], hop: int) -> np.ndarray:
    """The first elements of rows that begin at every hop."""
    step = y.strides[-1]
    return np.lib.stride_tricks.as_strided(y, to, (*y.strides[:-1], hop * step, step))


_CACHED = 1 << 15  # elements


def _labels(rank: int) -> Any:
    """Leading axes are independent; the last ones must be whole."""

    def labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
        lead = tuple(range(len(shapes[0]) - rank))
        return [lead + (None,) * rank], lead + (None,) * (3 - rank)

    return labels


frames_p = Primitive(
    "frames",
    _frames,
    into=lambda out, x, **p: np.copyto(out, _frames(x, **p)),
    axes=Axes(_labels(1)),
    infer=lambda avals, p: ShapeDtype(
        (*avals[0].shape[:-1], count_of(avals[0].shape[-1], p["length"], p["hop"]), p["length"]), avals[0].dtype
    ),
    linear=(0,),
    transpose=lambda i, ct, args, p: overlap_add_p(ct, hop=p["hop"], n=shape(args[0])[-1]),
)
overlap_add_p = Primitive(
    "overlap_add",
    _overlap_add,
    into=lambda out, f, **p: _overlap_add(f, **p, out=out),
    axes=Axes(_labels(2)),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-2], p["n"]), avals[0].dtype),
    linear=(0,),
    transpose=lambda i, ct, args, p: frames_p(ct, length=shape(args[0])[-1], hop=p["hop"]),
)


def overlapping(w: Any, count: int, hop: int) -> Any:
    """The sum of ``count`` equal frames; away from its ends it repeats itself after every hop."""
    m = shape(w)[-1]
    parts = -(-m // hop)
    few = min(count, 2 * parts)
    y = overlap_add_p(broadcast(w, (few, m)), hop=hop, n=(few - 1) * hop + m)
    if few == count:
        return y
    start = parts * hop
    period = broadcast(slice_axis(y, 0, start, start + hop), (count - few, hop))
    return concat_p(slice_axis(y, 0, 0, start), reshape(period, (-1,)), slice_axis(y, 0, start, None), axis=0)


# --- windows -------------------------------------------------------------------------------------------------
_COSINES = {"boxcar": (1.0,), "hann": (0.5, -0.5), "hamming": (0.54, -0.46), "blackman": (0.42, -0.5, 0.08)}


def window_of(name: str, given: Any, m: int) -> np.ndarray:
    """The window of that name, periodic with ``m`` samples, as transforms want it."""
    weights = _COSINES.get(given) if isinstance(given, str) else None
    if weights is not None:
        t = np.arange(m) * (2.0 * np.pi / m)
        return sum(c * np.cos(k * t) for k, c in enumerate(weights)) if m > 1 else np.ones(1)
    from scipy.signal import get_window

    try:
        return np.asarray(get_window(given, m))
    except (ValueError, TypeError) as error:
        raise ArgumentError(
            f"{name}: window={given!r} is no window that scipy.signal.get_window knows ({error}); give a name such as "
            f"'hann', a name with its parameters such as ('kaiser', 8.0), or the window's samples"
        ) from None
