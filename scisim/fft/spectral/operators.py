"""Derivatives of periodic fields from their Fourier series.

A field of n points stands for the trigonometric polynomial through them (L. N. Trefethen, *Spectral Methods in
MATLAB*, SIAM 2000, chapter 3).  Its element at the Nyquist frequency n/2 (even n) is that of a cosine, whose odd
derivatives vanish at all points, and whose even derivatives do not.
"""

from __future__ import annotations

import operator
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.values import Traced, dtype, is_complex, shape
from scisim.fft._primitives import complex_of
from scisim.fft.spectral._arguments import PERIOD, field, real_of
from scisim.fft.spectral._constants import Grid, of_squares, symbol
from scisim.fft.spectral._periodic import (
    axes_and_periods,
    component_axis,
    cut,
    forward,
    grid_of,
    inverse,
    line,
    periodic_grid,
    stacked,
)
from scisim.ops.shape import astype, reshape


def order_of(name: str, order: Any) -> float:
    """An order of differentiation, an integer as such."""
    if isinstance(order, (Traced, bool, complex, str)) or not hasattr(order, "__float__"):
        raise ArgumentTypeError(f"{name}: order must be a real number, got {order!r}")
    p = float(order)
    if p != p or abs(p) > 1e3:
        raise ArgumentError(f"{name}: order must be a number from -1000 to 1000, got {order!r}")
    return int(p) if p % 1 == 0 else p


def derivative(x: Any, /, order: float = 1, axis: int = -1, period: float = PERIOD) -> Any:
    """Derivative of a periodic function from its values at equidistant points.

    Parameters
    ----------
    x : array_like
        Real or complex values at the points ``j * period / n``, for j from 0 to n - 1, along ``axis``.
    order : float
        Of the derivative. Negative orders integrate; orders with a fraction are those of Weyl, with the multiplier
        (i k)^order of the principal branch.
    axis : int
    period : float

    Returns
    -------
    Tensor
        Of the shape of ``x``; real for real input. Integers give float64, float16 gives float32.

    Raises
    ------
    ArgumentError
        For an axis out of range or without points, or a period that is not positive.
    ArgumentTypeError
        For an order or a period that is no number.
    ShapeError
        For a scalar.

    Notes
    -----
    - For even n the element at the Nyquist frequency n/2 is that of ``cos(n x / 2)``: odd derivatives of it are 0 at
      all points, even ones multiply it by (i n / 2)^order, fractional ones by the real part of that. The first
      derivative taken twice therefore lacks that element, which the second derivative has.
    - Other orders than 0 lose the mean: integrals are of ``x`` less its mean, and have mean 0.
    - Rounding errors grow as (n / 2)^order: about eps n / 2 relative to the largest value for the first derivative.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.arange(8) * (2 * ss.pi / 8)
    >>> y = ss.exp(ss.sin(x))
    >>> float(ss.max(abs(ss.fft.spectral.derivative(ss.sin(x), 3) + ss.cos(x)))) < 1e-13
    True
    """
    x = field("derivative", x)
    k, p = line("derivative", shape(x), axis, period)
    return differentiated(x, k, order if order == 1 else order_of("derivative", order), p)


def differentiated(x: Any, axis: int, order: float, period: float) -> Any:
    """The derivative along a negative axis."""
    if order == 0:
        return astype(x, complex_of(dtype(x)) if is_complex(x) else real_of(x))
    n, half, dt, grid = _along_line(shape(x), dtype(x), axis, period)
    return inverse(forward(x, grid) * symbol(n, axis, order, period, half, dt), grid)


@lru_cache(maxsize=512)
def _along_line(s: tuple[int, ...], dt: np.dtype, axis: int, period: float) -> tuple[int, bool, np.dtype, Grid]:
    """The number of points, whether the spectrum is halved, its real dtype, and the grid."""
    half = dt.kind != "c"
    return s[axis], half, np.zeros((), complex_of(dt)).real.dtype, grid_of(s, (axis,), (period,), half)


# --- scalar fields -------------------------------------------------------------------------------------------
def gradient(x: Any, /, axes: Any = None, periods: Any = PERIOD, component: int = 0) -> Any:
    """Gradient of a field on a periodic box.

    Parameters
    ----------
    x : array_like
        Real or complex values at equidistant points along each of ``axes``.
    axes : int or tuple of int, optional
        All by default.
    periods : float or tuple of float
        One for all axes, or one for each.
    component : int
        The new axis of the result along which the components lie.

    Returns
    -------
    Tensor
        The first derivatives along ``axes``, in their order; of one axis more than ``x``.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, or a period that is not positive.
    ShapeError
        For a scalar.

    Notes
    -----
    Each component is `derivative` along one axis, with its treatment of the Nyquist frequency.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid(*2 * [ss.arange(8) * (ss.pi / 4)], indexing="ij")
    >>> g = ss.fft.spectral.gradient(ss.sin(x) * ss.cos(y))
    >>> g.shape, float(ss.max(abs(g[1] + ss.sin(x) * ss.sin(y)))) < 1e-13
    ((2, 8, 8), True)
    """
    x = field("gradient", x)
    found, lengths = axes_and_periods("gradient", shape(x), axes, periods)
    k = component_axis("gradient", len(shape(x)) + 1, component)
    return stacked([differentiated(x, a, 1, p) for a, p in zip(found, lengths)], k)


def laplacian(x: Any, /, axes: Any = None, periods: Any = PERIOD) -> Any:
    """Laplacian of a field on a periodic box.

    Parameters
    ----------
    x : array_like
        Real or complex values at equidistant points along each of ``axes``.
    axes : int or tuple of int, optional
        All by default.
    periods : float or tuple of float
        One for all axes, or one for each.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, or a period that is not positive.
    ShapeError
        For a scalar.

    Notes
    -----
    The multiplier is -(k_1^2 + k_2^2 + ...), at the Nyquist frequencies too: there this is the sum of second
    derivatives, but not the divergence of the gradient, which lacks them.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid(*2 * [ss.arange(8) * (ss.pi / 4)], indexing="ij")
    >>> u = ss.sin(x) * ss.cos(y)
    >>> float(ss.max(abs(ss.fft.spectral.laplacian(u) + 2 * u))) < 1e-13
    True
    """
    return _powers("laplacian", x, axes, periods, lambda k2: -k2)


def biharmonic(x: Any, /, axes: Any = None, periods: Any = PERIOD) -> Any:
    """Laplacian of the `laplacian` of a field on a periodic box.

    Parameters
    ----------
    x : array_like
        Real or complex values at equidistant points along each of ``axes``.
    axes : int or tuple of int, optional
        All by default.
    periods : float or tuple of float
        One for all axes, or one for each.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, or a period that is not positive.
    ShapeError
        For a scalar.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid(*2 * [ss.arange(8) * (ss.pi / 4)], indexing="ij")
    >>> u = ss.sin(x) * ss.cos(y)
    >>> float(ss.max(abs(ss.fft.spectral.biharmonic(u) - 4 * u))) < 1e-12
    True
    """
    return _powers("biharmonic", x, axes, periods, lambda k2: k2 * k2)


def _powers(name: str, x: Any, axes: Any, periods: Any, of: Any) -> Any:
    x = field(name, x)
    grid = periodic_grid(x, *axes_and_periods(name, shape(x), axes, periods))
    return inverse(forward(x, grid) * of_squares(name, grid, real_of(x), of), grid)


# --- vector fields -------------------------------------------------------------------------------------------
def components(name: str, v: Any, component: int) -> list:
    """The components of a vector field."""
    v = field(name, v, "v")
    s = shape(v)
    k = component_axis(name, len(s), component)
    if len(s) < 2:
        raise ShapeError(f"{name}: v has shape {s}; a vector field has an axis of components and those of the grid")
    rest = (*s[:k], *s[k + 1 :])
    return [reshape(cut(v, k, i, i + 1), rest) for i in range(s[k])]


def vector_axes(name: str, parts: list, axes: Any, periods: Any) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The axes of a component, one for each, and their periods."""
    if not parts:
        raise ShapeError(f"{name}: v has no components")
    found, lengths = axes_and_periods(name, shape(parts[0]), axes, periods)
    if len(found) != len(parts):
        raise ShapeError(
            f"{name}: v has {len(parts)} components for {len(found)} axes; give as many axes as there are components"
        )
    return found, lengths


def divergence(v: Any, /, axes: Any = None, periods: Any = PERIOD, component: int = 0) -> Any:
    """Divergence of a vector field on a periodic box.

    Parameters
    ----------
    v : array_like
        The components along the axis ``component``, each at equidistant points.
    axes : int or tuple of int, optional
        Axes of a component, that is of ``v[0]`` for ``component=0``; all by default.
    periods : float or tuple of float
        One for all axes, or one for each.
    component : int
        Axis of ``v`` along which the components lie, as many as there are axes.

    Returns
    -------
    Tensor
        Of the shape of a component.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, or a period that is not positive.
    ShapeError
        For another number of components than of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid(*2 * [ss.arange(8) * (ss.pi / 4)], indexing="ij")
    >>> v = ss.stack([ss.sin(x), ss.sin(y)])
    >>> float(ss.max(abs(ss.fft.spectral.divergence(v) - ss.cos(x) - ss.cos(y)))) < 1e-13
    True
    """
    parts = components("divergence", v, component)
    found, lengths = vector_axes("divergence", parts, axes, periods)
    return reduce(operator.add, (differentiated(u, a, 1, p) for u, a, p in zip(parts, found, lengths)))


def curl(v: Any, /, axes: Any = None, periods: Any = PERIOD, component: int = 0) -> Any:
    """Curl of a vector field of two or three components on a periodic box.

    Parameters
    ----------
    v : array_like
        The components along the axis ``component``, each at equidistant points.
    axes : tuple of int, optional
        Axes of a component, that is of ``v[0]`` for ``component=0``; all by default.
    periods : float or tuple of float
        One for all axes, or one for each.
    component : int
        Axis of ``v``, and of the result in three dimensions, along which the components lie.

    Returns
    -------
    Tensor
        In three dimensions a vector field of the shape of ``v``; in two the scalar dv_2/dx_1 - dv_1/dx_2.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, or a period that is not positive.
    ShapeError
        For another number of components than of axes, or than two or three.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid(*2 * [ss.arange(8) * (ss.pi / 4)], indexing="ij")
    >>> v = ss.stack([-ss.sin(y), ss.sin(x)])
    >>> float(ss.max(abs(ss.fft.spectral.curl(v) - ss.cos(x) - ss.cos(y)))) < 1e-13
    True
    """
    v = field("curl", v, "v")
    parts = components("curl", v, component)
    if len(parts) not in (2, 3):
        raise ShapeError(f"curl: v has {len(parts)} components; the curl is that of two or three")
    found, lengths = vector_axes("curl", parts, axes, periods)

    def d(i: int, j: int) -> Any:
        return differentiated(parts[j], found[i], 1, lengths[i])

    if len(parts) == 2:
        return d(0, 1) - d(1, 0)
    k = component_axis("curl", len(shape(v)), component)
    return stacked([d(1, 2) - d(2, 1), d(2, 0) - d(0, 2), d(0, 1) - d(1, 0)], k)
