"""B-splines: evaluation, derivatives, integrals, and interpolation with them."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced
from scisim.core.values import shape as shape_of
from scisim.interpolate import _plain
from scisim.interpolate._arguments import (
    axis_back,
    axis_first,
    beside,
    column,
    extrapolation,
    floating,
    knots,
    order,
    real,
)
from scisim.interpolate._compiled import looped
from scisim.ops.reduce import cumulative_sum
from scisim.ops.select import eq, logical_or, remainder, where
from scisim.ops.shape import broadcast, concat, moveaxis, normalize_axis, reshape, stack
from scisim.ops.sorting import searchsorted, take


def interval(t: Any, k: int, q: Any) -> Any:
    """The knot before each query, from k to n - 1; end pieces have no end."""
    n = shape_of(t)[0] - k - 1
    return searchsorted(t[k + 1 : n], q, "right") + k


def basis(t: Any, k: int, q: Any, i: Any) -> list:
    """The k + 1 B-splines that do not vanish between t[i] and t[i + 1], by the recurrence of Cox and de Boor."""
    right = [take(t, i + j, 0) - q for j in range(1, k + 1)]
    left = [q - take(t, i + 1 - j, 0) for j in range(1, k + 1)]
    b = [0.0 * q + 1.0]
    for d in range(1, k + 1):
        saved, new = None, []
        for r in range(d):
            share = b[r] / (right[r] + left[d - 1 - r])
            low = right[r] * share
            new.append(low if saved is None else saved + low)
            saved = left[d - 1 - r] * share
        b = [*new, saved]
    return b


def _parts(t: Any, c: Any, q: Any, k: int) -> Any:
    i, rank = interval(t, k, q), len(shape_of(c)) - 1
    total = None
    for r, b in enumerate(basis(t, k, q, i)):
        term = take(c, i - k + r, 0) * column(b, rank)
        total = term if total is None else total + term
    return total


def _plainly(t: np.ndarray, c: np.ndarray, q: np.ndarray, k: int) -> Any:
    loops = _plain.kernels(t, c, q)
    return _parts(t, c, q, k) if loops is None else _plain.splines(loops, t, c, k, q)


_looped, _ = looped("spline", _plainly, _parts, lambda t, c, q: (*q, *c[1:]))


def evaluate(t: Any, c: Any, k: int, q: Any) -> Any:
    """The spline at queries; c is (n, ...)."""
    return _looped(t, c, q, k=k)


def lowered(t: Any, c: Any, k: int) -> tuple[Any, Any, int]:
    """Knots, coefficients and degree of the derivative."""
    if k == 0:
        return t, c * 0.0, 0
    n = shape_of(t)[0] - k - 1
    width = t[k + 1 : n + k] - t[1:n]
    gap = eq(width, 0.0)
    slope = (c[1:n] - c[: n - 1]) * float(k) / column(where(gap, 1.0, width), len(shape_of(c)) - 1)
    return t[1:-1], where(column(gap, len(shape_of(c)) - 1), 0.0, slope), k - 1


class BSpline:
    """Spline of a degree as a sum of B-splines on given knots.

    Parameters
    ----------
    t : array_like
        Knots, not descending, of shape (n + k + 1,).
    c : array_like
        Coefficients, with n elements along ``axis``; real or complex.
    k : int
        Degree.
    extrapolate : {True, False, "periodic"}
        What lies beyond t[k] and t[n].
    axis : int

    Raises
    ------
    ShapeError
        When there are too few knots, or the coefficients do not fit them.
    ArgumentError
        When knots descend.

    Notes
    -----
    A pytree of ``t`` and ``c``; differentiable in both and in the queries.

    Examples
    --------
    >>> from scisim.interpolate import BSpline
    >>> BSpline([0.0, 0.0, 1.0, 1.0], [1.0, 3.0], 1)(0.25)
    Tensor(1.5)
    """

    t: Tensor
    c: Tensor

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.k = order("BSpline", "k", k)
        nodes, coefficients = real("BSpline", "t", t), floating(c)
        count = (shape_of(nodes) or (0,))[0] - self.k - 1
        if len(shape_of(nodes)) != 1 or count < self.k + 1:
            raise ShapeError(f"BSpline: degree {k} needs a vector of at least {2 * self.k + 2} knots in t")
        if not isinstance(nodes, Traced) and not np.all(nodes[1:] >= nodes[:-1]):
            raise ArgumentError("BSpline: the knots t must not descend")
        s = shape_of(coefficients)
        self.axis = normalize_axis("BSpline", axis, len(s))
        if not s or s[self.axis] < count:
            raise ShapeError(f"BSpline: {count} coefficients along axis {axis} are wanted, c has shape {s}")
        way = extrapolation("BSpline", extrapolate)
        self.extrapolate = True if way is None else way
        self.t, self.c = wrap(nodes), wrap(coefficients)

    @classmethod
    def _make(cls, t: Any, c: Any, k: int, extrapolate: Any, axis: int) -> Self:
        new = object.__new__(cls)
        new.t, new.k, new.extrapolate, new.axis = wrap(t), k, extrapolate, axis
        new.c = wrap(moveaxis(c, 0, axis))
        return new

    @property
    def _rows(self) -> Any:
        """The coefficients with their axis in front, as many as there are B-splines."""
        n = shape_of(self.t._v)[0] - self.k - 1
        return moveaxis(self.c._v, self.axis, 0)[:n]

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
            The axis of the coefficients is replaced by the shape of ``x``.
        """
        q, t, c, k = real("BSpline", "x", x), self.t._v, self._rows, self.k
        way = extrapolation("BSpline", self.extrapolate if extrapolate is None else extrapolate)
        low, high = t[k], t[shape_of(t)[0] - k - 1]
        if way == "periodic":
            q = low + remainder(q - low, high - low)
        for _ in range(order("BSpline", "nu", nu)):
            t, c, k = lowered(t, c, k)
        y = evaluate(t, c, k, q)
        if way is False:
            y = where(column(logical_or(q < low, q > high), len(shape_of(c)) - 1), math.nan, y)
        return wrap(axis_back(y, len(shape_of(q)), self.axis))

    def derivative(self, nu: int = 1) -> BSpline:
        """The spline that is the derivative of an order."""
        t, c, k = self.t._v, self._rows, self.k
        for _ in range(order("BSpline", "nu", nu)):
            t, c, k = lowered(t, c, k)
        return BSpline._make(t, c, k, self.extrapolate, self.axis)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """The spline of higher degree whose derivative this is, 0 at the first knot."""
        t, c, k = self.t._v, self._rows, self.k
        for _ in range(order("BSpline", "nu", nu)):
            width = column(t[k + 1 :] - t[: -k - 1], len(shape_of(c)) - 1)
            grown = cumulative_sum(c * width / (k + 1.0), axis=0)
            c = concat([grown[:1] * 0.0, grown], 0)
            t, k = concat([t[:1], t, t[-1:]], 0), k + 1
        way = False if self.extrapolate == "periodic" else self.extrapolate
        return BSpline._make(t, c, k, way, self.axis)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Tensor:
        """The integral from a to b; of a periodic spline within one period of its knots."""
        whole = self.antiderivative()
        way = self.extrapolate if extrapolate is None else extrapolate
        way = True if way == "periodic" else way
        return whole(b, extrapolate=way) - whole(a, extrapolate=way)


pytree.register(
    BSpline,
    lambda s: ((s.t, s.c), (s.k, s.extrapolate, s.axis), ("t", "c")),
    lambda static, parts: _from_parts(static, parts),
)


def _from_parts(static: tuple, parts: Any) -> BSpline:
    new = object.__new__(BSpline)
    new.t, new.c = parts
    new.k, new.extrapolate, new.axis = static
    return new


# --- interpolation ---------------------------------------------------------------------------------------------------
_ENDS = {"natural": (2, 0.0), "clamped": (1, 0.0)}


def _derivatives(bc: Any, k: int) -> list[tuple[int, Any]]:
    """Conditions at one end: orders of derivatives and values."""
    if bc is None or (isinstance(bc, str) and bc == "not-a-knot"):
        return []
    if isinstance(bc, str):
        if bc not in _ENDS:
            raise ArgumentError(
                f'make_interp_spline: bc_type must be None, "not-a-knot", "natural", "clamped" or a pair of lists of '
                f"(order, value), got {bc!r}; for a periodic spline see CubicSpline"
            )
        return [_ENDS[bc]]
    return [(order("make_interp_spline", "the order of a derivative", n, 1), v) for n, v in bc]


def _default_knots(x: Any, k: int, extra: int) -> tuple[Any, np.ndarray]:
    """Knots, and which of their intervals each point lies in: at every point, or at all but those near the ends."""
    n = shape_of(x)[0]
    if extra:
        inner, first = x[1:-1], 1
    elif k % 2:
        first = (k + 1) // 2
        inner = x[first : n - first]
    else:
        first = k // 2
        middles = 0.5 * (x[1:] + x[:-1])
        inner = middles[first : n - 1 - first]
    t = concat([broadcast(x[:1], (k + 1,)), inner, broadcast(x[-1:], (k + 1,))], 0)
    places = np.arange(n) - (first - 1 if k % 2 else first)
    count = shape_of(inner)[0]
    return t, np.clip(places, 0, count) + k


def _end_rows(t: Any, k: int, q: Any, i: int, orders: list[int]) -> list[list]:
    """Derivatives at an end of the k + 1 B-splines that live there, for each order."""
    rows = []
    for n in orders:
        units = np.eye(k + 1, dtype=t.dtype)
        local = t[i - k : i + k + 2]
        tt, c, kk = local, units, k
        for _ in range(n):
            tt, c, kk = lowered(tt, c, kk)
        y = evaluate(tt, c, kk, q)
        rows.append([y[r] for r in range(k + 1)])
    return rows


def make_interp_spline(x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0) -> BSpline:
    """The spline of a degree through given values.

    Parameters
    ----------
    x : array_like
        Points in ascending order, of shape (n,).
    y : array_like
        Values, with n elements along ``axis``; real or complex.
    k : int
        Degree.
    t : array_like, optional
        Knots; by default at the points (odd degrees) or between them (even ones), without those next to the ends.
    bc_type : optional
        None or "not-a-knot", "natural", "clamped", or a pair of lists of (order, value): derivatives at both ends.
        As many conditions are needed as there are more coefficients than points.
    axis : int

    Returns
    -------
    BSpline

    Raises
    ------
    ShapeError
        When the shapes or numbers of conditions do not fit each other.
    ArgumentError
        When the points do not ascend, or conditions are not known.

    Notes
    -----
    One banded system is solved. Differentiable in points, values, knots and conditions.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim.interpolate import make_interp_spline
    >>> x = ss.linspace(0.0, 5.0, 6)
    >>> make_interp_spline(x, x**2, k=2)(1.5)
    Tensor(2.25)
    """
    name = "make_interp_spline"
    degree = order(name, "k", k)
    nodes = knots(name, "x", x, 1 if degree == 0 else 2)
    values, a = axis_first(name, y, axis, shape_of(nodes)[0])
    pair = (bc_type, bc_type) if bc_type is None or isinstance(bc_type, str) else tuple(bc_type)
    left, right = (_derivatives(bc, degree) for bc in pair)
    tt, places = _nodes(name, nodes, degree, t, len(left) + len(right))
    if degree == 0:
        return BSpline._make(tt, values, 0, True, a)
    ab, rhs = _system(nodes, values, tt, degree, places, left, right)
    return BSpline._make(tt, _solved(degree, ab, rhs), degree, True, a)


def _nodes(name: str, x: Any, k: int, t: Any, extra: int) -> tuple[Any, Any]:
    n = shape_of(x)[0]
    if k == 0:
        return concat([x, x[-1:]], 0), None
    if t is None:
        if extra and (not k % 2 or extra != k - 1):
            raise ShapeError(f"{name}: degree {k} with knots at the points needs {k - 1} conditions, got {extra}")
        if not extra and n < k + 1:
            raise ShapeError(f"{name}: degree {k} needs at least {k + 1} points, got {n}")
        return _default_knots(x, k, extra)
    tt = real(name, "t", t)
    if shape_of(tt) != (n + extra + k + 1,):
        raise ShapeError(
            f"{name}: {n} points and {extra} conditions need {n + extra + k + 1} knots, got {shape_of(tt)}"
        )
    return tt, None


def _system(x: Any, y: Any, t: Any, k: int, places: Any, left: list, right: list) -> tuple[Any, Any]:
    """Rows of the collocation equations, (first columns, values), and the right side."""
    total = shape_of(t)[0] - k - 1
    i = interval(t, k, x) if places is None else places
    if isinstance(i, Traced):
        raise ArgumentError("make_interp_spline: knots t of their own need points that are known; leave t out here")
    body = stack(basis(t, k, x, i), 1)
    parts, rhs, firsts = [body], [y], [np.asarray(i) - k]
    for conditions, q, at, before in ((left, x[0], k, True), (right, x[-1], total - 1, False)):
        if conditions:
            rows = stack([stack(row, 0) for row in _end_rows(t, k, q, at, [m for m, _ in conditions])], 0)
            given = stack([broadcast(beside(v, y), shape_of(y)[1:]) for _, v in conditions], 0)
            spot = 0 if before else len(parts)
            parts.insert(spot, rows)
            rhs.insert(spot, given)
            firsts.insert(spot, np.full(len(conditions), at - k))
    return (np.concatenate(firsts), concat(parts, 0)), concat(rhs, 0)


def _solved(k: int, rows: tuple[np.ndarray, Any], rhs: Any) -> Any:
    from scisim.ops._linalg.banded import solve_banded

    firsts, body = rows
    n = len(firsts)
    row, r = np.indices((n, k + 1))
    col = firsts[:, None] + r
    low, up = int(max((row - col).max(), 0)), int(max((col - row).max(), 0))
    place = np.full((low + up + 1, n), n * (k + 1))
    place[(up + row - col).ravel(), col.ravel()] = np.arange(n * (k + 1))
    flat = reshape(body, (n * (k + 1),))
    ab = take(concat([flat, 0.0 * flat[:1]], 0), place, 0)
    s = shape_of(rhs)
    return reshape(solve_banded((low, up), ab, reshape(rhs, (n, math.prod(s[1:])))), s)
