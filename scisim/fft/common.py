"""What all transforms have in common: their arguments, their norms, and the primitive that they become."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import Traced, dtype, is_complex, shape, zeros
from scisim.fft._primitives import fft_p, irfft_p, rfft_p
from scisim.ops.index import put_p, slice_axis
from scisim.ops.shape import normalize_axis

Axes = int | tuple[int, ...] | None
Lengths = int | tuple[int, ...] | None


# --- checking ----------------------------------------------------------------------------------------------
def argument(name: str, x: Any) -> Any:
    """The operand as a value that can be transformed."""
    x = as_argument(x)
    if dtype(x).kind not in "biufc":
        raise DTypeError(f"{name}: x has dtype {dtype(x)}; convert it with astype to float32 or float64")
    if not shape(x):
        raise ShapeError(f"{name}: x is a scalar; a transform needs at least one axis")
    return x


def _real(name: str, x: Any) -> None:
    if is_complex(x):
        raise DTypeError(
            f"{name}: x has dtype {dtype(x)}, but this transform is for real input; "
            f"use {name.replace('ihfft', 'ifft').replace('rfft', 'fft')}, or transform real(x) and imag(x)"
        )


def _length(name: str, n: Any) -> int:
    if isinstance(n, Traced) or not isinstance(n, (int, np.integer)) or isinstance(n, bool):
        raise ArgumentTypeError(f"{name}: the length n must be an integer, got {n!r}")
    if n < 1:
        raise ArgumentError(f"{name}: the length must be at least 1, got n={n}")
    return int(n)


def _default_length(name: str, x: Any, axis: int) -> int:
    n = shape(x)[axis]
    if n < 1:
        raise ArgumentError(f"{name}: axis {axis} of shape {shape(x)} is empty; give it a point or more")
    return n


def _real_length(name: str, x: Any, axis: int) -> int:
    m = _default_length(name, x, axis)
    if m == 1:
        raise ArgumentError(
            f"{name}: a spectrum of one element along axis {axis} gives no length by itself, since "
            f"2 * (1 - 1) = 0; say n=1, or the length of the signal"
        )
    return 2 * (m - 1)


def _axes(name: str, x: Any, s: Lengths, axes: Axes) -> tuple[list[int], list[int | None]]:
    """The axes in order, and the length along each."""
    rank = len(shape(x))
    s = (s,) if isinstance(s, (int, np.integer)) else s
    if axes is None:
        axes = tuple(range(rank)) if s is None else tuple(range(rank - len(s), rank))
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    found = [normalize_axis(name, a, rank) for a in axes]
    if not found:
        raise ArgumentError(f"{name}: axes is empty; give at least one axis")
    if len(set(found)) < len(found):
        raise ArgumentError(f"{name}: axes {axes} names an axis twice")
    if s is not None and len(s) != len(found):
        raise ArgumentError(f"{name}: s={s} has {len(s)} lengths for {len(found)} axes; give one an axis")
    return found, [None if n is None or n == -1 else _length(name, n) for n in (s or [None] * len(found))]


# --- what all of them do -----------------------------------------------------------------------------------
def _resized(x: Any, axes: tuple[int, ...], lengths: list[int]) -> Any:
    """Each axis cropped to its length, or filled up with zeros."""
    have = shape(x)
    for a, n in zip(axes, lengths):
        if n < have[a]:
            x = slice_axis(x, a, 0, n)
    have = shape(x)
    if all(have[a] == n for a, n in zip(axes, lengths)):
        return x
    full, at = list(have), [("slice", None, None, None)] * len(have)
    for a, n in zip(axes, lengths):
        full[a], at[a] = n, ("slice", 0, have[a], None)
    return put_p(zeros(tuple(full), dtype(x)), x, at=tuple(at))


def _scale(name: str, norm: str | None, inverse: bool, n: int) -> float:
    """The factor of a transform of n points."""
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    if norm is None or norm in ("backward", "forward"):
        return 1.0 / n if inverse == (norm != "forward") else 1.0
    raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")


def _transform(
    name: str, prim: Primitive, x: Any, s: Any, axes: tuple[int, ...], inverse: bool, norm: str | None
) -> Any:
    """A transform along ``axes`` (from the first, of a real one the halved axis last); ``s`` may hold None."""
    half = prim is irfft_p
    lengths = [_default_length(name, x, a) if n is None else n for a, n in zip(axes[:-1], s)]
    last = s[-1]
    if last is None:
        last = _real_length(name, x, axes[-1]) if half else _default_length(name, x, axes[-1])
    scale = _scale(name, norm, inverse, math.prod(lengths) * last)
    x = _resized(x, axes, [*lengths, last // 2 + 1 if half else last])
    rank = len(shape(x))
    along = tuple(a - rank for a in axes)
    if prim is fft_p:
        return fft_p(x, axes=tuple(sorted(along)), inverse=inverse, scale=scale)
    along = (*sorted(along[:-1]), along[-1])
    more = {"n": last, "twice": True} if half else {"twice": False}
    return prim(x, axes=along, inverse=inverse, scale=scale, **more)


def one_axis(name: str, prim: Primitive, x: Any, n: int | None, axis: int, inverse: bool, norm: str | None) -> Any:
    """A transform along one axis."""
    x = argument(name, x)
    if prim is rfft_p:
        _real(name, x)
    k = normalize_axis(name, axis, len(shape(x)))
    return _transform(name, prim, x, [None if n is None else _length(name, n)], (k,), inverse, norm)


def several_axes(name: str, prim: Primitive, x: Any, s: Lengths, axes: Axes, inverse: bool, norm: str | None) -> Any:
    """A transform along several axes; the last of them is the halved one of a real transform."""
    x = argument(name, x)
    if prim is rfft_p:
        _real(name, x)
    found, lengths = _axes(name, x, s, axes)
    return _transform(name, prim, x, lengths, tuple(found), inverse, norm)
