"""Reductions: sums, means, products, extrema, moments, log-sum-exp, and cumulative sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_complex, shape, zeros
from scisim.ops.arithmetic import mul, sqrt, square, stop, zmul
from scisim.ops.complexes import imag, real
from scisim.ops.elementary import exp, log
from scisim.ops.index import flip, slice_axis
from scisim.ops.select import clip, eq, isnan, logical_or, ne, where
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


# --- how reductions share axes ------------------------------------------------------------------------------
def whole_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    """Reduced axes must be whole: only sums are made of partial ones."""
    rank = len(shapes[0])
    kept = tuple(k for k in range(rank) if k not in p["axes"])
    return [tuple(k if k in kept else None for k in range(rank))], kept


def _kept(x: Any, axes: tuple[int, ...], like: Any) -> Any:
    """A reduced value with axes of length one in the place of the reduced ones."""
    return reshape(x, tuple(1 if k in axes else n for k, n in enumerate(shape(like))))


def _reduce(prim: Primitive, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    y = prim(x, axes=axes)
    return _kept(y, axes, x) if keepdims else y


def _count(x: Any, axes: tuple[int, ...]) -> int:
    return math.prod(shape(x)[k] for k in axes)


def _per(total: Any, n: float) -> Any:
    """total / n, nan where there is nothing to average."""
    return total / (n if n > 0 else math.nan)


def _argument(name: str, x: Any, axis: Axis) -> tuple[Any, tuple[int, ...]]:
    x = as_argument(x)
    return x, normalize_axes(name, axis, len(shape(x)))


def _ordered(name: str, x: Any, axes: tuple[int, ...]) -> None:
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; reduce abs(z), real(z) or imag(z) instead")
    if not _count(x, axes):
        raise ShapeError(
            f"{name}: nothing to choose from: an array of shape {shape(x)} is empty along axis {axes}; "
            f"check the array's size first"
        )


# --- sums and means -----------------------------------------------------------------------------------------
def sum(x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
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
    x, axes = _argument("sum", x, axis)
    return _reduce(sum_p, x if dtype is None else astype(x, dtype), axes, keepdims)


def mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
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
    x, axes = _argument("mean", x, axis)
    return _per(_reduce(sum_p, x, axes, keepdims), _count(x, axes))


# --- products -----------------------------------------------------------------------------------------------
def _rows(x: Any, axes: tuple[int, ...]) -> Any:
    """The reduced axes as one leading axis, filled up with ones to a power of two."""
    front = moveaxis(x, list(axes), list(range(len(axes))))
    n = _count(x, axes)
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
    n = _count(args[0], axes)
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


def prod(x: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
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
    x, axes = _argument("prod", x, axis)
    return _reduce(prod_p, x if dtype is None else astype(x, dtype), axes, keepdims)


# --- extrema ------------------------------------------------------------------------------------------------
def _extremum_jvp(y: Any, args: list, tangents: list, axes: tuple[int, ...]) -> Any:
    """The tangent of the chosen element: of a nan if there is one, the mean where several are equal."""
    (x,), (t,) = args, tangents
    if t is None:
        return None
    chosen = logical_or(eq(x, _kept(y, axes, x)), isnan(x))
    return sum_p(where(chosen, t, 0.0), axes=axes) / astype(sum_p(chosen, axes=axes), dtype_of(x))


def _extremum(name: str, ufunc: Any) -> Primitive:
    return Primitive(
        name,
        lambda x, axes: ufunc.reduce(x, axis=axes),
        axes=Axes(whole_labels, shift_axes),
        infer=reduce_infer(),
        jvp=_extremum_jvp,
        convention="ties split the derivative equally",
        singular="only the chosen elements get through",
        array_api=name,
    )


max_p = _extremum("max", np.maximum)
min_p = _extremum("min", np.minimum)


def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Greatest element along axes; nan if any is nan.

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
    >>> ss.max([[1.0, 5.0], [3.0, 4.0]], axis=1)
    Tensor([5., 4.])
    """
    x, axes = _argument("max", x, axis)
    _ordered("max", x, axes)
    return _reduce(max_p, x, axes, keepdims)


def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Least element along axes; nan if any is nan.

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
    >>> ss.min([[1.0, 5.0], [3.0, 4.0]], axis=1)
    Tensor([1., 3.])
    """
    x, axes = _argument("min", x, axis)
    _ordered("min", x, axes)
    return _reduce(min_p, x, axes, keepdims)


# --- positions and truth ------------------------------------------------------------------------------------
def _position(name: str, evaluate: Any) -> Primitive:
    return Primitive(
        name,
        lambda x, axes: evaluate(x, axis=axes[0]),
        axes=Axes(whole_labels, shift_axes),
        infer=reduce_infer(lambda dt: np.dtype(np.intp)),
        array_api=name,
    )


argmax_p = _position("argmax", np.argmax)
argmin_p = _position("argmin", np.argmin)


def _place(prim: Primitive, x: Any, axis: int | None, keepdims: bool) -> Any:
    x = as_argument(x)
    _ordered(prim.name, x, normalize_axes(prim.name, axis, len(shape(x))))
    if axis is None:
        at = prim(reshape(x, (-1,)), axes=(0,))
        return reshape(at, (1,) * len(shape(x))) if keepdims else at
    return _reduce(prim, x, (normalize_axis(prim.name, axis, len(shape(x))),), keepdims)


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Position of the greatest element; the first of equal ones.

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
        Of integers, without a derivative.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.argmax([1.0, 5.0, 3.0])
    Tensor(1)
    """
    return _place(argmax_p, x, axis, keepdims)


def argmin(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Position of the least element; the first of equal ones.

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
        Of integers, without a derivative.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.argmin([[1.0, 5.0], [3.0, 2.0]], axis=1)
    Tensor([0, 1])
    """
    return _place(argmin_p, x, axis, keepdims)


def _truth(name: str, ufunc: Any) -> Primitive:
    return Primitive(
        name,
        lambda x, axes: ufunc.reduce(x, axis=axes),
        axes=Axes(whole_labels, shift_axes),
        infer=reduce_infer(lambda dt: np.dtype(bool)),
        array_api=name,
    )


any_p = _truth("any", np.logical_or)
all_p = _truth("all", np.logical_and)


def any(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether any element along axes is true (not zero).

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to search; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.any([[True, False], [False, False]], axis=1)
    Tensor([ True, False])
    """
    x, axes = _argument("any", x, axis)
    return _reduce(any_p, x, axes, keepdims)


def all(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether all elements along axes are true (not zero).

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to search; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.all([[True, True], [True, False]], axis=1)
    Tensor([ True, False])
    """
    x, axes = _argument("all", x, axis)
    return _reduce(all_p, x, axes, keepdims)


def count_nonzero(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Number of elements along axes that are not zero.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to count over; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Of integers, without a derivative.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.count_nonzero([0.0, 2.0, 3.0])
    Tensor(2)
    """
    x, axes = _argument("count_nonzero", x, axis)
    return _reduce(sum_p, ne(x, 0), axes, keepdims)


# --- moments ------------------------------------------------------------------------------------------------
def _variance(x: Any, axes: tuple[int, ...], correction: float, keepdims: bool) -> Any:
    d = x - _per(_reduce(sum_p, x, axes, True), _count(x, axes))
    q = square(real(d)) + square(imag(d)) if is_complex(d) else square(d)
    return _per(_reduce(sum_p, q, axes, keepdims), _count(x, axes) - correction)


def var(x: Any, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
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
    x, axes = _argument("var", x, axis)
    return _variance(x, axes, correction, keepdims)


def std(x: Any, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
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
    x, axes = _argument("std", x, axis)
    return sqrt(_variance(x, axes, correction, keepdims))


# --- exponentials -------------------------------------------------------------------------------------------
def _finite(m: Any) -> Any:
    """Infinities as the greatest finite numbers: less those nothing becomes nan, and nothing overflows."""
    dt = dtype_of(m)
    big = float(np.finfo(dt).max) if dt.kind == "f" else 3e38
    return clip(m, -big, big)


def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along axes, without overflow.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        Where there is nothing to sum.

    Notes
    -----
    Where all elements are -inf the value is -inf and the gradient 0, by convention.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.logsumexp([1000.0, 1000.0])
    Tensor(1000.69314718)
    """
    x, axes = _argument("logsumexp", x, axis)
    _ordered("logsumexp", real(x), axes)
    top = _reduce(max_p, real(x), axes, True)
    base = stop(_finite(top))
    s = _reduce(sum_p, exp(x - base), axes, True)
    nothing = eq(s, 0)
    y = where(nothing, -math.inf, log(where(nothing, 1.0, s)) + base)
    # Infinite elements count alone, and share the derivative as those of max do.
    y = where(eq(top, math.inf), top, y)
    return y if keepdims else reshape(y, tuple(n for k, n in enumerate(shape(x)) if k not in axes))


def softmax(x: Any, axis: Axis = -1) -> Any:
    """exp(x) / sum(exp(x)) along axes, without overflow.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes over which the result sums to one: the last by default; None is all of them.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        Where there is nothing to sum.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.softmax([0.0, 0.0])
    Tensor([0.5, 0.5])
    """
    x, axes = _argument("softmax", x, axis)
    _ordered("softmax", real(x), axes)
    e = exp(x - _finite(_reduce(max_p, stop(real(x)), axes, True)))
    return e / _reduce(sum_p, e, axes, True)


def log_softmax(x: Any, axis: Axis = -1) -> Any:
    """Logarithm of softmax, exact where softmax underflows.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes over which exp(result) sums to one: the last by default; None is all of them.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        Where there is nothing to sum.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.log_softmax([0.0, 1000.0])
    Tensor([-1000.,     0.])
    """
    x, axes = _argument("log_softmax", x, axis)
    return x - logsumexp(x, axes, keepdims=True)


# --- cumulative sums ----------------------------------------------------------------------------------------
def _cumulative_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(None if k == p["axis"] else k for k in range(len(shapes[0])))
    return [labels], labels


def _cumulative_transpose(i: int, ct: Any, args: tuple, p: dict) -> Any:
    return flip(cumulative_sum_p(flip(ct, p["axis"]), **p), p["axis"])


cumulative_sum_p = Primitive(
    "cumulative_sum",
    lambda x, axis: np.cumsum(x, axis=axis),
    axes=Axes(_cumulative_labels, lambda n, p: {"axis": p["axis"] + 1}),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.add.reduce(np.zeros(1, avals[0].dtype)).dtype),
    linear=(0,),
    transpose=_cumulative_transpose,
    array_api="cumulative_sum",
)


def cumulative_sum(x: Any, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
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
    if not include_initial:
        return y
    first = zeros((*shape(y)[:k], 1, *shape(y)[k + 1 :]), dtype_of(y))
    return concat_p(first, y, axis=k)


for _f, _p in {
    sum: sum_p,
    mean: None,
    prod: prod_p,
    max: max_p,
    min: min_p,
    argmax: argmax_p,
    argmin: argmin_p,
    any: any_p,
    all: all_p,
    count_nonzero: None,
    var: None,
    std: None,
    logsumexp: None,
    softmax: None,
    log_softmax: None,
    cumulative_sum: cumulative_sum_p,
}.items():
    public(_f.__name__, _f, _p)
