"""One polynomial through all points."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced
from scisim.core.values import shape as shape_of
from scisim.interpolate import _plain
from scisim.interpolate._arguments import axis_back, axis_first, column, order, real
from scisim.interpolate._compiled import looped
from scisim.interpolate._piecewise import PPoly
from scisim.ops.extrema import max as max_of
from scisim.ops.extrema import min as min_of
from scisim.ops.reduce import prod
from scisim.ops.select import where
from scisim.ops.shape import reshape, stack
from scisim.ops.sorting import take


def _nodes(name: str, xi: Any) -> Any:
    x = real(name, "xi", xi)
    if len(shape_of(x)) != 1 or not shape_of(x)[0]:
        raise ShapeError(f"{name}: xi must be a vector of points, got shape {shape_of(x)}")
    return x


def known(x: Any) -> np.ndarray | None:
    """The array inside of a value that is traced for a derivative; None where there is none."""
    s = shape_of(x)
    while isinstance(x, Traced):
        x = x.lower
    return None if x is None or np.shape(x) != s else np.asarray(x)  # a mapped value has an axis more


class _Polynomial:
    """A function of queries, its derivatives by differentiating it."""

    xi: Tensor
    axis: int
    _values: Callable

    def __call__(self, x: Any) -> Tensor:
        """Values at points, real and of any shape, which replaces the interpolated axis of the data."""
        q = real(type(self).__name__, "x", x)
        return wrap(axis_back(self._values(q), len(shape_of(q)), self.axis))

    def derivative(self, x: Any, der: int = 1) -> Tensor:
        """The derivative of an order at points."""
        from scisim.autodiff import taylor

        n = order(type(self).__name__, "der", der)
        q = real(type(self).__name__, "x", x)
        if not n:
            return self(x)
        return taylor(self, wrap(q), wrap(0.0 * q + 1.0), n)[n] * float(math.factorial(n))

    def derivatives(self, x: Any, der: int | None = None) -> Tensor:
        """Value and derivatives, of orders 0, ..., der - 1 (by default all there are), along a new first axis."""
        from scisim.autodiff import taylor

        name = type(self).__name__
        count = shape_of(self.xi._v)[0] if der is None else order(name, "der", der, 1)
        q = real(name, "x", x)
        terms = taylor(self, wrap(q), wrap(0.0 * q + 1.0), count - 1) if count > 1 else [self(x)]
        return wrap(stack([(c * float(math.factorial(n)))._v for n, c in enumerate(terms)], 0))


# --- barycentric -----------------------------------------------------------------------------------------------------
def _parts(x: Any, w: Any, y: Any, scale: Any, q: Any) -> Any:
    """The sum of values times weights times, for each, the products of all other differences."""
    n, rank = shape_of(x)[0], len(shape_of(y)) - 1
    d = [(q - x[j]) * scale for j in range(n)]
    after = [d[-1] * 0.0 + 1.0]
    for v in d[:0:-1]:
        after.append(after[-1] * v)
    before, total = d[0] * 0.0 + 1.0, None
    for j in range(n):
        before = before * d[j - 1] if j else before
        term = column(before * after[n - 1 - j] * w[j], rank) * y[j]
        total = term if total is None else total + term
    return total


def _plainly(x: np.ndarray, w: np.ndarray, y: np.ndarray, scale: Any, q: np.ndarray) -> Any:
    loops = _plain.kernels(x, w, y, q)
    return _parts(x, w, y, scale, q) if loops is None else _plain.lagrange_sums(loops, x, w, y, float(scale), q)


_looped, _ = looped("lagrange_sums", _plainly, _parts, lambda x, w, y, scale, q: (*q, *y[1:]))


class BarycentricInterpolator(_Polynomial):
    """The polynomial through given values, by Lagrange's formula with weights computed once.

    Parameters
    ----------
    xi : array_like
        Distinct points in any order, of shape (n,).
    yi : array_like
        Values, with n elements along ``axis``; real or complex.
    axis : int

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When two points are equal.

    Notes
    -----
    Equally spaced points make it oscillate; Chebyshev's do not.  The first form is used, in which a query may be a
    point and differentiates there as everywhere: n products a query.  A pytree of points, values and weights.

    Examples
    --------
    >>> from scisim.interpolate import BarycentricInterpolator
    >>> BarycentricInterpolator([0.0, 1.0, 3.0], [0.0, 1.0, 9.0])(2.0)
    Tensor(4.)
    """

    def __init__(self, xi: Any, yi: Any, axis: int = 0) -> None:
        x = _nodes("BarycentricInterpolator", xi)
        y, self.axis = axis_first("BarycentricInterpolator", yi, axis, shape_of(x)[0])
        n, array = shape_of(x)[0], known(x)
        if array is not None and len(np.unique(array)) < n:
            raise ArgumentError("BarycentricInterpolator: points xi must be distinct; drop repetitions")
        scale = 4.0 / (max_of(x) - min_of(x)) if n > 1 else x[0] * 0.0 + 1.0  # products of differences stay near 1
        gaps = (reshape(x, (n, 1)) - reshape(x, (1, n))) * scale
        weights = 1.0 / prod(where(np.eye(n, dtype=bool), 1.0, gaps), axis=-1)
        self.xi, self.yi, self.wi, self._scale = wrap(x), wrap(y), wrap(weights), wrap(scale)

    def _values(self, q: Any) -> Any:
        return _looped(self.xi._v, self.wi._v, self.yi._v, self._scale._v, q)


# --- Newton ----------------------------------------------------------------------------------------------------------
def divided_differences(name: str, x: Any, y: Any) -> list:
    """Newton's coefficients; a point that is repeated has the derivatives as its further values."""
    n, rank = shape_of(x)[0], len(shape_of(y)) - 1
    array = known(x)
    first = np.arange(n)
    if array is not None:
        for i in range(1, n):
            first[i] = first[i - 1] if array[i] == array[i - 1] else i
        if len(np.unique(array)) != len(np.unique(first)):
            raise ArgumentError(f"{name}: equal points must follow each other, value first, then derivatives")
    table, coefficients = take(y, first, 0), [y[0]]
    for j in range(1, n):
        same = first[j:] <= np.arange(n - j)
        gap = column(where(same, 1.0, x[j:] - x[:-j]), rank)
        table = (table[1:] - table[:-1]) / gap
        if same.any():
            given = take(y, np.minimum(first[j:] + j, n - 1), 0) / float(math.factorial(j))
            table = where(column(same, rank), given, table)
        coefficients.append(table[0])
    return coefficients


class KroghInterpolator(_Polynomial):
    """The polynomial through given values and derivatives, in Newton's form.

    Parameters
    ----------
    xi : array_like
        Points in any order, of shape (n,); a point that is repeated stands for derivatives.
    yi : array_like
        With n elements along ``axis``: the value at a point, then its first, second, ... derivative.
    axis : int

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When equal points do not follow each other.

    Notes
    -----
    Inside a compiled program, where points are not known, all count as distinct.

    Examples
    --------
    >>> from scisim.interpolate import KroghInterpolator
    >>> KroghInterpolator([0.0, 0.0, 1.0], [0.0, 2.0, 3.0])(0.5)  # value 0 and slope 2 at 0, value 3 at 1
    Tensor(1.25)
    """

    def __init__(self, xi: Any, yi: Any, axis: int = 0) -> None:
        x = _nodes("KroghInterpolator", xi)
        y, self.axis = axis_first("KroghInterpolator", yi, axis, shape_of(x)[0])
        self.xi, self.c = wrap(x), wrap(stack(divided_differences("KroghInterpolator", x, y), 0))

    def _values(self, q: Any) -> Any:
        c, x = self.c._v, self.xi._v
        rank, n = len(shape_of(c)) - 1, shape_of(x)[0]
        y = c[n - 1] + column(0.0 * q, rank)
        for i in range(n - 2, -1, -1):
            y = y * column(q - x[i], rank) + c[i]
        return y


def lagrange(x: Any, w: Any) -> PPoly:
    """The polynomial through given values, in powers of the distance from the least point.

    Parameters
    ----------
    x : array_like
        Distinct points in any order, of shape (n,), n at least 2.
    w : array_like
        Values, of shape (n, ...).

    Returns
    -------
    PPoly
        Of one piece, from the least to the greatest point; it goes on beyond them.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.

    Notes
    -----
    Powers lose accuracy from about 20 points on; `BarycentricInterpolator` does not.

    Examples
    --------
    >>> from scisim.interpolate import lagrange
    >>> lagrange([0.0, 1.0, 3.0], [0.0, 1.0, 9.0])(2.0)
    Tensor(4.)
    """
    nodes = _nodes("lagrange", x)
    if shape_of(nodes)[0] < 2:
        raise ShapeError("lagrange: at least two points are needed")
    y, _ = axis_first("lagrange", w, 0, shape_of(nodes)[0])
    low, high = min_of(nodes), max_of(nodes)
    newton, u = divided_differences("lagrange", nodes, y), nodes - low
    powers = [newton[-1]]  # highest first
    for c, root in zip(newton[-2::-1], (u[i] for i in range(len(newton) - 2, -1, -1)), strict=True):
        moved = [*powers, None]
        powers = [
            p if i == 0 else c - root * powers[i - 1] if p is None else p - root * powers[i - 1]
            for i, p in enumerate(moved)
        ]
    coefficients = stack(powers, 0)
    s = shape_of(coefficients)
    return PPoly._make(reshape(coefficients, (s[0], 1, *s[1:])), stack([low, high], 0), True, 0)


pytree.register(
    BarycentricInterpolator,
    lambda p: ((p.xi, p.yi, p.wi, p._scale), p.axis, ("xi", "yi", "wi", "scale")),
    lambda axis, parts: _restored(BarycentricInterpolator, ("xi", "yi", "wi", "_scale"), axis, parts),
)
pytree.register(
    KroghInterpolator,
    lambda p: ((p.xi, p.c), p.axis, ("xi", "c")),
    lambda axis, parts: _restored(KroghInterpolator, ("xi", "c"), axis, parts),
)


def _restored(cls: type, names: tuple, axis: int, parts: Any) -> Any:
    new: Any = object.__new__(cls)
    for name, part in zip(names, parts, strict=True):
        setattr(new, name, part)
    new.axis = axis
    return new
