"""Arguments of spectral functions, checked: fields, axes, periods."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import Traced, dtype
from scisim.fft._primitives import complex_of
from scisim.ops.shape import as_integer, normalize_axis, several

PERIOD = 2.0 * math.pi
_KNOWN = frozenset("?bBhHiIlLqQefdgFDG")  # not those of ml_dtypes


def field(name: str, x: Any, argument: str = "x") -> Any:
    """A value with at least one axis, of numbers that transforms take."""
    x = as_argument(x)
    if dtype(x).char not in _KNOWN:
        raise DTypeError(f"{name}: {argument} has dtype {dtype(x)}; convert it with astype to float32 or float64")
    if not x.shape:
        raise ShapeError(f"{name}: {argument} is a scalar; give values on a grid of at least one axis")
    return x


def real_of(x: Any) -> np.dtype:
    """The real dtype of what transforms make of a value."""
    return _real_of(dtype(x))


@lru_cache(maxsize=64)
def _real_of(dt: np.dtype) -> np.dtype:
    return np.dtype(np.float32 if complex_of(dt) == np.complex64 else np.float64)


def axis_of(name: str, s: tuple[int, ...], axis: Any) -> int:
    """An axis that has points, counted from the last."""
    k = normalize_axis(name, axis, len(s)) - len(s)
    if s[k] < 1:
        raise ArgumentError(f"{name}: axis {axis} of shape {s} is empty; give it a point or more")
    return k


def axes_of(name: str, s: tuple[int, ...], axes: Any) -> tuple[int, ...]:
    """Axes that have points, counted from the last, in the order given; None is all of them."""
    items = range(len(s)) if axes is None else several(axes)
    found = tuple(axis_of(name, s, a) for a in ((axes,) if items is None else items))
    if not found:
        raise ArgumentError(f"{name}: axes is empty; give at least one axis")
    if len(set(found)) < len(found):
        raise ArgumentError(f"{name}: axes {axes} names an axis twice")
    return found


def period_of(name: str, period: Any, argument: str = "period") -> float:
    """A positive number."""
    if isinstance(period, Traced):
        raise ArgumentTypeError(
            f"{name}: {argument} is a value of a transformation, but the grid is fixed; work on a box of fixed size, "
            f"and scale the result, as derivative(x) * (2 * pi / period)"
        )
    if isinstance(period, (bool, str)) or np.ndim(period) or np.asarray(period).dtype.kind not in "iuf":
        raise ArgumentTypeError(f"{name}: {argument} must be a real number, got {period!r}")
    if not 0.0 < period < math.inf:
        raise ArgumentError(f"{name}: {argument} must be positive and finite, got {period!r}")
    return float(period)


def periods_of(name: str, periods: Any, count: int) -> tuple[float, ...]:
    """One period for each axis; a number is that of all."""
    items = several(periods)
    if items is None:
        return (period_of(name, periods, "periods"),) * count
    return each_axis(name, "periods", tuple(period_of(name, p, "each of periods") for p in items), count)


def each_axis(name: str, argument: str, items: tuple, count: int) -> tuple:
    """The items, one for each axis."""
    if len(items) != count:
        raise ArgumentError(f"{name}: {argument} has {len(items)} items for {count} axes; give one an axis")
    return items


def count_of(name: str, argument: str, n: Any, least: int = 1) -> int:
    """An integer from ``least`` on."""
    n = as_integer(name, argument, n)
    if n < least:
        raise ArgumentError(f"{name}: {argument} must be at least {least}, got {n}")
    return n


def one_of(name: str, argument: str, given: Any, known: tuple) -> Any:
    """One of some names."""
    if not isinstance(given, (str, int)) or given not in known:
        raise ArgumentError(f"{name}: {argument} must be one of {', '.join(map(repr, known))}, got {given!r}")
    return given
