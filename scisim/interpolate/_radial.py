"""Interpolation of values at scattered points by radial basis functions."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from scisim.core import pytree
from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor, wrap
from scisim.core.values import shape as shape_of
from scisim.interpolate._arguments import beside, order
from scisim.interpolate._neighbours import neighbours_p, pair, queries, restored
from scisim.ops.arithmetic import mul, sqrt, stop
from scisim.ops.elementary import exp, xlogy
from scisim.ops.extrema import max as max_of
from scisim.ops.extrema import min as min_of
from scisim.ops.index import gather_p
from scisim.ops.products import matmul
from scisim.ops.select import eq, where
from scisim.ops.shape import broadcast, concat, matrix_transpose, reshape, stack


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
        p, v = pair(name, y, d)
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
        q, lead = queries("RBFInterpolator", x, shape_of(p)[1])
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
    lambda static, parts: restored(
        RBFInterpolator, {**dict(zip(_RBF, parts)), **dict(zip(("kernel", "degree", "neighbors"), static))}
    ),
)
