"""Order statistics: medians, quantiles, percentiles, the greatest elements, partial sorts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import Traced, is_complex, is_inexact, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops.index import gather_p, slice_axis
from scisim.ops.one_step import as_step
from scisim.ops.select import floor, isnan, maximum, minimum, where
from scisim.ops.shape import astype, moveaxis, normalize_axes, normalize_axis, reshape
from scisim.ops.sorting import argsort, sort, take_along_axis


def _along(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(None if k == p["axis"] else k for k in range(len(shapes[0])))
    return [labels], labels


def _lift(n: int, p: dict) -> dict:
    return {**p, "axis": p["axis"] + 1}


def _with_length(s: tuple[int, ...], axis: int, n: int) -> tuple[int, ...]:
    return (*s[:axis], n, *s[axis + 1 :])


# --- elements of a sorted array, without sorting all of it --------------------------------------------------
def _ranked(x: Any, axis: int, ranks: tuple[int, ...]) -> Any:
    """Elements of the given ranks; nan where any element is one."""
    n = x.shape[axis]
    ends = [*ranks, n - 1] if x.dtype.kind == "f" else list(ranks)  # a nan is partitioned to the end
    y = np.partition(x, sorted(set(ends)), axis)
    out = np.take(y, ranks, axis)
    if x.dtype.kind == "f":
        last = np.take(y, [n - 1], axis)
        if np.any(np.isnan(last)):
            out = np.where(np.isnan(last), last, out)
    return out


def _ranked_jvp(y: Any, args: list, tangents: list, axis: int, ranks: tuple[int, ...]) -> Any:
    """The tangents of the elements that have these ranks: equal ones keep their order, as in `sort`."""
    (x,), (t,) = args, tangents
    if t is None:
        return None
    order = argsort(x, axis)
    at = moveaxis(gather_p(moveaxis(order, axis, 0), np.array(ranks)), 0, axis)
    return take_along_axis(t, at, axis) * where(isnan(y), math.nan, 1.0)  # a product, so that cotangents are nan too


ranked_p = Primitive(
    "ranked",
    _ranked,
    axes=Axes(_along, _lift),
    infer=lambda avals, p: ShapeDtype(_with_length(avals[0].shape, p["axis"], len(p["ranks"])), avals[0].dtype),
    jvp=_ranked_jvp,
    singular="only the chosen elements get through",
)


# --- quantiles ----------------------------------------------------------------------------------------------
# Positions n q + alpha + q (1 - alpha - beta) - 1, after Hyndman and Fan, "Sample quantiles in statistical packages",
# The American Statistician 50 (1996).
_CONTINUOUS = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
    "normal_unbiased": (0.375, 0.375),
}
_ROUNDED = ("lower", "higher", "midpoint", "nearest")
_STEPPED = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation")


def _spot(method: str, q: float, n: int) -> tuple[int, int, float]:
    """The ranks between which a quantile lies, and how far from the first to the second."""
    if method in _CONTINUOUS:
        a, b = _CONTINUOUS[method]
        v = q * (n - 1) if method == "linear" else n * q + a + q * (1.0 - a - b) - 1.0
    elif method in _ROUNDED:
        v = q * (n - 1)
        between = 0.5 if v != math.floor(v) else 0.0
        nearest = {"lower": math.floor(v), "higher": math.ceil(v), "nearest": round(v)}
        v = float(nearest.get(method, math.floor(v) + between))
    else:
        v = _step(method, q, n)
    v = min(max(v, 0.0), n - 1.0)
    low = min(math.floor(v), n - 1)
    return low, min(low + 1, n - 1), v - low


def _step(method: str, q: float, n: int) -> float:
    v = n * q - 1.0
    if method == "closest_observation":
        v = n * q - 1.5
        low = math.floor(v)
        return low if v == low and low % 2 == 1 else low + 1
    if method == "averaged_inverted_cdf" and v == math.floor(v):
        return v + 0.5
    return math.ceil(v)


def _merged(name: str, x: Any, axis: Any) -> tuple[Any, tuple[int, ...]]:
    """The reduced axes as one last axis."""
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; reduce abs(z), real(z) or imag(z) instead")
    axes = normalize_axes(name, axis, len(shape(x)))
    kept = [k for k in range(len(shape(x))) if k not in axes]
    n = math.prod(shape(x)[k] for k in axes)
    if not n:
        raise ShapeError(f"{name}: nothing to choose from: shape {shape(x)} is empty along axis {axis}")
    if len(axes) == 1:
        return moveaxis(x, axes[0], -1), axes
    back = moveaxis(x, list(axes), list(range(len(kept), len(shape(x)))))
    return reshape(back, (*(shape(x)[k] for k in kept), n)), axes


def _floating(x: Any) -> Any:
    return x if is_inexact(x) else astype(x, np.float64)


def _between(a: Any, b: Any, w: Any) -> Any:
    """a + (b - a) w from the nearer end, so that it is monotone and exact at both."""
    d = b - a
    return where(w < 0.5, a + d * w, b - d * (1.0 - w))


def _at_numbers(x: Any, qs: np.ndarray, method: str) -> Any:
    """Quantiles along the last axis at known numbers, which come out along the first."""
    k = len(shape(x)) - 1
    n = shape(x)[k]
    spots = [_spot(method, float(q), n) for q in qs]
    ranks = tuple(sorted({r for low, high, w in spots for r in ((low, high) if w else (low,))}))
    y = moveaxis(ranked_p(x, axis=k, ranks=ranks), -1, 0)
    low = [ranks.index(s[0]) for s in spots]
    high = [ranks.index(s[1]) if s[2] else ranks.index(s[0]) for s in spots]
    if low == high:
        return y if low == list(range(len(ranks))) else gather_p(y, np.array(low))
    w = np.array([s[2] for s in spots], dtype_of(x)).reshape(-1, *(1,) * k)
    a, b = gather_p(y, np.array(low)), gather_p(y, np.array(high))
    return 0.5 * (a + b) if np.all(w == 0.5) else _between(a, b, w)


def _at_variables(x: Any, q: Any) -> Any:
    """Linear quantiles along the last axis at numbers that vary; these come out along the first."""
    n = shape(x)[-1]
    y = moveaxis(sort(x, -1), -1, 0)
    y = where(isnan(slice_axis(y, 0, n - 1, n)), math.nan, y)
    v = reshape(q, (-1,)) * float(n - 1)
    low = minimum(maximum(floor(v), 0.0), float(max(n - 2, 0)))
    first = astype(low, np.int64)
    w = reshape(astype(v - low, dtype_of(x)), (-1,) + (1,) * (len(shape(x)) - 1))
    return _between(gather_p(y, first), gather_p(y, minimum(first + 1, n - 1)), w)


def _check_quantile(name: str, q: Any, method: str) -> None:
    if method not in (*_CONTINUOUS, *_ROUNDED, *_STEPPED):
        known = ", ".join((*_CONTINUOUS, *_ROUNDED, *_STEPPED))
        raise ArgumentError(f"{name}: method must be one of {known}; got {method!r}")
    if not isinstance(q, Traced) and not (np.all(np.asarray(q) >= 0) and np.all(np.asarray(q) <= 1)):
        raise ArgumentError(f"{name}: quantiles lie between 0 and 1, percentiles between 0 and 100; got {q!r}")
    if isinstance(q, Traced) and method != "linear":
        raise ArgumentError(f"{name}: only method='linear' takes values of a transformation for q, got {method!r}")


def _quantile(name: str, x: Any, q: Any, axis: Any, method: str, keepdims: bool) -> Any:
    x, q = _floating(as_argument(x)), as_argument(q)
    _check_quantile(name, q, method)
    rows, axes = _merged(name, x, axis)
    y = _at_variables(rows, q) if isinstance(q, Traced) else _at_numbers(rows, np.ravel(q), method)
    rest = tuple(n for k, n in enumerate(shape(x)) if k not in axes)
    if keepdims:
        rest = tuple(1 if k in axes else n for k, n in enumerate(shape(x)))
    return reshape(y, (*shape(q), *rest))


def quantile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Quantiles of the elements along axes.

    Parameters
    ----------
    x : array_like
        Real.
    q : array_like
        Fractions from 0 to 1; with ``method="linear"`` they may be differentiated.
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    method : str
        What lies between two elements, by NumPy's names: "linear", "lower", "higher", "midpoint", "nearest",
        "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
        "weibull", "median_unbiased" or "normal_unbiased".
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        The axes of ``q`` come first. nan where any element is nan.

    Raises
    ------
    ArgumentError
        For a fraction outside of [0, 1], or an unknown method.
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Notes
    -----
    Derivatives follow the elements; of equal ones the order is kept, as in `sort`. Where ``q`` meets an element
    exactly, its derivative is that of the interval above it.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.quantile([0.0, 1.0, 4.0], [0.5, 0.75])
    Tensor([1. , 2.5])
    """
    return _quantile("quantile", x, q, axis, method, keepdims)


def percentile(x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Percentiles of the elements along axes: quantiles at q / 100.

    Parameters
    ----------
    x : array_like
        Real.
    q : array_like
        From 0 to 100.
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    method : str
        As of `quantile`.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        The axes of ``q`` come first.

    Raises
    ------
    ArgumentError, DTypeError, ShapeError
        As of `quantile`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.percentile([0.0, 1.0, 4.0], 75)
    Tensor(2.5)
    """
    q = as_argument(q)
    return _quantile("percentile", x, q / 100.0 if shape(q) else q / np.float64(100.0), axis, method, keepdims)


def median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Median of the elements along axes; the mean of the middle two where their number is even.

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
        nan where any element is nan.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Notes
    -----
    Derivatives follow the elements; of equal ones the order is kept, as in `sort`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.median([3.0, 1.0, 2.0, 9.0])
    Tensor(2.5)
    """
    x = _floating(as_argument(x))
    rows, axes = _merged("median", x, axis)
    k, n = len(shape(rows)) - 1, shape(rows)[-1]
    y = ranked_p(rows, axis=k, ranks=((n - 1) // 2,) if n % 2 else (n // 2 - 1, n // 2))
    if n % 2 == 0:
        y = 0.5 * (slice_axis(y, k, 0, 1) + slice_axis(y, k, 1, 2))
    s = shape(x)
    return reshape(y, tuple(1 if j in axes else n for j, n in enumerate(s) if keepdims or j not in axes))


# --- the greatest, and partial sorts ------------------------------------------------------------------------
def _top(x: Any, axis: int, k: int, largest: bool) -> np.ndarray:
    """Positions of the k greatest (least) elements in their order; of equal ones those that come first."""
    n = x.shape[axis]
    if not k or 4 * k >= n or n <= 512 or x.dtype.kind == "b":
        return _order(x, axis, largest)[(*(slice(None),) * axis, slice(0, k))]
    if x.ndim == 1:
        split = np.partition(x, n - k if largest else k - 1)[n - k if largest else k - 1]
        near = np.flatnonzero(~(x < split) if largest else x <= split)
        if len(near) >= k:
            return near[_order(x[near], 0, largest)[:k]]
    # Whoever is not beyond the k-th value is no candidate; so equal elements cannot be left out by chance.
    split = np.take(np.partition(x, n - k if largest else k - 1, axis), [n - k if largest else k - 1], axis)
    near = x >= split if largest else x <= split
    most = int(np.max(np.count_nonzero(near | np.isnan(x), axis=axis), initial=0))
    if most > n // 2 or np.any(np.isnan(split)):
        return np.take(_order(x, axis, largest), range(k), axis)
    first = np.take(np.argsort(~(near | np.isnan(x)), axis=axis, kind="stable"), range(most), axis)
    order = _order(np.take_along_axis(x, first, axis), axis, largest)
    return np.take_along_axis(first, np.take(order, range(k), axis), axis)


def _order(x: Any, axis: int, descending: bool) -> np.ndarray:
    if descending and x.ndim == 1:
        return x.size - 1 - x[::-1].argsort(kind="stable")[::-1]
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    back = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(back, axis)


top_p = Primitive(
    "top_positions",
    _top,
    axes=Axes(_along, _lift),
    infer=lambda avals, p: ShapeDtype(_with_length(avals[0].shape, p["axis"], p["k"]), np.dtype(np.intp)),
)


def topk(x: Any, k: int, axis: int = -1, largest: bool = True) -> Any:
    """The k greatest elements along an axis, in descending order, and their positions.

    Parameters
    ----------
    x : array_like
        Real.
    k : int
        How many.
    axis : int
    largest : bool
        Whether the greatest are meant; else the k least, in ascending order.

    Returns
    -------
    values, indices : Tensor
        With length ``k`` along the axis. Of equal elements those that come first; a nan counts as the greatest.

    Raises
    ------
    ArgumentError
        When there are fewer than ``k`` elements, or for an axis out of range.
    DTypeError
        For complex numbers, which have no order.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.topk([3.0, 1.0, 4.0, 1.5], 2)
    (Tensor([4., 3.]), Tensor([2, 0]))
    """
    x = as_argument(x)
    if is_complex(x):
        raise DTypeError("topk: complex numbers have no order; choose by abs(z), real(z) or imag(z) instead")
    a = normalize_axis("topk", axis, len(shape(x)))
    if not 0 <= k <= shape(x)[a]:
        raise ArgumentError(f"topk: k is {k}, and shape {shape(x)} has {shape(x)[a]} elements along axis {axis}")
    at = top_p(x, axis=a, k=int(k), largest=bool(largest))
    return take_along_axis(x, at, a), at


def _kth(name: str, x: Any, kth: Any, axis: int | None) -> tuple[Any, int, tuple[int, ...]]:
    x = as_argument(x)
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; use abs(z), real(z) or imag(z) instead")
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    a = normalize_axis(name, axis, len(shape(x)))
    n = shape(x)[a]
    if isinstance(kth, Traced) or not np.all((-n <= np.asarray(kth)) & (np.asarray(kth) < n)):
        raise ArgumentError(f"{name}: kth must be known positions from {-n} to {n - 1}, got {kth!r}")
    return x, a, tuple(int(k) % n for k in np.atleast_1d(np.asarray(kth)))


def _partition_jvp(y: Any, args: list, tangents: list, axis: int, kth: tuple[int, ...]) -> Any:
    """The tangents in the order of the values: those of one rank, of equal ones in their order."""
    (x,), (t,) = args, tangents
    if t is None:
        return None
    order, places = argsort(x, axis), argsort(argsort(y, axis), axis)
    return take_along_axis(t, take_along_axis(order, places, axis), axis)


partition_p = Primitive(
    "partition",
    lambda x, axis, kth: np.partition(x, kth, axis),
    axes=Axes(_along, _lift),
    infer=lambda avals, p: avals[0],
    jvp=_partition_jvp,
)
argpartition_p = Primitive(
    "argpartition",
    lambda x, axis, kth: np.argpartition(x, kth, axis),
    axes=Axes(_along, _lift),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.dtype(np.intp)),
)


def partition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """Elements so arranged that those at ``kth`` stand as in a sorted array, with lesser ones before them.

    Parameters
    ----------
    x : array_like
        Real.
    kth : int or sequence of int
        Positions.
    axis : int, optional
        None flattens the array first.

    Returns
    -------
    Tensor
        Derivatives follow the elements; of equal ones the order is kept.

    Raises
    ------
    ArgumentError
        For a position or an axis out of range.
    DTypeError
        For complex numbers, which have no order.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.partition([3.0, 1.0, 2.0], 1)[1]
    Tensor(2.)
    """
    x, a, places = _kth("partition", x, kth, axis)
    return partition_p(x, axis=a, kth=places) if places else x


def argpartition(x: Any, kth: Any, axis: int | None = -1) -> Any:
    """Positions of the elements in the order of `partition`.

    Parameters
    ----------
    x : array_like
        Real.
    kth : int or sequence of int
        Positions.
    axis : int, optional
        None flattens the array first.

    Returns
    -------
    Tensor
        Of integers, without a derivative.

    Raises
    ------
    ArgumentError
        For a position or an axis out of range.
    DTypeError
        For complex numbers, which have no order.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.argpartition([3.0, 1.0, 2.0], 1)[1]
    Tensor(2)
    """
    x, a, places = _kth("argpartition", x, kth, axis)
    return argpartition_p(x, axis=a, kth=places or (0,)) if shape(x)[a] else argsort(x, a)


for _f in (quantile, percentile, median, topk, partition, argpartition):
    public(_f.__name__, as_step(_f))
