"""Reductions that leave nan out: the elements that are nan count as not given, and get no derivative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.public import OPERATIONS, as_argument, public
from scisim.core.values import Traced, is_complex, is_inexact, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops.arithmetic import sqrt, square
from scisim.ops.complexes import imag, real
from scisim.ops.extrema import argmax_p, argmin_p, max_p, min_p
from scisim.ops.logic import all_p
from scisim.ops.one_step import as_step
from scisim.ops.reduce import (
    Axis,
    count_over,
    cumulative_sum_p,
    keep_axes,
    prod_p,
    reduce_over,
    reduced_argument,
)
from scisim.ops.select import eq, floor, gt, isnan, logical_not, maximum, minimum, where
from scisim.ops.shape import astype, moveaxis, normalize_axis, reshape, sum_p
from scisim.ops.sorting import sort, take_along_axis


def _filled(x: Any, value: Any) -> Any:
    return where(isnan(x), value, x) if is_inexact(x) else x


def _counts(x: Any, axes: tuple[int, ...]) -> Any:
    """How many elements are numbers, in the dtype of the sums, with reduced axes of length one."""
    to = real(x).dtype if is_inexact(x) else float
    return astype(reduce_over(sum_p, logical_not(isnan(x)), axes, True), to)


def _shaped(y: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    return y if keepdims else reshape(y, tuple(n for k, n in enumerate(shape(x)) if k not in axes))


def nansum(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Sum of the elements that are not nan.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to sum over; all of them by default.
    keepdims : bool
        Whether summed axes stay, with length one.

    Returns
    -------
    Tensor
        0 where there is nothing to sum.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nansum([1.0, ss.nan, 2.0])
    Tensor(3.)
    """
    x, axes = reduced_argument("nansum", x, axis)
    return reduce_over(sum_p, _filled(x, 0.0), axes, keepdims)


def nanprod(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Product of the elements that are not nan.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to multiply over; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        1 where there is nothing to multiply.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanprod([3.0, ss.nan, 2.0])
    Tensor(6.)
    """
    x, axes = reduced_argument("nanprod", x, axis)
    return reduce_over(prod_p, _filled(x, 1.0), axes, keepdims)


def nancumsum(x: Any, axis: int | None = None) -> Any:
    """Sums of the elements up to each one, a nan counting as 0.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        By default the array is flattened first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nancumsum([1.0, ss.nan, 2.0])
    Tensor([1., 1., 3.])
    """
    x, _ = reduced_argument("nancumsum", x, None)
    x = reshape(x, (-1,)) if axis is None else x
    k = normalize_axis("nancumsum", 0 if axis is None else axis, len(shape(x)))
    return cumulative_sum_p(_filled(x, 0.0), axis=k)


def nancumprod(x: Any, axis: int | None = None) -> Any:
    """Products of the elements up to each one, a nan counting as 1.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        By default the array is flattened first.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nancumprod([2.0, ss.nan, 3.0])
    Tensor([2., 2., 6.])
    """
    x, _ = reduced_argument("nancumprod", x, None)
    x = reshape(x, (-1,)) if axis is None else x
    k = normalize_axis("nancumprod", 0 if axis is None else axis, len(shape(x)))
    return OPERATIONS["cumulative_prod"].raw(_filled(x, 1.0), axis=k)


# --- moments ------------------------------------------------------------------------------------------------
def _mean(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """The mean with reduced axes of length one, and how many elements it is of."""
    n = _counts(x, axes)
    none = eq(n, 0)
    return reduce_over(sum_p, _filled(x, 0.0), axes, True) / where(none, math.nan, n), n


def nanmean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Arithmetic mean of the elements that are not nan.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to average over; all of them by default.
    keepdims : bool
        Whether averaged axes stay, with length one.

    Returns
    -------
    Tensor
        nan where there is nothing to average.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanmean([1.0, ss.nan, 2.0])
    Tensor(1.5)
    """
    x, axes = reduced_argument("nanmean", x, axis)
    return _shaped(_mean(x, axes)[0], x, axes, keepdims)


def _variance(x: Any, axes: tuple[int, ...], correction: float) -> Any:
    m, n = _mean(x, axes)
    d = where(isnan(x), 0.0, x - m) if is_inexact(x) else x - m
    q = square(real(d)) + square(imag(d)) if is_complex(d) else square(d)
    degrees = n - correction
    return reduce_over(sum_p, q, axes, True) / where(gt(degrees, 0), degrees, math.nan)


def nanvar(x: Any, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Variance of the elements that are not nan.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    correction : float
        The sum of squares is divided by n - correction; NumPy calls it ddof.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Real; nan where n <= correction.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanvar([1.0, ss.nan, 3.0])
    Tensor(1.)
    """
    x, axes = reduced_argument("nanvar", x, axis)
    return _shaped(_variance(x, axes, correction), x, axes, keepdims)


def nanstd(x: Any, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Standard deviation of the elements that are not nan.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    correction : float
        The sum of squares is divided by n - correction; NumPy calls it ddof.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Real; nan where n <= correction.

    Notes
    -----
    Convention: where all elements are equal the gradient is 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanstd([1.0, ss.nan, 3.0])
    Tensor(1.)
    """
    x, axes = reduced_argument("nanstd", x, axis)
    return _shaped(sqrt(_variance(x, axes, correction)), x, axes, keepdims)


# --- extrema ------------------------------------------------------------------------------------------------
def _extremum(name: str, prim: Any, worst: float, x: Any, axis: Axis, keepdims: bool) -> Any:
    x, axes = _choice(name, x, axis)
    if not is_inexact(x):
        return reduce_over(prim, x, axes, keepdims)
    gone = isnan(x)
    y = keep_axes(prim(where(gone, worst, x), axes=axes), axes, x)
    none = reduce_over(all_p, gone, axes, True)
    return _shaped(where(none, math.nan, y), x, axes, keepdims)


def _choice(name: str, x: Any, axis: Axis) -> tuple[Any, tuple[int, ...]]:
    x, axes = reduced_argument(name, x, axis)
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; reduce abs(z), real(z) or imag(z) instead")
    if not count_over(x, axes):
        raise ShapeError(f"{name}: nothing to choose from: shape {shape(x)} is empty along axis {axis}")
    return x, axes


def nanmax(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Greatest element that is not nan.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int or tuple of int, optional
        Axes to choose from; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        nan where all are nan.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Notes
    -----
    Convention: equal elements share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanmax([1.0, ss.nan, 2.0])
    Tensor(2.)
    """
    return _extremum("nanmax", max_p, -math.inf, x, axis, keepdims)


def nanmin(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Least element that is not nan.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int or tuple of int, optional
        Axes to choose from; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        nan where all are nan.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Notes
    -----
    Convention: equal elements share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanmin([1.0, ss.nan, 2.0])
    Tensor(1.)
    """
    return _extremum("nanmin", min_p, math.inf, x, axis, keepdims)


def _place(name: str, prim: Any, worst: float, x: Any, axis: int | None, keepdims: bool) -> Any:
    x, axes = _choice(name, x, axis)
    x = _filled(x, worst)
    if axis is None and len(axes) != 1:
        y = prim(reshape(x, (-1,)), axes=(0,))
        return reshape(y, (1,) * len(axes)) if keepdims else y
    return reduce_over(prim, x, axes, keepdims)


def nanargmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Position of the greatest element that is not nan; the first of equal ones.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int, optional
        Axis to search; by default the array is flattened first.
    keepdims : bool
        Whether the searched axes stay, with length one.

    Returns
    -------
    Tensor
        Of integers, without a derivative; where all elements are nan it says nothing.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanargmax([1.0, ss.nan, 2.0])
    Tensor(2)
    """
    return _place("nanargmax", argmax_p, -math.inf, x, axis, keepdims)


def nanargmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Position of the least element that is not nan; the first of equal ones.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int, optional
        Axis to search; by default the array is flattened first.
    keepdims : bool
        Whether the searched axes stay, with length one.

    Returns
    -------
    Tensor
        Of integers, without a derivative; where all elements are nan it says nothing.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanargmin([ss.nan, 3.0, 2.0])
    Tensor(2)
    """
    return _place("nanargmin", argmin_p, math.inf, x, axis, keepdims)


# --- quantiles ----------------------------------------------------------------------------------------------
def _along_last(x: Any, axes: tuple[int, ...]) -> Any:
    kept = [k for k in range(len(shape(x))) if k not in axes]
    back = moveaxis(x, list(axes), list(range(len(kept), len(shape(x)))))
    return reshape(back, (*(shape(x)[k] for k in kept), count_over(x, axes)))


def _nanquantile(name: str, x: Any, q: Any, axis: Axis, keepdims: bool) -> Any:
    """Linear quantiles of what is left: nan are sorted to the end, and their number moves the positions."""
    x, axes = _choice(name, x, axis)
    x = x if is_inexact(x) else astype(x, float)
    rows = sort(_along_last(x, axes), -1)
    n = astype(_counts(rows, (len(shape(rows)) - 1,)), np.float64)
    v = maximum((n - 1.0) * reshape(q, (-1,)), 0.0)
    low = floor(v)
    w = astype(v - low, dtype_of(x))
    at = astype(low, int)
    a = take_along_axis(rows, at, -1)
    b = take_along_axis(rows, minimum(at + 1, astype(maximum(n - 1.0, 0.0), int)), -1)
    d = b - a
    y = where(eq(w, 0.5), 0.5 * (a + b), where(w < 0.5, a + d * w, b - d * (1.0 - w)))
    rest = tuple(1 if k in axes else m for k, m in enumerate(shape(x)) if keepdims or k not in axes)
    return reshape(moveaxis(y, -1, 0), (*shape(q), *rest))


def _fraction(name: str, q: Any, most: float) -> Any:
    """Quantiles as values of floating point, checked where they are known."""
    q = as_argument(q)
    if not isinstance(q, Traced) and not (np.all(np.asarray(q) >= 0) and np.all(np.asarray(q) <= most)):
        raise ArgumentError(f"{name}: q must lie between 0 and {most:g}, got {q!r}")
    return astype(q, float) if not is_inexact(q) else q


def nanquantile(x: Any, q: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Quantiles, by linear interpolation, of the elements that are not nan.

    Parameters
    ----------
    x : array_like
        Real.
    q : array_like
        Fractions from 0 to 1.
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        The axes of ``q`` come first; nan where all elements are nan.

    Raises
    ------
    ArgumentError
        For a fraction outside of [0, 1].
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanquantile([0.0, ss.nan, 1.0, 4.0], 0.75)
    Tensor(2.5)
    """
    return _nanquantile("nanquantile", x, _fraction("nanquantile", q, 1.0), axis, keepdims)


def nanpercentile(x: Any, q: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Percentiles of the elements that are not nan: `nanquantile` at q / 100.

    Parameters
    ----------
    x : array_like
        Real.
    q : array_like
        From 0 to 100.
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        The axes of ``q`` come first.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanpercentile([0.0, ss.nan, 1.0, 4.0], 75)
    Tensor(2.5)
    """
    return _nanquantile("nanpercentile", x, _fraction("nanpercentile", q, 100.0) / 100.0, axis, keepdims)


def nanmedian(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Median of the elements that are not nan.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        nan where all elements are nan.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.nanmedian([1.0, ss.nan, 3.0, 4.0])
    Tensor(3.)
    """
    return _nanquantile("nanmedian", x, _fraction("nanmedian", 0.5, 1.0), axis, keepdims)


for _f in (
    *(nansum, nanprod, nancumsum, nancumprod, nanmean, nanvar, nanstd),
    *(nanmax, nanmin, nanargmax, nanargmin, nanquantile, nanpercentile, nanmedian),
):
    public(_f.__name__, as_step(_f))
