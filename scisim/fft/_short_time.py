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


def reach_of(count: int, length: int, hop: int) -> int:
    """How many samples that many frames take."""
    return (count - 1) * hop + length


def _frames(x: np.ndarray, length: int, hop: int, pad: tuple[int, int]) -> np.ndarray:
    """A view of the signal with zeros on both sides, in which a sample stands in several frames."""
    n = x.shape[-1]
    if pad != (0, 0):
        whole = np.zeros((*x.shape[:-1], pad[0] + n + pad[1]), x.dtype)
        whole[..., pad[0] : pad[0] + n] = x
        x = whole
    to = (*x.shape[:-1], count_of(x.shape[-1], length, hop), length)
    return _rows(x, to, hop, False)


def _rows(x: np.ndarray, to: tuple[int, ...], hop: int, writeable: bool) -> np.ndarray:
    """Rows that begin at every hop."""
    step = x.strides[-1]
    return np.lib.stride_tricks.as_strided(x, to, (*x.strides[:-1], hop * step, step), writeable=writeable)


def _overlap_add(f: np.ndarray, hop: int, start: int, n: int, out: np.ndarray | None = None) -> np.ndarray:
    """The samples from ``start`` on of frames that are added where they overlap."""
    reach = reach_of(f.shape[-2], f.shape[-1], hop)
    if start == 0 and n >= reach:
        y = np.empty((*f.shape[:-2], n), f.dtype) if out is None else out
        _add_frames(y, f, hop)
        return y
    y = np.empty((*f.shape[:-2], max(start + n, reach)), f.dtype)
    _add_frames(y, f, hop)
    part = y[..., start : start + n]
    if out is None:
        return part
    out[...] = part
    return out


def _add_frames(y: np.ndarray, f: np.ndarray, hop: int) -> None:
    y[...] = 0
    count, length = f.shape[-2:]
    parts = -(-length // hop)
    if count <= parts:
        for k in range(count):
            y[..., k * hop : k * hop + length] += f[..., k, :]
        return
    # The parts of frames that lie side by side, as rows of the result.
    cut = [slice(j * hop, min((j + 1) * hop, length)) for j in range(parts)]
    rows = [_rows(y[..., c.start :], (*y.shape[:-1], count, c.stop - c.start), hop, True) for c in cut]
    block = max(1, _CACHED // length)  # frames whose sums stay within a cache
    for first in range(0, count, block):
        some = slice(first, first + block)
        for into, c in zip(rows, cut, strict=True):
            into[..., some, :] += f[..., some, c]


_CACHED = 1 << 16  # elements


def _labels(rank: int) -> Any:
    """Leading axes are independent; the last ones must be whole."""

    def labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
        lead = tuple(range(len(shapes[0]) - rank))
        return [lead + (None,) * rank], lead + (None,) * (3 - rank)

    return labels


def _frames_infer(avals: tuple, p: dict) -> ShapeDtype:
    x, length = avals[0], p["length"]
    return ShapeDtype((*x.shape[:-1], count_of(x.shape[-1] + sum(p["pad"]), length, p["hop"]), length), x.dtype)


def _overlap_add_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    count, length = shape(args[0])[-2:]
    rest = max(reach_of(count, length, p["hop"]) - p["start"] - p["n"], 0)
    return frames_p(ct, length=length, hop=p["hop"], pad=(p["start"], rest))


frames_p = Primitive(
    "frames",
    _frames,
    into=lambda out, x, **p: np.copyto(out, _frames(x, **p)),
    axes=Axes(_labels(1)),
    infer=_frames_infer,
    linear=(0,),
    transpose=lambda i, ct, args, p: overlap_add_p(ct, hop=p["hop"], start=p["pad"][0], n=shape(args[0])[-1]),
)
overlap_add_p = Primitive(
    "overlap_add",
    _overlap_add,
    into=lambda out, f, **p: _overlap_add(f, **p, out=out),
    axes=Axes(_labels(2)),
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-2], p["n"]), avals[0].dtype),
    linear=(0,),
    transpose=_overlap_add_transpose,
)


def overlapping(w: Any, count: int, hop: int) -> Any:
    """The sum of ``count`` equal frames; away from its ends it repeats itself after every hop.

    Frames that do not touch have zeros between them and after the last.
    """
    m = shape(w)[-1]
    parts = -(-m // hop)
    few, start = min(count, 2 * parts), parts * hop
    reach = max(reach_of(few, m, hop), few * hop if parts == 1 else 0)
    y = overlap_add_p(broadcast(w, (few, m)), hop=hop, start=0, n=reach)
    if few == count:
        return y
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
