"""Interpolation of values at scattered points: radial basis functions, triangulations, nearest neighbours."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import shape as shape_of
from scisim.interpolate._arguments import beside, column, filling, floating, order, points, real
from scisim.interpolate._grids import interp1d
from scisim.ops.arithmetic import mul, sqrt, stop
from scisim.ops.elementary import exp, xlogy
from scisim.ops.extrema import max as max_of
from scisim.ops.extrema import min as min_of
from scisim.ops.index import gather_p
from scisim.ops.products import matmul
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import eq, lt, where
from scisim.ops.shape import broadcast, concat, matrix_transpose, reshape, stack


# --- what is found among points: constants --------------------------------------------------------------------------
@lru_cache(maxsize=8)
def _triangulation(data: bytes, shape: tuple[int, int]) -> Any:
    from scipy.spatial import Delaunay

    return Delaunay(np.frombuffer(data).reshape(shape))


@lru_cache(maxsize=8)
def _tree(data: bytes, shape: tuple[int, int]) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(np.frombuffer(data).reshape(shape))


def _double(x: Any) -> np.ndarray:
    return np.ascontiguousarray(x, np.float64)


def _corners(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The corners of the simplex around each query; -1 where there is none."""
    p = _double(p)
    mesh = _triangulation(p.tobytes(), p.shape)
    found = mesh.find_simplex(_double(q))
    return np.where(found[:, None] >= 0, mesh.simplices[found], -1).astype(np.int64)


def _neighbours(p: np.ndarray, q: np.ndarray, count: int) -> np.ndarray:
    p = _double(p)
    _, at = _tree(p.tobytes(), p.shape).query(_double(q), count)
    return np.asarray(at, np.int64).reshape(len(q), count)


def _finding(name: str, find: Any, width: Any) -> Primitive:
    """A primitive of points (..., n, d) and queries (..., q, d) that gives positions (..., q, width)."""

    def evaluate(p: Any, q: Any, **settings: Any) -> Any:
        lead = p.shape[:-2]
        out = np.empty((*lead, q.shape[-2], width(p.shape, settings)), np.int64)
        for at in np.ndindex(lead):
            out[at] = find(p[at], q[at], **settings) if q.shape[-2] else 0
        return out

    def labels(shapes: tuple, settings: dict) -> tuple[list, tuple]:
        lead = tuple(range(len(shapes[0]) - 2))
        return [(*lead, None, None), (*lead, "q", None)], (*lead, "q", None)

    def infer(avals: tuple, settings: dict) -> ShapeDtype:
        p, q = avals
        return ShapeDtype((*q.shape[:-1], width(p.shape, settings)), np.dtype(np.int64))

    return Primitive(name, evaluate, axes=Axes(labels), infer=infer)


corners_p = _finding("simplex_corners", _corners, lambda s, p: s[-1] + 1)
neighbours_p = _finding("nearest_points", _neighbours, lambda s, p: p["count"])


def _pair(name: str, y: Any, d: Any) -> tuple[Any, Any]:
    """Points (n, d) and their values (n, ...)."""
    p, v = points(name, "points", y), floating(d)
    if not shape_of(v) or shape_of(v)[0] != shape_of(p)[0]:
        raise ShapeError(f"{name}: {shape_of(p)[0]} points do not fit values of shape {shape_of(v)}")
    return p, v


def _queries(name: str, x: Any, d: int) -> tuple[Any, tuple[int, ...]]:
    """Queries as (q, d), and the shape that they had before the last axis; a tuple of coordinates is put together."""
    if isinstance(x, tuple):
        parts = [real(name, "xi", v) for v in x]
        s = np.broadcast_shapes(*(shape_of(v) for v in parts))
        q = stack([broadcast(v, s) for v in parts], -1)
    else:
        q = real(name, "xi", x)
        if d == 1 and (not shape_of(q) or shape_of(q)[-1] != 1):
            q = reshape(q, (*shape_of(q), 1))
    if not shape_of(q) or shape_of(q)[-1] != d:
        raise ShapeError(f"{name}: queries must have shape (..., {d}), got {shape_of(q)}")
    lead = shape_of(q)[:-1]
    return reshape(q, (math.prod(lead), d)), lead


# --- radial basis functions ------------------------------------------------------------------------------------------
def _plate(s: Any) -> Any:
    """r^2 log(r) of s = r^2."""
    return 0.5 * xlogy(s, s)


def _root(s: Any) -> Any:
    """sqrt with derivative 0 at 0, where a radial function of higher order is smooth enough."""
    zero = eq(s, 0.0)
    return where(zero, 0.0, sqrt(where(zero, 1.0, s)))


# By squared distance; those of odd powers of the distance, and the least degree of the polynomial beside them.
KERNELS: dict[str, tuple[Any, int]] = {
    "linear": (lambda s: -_root(s), 0),
    "thin_plate_spline": (_plate, 1),
    "cubic": (lambda s: s * _root(s), 1),
    "quintic": (lambda s: -s * s * _root(s), 2),
    "multiquadric": (lambda s: -sqrt(1.0 + s), 0),
    "inverse_multiquadric": (lambda s: 1.0 / sqrt(1.0 + s), -1),
    "inverse_quadratic": (lambda s: 1.0 / (1.0 + s), -1),
    "gaussian": (lambda s: exp(-s), -1),
}
_SCALE_FREE = ("linear", "thin_plate_spline", "cubic", "quintic")


def _squares(a: Any, b: Any) -> Any:
    """Squared distances of points (..., n, d) and (..., m, d)."""
    total = None
    for i in range(shape_of(a)[-1]):
        x, y = a[..., i], b[..., i]
        gap = reshape(x, (*shape_of(x), 1)) - reshape(y, (*shape_of(y)[:-1], 1, shape_of(y)[-1]))
        total = mul(gap, gap) if total is None else total + mul(gap, gap)
    return total


def _monomials(x: Any, degree: int) -> Any:
    """Products of coordinates up to a degree, along the last axis."""
    d = shape_of(x)[-1]
    columns = []
    for k in range(degree + 1):
        for chosen in itertools.combinations_with_replacement(range(d), k):
            c = x[..., 0] * 0.0 + 1.0
            for i in chosen:
                c = c * x[..., i]
            columns.append(c)
    return stack(columns, -1)


class RBFInterpolator:
    """Interpolation of scattered values by radial basis functions and a polynomial.

    Parameters
    ----------
    y : array_like
        Points, of shape (n, d).
    d : array_like
        Values, of shape (n, ...); real or complex.
    neighbors : int, optional
        How many nearest points each query uses; all by default.
    smoothing : float or array_like
        0 interpolates; more allows the values to be missed.
    kernel : str
        "linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric", "inverse_quadratic"
        or "gaussian".
    epsilon : float, optional
        Factor of the distances; wanted by the last four kernels.
    degree : int, optional
        Of the polynomial, -1 for none; by default the least with which the equations are regular, at least 0.

    Raises
    ------
    ShapeError
        When the shapes do not fit each other, or there are fewer points than the polynomial has terms.
    ArgumentError
        For another kernel, or one without ``epsilon`` that needs it.

    Notes
    -----
    Differentiable in points, values, smoothing, epsilon and queries, as often as the kernel; a pytree.

    Examples
    --------
    >>> import scisim as ss
    >>> from scisim.interpolate import RBFInterpolator
    >>> corners = ss.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> f = RBFInterpolator(corners, corners[:, 0] + 2.0 * corners[:, 1])
    >>> round(float(f([[0.25, 0.5]])[0]), 12)
    1.25
    """

    def __init__(
        self,
        y: Any,
        d: Any,
        neighbors: int | None = None,
        smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: Any = None,
        degree: int | None = None,
    ) -> None:
        name = "RBFInterpolator"
        if kernel not in KERNELS:
            raise ArgumentError(f"{name}: kernel must be one of {tuple(KERNELS)}, got {kernel!r}")
        if epsilon is None and kernel not in _SCALE_FREE:
            raise ArgumentError(f"{name}: the kernel {kernel!r} needs epsilon, the factor of distances")
        p, v = _pair(name, y, d)
        least = KERNELS[kernel][1]
        self.kernel, self.degree = kernel, max(least, 0) if degree is None else order(name, "degree", degree, -1)
        n = shape_of(p)[0]
        self.neighbors = None if neighbors is None else min(order(name, "neighbors", neighbors, 1), n)
        terms = math.comb(self.degree + shape_of(p)[1], shape_of(p)[1]) if self.degree >= 0 else 0
        if (self.neighbors or n) < terms:
            raise ShapeError(f"{name}: a polynomial of degree {self.degree} needs at least {terms} points, got {n}")
        self.y, self.d = wrap(p), wrap(v)
        self.smoothing = wrap(broadcast(beside(smoothing, p), (n,)))
        self.epsilon = wrap(beside(1.0 if epsilon is None else epsilon, p))
        self._weights = wrap(self._solved(p, reshape(v, (n, -1)), self.smoothing._v)) if neighbors is None else None

    def __call__(self, x: Any) -> Tensor:
        """Values at queries of shape (q, d): of shape (q, ...)."""
        p, v = self.y._v, self.d._v
        q, lead = _queries("RBFInterpolator", x, shape_of(p)[1])
        if self._weights is not None:
            shift, scale = self._frame(p)
            y = matmul(self._rows(q, p, shift, scale), self._weights._v)
        else:
            y = self._near(q, p, reshape(v, (shape_of(p)[0], -1)))
        return wrap(reshape(y, (*lead, *shape_of(v)[1:])))

    def _near(self, q: Any, p: Any, v: Any) -> Any:
        at = neighbours_p(stop(p), stop(q), count=self.neighbors)
        near = gather_p(p, at)
        weights = self._solved(near, gather_p(v, at), gather_p(self.smoothing._v, at))
        shift, scale = self._frame(near)
        rows = self._rows(reshape(q, (shape_of(q)[0], 1, shape_of(q)[1])), near, shift, scale)
        return matmul(rows, weights)[:, 0]

    def _frame(self, p: Any) -> tuple[Any, Any]:
        """Middle and half width of the points, between which the polynomial's terms are of one size."""
        low, high = min_of(stop(p), axis=-2, keepdims=True), max_of(stop(p), axis=-2, keepdims=True)
        half = 0.5 * (high - low)
        return 0.5 * (high + low), where(eq(half, 0.0), 1.0, half)

    def _rows(self, q: Any, p: Any, shift: Any, scale: Any) -> Any:
        e = self.epsilon._v
        radial = KERNELS[self.kernel][0](_squares(q, p) * (e * e))
        if self.degree < 0:
            return radial
        return concat([radial, _monomials((q - shift) / scale, self.degree)], -1)

    def _solved(self, p: Any, v: Any, smoothing: Any) -> Any:
        """Weights of the points, and of the polynomial's terms."""
        from scisim.ops._linalg.solving import solve

        n = shape_of(p)[-2]
        rows = self._rows(p, p, *self._frame(p))
        lead = shape_of(p)[:-2]
        diagonal = reshape(smoothing, (*lead, n, 1)) * np.eye(n, dtype=p.dtype)
        terms = shape_of(rows)[-1] - n
        if not terms:
            return solve(rows + diagonal, v)
        top = rows + concat([diagonal, np.zeros((*lead, n, terms), p.dtype)], -1)
        side = rows[..., n:]
        bottom = concat([matrix_transpose(side), np.zeros((*lead, terms, terms), p.dtype)], -1)
        right = concat([v, np.zeros((*lead, terms, shape_of(v)[-1]), p.dtype)], -2)
        return solve(concat([top, bottom], -2), right)


_RBF = ("y", "d", "smoothing", "epsilon", "_weights")
pytree.register(
    RBFInterpolator,
    lambda f: (tuple(getattr(f, k) for k in _RBF), (f.kernel, f.degree, f.neighbors), _RBF),
    lambda static, parts: _restored(
        RBFInterpolator, {**dict(zip(_RBF, parts)), **dict(zip(("kernel", "degree", "neighbors"), static))}
    ),
)


def _restored(cls: type, attributes: dict) -> Any:
    new: Any = object.__new__(cls)
    new.__dict__.update(attributes)
    return new


# --- triangulations and neighbours -----------------------------------------------------------------------------------
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
        p, v = _pair("LinearNDInterpolator", points, values)
        if shape_of(p)[1] < 2:
            raise ShapeError("LinearNDInterpolator: points must have at least two coordinates; use interp1d on a line")
        self.points, self.values = wrap(p), wrap(v)
        self.fill_value, self.rescale = fill_value, bool(rescale)

    def __call__(self, *args: Any) -> Tensor:
        """Values at queries: an array of shape (..., d), or one array for each coordinate."""
        p, v = self.points._v, self.values._v
        q, lead = _queries("LinearNDInterpolator", args if len(args) > 1 else args[0], shape_of(p)[1])
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
        p, v = _pair("NearestNDInterpolator", x, y)
        self.points, self.values, self.rescale = wrap(p), wrap(v), bool(rescale)

    def __call__(self, *args: Any) -> Tensor:
        """Values at queries: an array of shape (..., d), or one array for each coordinate."""
        p, v = self.points._v, self.values._v
        q, lead = _queries("NearestNDInterpolator", args if len(args) > 1 else args[0], shape_of(p)[1])
        p, q = _rescaled(p, q, self.rescale)
        at = neighbours_p(stop(p), stop(q), count=1)
        return wrap(reshape(gather_p(v, at[:, 0]), (*lead, *shape_of(v)[1:])))


pytree.register(
    LinearNDInterpolator,
    lambda f: ((f.points, f.values), (f.fill_value, f.rescale), ("points", "values")),
    lambda static, parts: _restored(
        LinearNDInterpolator, dict(zip(("points", "values", "fill_value", "rescale"), (*parts, *static)))
    ),
)
pytree.register(
    NearestNDInterpolator,
    lambda f: ((f.points, f.values), f.rescale, ("points", "values")),
    lambda static, parts: _restored(
        NearestNDInterpolator, dict(zip(("points", "values", "rescale"), (*parts, static)))
    ),
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
