"""Interpolation of values at scattered points by triangulation, and by nearest neighbours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import shape as shape_of
from scisim.interpolate._arguments import column, filling, real
from scisim.interpolate._grids import interp1d
from scisim.interpolate._neighbours import corners_p, neighbours_p, pair, queries, restored
from scisim.ops.arithmetic import stop
from scisim.ops.extrema import max as max_of
from scisim.ops.extrema import min as min_of
from scisim.ops.index import gather_p
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import lt, where
from scisim.ops.shape import concat, matrix_transpose, reshape, stack


def _barycentric(p: Any, q: Any) -> tuple[Any, Any, Any]:
    """Corners around each query, their weights, and whether there are any."""
    from scisim.ops._linalg.solving import solve

    d = shape_of(p)[1]
    corners = corners_p(stop(p), stop(q))
    inside = corners[:, 0] >= 0
    safe = where(reshape(inside, (shape_of(q)[0], 1)), corners, np.arange(d + 1))
    at = gather_p(p, safe)  # (q, d + 1, d)
    edges, gap = at[:, :d] - at[:, d:], q - at[:, d]
    if d == 2:
        across = lambda u, v: u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        area = across(edges[:, 0], edges[:, 1])
        w = stack([across(gap, edges[:, 1]) / area, across(edges[:, 0], gap) / area], -1)
    else:
        w = solve(matrix_transpose(edges), reshape(gap, (shape_of(q)[0], d, 1)))[..., 0]
    return safe, concat([w, reshape(1.0 - sum_of(w, axis=-1), (shape_of(q)[0], 1))], -1), inside


class LinearNDInterpolator:
    """Linear interpolation on Delaunay's triangulation of scattered points.

    Parameters
    ----------
    points : array_like
        Of shape (n, d), d at least 2.
    values : array_like
        Of shape (n, ...); real or complex.
    fill_value : number
        For queries outside of the points' hull.
    rescale : bool
        Whether coordinates are scaled to the unit cube before points are joined.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.

    Notes
    -----
    SciPy finds the triangles, which are constant; the weights of their corners are differentiable in points and
    queries. A pytree.

    Examples
    --------
    >>> from scisim.interpolate import LinearNDInterpolator
    >>> f = LinearNDInterpolator([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.0, 1.0, 2.0])
    >>> f([[0.25, 0.25]])
    Tensor([0.75])
    """

    def __init__(self, points: Any, values: Any, fill_value: Any = math.nan, rescale: bool = False) -> None:
        p, v = pair("LinearNDInterpolator", points, values)
        if shape_of(p)[1] < 2:
            raise ShapeError("LinearNDInterpolator: points must have at least two coordinates; use interp1d on a line")
        self.points, self.values = wrap(p), wrap(v)
        self.fill_value, self.rescale = fill_value, bool(rescale)

    def __call__(self, *args: Any) -> Tensor:
        """Values at queries: an array of shape (..., d), or one array for each coordinate."""
        p, v = self.points._v, self.values._v
        q, lead = queries("LinearNDInterpolator", args if len(args) > 1 else args[0], shape_of(p)[1])
        p, q = _rescaled(p, q, self.rescale)
        at, w, inside = _barycentric(p, q)
        rest = shape_of(v)[1:]
        y = sum_of(gather_p(v, at) * column(w, len(rest)), axis=1)
        y = where(column(inside, len(rest)), y, filling(self.fill_value))
        return wrap(reshape(y, (*lead, *rest)))


def _rescaled(p: Any, q: Any, rescale: bool) -> tuple[Any, Any]:
    if not rescale:
        return p, q
    low, high = min_of(p, axis=0), max_of(p, axis=0)
    width = where(lt(low, high), high - low, 1.0)
    return (p - low) / width, (q - low) / width


class NearestNDInterpolator:
    """The value at the nearest one of scattered points.

    Parameters
    ----------
    x : array_like
        Points, of shape (n, d).
    y : array_like
        Values, of shape (n, ...).
    rescale : bool
        Whether coordinates are scaled to the unit cube before distances are measured.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.

    Notes
    -----
    Piecewise constant: differentiable in the values alone. A pytree.

    Examples
    --------
    >>> from scisim.interpolate import NearestNDInterpolator
    >>> NearestNDInterpolator([[0.0, 0.0], [1.0, 1.0]], [5.0, 7.0])([[0.8, 0.9]])
    Tensor([7.])
    """

    def __init__(self, x: Any, y: Any, rescale: bool = False) -> None:
        p, v = pair("NearestNDInterpolator", x, y)
        self.points, self.values, self.rescale = wrap(p), wrap(v), bool(rescale)

    def __call__(self, *args: Any) -> Tensor:
        """Values at queries: an array of shape (..., d), or one array for each coordinate."""
        p, v = self.points._v, self.values._v
        q, lead = queries("NearestNDInterpolator", args if len(args) > 1 else args[0], shape_of(p)[1])
        p, q = _rescaled(p, q, self.rescale)
        at = neighbours_p(stop(p), stop(q), count=1)
        return wrap(reshape(gather_p(v, at[:, 0]), (*lead, *shape_of(v)[1:])))


pytree.register(
    LinearNDInterpolator,
    lambda f: ((f.points, f.values), (f.fill_value, f.rescale), ("points", "values")),
    lambda static, parts: restored(
        LinearNDInterpolator, dict(zip(("points", "values", "fill_value", "rescale"), (*parts, *static)))
    ),
)
pytree.register(
    NearestNDInterpolator,
    lambda f: ((f.points, f.values), f.rescale, ("points", "values")),
    lambda static, parts: restored(NearestNDInterpolator, dict(zip(("points", "values", "rescale"), (*parts, static)))),
)


def griddata(
    points: Any, values: Any, xi: Any, method: str = "linear", fill_value: Any = math.nan, rescale: bool = False
) -> Tensor:
    """Values at queries from values at scattered points.

    Parameters
    ----------
    points : array_like or tuple
        Points (n, d), a vector of them on a line, or a tuple of coordinates.
    values : array_like
        Of shape (n, ...).
    xi : array_like or tuple
        Queries (..., d), or a tuple of coordinates, which broadcast.
    method : {"linear", "nearest"}
        Also "cubic" on a line.
    fill_value : number
        For queries outside of the points' hull; not used for "nearest".
    rescale : bool
        Whether coordinates are scaled to the unit cube first.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the shapes do not fit each other.
    ArgumentError
        For another method; smooth interpolation in more dimensions is `RBFInterpolator`.

    Examples
    --------
    >>> from scisim.interpolate import griddata
    >>> griddata([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0.0, 1.0, 2.0], ([0.25], [0.5]))
    Tensor([1.25])
    """
    if isinstance(points, tuple):
        points = wrap(stack([real("griddata", "points", p) for p in points], -1))
    p = real("griddata", "points", points)
    d = shape_of(p)[-1] if len(shape_of(p)) == 2 else 1
    allowed = ("linear", "nearest", "cubic") if d == 1 else ("linear", "nearest")
    if method not in allowed:
        raise ArgumentError(
            f"griddata: method must be one of {allowed} in {d} dimension(s), got {method!r}; smooth interpolation of "
            f"scattered points is RBFInterpolator"
        )
    if d == 1:
        q = xi[0] if isinstance(xi, tuple) else xi
        fill = "extrapolate" if method == "nearest" else fill_value
        return interp1d(reshape(p, (-1,)), values, kind=method, axis=0, bounds_error=False, fill_value=fill)(q)
    if method == "nearest":
        return NearestNDInterpolator(p, values, rescale)(xi)
    return LinearNDInterpolator(p, values, fill_value, rescale)(xi)
