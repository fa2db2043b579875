"""Interpolation of values on a line by kind, and on a grid of any dimension."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import Traced
from scisim.core.values import shape as shape_of
from scisim.interpolate._arguments import axis_back, axis_first, column, filling, floating, knots, real, value
from scisim.interpolate._bsplines import basis, make_interp_spline
from scisim.interpolate._bsplines import interval as spline_interval
from scisim.interpolate._piecewise import PPoly, interval, outside
from scisim.ops.index import gather_p
from scisim.ops.select import logical_or, where
from scisim.ops.shape import reshape, stack
from scisim.ops.sorting import argsort, searchsorted, take

_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
_METHODS = ("linear", "nearest", *_DEGREES)


def _any(x: Any) -> bool:
    """Whether a condition holds somewhere, as far as it is known."""
    return not isinstance(x, Traced) and bool(np.any(x))


class RegularGridInterpolator:
    """Interpolation on a grid whose lines need not be equally spaced.

    Parameters
    ----------
    points : tuple of array_like
        The grid's coordinates along each axis, in ascending order.
    values : array_like
        Of shape (m1, ..., md, ...); real or complex.
    method : {"linear", "nearest", "slinear", "cubic", "quintic"}
        "slinear", "cubic" and "quintic" are products of splines through all values of a line.
    bounds_error : bool
        Whether a query outside of the grid is an error, where it is known.
    fill_value : number or None
        For queries outside if they are no error; None extrapolates.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        When coordinates do not ascend, for another method, or for a query outside.

    Notes
    -----
    Differentiable in coordinates, values and queries (but for "nearest", which is piecewise constant); a pytree.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim.interpolate import RegularGridInterpolator
    >>> x, y = ss.linspace(0.0, 2.0, 3), ss.linspace(0.0, 1.0, 2)
    >>> f = RegularGridInterpolator((x, y), x[:, None] + 2.0 * y)
    >>> f([0.5, 0.25])
    Tensor([1.])
    """

    def __init__(
        self,
        points: Any,
        values: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = math.nan,
    ) -> None:
        name = "RegularGridInterpolator"
        if method not in _METHODS:
            raise ArgumentError(f"{name}: method must be one of {_METHODS}, got {method!r}")
        if not isinstance(points, (tuple, list)) or not points:
            raise ArgumentTypeError(f"{name}: points must be a tuple of coordinates, one vector for each axis")
        grid = [knots(name, f"points[{i}]", p) for i, p in enumerate(points)]
        v = floating(values)
        sizes = tuple(shape_of(p)[0] for p in grid)
        if shape_of(v)[: len(grid)] != sizes:
            raise ShapeError(f"{name}: coordinates of {sizes} lines do not fit values of shape {shape_of(v)}")
        self.grid, self.method = tuple(map(wrap, grid)), method
        self.bounds_error, self.fill_value = bool(bounds_error), fill_value
        self.values = wrap(v)
        self._knots: tuple[Tensor, ...] = ()
        if method in _DEGREES:
            self._to_splines(_DEGREES[method])

    def _to_splines(self, k: int) -> None:
        """Coefficients of splines along all axes in the place of the values."""
        c, lines = self.values, []
        for d, x in enumerate(self.grid):
            spline = make_interp_spline(x, c, k, axis=d)
            lines.append(spline.t)
            c = spline.c
        self._coefficients, self._knots = c, tuple(lines)

    def __call__(self, xi: Any) -> Tensor:
        """Values at queries of shape (..., d).

        Returns
        -------
        Tensor
            Of shape (..., *rest), rest being the axes of the values behind those of the grid; (1, *rest) for one query
            of shape (d,), as in SciPy.
        """
        name, d = "RegularGridInterpolator", len(self.grid)
        q = stack([real(name, "xi", x) for x in xi], -1) if isinstance(xi, tuple) else real(name, "xi", xi)
        if not shape_of(q) or shape_of(q)[-1] != d:
            raise ShapeError(f"{name}: queries must have shape (..., {d}), got {shape_of(q)}")
        q = reshape(q, (1, d)) if len(shape_of(q)) == 1 else q
        coordinates = [q[..., i] for i in range(d)]
        beyond = self._beyond(coordinates)
        y = self._inside(coordinates)
        if self.fill_value is not None:
            rank = len(shape_of(self.values._v)) - d
            y = where(column(beyond, rank), filling(self.fill_value), y)
        return wrap(y)

    def _beyond(self, q: list) -> Any:
        beyond = None
        for x, p in zip(q, self.grid, strict=True):
            out = outside(p._v, x)
            beyond = out if beyond is None else logical_or(beyond, out)
        if self.bounds_error and _any(beyond):
            raise ArgumentError(
                "RegularGridInterpolator: a query lies outside of the grid; pass bounds_error=False, and "
                "fill_value=None to extrapolate"
            )
        return beyond

    def _inside(self, q: list) -> Any:
        if self.method == "nearest":
            at = [_nearest(p._v, x) for p, x in zip(self.grid, q, strict=True)]
            return gather_p(self.values._v, *at)
        if self.method == "linear":
            weights = [_linear(p._v, x) for p, x in zip(self.grid, q, strict=True)]
            return _combined(self.values._v, weights)
        k = _DEGREES[self.method]
        weights = []
        for t, x in zip(self._knots, q, strict=True):
            i = spline_interval(t._v, k, x)
            weights.append([(i - k + r, b) for r, b in enumerate(basis(t._v, k, x, i))])
        return _combined(self._coefficients._v, weights)


def _linear(p: Any, x: Any) -> list:
    """Positions and weights of the two lines beside each query."""
    i = interval(p, x)
    w = (x - take(p, i, 0)) / (take(p, i + 1, 0) - take(p, i, 0))
    return [(i, 1.0 - w), (i + 1, w)]


def _nearest(p: Any, x: Any) -> Any:
    return searchsorted(0.5 * (p[1:] + p[:-1]), x, "left")


def _combined(v: Any, weights: list) -> Any:
    """The sum over all corners of the products of weights with the values there."""
    rank = len(shape_of(v)) - len(weights)
    total = None
    for corner in itertools.product(*weights):
        w = corner[0][1]
        for _, factor in corner[1:]:
            w = w * factor
        term = gather_p(v, *(i for i, _ in corner)) * column(w, rank)
        total = term if total is None else total + term
    return total


def _flatten_grid(g: RegularGridInterpolator) -> tuple:
    names = ("values", "grid", "knots", "coefficients")
    children = (g.values, g.grid, g._knots, g._coefficients if g._knots else None)
    return children, (g.method, g.bounds_error, g.fill_value), names


def _unflatten_grid(static: tuple, parts: Any) -> RegularGridInterpolator:
    new = object.__new__(RegularGridInterpolator)
    new.method, new.bounds_error, new.fill_value = static
    new.values, new.grid, new._knots, new._coefficients = parts
    return new


pytree.register(RegularGridInterpolator, _flatten_grid, _unflatten_grid)


# --- on a line -------------------------------------------------------------------------------------------------------
_SPLINES = {"slinear": 1, "quadratic": 2, "cubic": 3}
_KINDS = ("linear", "nearest", "nearest-up", "previous", "next", "zero", *_SPLINES)


class interp1d:
    """Interpolation on a line, of a kind named by a word.

    Parameters
    ----------
    x : array_like
        Distinct points, of shape (n,).
    y : array_like
        Values, with n elements along ``axis``; real or complex.
    kind : str or int
        "linear", "nearest" (halves go down), "nearest-up", "previous", "next", "zero", "slinear", "quadratic",
        "cubic", or the degree of a spline.
    axis : int
    bounds_error : bool, optional
        Whether a query outside is an error, where it is known; by default unless ``fill_value`` is given.
    fill_value : number, pair of numbers, or "extrapolate"
        For queries outside (below and above).
    assume_sorted : bool
        Whether ``x`` ascends.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        For another kind, points that are equal, or a query outside.

    Examples
    --------
    >>> from scisim.interpolate import interp1d
    >>> interp1d([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])([0.5, 1.5])
    Tensor([0.5, 2.5])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Any = "linear",
        axis: int = -1,
        bounds_error: bool | None = None,
        fill_value: Any = math.nan,
        assume_sorted: bool = False,
    ) -> None:
        if kind not in _KINDS and (isinstance(kind, (str, bool)) or not isinstance(kind, int)):
            raise ArgumentError(f"interp1d: kind must be one of {_KINDS} or a degree, got {kind!r}")
        nodes = value(x)
        if len(shape_of(nodes)) != 1:
            raise ShapeError(f"interp1d: x must be a vector, got shape {shape_of(nodes)}")
        values, self.axis = axis_first("interp1d", y, axis, shape_of(nodes)[0])
        if not assume_sorted:
            rank = argsort(nodes)
            nodes, values = take(nodes, rank, 0), take(values, rank, 0)
        nodes = knots("interp1d", "x", nodes)
        given = fill_value == "extrapolate" if isinstance(fill_value, str) else not _is_nan(fill_value)
        self.kind, self.fill_value = kind, fill_value
        self.bounds_error = (not given) if bounds_error is None else bool(bounds_error)
        self.x, self.y = wrap(nodes), wrap(values)
        degree = _SPLINES.get(kind, kind)
        self._pieces: Any = None
        if isinstance(degree, int):
            self._pieces = make_interp_spline(nodes, values, degree)
        elif kind == "linear":
            slopes = (values[1:] - values[:-1]) / column(nodes[1:] - nodes[:-1], len(shape_of(values)) - 1)
            self._pieces = PPoly._make(stack([slopes, values[:-1]], 0), nodes, True, 0)

    def __call__(self, x: Any) -> Tensor:
        """Values at points, of any shape, which replaces the axis of the data."""
        q, t = real("interp1d", "x", x), self.x._v
        rank = len(shape_of(self.y._v)) - 1
        beyond = outside(t, q)
        if self.bounds_error and _any(beyond):
            raise ArgumentError(
                f"interp1d: a query lies outside of [{t[0]}, {t[-1]}]; pass bounds_error=False or "
                f'fill_value="extrapolate"'
            )
        y = self._at(q)
        if not isinstance(self.fill_value, str):
            low, high = self.fill_value if isinstance(self.fill_value, tuple) else (self.fill_value,) * 2
            y = where(column(q < t[0], rank), filling(low), where(column(q > t[-1], rank), filling(high), y))
        return wrap(axis_back(y, len(shape_of(q)), self.axis))

    def _at(self, q: Any) -> Any:
        t, y = self.x._v, self.y._v
        if self._pieces is not None:
            return self._pieces(wrap(q))._v
        middles = 0.5 * (t[1:] + t[:-1])
        if self.kind in ("nearest", "nearest-up"):
            at = searchsorted(middles, q, "left" if self.kind == "nearest" else "right")
        elif self.kind == "next":
            at = searchsorted(t[:-1], q, "left")
        else:
            at = searchsorted(t[1:], q, "right")
        return take(y, at, 0)


def _is_nan(v: Any) -> bool:
    return isinstance(v, float) and math.isnan(v)


def _flatten_line(f: interp1d) -> tuple:
    return (f.x, f.y, f._pieces), (f.kind, f.axis, f.bounds_error, f.fill_value), ("x", "y", "pieces")


def _unflatten_line(static: tuple, parts: Any) -> interp1d:
    new = object.__new__(interp1d)
    new.kind, new.axis, new.bounds_error, new.fill_value = static
    new.x, new.y, new._pieces = parts
    return new


pytree.register(interp1d, _flatten_line, _unflatten_line)
