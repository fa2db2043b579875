"""Differences and sums of samples: gradients, integrals by the trapezoidal rule, unwrapped phases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.public import as_argument, number_or_value, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_inexact, shape
from scisim.ops.arithmetic import stop
from scisim.ops.index import slice_axis
from scisim.ops.reduce import cumulative_sum_p
from scisim.ops.select import eq, gt, logical_and, lt, remainder, where
from scisim.ops.shape import as_integer, astype, concat_p, normalize_axes, normalize_axis, reshape, several, sum_p


def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours of the flattened array, x[i + 1] - x[i].

    Parameters
    ----------
    x : array_like
    to_end, to_begin : array_like, optional
        Put behind and before the differences.

    Returns
    -------
    Tensor
        A vector.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.ediff1d([1.0, 4.0, 9.0], to_begin=0.0)
    Tensor([0., 3., 5.])
    """
    x = reshape(as_argument(x), (-1,))
    parts = [slice_axis(x, 0, 1, None) - slice_axis(x, 0, None, -1)]
    if to_begin is not None:
        parts.insert(0, astype(reshape(as_argument(to_begin), (-1,)), dtype_of(x)))
    if to_end is not None:
        parts.append(astype(reshape(as_argument(to_end), (-1,)), dtype_of(x)))
    return concat_p(*parts, axis=0) if len(parts) > 1 else parts[0]


# --- gradients ----------------------------------------------------------------------------------------------
def _spacing(h: Any, n: int, axis: int) -> Any:
    """A number, or the distances between neighbours."""
    h = number_or_value(h)
    if not shape(h):
        return h
    if shape(h) != (n,):
        raise ShapeError(
            f"gradient: coordinates of shape {shape(h)} for axis {axis} of length {n}; expected a number or {(n,)}"
        )
    h = h if is_inexact(h) else astype(h, np.float64)
    return slice_axis(h, 0, 1, None) - slice_axis(h, 0, None, -1)


def _along(f: Any, k: int, h: Any, order: int) -> Any:
    """Differences of second order inside, of the given order at both ends."""
    n = shape(f)[k]
    if n < order + 1:
        raise ShapeError(f"gradient: axis {k} of length {n} is too short; edge_order={order} needs {order + 1} points")
    part = lambda start, stop: slice_axis(f, k, start, stop)
    if not shape(h):
        inner = (part(2, None) - part(0, -2)) / (2.0 * h)
        d0, d1 = (part(1, 2) - part(0, 1)) / h, (part(n - 1, n) - part(n - 2, n - 1)) / h
        if order == 2:
            d0 = 1.5 * d0 - 0.5 * (part(2, 3) - part(1, 2)) / h
            d1 = 1.5 * d1 - 0.5 * (part(n - 2, n - 1) - part(n - 3, n - 2)) / h
        return concat_p(d0, inner, d1, axis=k)
    width = reshape(h, (-1,) + (1,) * (len(shape(f)) - k - 1))
    slope = (part(1, None) - part(0, -1)) / width
    some = lambda v, start, stop: slice_axis(v, k if v is slope else 0, start, stop)
    a, b = some(width, 0, -1), some(width, 1, None)
    inner = (some(slope, 0, -1) * b + some(slope, 1, None) * a) / (a + b)  # slopes weighted by the other's width
    d0, d1 = some(slope, 0, 1), some(slope, n - 2, n - 1)
    if order == 2:
        a0, b0, a1, b1 = (some(width, i, i + 1) for i in (0, 1, n - 2, n - 3))
        d0 = d0 + (d0 - some(slope, 1, 2)) * a0 / (a0 + b0)
        d1 = d1 + (d1 - some(slope, n - 3, n - 2)) * a1 / (a1 + b1)
    return concat_p(d0, inner, d1, axis=k)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Derivatives of samples along axes, by differences of second order inside.

    Parameters
    ----------
    f : array_like
    *varargs : float or array_like
        Nothing for points at distance 1; one distance for all axes; or for each axis a distance or the
        coordinates of its points, which may be unevenly spaced. Both differentiate.
    axis : int or tuple of int, optional
        All axes by default.
    edge_order : {1, 2}
        Order of the differences at both ends.

    Returns
    -------
    Tensor or tuple of Tensor
        Of the shape of ``f``; one for each axis where there are several.

    Raises
    ------
    ShapeError
        For an axis that is too short, or coordinates that do not fit it.
    ArgumentError
        For another order, or another number of spacings than of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.gradient([0.0, 1.0, 4.0, 9.0])
    Tensor([1., 2., 4., 5.])
    """
    f = as_argument(f)
    f = f if is_inexact(f) else astype(f, np.float64)
    if edge_order not in (1, 2):
        raise ArgumentError(f"gradient: edge_order must be 1 or 2, got {edge_order!r}")
    axes = _axes(axis, len(shape(f)))
    spacings = [1.0] * len(axes) if not varargs else list(varargs)
    if len(spacings) == 1 and (len(axes) == 1 or not shape(as_argument(spacings[0]))):
        spacings = spacings * len(axes)
    if len(spacings) != len(axes):
        raise ArgumentError(f"gradient: {len(varargs)} spacings for {len(axes)} axes; give none, one, or one an axis")
    out = tuple(_along(f, k, _spacing(h, shape(f)[k], k), edge_order) for k, h in zip(axes, spacings, strict=True))
    return out[0] if len(out) == 1 else out


def _axes(axis: Any, rank: int) -> list[int]:
    """The axes in the order given, which that of the spacings follows."""
    if axis is None:
        return list(range(rank))
    items = several(axis)
    normalize_axes("gradient", axis, rank)
    return [normalize_axis("gradient", k, rank) for k in ((axis,) if items is None else items)]


# --- integrals ----------------------------------------------------------------------------------------------
def _panels(name: str, y: Any, x: Any, dx: Any, axis: int) -> tuple[Any, int]:
    """The area between each two neighbouring points, and the axis counted from the front."""
    y = as_argument(y)
    y = y if is_inexact(y) else astype(y, np.float64)
    if not shape(y):
        raise ShapeError(f"{name}: y is a single number; give values at points, along an axis")
    k = normalize_axis(name, axis, len(shape(y)))
    both = slice_axis(y, k, 1, None) + slice_axis(y, k, None, -1)
    if x is None:
        return both * (0.5 * as_argument(dx) if shape(as_argument(dx)) else 0.5 * dx), k
    return both * (0.5 * _widths(name, as_argument(x), shape(y), k)), k


def _widths(name: str, x: Any, s: tuple[int, ...], k: int) -> Any:
    x = x if is_inexact(x) else astype(x, np.float64)
    if shape(x) == (s[k],):
        return reshape(slice_axis(x, 0, 1, None) - slice_axis(x, 0, None, -1), (-1,) + (1,) * (len(s) - k - 1))
    if shape(x) == s:
        return slice_axis(x, k, 1, None) - slice_axis(x, k, None, -1)
    raise ShapeError(
        f"{name}: x has shape {shape(x)}; for y of shape {s} along axis {k} it should be {(s[k],)}, or the shape of y"
    )


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Integral of sampled values by the trapezoidal rule.

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
        The integral, of the shape of `y` without `axis`; 0 for a single point.

    Raises
    ------
    ShapeError
        `y` has no axis, or `x` does not fit it.
    ArgumentError
        `y` has no such axis.

    Notes
    -----
    Exact for functions that are linear between the points; the error is O(h^2) for smooth ones.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.trapezoid([0.0, 1.0, 4.0], x=[0.0, 1.0, 2.0])
    Tensor(3.)
    >>> ss.trapezoid([[1.0, 1.0], [3.0, 3.0]], dx=0.5, axis=0)
    Tensor([1., 1.])
    """
    panels, k = _panels("trapezoid", y, x, dx, axis)
    return sum_p(panels, axes=(k,))


def cumulative_trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    """Running integral of sampled values by the trapezoidal rule, from the first point to each later one.

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
    initial : float, optional
        Put in front, so that the result is as long as `y`.

    Returns
    -------
    Tensor
        The integrals; along `axis` one fewer than `y` has values, unless `initial` is given.

    Raises
    ------
    ShapeError, ArgumentError
        As for `trapezoid`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.cumulative_trapezoid([0.0, 1.0, 4.0])
    Tensor([0.5, 3. ])
    """
    panels, k = _panels("cumulative_trapezoid", y, x, dx, axis)
    out = cumulative_sum_p(panels, axis=k)
    if initial is None:
        return out
    s = (*shape(out)[:k], 1, *shape(out)[k + 1 :])
    return concat_p(np.full(s, initial, out.dtype), out, axis=k)


# --- phases -------------------------------------------------------------------------------------------------
def unwrap(p: Any, discont: float | None = None, axis: int = -1, period: float = 2.0 * math.pi) -> Any:
    """Phases without jumps: multiples of the period are added, so that neighbours differ by half of it at most.

    Parameters
    ----------
    p : array_like
        Real.
    discont : float, optional
        Only greater jumps are mended; half the period by default.
    axis : int
    period : float

    Returns
    -------
    Tensor

    Notes
    -----
    The multiples are constant, so the derivative is that of the phases themselves.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.unwrap([0.0, 3.0, 6.0, 2.0], period=6.0)
    Tensor([0., 3., 6., 8.])
    """
    p = as_argument(p)
    p = p if is_inexact(p) else astype(p, np.float64)
    k = normalize_axis("unwrap", as_integer("unwrap", "axis", axis), len(shape(p)))
    half = 0.5 * period
    d = slice_axis(p, k, 1, None) - slice_axis(p, k, None, -1)
    folded = remainder(d + half, period) - half
    folded = where(logical_and(eq(folded, -half), gt(d, 0)), half, folded)
    size = where(lt(d, 0), -d, d)
    turns = where(lt(size, half if discont is None else max(discont, half)), 0.0, folded - d)
    whole = cumulative_sum_p(turns, axis=k)
    return concat_p(slice_axis(p, k, 0, 1), slice_axis(p, k, 1, None) + stop(whole), axis=k)


for _f in (ediff1d, gradient, trapezoid, cumulative_trapezoid, unwrap):
    public(_f.__name__, _f)
