"""Reductions: sums, means, products, moments, cumulative sums; and what reductions share."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import Traced, inexact, is_complex, is_inexact, shape, zeros
from scisim.core.values import dtype as dtype_of
from scisim.ops.arithmetic import mul, rooted, sqrt, square, zmul
from scisim.ops.complexes import imag, real
from scisim.ops.index import flip, slice_axis
from scisim.ops.shape import (
    astype,
    concat_p,
    moveaxis,
    normalize_axes,
    normalize_axis,
    reduce_infer,
    reshape,
    shift_axes,
    sum_p,
)

Axis = int | tuple[int, ...] | None
_VALUES = (np.ndarray, Traced)
_EVERY = [tuple(range(n)) for n in range(65)]  # all axes of an array with so many, which NumPy limits to 64


# --- how reductions share axes ------------------------------------------------------------------------------
def whole_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    """Reduced axes must be whole: only sums are made of partial ones."""
    rank = len(shapes[0])
    kept = tuple(k for k in range(rank) if k not in p["axes"])
    return [tuple(k if k in kept else None for k in range(rank))], kept


def keep_axes(x: Any, axes: tuple[int, ...], like: Any) -> Any:
    """A reduced value with axes of length one in the place of the reduced ones."""
    return reshape(x, tuple(1 if k in axes else n for k, n in enumerate(shape(like))))


def reduce_over(prim: Primitive, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    y = prim(x, axes=axes)
    return keep_axes(y, axes, x) if keepdims else y


def count_over(x: Any, axes: tuple[int, ...]) -> int:
    return math.prod(shape(x)[k] for k in axes)


def _in_single(f: Callable, x: Any) -> Any:
    """Sums of half precision overflow early, so averages of it are taken in single precision."""
    dt = dtype_of(x)
    return astype(f(astype(x, np.float32)), dt) if dt.itemsize == 2 and inexact(dt) else f(x)


def _in_dtype(prim: Primitive, x: Any, axes: tuple[int, ...], keepdims: bool, dtype: Any) -> Any:
    """A reduction in the dtype asked for; short integers go round as they would in it."""
    if dtype is None:
        return reduce_over(prim, x, axes, keepdims)
    return astype(reduce_over(prim, astype(x, dtype), axes, keepdims), dtype)


def _per(total: Any, n: float) -> Any:
    """total / n, nan where there is nothing to average."""
    return total / (n if n > 0 else math.nan)


def reduced_argument(name: str, x: Any, axis: Axis) -> tuple[Any, tuple[int, ...]]:
    x = as_argument(x)
    return x, normalize_axes(name, axis, len(shape(x)))


# --- sums and means -----------------------------------------------------------------------------------------
def sum(x: Any, /, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Sum of the elements along axes.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to sum over; all of them by default.
    keepdims : bool
        Whether summed axes stay, with length one.
    dtype : dtype, optional
        Of the sum; by default that of ``x``, and int64 for booleans and short integers.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For an axis out of range or given twice.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.sum([[1.0, 2.0], [3.0, 4.0]], axis=0)
    Tensor([4., 6.])
    """
    if axis is None and dtype is None and not keepdims and isinstance(x, _VALUES):
        return sum_p(x, axes=_EVERY[len(x.shape)])  # the commonest call, without a detour
    x, axes = reduced_argument("sum", x, axis)
    return _in_dtype(sum_p, x, axes, keepdims, dtype)


def mean(x: Any, /, axis: Axis = None, keepdims: bool = False) -> Any:
    """Arithmetic mean along axes.

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
        Of float64 for integers and booleans; nan where there is nothing to average.

    Raises
    ------
    ArgumentError
        For an axis out of range or given twice.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.mean([1.0, 2.0, 6.0])
    Tensor(3.)
    """
    x, axes = reduced_argument("mean", x, axis)
    return _in_single(lambda v: _per(reduce_over(sum_p, v, axes, keepdims), count_over(v, axes)), x)


# --- products -----------------------------------------------------------------------------------------------
def _rows(x: Any, axes: tuple[int, ...]) -> Any:
    """The reduced axes as one leading axis, filled up with ones to a power of two."""
    front = moveaxis(x, list(axes), list(range(len(axes))))
    n = count_over(x, axes)
    rest = shape(front)[len(axes) :]
    rows = reshape(front, (n, *rest))
    missing = (1 << (n - 1).bit_length() if n > 1 else 1) - n
    return concat_p(rows, np.ones((missing, *rest), dtype_of(x)), axis=0) if missing else rows


def _halves(x: Any) -> tuple[Any, Any]:
    m = shape(x)[0] // 2
    return slice_axis(x, 0, None, m), slice_axis(x, 0, m, None)


def _product_tree(x: Any, axes: tuple[int, ...]) -> Any:
    """The product by pairs of halves: a derivative that divides by nothing, so zeros are no special case."""
    y = _rows(x, axes)
    while shape(y)[0] > 1:
        y = mul(*_halves(y))
    return reshape(y, shape(y)[1:])


def _product_jvp(y: Any, args: list, tangents: list, axes: tuple[int, ...]) -> Any:
    if tangents[0] is None:
        return None
    x = _rows(args[0], axes)
    n = count_over(args[0], axes)
    t = _rows(tangents[0], axes)
    if shape(t)[0] > n:  # the ones that fill up do not move
        t = concat_p(slice_axis(t, 0, 0, n), zeros((shape(t)[0] - n, *shape(t)[1:]), dtype_of(t)), axis=0)
    while shape(x)[0] > 1:
        (a, b), (da, db) = _halves(x), _halves(t)
        x, t = mul(a, b), zmul(da, b) + zmul(db, a)
    return reshape(t, shape(t)[1:])


def _product_taylor(trace: Any, args: tuple, y: Any, axes: tuple[int, ...]) -> Any:
    tree = trace.lazily(lambda: _product_tree(args[0], axes))
    return lambda k: trace.coefficient(tree, k)


prod_p = Primitive(
    "prod",
    lambda x, axes: np.multiply.reduce(x, axis=axes),
    axes=Axes(whole_labels, shift_axes),
    infer=reduce_infer(lambda dt: np.multiply.reduce(np.ones(1, dt)).dtype),
    jvp=_product_jvp,
    taylor=_product_taylor,
    array_api="prod",
)


def prod(x: Any, /, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Product of the elements along axes; its derivatives of every order hold at zeros too.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to multiply over; all of them by default.
    keepdims : bool
        Whether multiplied axes stay, with length one.
    dtype : dtype, optional
        Of the product; by default that of ``x``, and int64 for booleans and short integers.

    Returns
    -------
    Tensor
        1 where there is nothing to multiply.

    Raises
    ------
    ArgumentError
        For an axis out of range or given twice.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.prod([2.0, 3.0, 4.0])
    Tensor(24.)
    """
    x, axes = reduced_argument("prod", x, axis)
    return _in_dtype(prod_p, x, axes, keepdims, dtype)


# --- moments ------------------------------------------------------------------------------------------------
def _degrees(name: str, x: Any, axes: tuple[int, ...], correction: float) -> float:
    if not isinstance(correction, (int, float, np.number)):
        raise ArgumentTypeError(f"{name}: correction must be a number, got {correction!r}")
    return count_over(x, axes) - correction


def _centred(x: Any, axes: tuple[int, ...]) -> Any:
    return x - _per(reduce_over(sum_p, x, axes, True), count_over(x, axes))


def _mean_square(d: Any, axes: tuple[int, ...], n: float, keepdims: bool) -> Any:
    q = square(real(d)) + square(imag(d)) if is_complex(d) else square(d)
    return _per(reduce_over(sum_p, q, axes, keepdims), n)


def _variance(x: Any, axes: tuple[int, ...], correction: float, keepdims: bool) -> Any:
    n = _degrees("var", x, axes, correction)
    return _mean_square(_centred(x, axes), axes, n, keepdims)


def var(x: Any, /, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Variance along axes: the mean of abs(x - mean(x))^2.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    correction : float
        The sum is divided by n - correction: 0 for a whole population, 1 for a sample.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Real; nan where n <= correction.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.var([1.0, 2.0, 3.0], correction=1)
    Tensor(1.)
    """
    x, axes = reduced_argument("var", x, axis)
    return _in_single(lambda v: _variance(v, axes, correction, keepdims), x)


def std(x: Any, /, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Standard deviation along axes: the root of the variance.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    correction : float
        The sum is divided by n - correction: 0 for a whole population, 1 for a sample.
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
    >>> ss.std([1.0, 2.0, 3.0], correction=1)
    Tensor(1.)
    """
    x, axes = reduced_argument("std", x, axis)
    return _in_single(lambda v: _deviation(v, axes, correction, keepdims), x)


def _deviation(x: Any, axes: tuple[int, ...], correction: float, keepdims: bool) -> Any:
    """The root of the variance, also where that overflows: a multiple of the norm of what is left without the mean."""
    from scisim.ops._linalg.scaling import scaled  # which needs this module

    n = _degrees("std", x, axes, correction)
    if not is_inexact(x) or n <= 0:
        return sqrt(_variance(x, axes, correction, keepdims))

    def deviation(d: Any, divisor: Any) -> Any:
        return sqrt(_mean_square(d if divisor is None else d / divisor, axes, n, keepdims))

    y = scaled(deviation, _centred(x, axes), axes, keepdims, 2.0, 1.0 / math.sqrt(n))
    return rooted(y, lambda: _variance(x, axes, correction, keepdims))


# --- cumulative sums ----------------------------------------------------------------------------------------
def _cumulative_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(None if k == p["axis"] else k for k in range(len(shapes[0])))
    return [labels], labels


def _cumulative_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return flip(cumulative_sum_p(flip(ct, p["axis"]), **p), p["axis"])


def _cumulative_sum(x: Any, axis: int) -> Any:
    if x.dtype.num >= 256:  # bfloat16: NumPy would round after every addition
        return np.cumsum(x, axis=axis, dtype=np.float32).astype(x.dtype)
    return np.cumsum(x, axis=axis)


cumulative_sum_p = Primitive(
    "cumulative_sum",
    _cumulative_sum,
    axes=Axes(_cumulative_labels, lambda n, p: {"axis": p["axis"] + 1}),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.add.reduce(np.zeros(1, avals[0].dtype)).dtype),
    linear=(0,),
    transpose=_cumulative_transpose,
    array_api="cumulative_sum",
)


def cumulative_sum(x: Any, /, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """Sums of the elements up to each one.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        May be left out for an array with one axis.
    dtype : dtype, optional
        Of the sums; by default that of ``x``, and int64 for booleans and short integers.
    include_initial : bool
        Whether the result starts with 0, and so is longer by one.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        When ``axis`` is out of range, or left out for several axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.cumulative_sum([1.0, 2.0, 3.0], include_initial=True)
    Tensor([0., 1., 3., 6.])
    """
    x = as_argument(x)
    if axis is None and len(shape(x)) != 1:
        raise ArgumentError(
            f"cumulative_sum: an array of shape {shape(x)} has {len(shape(x))} axes; say which with axis=, "
            f"or flatten it with reshape(x, -1)"
        )
    k = normalize_axis("cumulative_sum", 0 if axis is None else axis, len(shape(x)))
    y = cumulative_sum_p(x if dtype is None else astype(x, dtype), axis=k)
    y = y if dtype is None else astype(y, dtype)
    if not include_initial:
        return y
    first = zeros((*shape(y)[:k], 1, *shape(y)[k + 1 :]), dtype_of(y))
    return concat_p(first, y, axis=k)


_PUBLIC: dict[Callable, Primitive | None] = {
    sum: sum_p,
    mean: None,
    prod: prod_p,
    var: None,
    std: None,
    cumulative_sum: cumulative_sum_p,
}
for _f, _p in _PUBLIC.items():
    public(_f.__name__, _f, _p)
