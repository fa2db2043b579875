"""Cubic interpolants: splines, monotone ones, Akima's; all are Hermite's with derivatives found in their own way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import wrap
from scisim.core.values import Traced
from scisim.core.values import shape as shape_of
from scisim.interpolate._arguments import axis_first, beside, column, extrapolation, knots
from scisim.interpolate._piecewise import Piecewise
from scisim.ops.arithmetic import absolute, sign
from scisim.ops.select import eq, logical_and, logical_or, ne, where
from scisim.ops.shape import broadcast, concat, reshape, stack


def hermite(x: Any, y: Any, slopes: Any) -> Any:
    """Coefficients of the cubics that have values and derivatives at the knots; y and slopes are (n, ...)."""
    h = column(x[1:] - x[:-1], len(shape_of(y)) - 1)
    secant = (y[1:] - y[:-1]) / h
    bend = (slopes[:-1] + slopes[1:] - 2.0 * secant) / h
    return stack([bend / h, (secant - slopes[:-1]) / h - bend, slopes[:-1], y[:-1]], 0)


class CubicHermiteSpline(Piecewise):
    """Piecewise cubic with given values and first derivatives at the knots.

    Parameters
    ----------
    x : array_like
        Knots in ascending order, of shape (n,), n at least 2.
    y : array_like
        Values, with n elements along ``axis``; real or complex.
    dydx : array_like
        Derivatives, of the shape of ``y``.
    axis : int
    extrapolate : {True, False, "periodic"}, optional
        What lies beyond the ends: the end pieces (by default), nan, or repetition.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When the knots do not ascend.

    Notes
    -----
    Differentiable in knots, values, derivatives and queries; a pytree of its coefficients and knots.

    Examples
    --------
    >>> from scisim.interpolate import CubicHermiteSpline
    >>> CubicHermiteSpline([0.0, 1.0], [0.0, 1.0], [0.0, 2.0])(0.5)
    Tensor(0.25)
    """

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        t = knots("CubicHermiteSpline", "x", x)
        values, a = axis_first("CubicHermiteSpline", y, axis, shape_of(t)[0])
        slopes, _ = axis_first("CubicHermiteSpline", dydx, axis, shape_of(t)[0])
        if shape_of(slopes) != shape_of(values):
            raise ShapeError(
                f"CubicHermiteSpline: y and dydx must have one shape, got {shape_of(values)} and {shape_of(slopes)} "
                f"with the axis of the knots in front"
            )
        self._set(t, values, slopes, a, extrapolate)

    def _set(self, x: Any, y: Any, slopes: Any, axis: int, extrapolate: Any) -> None:
        way = extrapolation(type(self).__name__, extrapolate)
        self.c, self.x = wrap(hermite(x, y, slopes)), wrap(x)
        self.extrapolate, self.axis = True if way is None else way, axis


# --- splines ---------------------------------------------------------------------------------------------------------
_ENDS = {"natural": (2, 0.0), "clamped": (1, 0.0)}
_KINDS = 'bc_type must be "not-a-knot", "natural", "clamped", "periodic", or a pair of such or of (order, value)'


def _end(bc: Any) -> Any:
    """The condition at one end: "not-a-knot", or an order 1 or 2 and a value."""
    if isinstance(bc, str):
        if bc == "not-a-knot":
            return bc
        if bc in _ENDS:
            return _ENDS[bc]
        raise ArgumentError(f"CubicSpline: {_KINDS}, got {bc!r}")
    try:
        derivative, number = bc
    except TypeError:
        raise ArgumentTypeError(f"CubicSpline: {_KINDS}, got {bc!r}") from None
    if derivative not in (1, 2):
        raise ArgumentError(f"CubicSpline: the order of a derivative at an end must be 1 or 2, got {derivative!r}")
    return derivative, number


def _conditions(bc_type: Any) -> Any:
    if isinstance(bc_type, str):
        return "periodic" if bc_type == "periodic" else (_end(bc_type),) * 2
    if not isinstance(bc_type, (tuple, list)) or len(bc_type) != 2:
        raise ArgumentTypeError(f"CubicSpline: {_KINDS}, got {bc_type!r}")
    if "periodic" in [b for b in bc_type if isinstance(b, str)]:
        raise ArgumentError('CubicSpline: "periodic" is a condition for both ends; give it as bc_type itself')
    return _end(bc_type[0]), _end(bc_type[1])


def _tridiagonal(lower: Any, diagonal: Any, upper: Any, right: Any) -> Any:
    """Solution of one tridiagonal system with right sides (n, ...)."""
    from scisim.ops._linalg.tridiagonal import solve_tridiagonal

    s = shape_of(right)
    flat = reshape(right, (s[0], math.prod(s[1:])))
    return reshape(solve_tridiagonal(lower, diagonal, upper, flat), s)


def _end_row(condition: Any, h: Any, secant: Any, first: Any) -> tuple[Any, Any, Any]:
    """Diagonal, off-diagonal and right side of the row of an end; h and secant are counted from it inwards.

    ``first`` is 1 at the left and -1 at the right end, where distances count backwards.
    """
    if condition == "not-a-knot":
        if shape_of(h)[0] == 1:  # two points: a straight line
            return 1.0 + 0.0 * h[0], 0.0 * h[0], secant[0]
        d = h[0] + h[1]
        right = ((h[0] + 2.0 * d) * h[1] * secant[0] + h[0] * h[0] * secant[1]) / d
        return h[1], d, right
    derivative, number = condition
    number = broadcast(beside(number, secant), shape_of(secant)[1:])
    if derivative == 1:
        return 1.0 + 0.0 * h[0], 0.0 * h[0], number + 0.0 * secant[0]
    return 2.0 * h[0], h[0], h[0] * (3.0 * secant[0] - first * 0.5 * h[0] * number)


def spline_slopes(x: Any, y: Any, ends: Any) -> Any:
    """First derivatives at the knots of the spline with two continuous derivatives."""
    h = x[1:] - x[:-1]
    rank = len(shape_of(y)) - 1
    secant = (y[1:] - y[:-1]) / column(h, rank)
    n = shape_of(x)[0]
    if ends == "periodic":
        return _periodic_slopes(h, secant, rank)
    if n == 3 and ends == ("not-a-knot", "not-a-knot"):
        return _parabola_slopes(h, secant)
    d0, u0, b0 = _end_row(ends[0], h, secant, 1.0)
    d1, l1, b1 = _end_row(ends[1], h[::-1], secant[::-1], -1.0)
    before, after = column(h[:-1], rank), column(h[1:], rank)
    inner = 3.0 * (after * secant[:-1] + before * secant[1:])
    one = lambda v: reshape(v, (1,))
    row = lambda v: reshape(v, (1, *shape_of(v)))
    diagonal = concat([one(d0), 2.0 * (h[:-1] + h[1:]), one(d1)], 0)
    upper, lower = concat([one(u0), h[:-1]], 0), concat([h[1:], one(l1)], 0)
    return _tridiagonal(lower, diagonal, upper, concat([row(b0), inner, row(b1)], 0))


def _parabola_slopes(h: Any, secant: Any) -> Any:
    """Of the parabola through three points."""
    bend = (secant[1] - secant[0]) / (h[0] + h[1])
    return stack([secant[0] - bend * h[0], secant[0] + bend * h[0], secant[1] + bend * h[1]], 0)


def _periodic_slopes(h: Any, secant: Any, rank: int) -> Any:
    """The cyclic system is tridiagonal but for two corners: Sherman and Morrison's formula."""
    n = shape_of(h)[0]
    if n == 1:
        return concat([secant * 0.0, secant * 0.0], 0)
    before = concat([h[-1:], h[:-1]], 0)  # row i: h_i s_{i-1} + 2 (h_{i-1} + h_i) s_i + h_{i-1} s_{i+1}
    previous = concat([secant[-1:], secant[:-1]], 0)
    right = 3.0 * (column(h, rank) * previous + column(before, rank) * secant)
    if n == 2:
        slope = right[0] / (3.0 * (h[0] + h[1]))
        return stack([slope, slope, slope], 0)
    diagonal = 2.0 * (before + h)
    low, high = h[:1], before[-1:]  # the corners (0, n - 1) and (n - 1, 0)
    gamma = -diagonal[:1]
    shifted = concat([diagonal[:1] - gamma, diagonal[1:-1], diagonal[-1:] - low * high / gamma], 0)
    zero = 0.0 * h[1:-1]
    u = concat([gamma, zero, high], 0)
    ones = (1,) * rank
    both = concat([reshape(right, (n, -1)), reshape(u, (n, 1))], 1)
    solved = _tridiagonal(h[1:], shifted, before[:-1], both)
    z, w = reshape(solved[:, :-1], shape_of(right)), solved[:, -1]
    share = reshape(low / gamma, (1,))[0]
    along = (z[0] + share * z[-1]) / (1.0 + w[0] + share * w[-1])
    s = z - reshape(w, (n, *ones)) * along
    return concat([s, s[:1]], 0)


class CubicSpline(CubicHermiteSpline):
    """Piecewise cubic with two continuous derivatives.

    Parameters
    ----------
    x : array_like
        Knots in ascending order, of shape (n,), n at least 2.
    y : array_like
        Values, with n elements along ``axis``; real or complex.
    axis : int
    bc_type : str or pair
        "not-a-knot" (the first two and the last two pieces are one cubic each), "natural" (no second derivative at the
        ends), "clamped" (no first one), "periodic", or a pair of conditions, each a name or (order, value).
    extrapolate : {True, False, "periodic"}, optional
        What lies beyond the ends: by default repetition of a periodic spline, else the end pieces.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When the knots do not ascend, conditions are not known, or periodic values differ at the ends.

    Notes
    -----
    One tridiagonal system is solved. Differentiable in knots, values, conditions and queries.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim.interpolate import CubicSpline
    >>> x = ss.linspace(0.0, 3.0, 4)
    >>> CubicSpline(x, x**3)(1.5)
    Tensor(3.375)
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> None:
        t = knots("CubicSpline", "x", x)
        values, a = axis_first("CubicSpline", y, axis, shape_of(t)[0])
        ends = _conditions(bc_type)
        if ends == "periodic":
            _check_periodic(values)
            extrapolate = "periodic" if extrapolate is None else extrapolate
        self._set(t, values, spline_slopes(t, values, ends), a, extrapolate)


def _check_periodic(y: Any) -> None:
    if isinstance(y, Traced):
        return
    if not np.allclose(y[0], y[-1], rtol=1e-15, atol=1e-15):
        raise ArgumentError("CubicSpline: a periodic spline needs equal values at both ends; repeat the first one")


# --- monotone --------------------------------------------------------------------------------------------------------
def _pchip_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """A three-point slope at an end, kept from overshooting."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    wrong = ne(sign(d), sign(m0))
    steep = logical_and(ne(sign(m0), sign(m1)), absolute(d) > 3.0 * absolute(m0))
    return where(wrong, 0.0, where(steep, 3.0 * m0, d))


def pchip_slopes(x: Any, y: Any) -> Any:
    """Weighted harmonic means of the secants on both sides, 0 at an extremum (Fritsch and Butland, 1984)."""
    rank = len(shape_of(y)) - 1
    h = column(x[1:] - x[:-1], rank)
    secant = (y[1:] - y[:-1]) / h
    if shape_of(y)[0] == 2:
        return concat([secant, secant], 0)
    left, right = secant[:-1], secant[1:]
    flat = logical_or(ne(sign(left), sign(right)), logical_or(eq(left, 0.0), eq(right, 0.0)))
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (w1 / where(flat, 1.0, left) + w2 / where(flat, 1.0, right)) / (w1 + w2)
    inner = where(flat, 0.0, 1.0 / where(flat, 1.0, mean))
    first = _pchip_end(h[0], h[1], secant[0], secant[1])
    last = _pchip_end(h[-1], h[-2], secant[-1], secant[-2])
    row = lambda v: reshape(v, (1, *shape_of(v)))
    return concat([row(first), inner, row(last)], 0)


class PchipInterpolator(CubicHermiteSpline):
    """Piecewise cubic that is monotone where the data are.

    Parameters
    ----------
    x : array_like
        Knots in ascending order, of shape (n,), n at least 2.
    y : array_like
        Real values, with n elements along ``axis``.
    axis : int
    extrapolate : bool, optional
        Whether the end pieces go on (by default), or nan follows.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When the knots do not ascend.

    Notes
    -----
    The slopes of Fritsch and Butland (SIAM J. Sci. Statist. Comput. 5 (1984) 300). Differentiable in knots, values and
    queries, but for data in which neighbouring secants change sign or vanish: there the derivative is that of the slope
    zero.

    Examples
    --------
    >>> from scisim.interpolate import PchipInterpolator
    >>> PchipInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])(1.5)
    Tensor(1.)
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        t = knots("PchipInterpolator", "x", x)
        values, a = axis_first("PchipInterpolator", y, axis, shape_of(t)[0])
        self._set(t, values, pchip_slopes(t, values), a, extrapolate)


# --- Akima -----------------------------------------------------------------------------------------------------------
def akima_slopes(x: Any, y: Any, method: str) -> Any:
    """Means of the secants on both sides, each weighted with the bend on the other side."""
    h = column(x[1:] - x[:-1], len(shape_of(y)) - 1)
    m = (y[1:] - y[:-1]) / h
    if shape_of(y)[0] == 2:
        return concat([m, m], 0)
    first, last = 2.0 * m[:1] - m[1:2], 2.0 * m[-1:] - m[-2:-1]
    m = concat([2.0 * first - m[:1], first, m, last, 2.0 * last - m[-1:]], 0)
    bends = absolute(m[1:] - m[:-1])
    if method == "makima":
        bends = bends + 0.5 * absolute(m[1:] + m[:-1])
    right, left = bends[2:], bends[:-2]
    total = right + left
    straight = eq(total, 0.0)
    weighted = (right * m[1:-2] + left * m[2:-1]) / where(straight, 1.0, total)
    middle = 0.0 if method == "makima" else 0.5 * (m[1:-2] + m[2:-1])
    return where(straight, middle, weighted)


class Akima1DInterpolator(CubicHermiteSpline):
    """Akima's piecewise cubic, which overshoots little near outliers.

    Parameters
    ----------
    x : array_like
        Knots in ascending order, of shape (n,), n at least 2.
    y : array_like
        Real values, with n elements along ``axis``.
    axis : int
    method : {"akima", "makima"}
        The original weights, or those that make flat stretches stay flat.
    extrapolate : bool, optional
        Whether the end pieces go on, or nan follows (by default).

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When the knots do not ascend, or for another method.

    Notes
    -----
    H. Akima, J. ACM 17 (1970) 589. Differentiable in knots, values and queries; where neighbouring secants are equal,
    the derivative is the convention of abs at 0.

    Examples
    --------
    >>> from scisim.interpolate import Akima1DInterpolator
    >>> Akima1DInterpolator([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0, 3.0])(1.5)
    Tensor(1.5)
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None) -> None:
        if method not in ("akima", "makima"):
            raise ArgumentError(f'Akima1DInterpolator: method must be "akima" or "makima", got {method!r}')
        t = knots("Akima1DInterpolator", "x", x)
        values, a = axis_first("Akima1DInterpolator", y, axis, shape_of(t)[0])
        way = False if extrapolate is None else extrapolate
        self._set(t, values, akima_slopes(t, values, method), a, way)
