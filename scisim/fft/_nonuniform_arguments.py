"""Arguments of the non-uniform transforms: what users may give, and the operands of the primitives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import broadcast_shapes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import Traced, dtype, shape
from scisim.ops.shape import as_integer, astype, broadcast, concat, permute, reshape, several

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_LEAST = {SINGLE: 1e-6, DOUBLE: 1e-14}  # what sums of a dtype reach


def _is_sequence_of_points(x: Any) -> bool:
    """Whether coordinates are given one by one, and not the numbers of one."""
    return isinstance(x, (tuple, list)) and any(np.ndim(v) if not isinstance(v, Traced) else v.ndim for v in x)


def coordinates(name: str, argument: str, x: Any) -> list:
    """The coordinates of points, each of shape (..., m) and of one dtype."""
    xs = list(map(as_argument, x)) if _is_sequence_of_points(x) else [as_argument(x)]
    if not 1 <= len(xs) <= 3:
        raise ArgumentError(f"{name}: {argument} has {len(xs)} coordinates; transforms have 1, 2 or 3 dimensions")
    for v in xs:
        if dtype(v) not in _LEAST:
            raise DTypeError(
                f"{name}: {argument} has dtype {dtype(v)}; points are real, of dtype float32 or float64: convert them "
                f"with astype"
            )
    if len({shape(v) for v in xs}) > 1 or not shape(xs[0]):
        raise ShapeError(
            f"{name}: coordinates of shape {' and '.join(str(shape(v)) for v in xs)}; {argument} is an array of shape "
            f"(..., m), or a tuple of such arrays of one shape, one for each dimension"
        )
    kind = DOUBLE if DOUBLE in map(dtype, xs) else SINGLE
    return [astype(v, kind) for v in xs]


def numbers(name: str, argument: str, v: Any, points: list) -> tuple[list, Any]:
    """Points and the other operand in one precision, the latter complex."""
    v = as_argument(v)
    if dtype(v).kind not in "biufc":
        raise DTypeError(f"{name}: {argument} has dtype {dtype(v)}; convert it with astype to complex128 or complex64")
    double = DOUBLE in (dtype(points[0]), _real_of(dtype(v)))
    real = DOUBLE if double else SINGLE
    return [astype(x, real) for x in points], astype(v, np.result_type(real, np.complex64))


def _real_of(dt: np.dtype) -> np.dtype:
    """The precision that a dtype asks for; integers ask for none."""
    return np.zeros((), dt).real.dtype if dt.kind in "fc" else SINGLE


def tolerance(name: str, eps: Any, real: np.dtype, least: float = 0.0) -> float:
    if isinstance(eps, bool) or not isinstance(eps, (int, float, np.floating, np.integer)):
        raise ArgumentTypeError(f"{name}: eps must be a number, such as 1e-6, got {eps!r:.60}")
    least = max(least, _LEAST[real])
    if not eps >= least:
        way = "; convert points and numbers to float64 and complex128 for less" if real == SINGLE else ""
        raise ArgumentError(f"{name}: eps is {eps!r}; {real} reaches {least:g}{way}")
    if eps >= 1:
        raise ArgumentError(f"{name}: eps is {eps!r}; a relative error is less than 1")
    return float(eps)


def settings(name: str, isign: Any, modeord: Any) -> dict:
    if as_integer(name, "isign", isign) == 0:
        raise ArgumentError(f"{name}: isign is 0; give 1 for exp(+i k x) or -1 for exp(-i k x)")
    if as_integer(name, "modeord", modeord) not in (0, 1):
        raise ArgumentError(f"{name}: modeord is {modeord!r}; give 0 for ascending modes or 1 for the order of fft")
    return {"sign": 1 if isign > 0 else -1, "centred": modeord == 0}


def mode_counts(name: str, n_modes: Any, dims: int) -> tuple[int, ...]:
    items = several(n_modes)
    modes = tuple(as_integer(name, "n_modes", n) for n in ((n_modes,) if items is None else items))
    if len(modes) != dims:
        raise ShapeError(
            f"{name}: n_modes={n_modes!r} has {len(modes)} numbers of modes, and x has {dims} coordinates; give one "
            f"for each. Points in several dimensions are a tuple of coordinates, such as (x, y)"
        )
    if min(modes) < 1:
        raise ArgumentError(f"{name}: n_modes={n_modes!r}; there must be at least 1 mode along each dimension")
    return modes


def arranged(name: str, points: list[list], v: Any, core: int) -> tuple[list, Any, tuple, tuple]:
    """Operands of a primitive, sets of points (*own, d, m) and the others (*own, b, *core), and their leading axes.

    Those of the points are ``own``; further ones of the other operand, ``extra``, are rows at the same points.
    """
    lead, rest = shape(v)[: len(shape(v)) - core], shape(v)[len(shape(v)) - core :]
    of_points = broadcast_shapes(name, *(shape(xs[0])[:-1] for xs in points))
    at = max(len(lead) - len(of_points), 0)
    extra, own = lead[:at], broadcast_shapes(name, lead[at:], of_points)
    v = broadcast(v, (*extra, *own, *rest))
    order = (*range(at, at + len(own)), *range(at), *range(at + len(own), at + len(own) + core))
    v = reshape(permute(v, order), (*own, math.prod(extra), *rest))
    return [_joined(xs, own) for xs in points], v, extra, own


def _joined(xs: list, own: tuple) -> Any:
    """Coordinates as one array (*own, d, m)."""
    m = shape(xs[0])[-1]
    return concat([reshape(broadcast(x, (*own, m)), (*own, 1, m)) for x in xs], len(own))


def restored(y: Any, extra: tuple, own: tuple, core: int) -> Any:
    """The result of a primitive with the leading axes of its operand."""
    tail = shape(y)[len(shape(y)) - core :]
    y = reshape(y, (*own, *extra, *tail))
    a, b = len(own), len(extra)
    return permute(y, (*range(a, a + b), *range(a), *range(a + b, a + b + core)))


def same_points(name: str, argument: str, c: Any, points: list) -> None:
    m = shape(points[0])[-1]
    if not shape(c) or shape(c)[-1] != m:
        raise ShapeError(
            f"{name}: {argument} has shape {shape(c)}, and there are {m} points; the last axis of {argument} has a "
            f"number for each point"
        )
