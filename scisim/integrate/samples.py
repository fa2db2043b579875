"""Integrals of sampled functions beyond the trapezoidal rule; they differentiate in the values and in the points."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.tensor import Tensor, unwrap, wrap
from scisim.core.values import inexact
from scisim.integrate._panels import legendre
from scisim.ops.creation import asarray
from scisim.ops.reduce import cumulative_sum
from scisim.ops.reduce import sum as total
from scisim.ops.shape import as_integer, astype, concat, moveaxis, normalize_axis, reshape, stack


def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """Integral of sampled values by Simpson's rule.

    Parameters
    ----------
    y : array_like
        Values at the points, which run along `axis`; real or complex.
    x : array_like, optional
        The points: a vector as long as `y` along `axis`, or an array of the shape of `y`.
    dx : float or array_like
        Distance between neighbouring points where `x` is not given.
    axis : int
        The axis to integrate over.

    Returns
    -------
    Tensor
        Of the shape of `y` without `axis`.

    Raises
    ------
    ShapeError
        `y` has no axis, or `x` does not fit it.

    Notes
    -----
    Exact for cubics at an odd number of equidistant points, for parabolas otherwise: with an even number the last
    interval is that of the parabola through the last three points (Cartwright, "Simpson's rule cumulative integration
    with MS Excel and irregularly-spaced data", 2017).

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.simpson([0.0, 1.0, 4.0, 9.0], x=[0.0, 1.0, 2.0, 3.0])
    Tensor(9.)
    """
    y, h = _samples("integrate.simpson", y, x, dx, axis)
    n = y.shape[0]
    if n < 3:
        return wrap((0.5 * h * (y[1:] + y[:-1])).sum(axis=0)._v) if n == 2 else (y * 0.0).sum(axis=0)
    whole = _pairs(y[: n - 1 + n % 2], h[: n - 2 + n % 2])
    if n % 2:
        return whole
    return whole + _second(h[-2], h[-1], y[-3], y[-2], y[-1])


def _pairs(y: Tensor, h: Tensor) -> Tensor:
    a, b, f = h[0::2], h[1::2], y[0:-2:2]
    both = a + b
    terms = f * (2.0 - b / a) + y[1:-1:2] * (both * both / (a * b)) + y[2::2] * (2.0 - a / b)
    return (terms * (both / 6.0)).sum(axis=0)


def _first(a: Any, b: Any, f: Any, g: Any, k: Any) -> Any:
    """The integral over the first of two intervals, of lengths a and b, of the parabola through three values."""
    part, ratio = a / (a + b), a * a / (b * (a + b))
    return (f * (3.0 - part) + g * (3.0 + ratio + part) - k * ratio) * (a / 6.0)


def _second(a: Any, b: Any, f: Any, g: Any, k: Any) -> Any:
    return _first(b, a, k, g, f)


def cumulative_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Tensor:
    """Running integral of sampled values by parabolas, from the first point to each later one.

    Parameters
    ----------
    y, x, dx, axis
        As for `simpson`.
    initial : float, optional
        Put in front, and added to the integrals.

    Returns
    -------
    Tensor
        Along `axis` one fewer than `y` has values, unless `initial` is given.

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.cumulative_simpson([0.0, 1.0, 4.0, 9.0])
    Tensor([0.33333333, 2.66666667, 9.        ])
    """
    who = "integrate.cumulative_simpson"
    k = axis
    y, h = _samples(who, y, x, dx, axis)
    n = y.shape[0]
    if n < 2:
        raise ShapeError(f"{who}: y has {n} values along axis {axis}; a running integral needs two")
    parts = 0.5 * h * (y[1:] + y[:-1]) if n == 2 else _intervals(y, h)
    out = unwrap(parts)
    out = cumulative_sum(out, axis=0)
    if initial is not None:
        first = astype(unwrap(asarray(initial)), out.dtype)
        out = concat([reshape(first + out[:1] * 0, (1, *out.shape[1:])), out + first], 0)
    return wrap(moveaxis(out, 0, k))


def _intervals(y: Tensor, h: Tensor) -> Tensor:
    """The integral over each interval: those of a pair by one parabola, a single last one by that of the last three."""
    n = y.shape[0]
    first = unwrap(_first(h[:-1], h[1:], y[:-2], y[1:-1], y[2:]))
    second = unwrap(_second(h[:-1], h[1:], y[:-2], y[1:-1], y[2:]))
    pairs = (n - 1) // 2
    both = stack([first[0 : 2 * pairs : 2], second[0 : 2 * pairs : 2]], 1)
    both = reshape(both, (2 * pairs, *y.shape[1:]))
    return wrap(both if n % 2 else concat([both, second[-1:]], 0))


def romb(y: Any, dx: Any = 1.0, axis: int = -1) -> Tensor:
    """Integral of equidistant samples by Romberg's method.

    Parameters
    ----------
    y : array_like
        2^k + 1 values along `axis`.
    dx : float
        Distance between neighbouring points.
    axis : int

    Returns
    -------
    Tensor
        Of the shape of `y` without `axis`.

    Raises
    ------
    ArgumentError
        When the number of samples is not 2^k + 1.

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.romb([0.0, 0.0625, 0.25, 0.5625, 1.0], dx=0.25)
    Tensor(0.33333333)
    """
    who = "integrate.romb"
    dx = dx if type(dx) in (int, float) else unwrap(asarray(dx))
    y, _ = _samples(who, y, None, 1.0, axis)
    n = y.shape[0] - 1
    if n < 1 or n & (n - 1):
        raise ArgumentError(f"{who}: y has {n + 1} values along axis {axis}; expected 2^k + 1, such as 5, 9 or 17")
    v, first, last = unwrap(y), unwrap(y[0]), unwrap(y[n])
    rows = [(first + last) * (0.5 * dx * n)]
    step = n
    while step > 1:
        half = step // 2
        new = [0.5 * rows[0] + total(v[half:n:step], 0) * (half * dx)]
        for k, old in enumerate(rows):
            new.append(new[k] + (new[k] - old) * (1.0 / (4 ** (k + 1) - 1)))
        rows, step = new, half
    return wrap(rows[-1])


def leggauss(n: int) -> tuple[Tensor, Tensor]:
    """Nodes and weights of the Gauss-Legendre rule on [-1, 1], exact for polynomials of degree 2 n - 1.

    Parameters
    ----------
    n : int
        The number of nodes.

    Returns
    -------
    nodes, weights : Tensor, shape (n,)

    Examples
    --------
    >>> from scisim import integrate
    >>> integrate.leggauss(2)
    (Tensor([-0.57735027,  0.57735027]), Tensor([1., 1.]))
    """
    n = as_integer("integrate.leggauss", "n", n)
    if n < 1:
        raise ArgumentError(f"integrate.leggauss: n is {n}; expected a positive number of nodes")
    nodes, weights = legendre(n)
    return Tensor(nodes), Tensor(weights)


def _samples(who: str, y: Any, x: Any, dx: Any, axis: int) -> tuple[Tensor, Tensor]:
    """The values with their axis in front, and the lengths of the intervals beside them."""
    v = unwrap(asarray(y))
    v = v if inexact(v.dtype) else astype(v, np.float64)
    if not v.shape:
        raise ShapeError(f"{who}: y is a single number; give values at points, along an axis")
    k = normalize_axis(who, axis, len(v.shape))
    v = moveaxis(v, k, 0)
    n, rank = v.shape[0], len(v.shape)
    if x is None:
        d = unwrap(asarray(dx))
        d = astype(d, np.zeros((), v.dtype).real.dtype) if not inexact(d.dtype) or type(dx) is float else d
        return wrap(v), wrap(reshape(d, (1,) * rank) * np.ones((max(n - 1, 0), *(1,) * (rank - 1)), d.dtype))
    p = unwrap(asarray(x))
    p = p if inexact(p.dtype) else astype(p, np.float64)
    if p.shape == (n,):
        p = reshape(p, (n, *(1,) * (rank - 1)))
    elif moveaxis(p, k, 0).shape == v.shape if len(p.shape) == rank else False:
        p = moveaxis(p, k, 0)
    else:
        raise ShapeError(
            f"{who}: x has shape {tuple(p.shape)}; for y with {n} values along axis {k} it should be ({n},), or the "
            f"shape of y"
        )
    return wrap(v), wrap(p[1:] - p[:-1])
