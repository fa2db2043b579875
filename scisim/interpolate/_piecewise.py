"""Piecewise polynomials: evaluation, derivatives, integrals."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import shape as shape_of
from scisim.interpolate import _plain
from scisim.interpolate._arguments import axis_back, column, extrapolation, floating, knots, order, real
from scisim.interpolate._compiled import looped
from scisim.ops.reduce import cumulative_sum
from scisim.ops.select import floor, logical_or, remainder, where
from scisim.ops.shape import concat, normalize_axis, reshape
from scisim.ops.sorting import searchsorted, take


def interval(x: Any, q: Any) -> Any:
    """The piece in which each query lies, from 0; the first and the last piece have no end."""
    return searchsorted(x[1:-1], q, "right")


def _factors(degree: int, nu: int) -> tuple[float, ...]:
    """What the coefficients of the powers that are left are multiplied by in the nu-th derivative."""
    return tuple(float(math.perm(degree - j, nu)) for j in range(degree - nu + 1))


def _parts(c: Any, x: Any, q: Any, nu: int) -> Any:
    i, rank = interval(x, q), len(shape_of(c)) - 2
    h, y = column(q - take(x, i, 0), rank), None
    for j, factor in enumerate(_factors(shape_of(c)[0] - 1, nu)):
        row = take(c[j], i, 0)
        row = row if nu == 0 else row * factor
        y = row if y is None else y * h + row
    return y


def _plainly(c: np.ndarray, x: np.ndarray, q: np.ndarray, nu: int) -> Any:
    loops = _plain.kernels(c, x, q)
    if loops is None:
        return _parts(c, x, q, nu)
    return _plain.polynomials(loops, c, x, q, _factors(len(c) - 1, nu))


_looped, _ = looped("piecewise_polynomial", _plainly, _parts, lambda c, x, q: (*q, *c[2:]))


def evaluate(c: Any, x: Any, q: Any, nu: int) -> Any:
    """The nu-th derivative at queries: c holds coefficients (k, pieces, ...), the highest power first."""
    if nu >= shape_of(c)[0]:
        return take(c[0], interval(x, q), 0) * 0.0
    return _looped(c, x, q, nu=nu)


def outside(x: Any, q: Any) -> Any:
    """Whether queries lie beyond the ends."""
    return logical_or(q < x[0], q > x[-1])


class Piecewise:
    """Base of interpolants that are polynomials between knots: `PPoly`, with its knots and coefficients."""

    c: Tensor
    x: Tensor
    extrapolate: Any
    axis: int

    @classmethod
    def _make(cls, c: Any, x: Any, extrapolate: Any, axis: int) -> Self:
        new = object.__new__(cls)
        new.c, new.x, new.extrapolate, new.axis = wrap(c), wrap(x), extrapolate, axis
        return new

    def __init_subclass__(cls) -> None:
        pytree.register(
            cls,
            lambda p: ((p.c, p.x), (p.extrapolate, p.axis), ("c", "x")),
            lambda static, parts: cls._from_parts(static, parts),
        )

    @classmethod
    def _from_parts(cls, static: tuple, parts: Any) -> Self:
        new = object.__new__(cls)
        new.c, new.x = parts
        new.extrapolate, new.axis = static
        return new

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Tensor:
        """Values, or derivatives of an order, at points.

        Parameters
        ----------
        x : array_like
            Real, of any shape.
        nu : int
            Order of the derivative.
        extrapolate : {True, False, "periodic"}, optional
            Whether the end pieces go on, are followed by nan, or repeat; by default as when it was made.

        Returns
        -------
        Tensor
            The interpolated axis of the data is replaced by the shape of ``x``.
        """
        name = type(self).__name__
        q, n = real(name, "x", x), order(name, "nu", nu)
        return wrap(axis_back(self._values(q, n, extrapolate), len(shape_of(q)), self.axis))

    def _values(self, q: Any, nu: int, extrapolate: Any) -> Any:
        c, t = self.c._v, self.x._v
        way = extrapolation(type(self).__name__, self.extrapolate if extrapolate is None else extrapolate)
        if way == "periodic":
            q = t[0] + remainder(q - t[0], t[-1] - t[0])
        y = evaluate(c, t, q, nu)
        if way is False:
            y = where(column(outside(t, q), len(shape_of(c)) - 2), math.nan, y)
        return y

    def derivative(self, nu: int = 1) -> PPoly:
        """The piecewise polynomial that is the derivative of an order."""
        n = order(type(self).__name__, "nu", nu)
        c = self.c._v
        degree = shape_of(c)[0] - 1
        if n > degree:
            return PPoly._make(c[:1] * 0.0, self.x._v, self.extrapolate, self.axis)
        factors = np.array([math.perm(degree - j, n) for j in range(degree - n + 1)], c.dtype)
        new = c[: degree - n + 1] * column(factors, len(shape_of(c)) - 1)
        return PPoly._make(new, self.x._v, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> PPoly:
        """The piecewise polynomial whose derivative this is, continuous and 0 at the first knot."""
        n = order(type(self).__name__, "nu", nu)
        p = PPoly._make(self.c._v, self.x._v, self.extrapolate, self.axis)
        for _ in range(n):
            p = p._integrated()
        return p

    def _integrated(self) -> PPoly:
        c, x = self.c._v, self.x._v
        k, m, *rest = shape_of(c)
        factors = np.array([1.0 / (k - j) for j in range(k)], c.dtype)
        head = c * column(factors, len(rest) + 1)
        h, gained = column(x[1:] - x[:-1], len(rest)), None
        for j in range(k):
            gained = head[j] * h if gained is None else (gained + head[j]) * h
        start = cumulative_sum(gained, axis=0) - gained
        new = concat([head, reshape(start, (1, m, *rest))], 0)
        way = False if self.extrapolate == "periodic" else self.extrapolate
        return PPoly._make(new, x, way, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Tensor:
        """The integral from a to b.

        Parameters
        ----------
        a, b : array_like
            Bounds, single numbers or arrays of one shape.
        extrapolate : {True, False, "periodic"}, optional
            As for a call.

        Returns
        -------
        Tensor
        """
        name = type(self).__name__
        way = extrapolation(name, self.extrapolate if extrapolate is None else extrapolate)
        whole = self._integrated()
        low, high = real(name, "a", a), real(name, "b", b)
        y = whole._reached(high, way) - whole._reached(low, way)
        return wrap(axis_back(y, max(len(shape_of(low)), len(shape_of(high))), self.axis))

    def _reached(self, q: Any, way: Any) -> Any:
        """An antiderivative; of a periodic function, with what whole periods give."""
        if way != "periodic":
            return self._values(q, 0, way)
        x, rest = self.x._v, len(shape_of(self.c._v)) - 2
        periods = floor((q - x[0]) / (x[-1] - x[0]))
        return self._values(q, 0, "periodic") + column(periods, rest) * self._values(x[-1], 0, True)


class PPoly(Piecewise):
    """Piecewise polynomial: the sum of c[j, i] (x - x[i])^(k - j) between the knots x[i] and x[i + 1].

    Parameters
    ----------
    c : array_like
        Coefficients of shape (k + 1, pieces, ...), the highest power first.
    x : array_like
        Knots in ascending order, of shape (pieces + 1,).
    extrapolate : {True, False, "periodic"}
        What lies beyond the ends.
    axis : int
        Where the shape of queries goes among the trailing axes.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When the knots do not ascend.

    Notes
    -----
    A pytree of ``c`` and ``x``; differentiable in both and in the queries.  At a knot derivatives are those of the
    piece to its right.

    Examples
    --------
    >>> from scisim.interpolate import PPoly
    >>> p = PPoly([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0, 3.0])
    >>> p([0.5, 2.0])
    Tensor([0.5, 1. ])
    """

    def __init__(self, c: Any, x: Any, extrapolate: Any = None, axis: int = 0) -> None:
        coefficients, t = floating(c), knots("PPoly", "x", x)
        s = shape_of(coefficients)
        if len(s) < 2 or not s[0] or s[1] != shape_of(t)[0] - 1:
            raise ShapeError(
                f"PPoly: c must have shape (k, {shape_of(t)[0] - 1}, ...) for {shape_of(t)[0]} knots, got {s}"
            )
        way = extrapolation("PPoly", extrapolate)
        self.c, self.x = wrap(coefficients), wrap(t)
        self.extrapolate = True if way is None else way
        self.axis = normalize_axis("PPoly", axis, len(s) - 1)
