"""Reductions of segments: elements that share a number are reduced together; counts of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError, TraceError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import Traced, is_complex, is_inexact, shape
from scisim.core.values import dtype as dtype_of
from scisim.core.values import zeros as _zeros
from scisim.ops.arithmetic import mul, zmul
from scisim.ops.creation import iota
from scisim.ops.index import gather_p, slice_axis
from scisim.ops.select import eq, ge, logical_and, where
from scisim.ops.shape import astype, concat_p, moveaxis, reshape
from scisim.ops.sorting import argsort


# --- arguments ----------------------------------------------------------------------------------------------
def _known(ids: Any) -> np.ndarray | None:
    """Segment numbers, where they are an array below all transformations."""
    while isinstance(ids, Traced) and ids.lower is not None:
        ids = ids.lower
    return None if isinstance(ids, Traced) else np.asarray(ids)


def _segments(name: str, data: Any, ids: Any, num_segments: Any) -> tuple[Any, Any, int]:
    data, ids = as_argument(data), as_argument(ids)
    if dtype_of(ids).kind not in "iu":
        raise ArgumentTypeError(f"{name}: segment_ids must be integers, got dtype {dtype_of(ids)}")
    if len(shape(ids)) != 1 or not shape(data) or shape(ids)[0] != shape(data)[0]:
        raise ShapeError(
            f"{name}: data has shape {shape(data)}, segment_ids {shape(ids)}; expected one number for each "
            f"element along the first axis of data"
        )
    known = _known(ids)
    if num_segments is None:
        if known is None or isinstance(ids, Traced):
            raise TraceError(f"{name}: segment_ids are not known here, and would decide the shape; give num_segments=")
        num_segments = int(known.max()) + 1 if known.size else 0
    if known is not None and known.size and not (known.min() >= 0 and known.max() < num_segments):
        raise ArgumentError(
            f"{name}: segment_ids from {known.min()} to {known.max()} for {num_segments} segments; they count from 0"
        )
    return data, ids, int(num_segments)


# --- primitives ---------------------------------------------------------------------------------------------
def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    rest = tuple(range(1, len(shapes[0])))
    return [(None, *rest), (None,)], (None, *rest)


def _infer(avals: tuple, p: dict) -> ShapeDtype:
    return ShapeDtype((p["n"], *avals[0].shape[1:]), avals[0].dtype)


def _batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    """Further elements for a map of the data, further segments for one of their numbers."""
    x, ids = vals
    if not mapped[1]:
        return moveaxis(prim(moveaxis(x, 0, 1), ids, **p), 1, 0)
    x = x if mapped[0] else trace.spread(x)
    ids = ids + reshape(iota(trace.n), (-1, 1)) * p["n"]
    s = shape(x)
    y = prim(reshape(x, (s[0] * s[1], *s[2:])), reshape(ids, (-1,)), n=trace.n * p["n"])
    return reshape(y, (trace.n, p["n"], *s[2:]))


def _sum(x: Any, ids: Any, n: int) -> np.ndarray:
    if x.ndim == 1 and x.dtype == np.float64 and x.size:
        return np.bincount(ids, x, n)
    y = np.zeros((n, *x.shape[1:]), x.dtype)
    np.add.at(y, ids, x)
    return y


segment_sum_p = Primitive(
    "segment_sum",
    _sum,
    axes=Axes(_labels),
    infer=_infer,
    linear=(0,),
    transpose=lambda i, ct, args, p: gather_p(ct, args[1]),
    batch=_batch,
)


def _extremum(name: str, ufunc: Any, empty: str) -> Primitive:
    def evaluate(x: Any, ids: Any, n: int) -> np.ndarray:
        y = np.full((n, *x.shape[1:]), _least(x.dtype, empty), x.dtype)
        ufunc.at(y, ids, x)
        return y

    def jvp(y: Any, args: list, tangents: list, n: int) -> Any:
        x, ids = args
        t = tangents[0]
        if t is None:
            return None
        chosen = eq(x, gather_p(y, ids))
        count = segment_sum_p(astype(chosen, dtype_of(x)), ids, n=n)
        return segment_sum_p(where(chosen, t, 0.0), ids, n=n) / where(eq(count, 0), 1.0, count)

    return Primitive(
        name,
        evaluate,
        axes=Axes(_labels),
        infer=_infer,
        jvp=jvp,
        batch=_batch,
        convention="ties split the derivative equally",
        singular="only the chosen elements get through",
    )


def _least(dt: np.dtype, empty: str) -> Any:
    """What a segment without elements gets: the neutral element of the reduction."""
    if dt.kind == "f":
        return -math.inf if empty == "least" else math.inf
    if dt.kind == "b":
        return empty != "least"
    return np.iinfo(dt).min if empty == "least" else np.iinfo(dt).max


segment_max_p = _extremum("segment_max", np.maximum, "least")
segment_min_p = _extremum("segment_min", np.minimum, "greatest")


def _product(x: Any, ids: Any, n: int) -> np.ndarray:
    y = np.ones((n, *x.shape[1:]), x.dtype)
    np.multiply.at(y, ids, x)
    return y


def _product_jvp(y: Any, args: list, tangents: list, n: int) -> Any:
    """Products of runs that double in length, among neighbours of one segment: nothing is divided by."""
    x, ids = args
    t = tangents[0]
    if t is None:
        return None
    order = argsort(ids, 0)
    ids, x, t = (gather_p(v, order) for v in (ids, x, t))
    rest = len(shape(x)) - 1
    count, step = shape(x)[0], 1
    while step < count:
        same = reshape(eq(slice_axis(ids, 0, step, None), slice_axis(ids, 0, None, -step)), (-1,) + (1,) * rest)
        x0, t0 = slice_axis(x, 0, None, -step), slice_axis(t, 0, None, -step)
        x1, t1 = slice_axis(x, 0, step, None), slice_axis(t, 0, step, None)
        dt = where(same, zmul(t0, x1) + zmul(x0, t1), t1)
        t = concat_p(slice_axis(t, 0, None, step), dt, axis=0)
        x = concat_p(slice_axis(x, 0, None, step), where(same, mul(x0, x1), x1), axis=0)
        step *= 2
    if not count:
        return _zeros((n, *shape(x)[1:]), dtype_of(x))
    last = concat_p(astype(slice_axis(ids, 0, 1, None) - slice_axis(ids, 0, None, -1), bool), np.ones(1, bool), axis=0)
    ends = where(reshape(last, (-1,) + (1,) * rest), t, 0.0)
    return segment_sum_p(ends, ids, n=n)


segment_prod_p = Primitive("segment_prod", _product, axes=Axes(_labels), infer=_infer, jvp=_product_jvp, batch=_batch)


# --- public -------------------------------------------------------------------------------------------------
def segment_sum(data: Any, segment_ids: Any, num_segments: int | None = None) -> Any:
    """Sums of the elements that share a number.

    Parameters
    ----------
    data : array_like
        Of shape (n, ...).
    segment_ids : array_like of int
        Of shape (n,): the segment of each element, in any order.
    num_segments : int, optional
        By default one more than the greatest number; needed where the numbers are not known.

    Returns
    -------
    Tensor
        Of shape (num_segments, ...); 0 for a segment without elements.

    Raises
    ------
    ShapeError
        When there are not as many numbers as elements.
    ArgumentError
        For a number out of range.
    TraceError
        When the numbers belong to a transformation and ``num_segments`` is not given.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.segment_sum([1.0, 2.0, 4.0], [0, 1, 0])
    Tensor([5., 2.])
    """
    x, ids, n = _segments("segment_sum", data, segment_ids, num_segments)
    x = astype(x, np.int64) if dtype_of(x).kind == "b" else x
    return segment_sum_p(x, ids, n=n)


def segment_prod(data: Any, segment_ids: Any, num_segments: int | None = None) -> Any:
    """Products of the elements that share a number; derivatives of every order hold at zeros too.

    Parameters
    ----------
    data : array_like
        Of shape (n, ...).
    segment_ids : array_like of int
        Of shape (n,): the segment of each element, in any order.
    num_segments : int, optional
        By default one more than the greatest number; needed where the numbers are not known.

    Returns
    -------
    Tensor
        Of shape (num_segments, ...); 1 for a segment without elements.

    Raises
    ------
    ShapeError, ArgumentError, TraceError
        As of `segment_sum`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.segment_prod([3.0, 2.0, 4.0], [0, 1, 0])
    Tensor([12.,  2.])
    """
    x, ids, n = _segments("segment_prod", data, segment_ids, num_segments)
    return segment_prod_p(x, ids, n=n)


def _chosen(name: str, prim: Primitive, data: Any, ids: Any, n: Any) -> Any:
    x, ids, n = _segments(name, data, ids, n)
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; reduce abs(z), real(z) or imag(z) instead")
    return prim(x, ids, n=n)


def segment_max(data: Any, segment_ids: Any, num_segments: int | None = None) -> Any:
    """Greatest of the elements that share a number.

    Parameters
    ----------
    data : array_like
        Real, of shape (n, ...).
    segment_ids : array_like of int
        Of shape (n,): the segment of each element, in any order.
    num_segments : int, optional
        By default one more than the greatest number; needed where the numbers are not known.

    Returns
    -------
    Tensor
        Of shape (num_segments, ...); -inf (the least integer) for a segment without elements.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError, ArgumentError, TraceError
        As of `segment_sum`.

    Notes
    -----
    Convention: equal elements share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.segment_max([3.0, 2.0, 4.0], [0, 1, 0])
    Tensor([4., 2.])
    """
    return _chosen("segment_max", segment_max_p, data, segment_ids, num_segments)


def segment_min(data: Any, segment_ids: Any, num_segments: int | None = None) -> Any:
    """Least of the elements that share a number.

    Parameters
    ----------
    data : array_like
        Real, of shape (n, ...).
    segment_ids : array_like of int
        Of shape (n,): the segment of each element, in any order.
    num_segments : int, optional
        By default one more than the greatest number; needed where the numbers are not known.

    Returns
    -------
    Tensor
        Of shape (num_segments, ...); inf (the greatest integer) for a segment without elements.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError, ArgumentError, TraceError
        As of `segment_sum`.

    Notes
    -----
    Convention: equal elements share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.segment_min([3.0, 2.0, 4.0], [0, 1, 0])
    Tensor([3., 2.])
    """
    return _chosen("segment_min", segment_min_p, data, segment_ids, num_segments)


def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Any:
    """How often each of the numbers 0, 1, 2, ... occurs; or the sums of weights.

    Parameters
    ----------
    x : array_like of int
        A vector of numbers that are not negative.
    weights : array_like, optional
        Of the shape of ``x``; they differentiate.
    minlength : int
        The result has at least so many elements.
    length : int, optional
        The result has so many elements, and greater numbers are not counted; needed where ``x`` is not known.

    Returns
    -------
    Tensor
        int64, or of the dtype of the weights (float64 for integers).

    Raises
    ------
    ShapeError
        When ``x`` is not a vector, or the weights have another shape.
    ArgumentError
        For a negative number.
    TraceError
        When ``x`` belongs to a transformation and ``length`` is not given.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.bincount([0, 2, 2, 1])
    Tensor([1, 1, 2])
    """
    x = as_argument(x)
    if len(shape(x)) != 1:
        raise ShapeError(f"bincount: x must be a vector, got shape {shape(x)}")
    if type(x) is np.ndarray and weights is None and length is None and x.dtype.kind == "i" and x.size and x.min() >= 0:
        return np.bincount(x, None, minlength)
    w = np.ones(shape(x), np.int64) if weights is None else as_argument(weights)
    if shape(w) != shape(x):
        raise ShapeError(f"bincount: weights have shape {shape(w)}; expected {shape(x)}, that of x")
    w = w if weights is None or is_inexact(w) else astype(w, np.float64)
    if not shape(x)[0] and not isinstance(x, Traced):
        x = np.zeros(0, np.int64)
    w, x, n = _numbers(w, x, minlength, length)
    return segment_sum_p(w, x, n=n)


def _numbers(w: Any, x: Any, minlength: int, length: int | None) -> tuple[Any, Any, int]:
    """Weights and numbers to count, those beyond the length as 0 with no weight."""
    if length is not None:
        inside = logical_and(ge(x, 0), ge(length - 1, x))
        known = _known(x)
        if known is not None and known.size and known.min() < 0:
            raise ArgumentError(f"bincount: counts numbers from 0 on, got {known.min()}")
        zero = np.zeros((), dtype_of(w))
        return where(inside, w, zero), where(inside, x, 0), int(length)
    if isinstance(x, Traced):
        raise TraceError("bincount: x is not known here, and would decide the shape; give length=")
    most = int(x.max()) + 1 if x.size else 0
    w, x, n = _segments("bincount", w, x, max(most, minlength))
    return w, x, n


_PUBLIC: dict[Callable, Primitive | None] = {
    segment_sum: segment_sum_p,
    segment_prod: segment_prod_p,
    segment_max: segment_max_p,
    segment_min: segment_min_p,
    bincount: None,
}
for _f, _p in _PUBLIC.items():
    public(_f.__name__, _f, _p)
