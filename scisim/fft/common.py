"""What all transforms have in common: their arguments, their norms, and the primitive that they become."""

from __future__ import annotations

import math
from functools import lru_cache
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import Traced, dtype, shape, zeros
from scisim.ops.index import put_p, slice_axis
from scisim.ops.shape import normalize_axis

Axes = int | tuple[int, ...] | None
Lengths = int | tuple[int, ...] | None


class Settled(NamedTuple):
    """What the arguments of a transform come to: lengths of the operand along axes, and the primitive's parameters."""

    axes: tuple[int, ...]
    lengths: tuple[int, ...] | None  # None where the operand has them
    params: dict[str, Any]


def one_axis(name: str, prim: Primitive, x: Any, n: int | None, axis: int, inverse: bool, norm: str | None) -> Any:
    """A transform along one axis."""
    x = as_argument(x)
    if type(n) in (int, NoneType) and type(axis) is int:
        return _applied(prim, x, settled(name, prim.name, shape(x), dtype(x), (n,), (axis,), inverse, norm))
    at = (_integer(name, "axis", axis),)
    return _applied(prim, x, settled(name, prim.name, shape(x), dtype(x), (_length(name, n),), at, inverse, norm))


def several_axes(name: str, prim: Primitive, x: Any, s: Lengths, axes: Axes, inverse: bool, norm: str | None) -> Any:
    """A transform along several axes; the last of them is the halved one of a real transform."""
    x = as_argument(x)
    lengths = None if s is None else tuple(_length(name, n) for n in _each(s))
    along = None if axes is None else tuple(_integer(name, "axes", a) for a in _each(axes))
    return _applied(prim, x, settled(name, prim.name, shape(x), dtype(x), lengths, along, inverse, norm))


def _each(given: Any) -> tuple:
    return tuple(given) if isinstance(given, (tuple, list, np.ndarray)) else (given,)


def _applied(prim: Primitive, x: Any, how: Settled) -> Any:
    return prim(x if how.lengths is None else resized(x, how.axes, how.lengths), **how.params)


@lru_cache(maxsize=1024)
def settled(
    name: str, kind: str, s: tuple, dt: np.dtype, lengths: tuple | None, axes: tuple | None, inverse: bool, norm: Any
) -> Settled:
    """The arguments checked, and what they come to."""
    _operand(name, kind, s, dt)
    found = _axes(name, len(s), lengths, axes)
    half, last = kind == "irfft", found[-1]
    given = [None if n == -1 and len(found) > 1 else n for n in lengths or [None] * len(found)]
    full = [_own_length(name, s, a) if n is None else _positive(name, n) for a, n in zip(found[:-1], given)]
    if given[-1] is not None:
        full.append(_positive(name, given[-1]))
    else:
        full.append(_real_length(name, s, last) if half else _own_length(name, s, last))
    params: dict[str, Any] = {"inverse": inverse, "scale": _scale(name, norm, inverse, math.prod(full))}
    along = [a - len(s) for a in found]
    params["axes"] = tuple(sorted(along)) if kind == "fft" else (*sorted(along[:-1]), along[-1])
    if kind != "fft":
        params["twice"] = half
    if half:
        params["n"] = full[-1]
        full[-1] = full[-1] // 2 + 1
    fits = all(s[a] == n for a, n in zip(found, full))
    return Settled(tuple(found), None if fits else tuple(full), params)


# --- checking ----------------------------------------------------------------------------------------------
def _operand(name: str, kind: str, s: tuple, dt: np.dtype) -> None:
    if dt.kind not in "biufc":
        raise DTypeError(f"{name}: x has dtype {dt}; convert it with astype to float32 or float64")
    if not s:
        raise ShapeError(f"{name}: x is a scalar; a transform needs at least one axis")
    if kind == "rfft" and dt.kind == "c":
        raise DTypeError(
            f"{name}: x has dtype {dt}, but this transform is for real input; "
            f"use {name.replace('ihfft', 'ifft').replace('rfft', 'fft')}, or transform real(x) and imag(x)"
        )


def _integer(name: str, what: str, n: Any) -> int:
    if isinstance(n, Traced) or not isinstance(n, (int, np.integer)) or isinstance(n, bool):
        raise ArgumentTypeError(f"{name}: {what} must be an integer, got {n!r}")
    return int(n)


def _length(name: str, n: Any) -> int | None:
    return None if n is None else _integer(name, "the length n", n)


def _positive(name: str, n: int) -> int:
    if n < 1:
        raise ArgumentError(f"{name}: the length must be at least 1, got n={n}")
    return n


def _own_length(name: str, s: tuple, axis: int) -> int:
    if s[axis] < 1:
        raise ArgumentError(f"{name}: axis {axis} of shape {s} is empty; give it a point or more")
    return s[axis]


def _real_length(name: str, s: tuple, axis: int) -> int:
    m = _own_length(name, s, axis)
    if m == 1:
        raise ArgumentError(
            f"{name}: a spectrum of one element along axis {axis} gives no length by itself, since "
            f"2 * (1 - 1) = 0; say n=1, or the length of the signal"
        )
    return 2 * (m - 1)


def _axes(name: str, rank: int, lengths: tuple | None, axes: tuple | None) -> list[int]:
    """The axes, counted from the first."""
    if axes is None:
        axes = tuple(range(rank)) if lengths is None else tuple(range(rank - len(lengths), rank))
    found = [normalize_axis(name, a, rank) for a in axes]
    if not found:
        raise ArgumentError(f"{name}: axes is empty; give at least one axis")
    if len(set(found)) < len(found):
        raise ArgumentError(f"{name}: axes {axes} names an axis twice")
    if lengths is not None and len(lengths) != len(found):
        raise ArgumentError(f"{name}: s={lengths} has {len(lengths)} lengths for {len(found)} axes; give one an axis")
    return found


def _scale(name: str, norm: str | None, inverse: bool, n: int) -> float:
    """The factor of a transform of n points."""
    if norm == "ortho":
        return 1.0 / math.sqrt(n)
    if norm is None or norm in ("backward", "forward"):
        return 1.0 / n if inverse == (norm != "forward") else 1.0
    raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")


# --- cropping and filling up -------------------------------------------------------------------------------
def resized(x: Any, axes: tuple[int, ...], lengths: tuple[int, ...]) -> Any:
    """Each axis cropped to its length, or filled up with zeros."""
    for a, n in zip(axes, lengths):
        if n < shape(x)[a]:
            x = slice_axis(x, a, 0, n)
    have = shape(x)
    if all(have[a] == n for a, n in zip(axes, lengths)):
        return x
    full: list[int] = list(have)
    at: list[Any] = [("slice", None, None, None)] * len(have)
    for a, n in zip(axes, lengths):
        full[a], at[a] = n, ("slice", 0, have[a], None)
    return put_p(zeros(tuple(full), dtype(x)), x, at=tuple(at))
