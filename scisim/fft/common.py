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
from scisim.ops.shape import as_integer, normalize_axis, several

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
    if type(n) not in (int, NoneType) or type(axis) is not int:
        n, axis = None if n is None else integer(name, "the length n", n), integer(name, "axis", axis)
    if n == -1:  # of several axes it is the axis's own
        _positive(name, n)
    how = settled(name, prim.name, shape(x), dtype(x), (n,), (axis,), inverse, word(name, norm))
    return _applied(prim, x, how)


def several_axes(name: str, prim: Primitive, x: Any, s: Lengths, axes: Axes, inverse: bool, norm: str | None) -> Any:
    """A transform along several axes; the last of them is the halved one of a real transform."""
    x = as_argument(x)
    along, lengths = integers(name, "axes", axes), integers(name, "s", s)
    how = settled(name, prim.name, shape(x), dtype(x), lengths, along, inverse, word(name, norm))
    return _applied(prim, x, how)


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
    given = [None if n == -1 else n for n in lengths or [None] * len(found)]
    full = [_own_length(name, s, a) if n is None else _positive(name, n) for a, n in zip(found[:-1], given)]
    if given[-1] is not None:
        full.append(_positive(name, given[-1]))
    else:
        full.append(_real_length(name, s, last) if half else _own_length(name, s, last))
    check_size(name, tuple(dict(zip(found, full)).get(k, m) for k, m in enumerate(s)))
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


def integer(name: str, what: str, n: Any) -> int:
    """A Python integer; a truth value is none, since it is given by mistake, as in ``fft(x, True)``."""
    if type(n) is int:
        return n
    if isinstance(n, Traced):
        raise ArgumentTypeError(
            f"{name}: {what} is a value of a transformation, got {n!r}; it decides shapes, so give a Python integer, "
            f"such as x.shape[-1], or name the argument in static_argnums of jit"
        )
    if isinstance(n, (bool, np.bool_)):
        raise ArgumentTypeError(f"{name}: {what} must be an integer, got {n!r}")
    return as_integer(name, what, n)


def integers(name: str, what: str, given: Any) -> tuple | None:
    """One integer or several; None stays, also for one of several lengths."""
    if given is None or type(given) is int:
        return None if given is None else (given,)
    items = several(given)
    if items is None:
        return (integer(name, what, given),)
    none = what == "s"
    return tuple(None if n is None and none else integer(name, f"each of {what}", n) for n in items)


def flag(name: str, argument: str, given: Any, choices: str = "True or False") -> bool:
    """True or False; what is neither, such as the text "no", is refused."""
    if given is True or given is False:
        return given
    if not isinstance(given, (int, np.bool_)) or given not in (0, 1):
        raise ArgumentTypeError(f"{name}: {argument} must be {choices}, got {given!r}")
    return bool(given)


def flag_or_none(name: str, argument: str, given: Any) -> bool | None:
    """True, False, or None for what depends on other arguments."""
    return None if given is None else flag(name, argument, given, "True, False or None")


def word(name: str, norm: Any) -> str | None:
    """A norm that can be looked up."""
    if norm is None or isinstance(norm, str):
        return norm
    raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")


def _positive(name: str, n: int) -> int:
    if n < 1:
        raise ArgumentError(f"{name}: the length must be at least 1, got n={n}")
    return n


MOST = 1 << 56  # elements of an array, which with 16 bytes each are within the range of addresses


def check_size(name: str, s: tuple) -> None:
    """Lengths of which no array can be."""
    if math.prod(s) > MOST:
        raise ArgumentError(f"{name}: an array of shape {s} has more elements than memory has addresses; give less")


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
        count = rank if lengths is None else len(lengths)
        if count > rank:
            raise ArgumentError(f"{name}: s={lengths} has {count} lengths, but x has {rank} axes")
        axes = tuple(range(rank - count, rank))
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
