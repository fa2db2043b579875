"""What interpolants are made of: knots, data and query points, checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.tensor import Tensor
from scisim.core.values import Traced, is_complex, is_inexact, own
from scisim.core.values import shape as shape_of
from scisim.ops.shape import astype, moveaxis, normalize_axis, permute, reshape


def value(x: Any) -> Any:
    """The value of an argument that nobody else writes into."""
    return x._v if type(x) is Tensor else own(as_argument(x))


def filling(x: Any) -> Any:
    """What stands where there is no value: Python numbers stay weak in promotion."""
    return x if isinstance(x, (int, float, complex)) else value(x)


def beside(x: Any, other: Any) -> Any:
    """A value that goes with another one: Python numbers take its dtype."""
    return np.asarray(x, other.dtype) if isinstance(x, (int, float, complex)) else floating(x)


def floating(x: Any) -> Any:
    """A value with a fraction: integers become float64."""
    v = value(x)
    return v if is_inexact(v) else astype(v, np.float64)


def real(name: str, argument: str, x: Any) -> Any:
    """A real value with a fraction."""
    v = floating(x)
    if is_complex(v):
        raise DTypeError(f"{name}: {argument} must be real, got dtype {v.dtype}; complex numbers have no order")
    return v


def knots(name: str, argument: str, x: Any, least: int = 2) -> Any:
    """A vector of points in ascending order, at least so many."""
    v = real(name, argument, x)
    s = shape_of(v)
    if len(s) != 1 or s[0] < least:
        raise ShapeError(f"{name}: {argument} must be a vector of at least {least} points, got shape {s}")
    if not isinstance(v, Traced) and not np.all(v[1:] > v[:-1]):
        raise ArgumentError(f"{name}: {argument} must ascend, without equal points or nan; sort it, drop repetitions")
    return v


def axis_first(name: str, y: Any, axis: int, count: int) -> tuple[Any, int]:
    """Data with the interpolated axis, of a given length, in front; and where that axis was."""
    v = floating(y)
    if not shape_of(v):
        raise ShapeError(f"{name}: the data must have an axis of {count} values, got a single number")
    a = normalize_axis(name, axis, len(shape_of(v)))
    if shape_of(v)[a] != count:
        raise ShapeError(f"{name}: there are {count} points, and {shape_of(v)[a]} values along axis {a} of the data")
    return moveaxis(v, a, 0), a


def axis_back(y: Any, rank: int, axis: int) -> Any:
    """Results of shape (*queries, *rest), with the queries in the place of the interpolated axis."""
    if axis == 0 or not rank:
        return y
    total = len(shape_of(y))
    order = (*range(rank, rank + axis), *range(rank), *range(rank + axis, total))
    return permute(y, order)


def column(h: Any, rank: int) -> Any:
    """Numbers of the queries, with axes to broadcast against trailing data."""
    return reshape(h, shape_of(h) + (1,) * rank) if rank else h


def extrapolation(name: str, extrapolate: Any) -> Any:
    """True, False or "periodic"."""
    if extrapolate is None or extrapolate is True or extrapolate is False or extrapolate == "periodic":
        return extrapolate
    raise ArgumentError(f'{name}: extrapolate must be True, False or "periodic", got {extrapolate!r}')


def points(name: str, argument: str, x: Any) -> Any:
    """Points in space, of shape (n, d); a vector stands for points of a line."""
    v = real(name, argument, x)
    s = shape_of(v)
    if len(s) == 1:
        return reshape(v, (s[0], 1))
    if len(s) != 2 or not s[1]:
        raise ShapeError(f"{name}: {argument} must be points of shape (n, d), got shape {s}")
    return v


def order(name: str, argument: str, n: Any, least: int = 0) -> int:
    """An order or degree: a Python integer."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise ArgumentTypeError(f"{name}: {argument} must be an integer, got {n!r}")
    if n < least:
        raise ArgumentError(f"{name}: {argument} must be at least {least}, got {n}")
    return int(n)
