"""Cumulative products, whose derivatives of every order hold at zeros too."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape, zeros
from scisim.ops.arithmetic import mul, zmul
from scisim.ops.index import slice_axis
from scisim.ops.shape import astype, concat_p, normalize_axis


def _along(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(None if k == p["axis"] else k for k in range(len(shapes[0])))
    return [labels], labels


def _moved(x: Any, axis: int, by: int, filling: Any) -> Any:
    """Elements moved on along an axis, the first places filled."""
    first = slice_axis(filling, axis, 0, by)
    return concat_p(first, slice_axis(x, axis, 0, shape(x)[axis] - by), axis=axis)


def _scan(x: Any, axis: int) -> Any:
    """Products up to each element by doubling: ceil(log2(n)) products of whole arrays."""
    ones, by = np.ones(shape(x), dtype_of(x)), 1
    while by < shape(x)[axis]:
        x, by = mul(_moved(x, axis, by, ones), x), 2 * by
    return x


def _jvp(y: Any, args: list, tangents: list, axis: int) -> Any:
    """The tangent of the same products of pairs (x, dx)."""
    (x,), (t,) = args, tangents
    if t is None:
        return None
    ones, nothing, by = np.ones(shape(x), dtype_of(x)), zeros(shape(t), dtype_of(t)), 1
    while by < shape(x)[axis]:
        before, change = _moved(x, axis, by, ones), _moved(t, axis, by, nothing)
        x, t, by = mul(before, x), zmul(before, t) + zmul(change, x), 2 * by
    return t


def _taylor(trace: Any, args: tuple, y: Any, axis: int) -> Any:
    scan = trace.lazily(lambda: _scan(args[0], axis))
    return lambda k: trace.coefficient(scan, k)


cumulative_prod_p = Primitive(
    "cumulative_prod",
    lambda x, axis: np.cumprod(x, axis=axis),
    axes=Axes(_along, lambda n, p: {"axis": p["axis"] + 1}),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.multiply.reduce(np.ones(1, avals[0].dtype)).dtype),
    jvp=_jvp,
    taylor=_taylor,
    array_api="cumulative_prod",
)


def cumulative_prod(x: Any, /, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """Products of the elements up to each one.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        May be left out for an array with one axis.
    dtype : dtype, optional
        Of the products; by default that of ``x``, and int64 for booleans and short integers.
    include_initial : bool
        Whether the result starts with 1, and so is longer by one.

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
    >>> ss.cumulative_prod([1.0, 2.0, 3.0, 4.0])
    Tensor([ 1.,  2.,  6., 24.])
    """
    x = as_argument(x)
    k = cumulative_axis("cumulative_prod", x, axis)
    y = cumulative_prod_p(x if dtype is None else astype(x, dtype), axis=k)
    y = y if dtype is None else astype(y, dtype)
    return concat_p(np.ones(_edge(y, k), dtype_of(y)), y, axis=k) if include_initial else y


def cumulative_axis(name: str, x: Any, axis: int | None) -> int:
    """The axis along which to accumulate, which may be left out where there is only one."""
    rank = len(shape(x))
    if axis is None and rank != 1:
        raise ArgumentError(
            f"{name}: an array of shape {shape(x)} has {rank} axes; say which with axis=, "
            f"or flatten it with reshape(x, -1)"
        )
    return normalize_axis(name, 0 if axis is None else axis, rank)


def _edge(x: Any, k: int) -> tuple[int, ...]:
    return (*shape(x)[:k], 1, *shape(x)[k + 1 :])


public("cumulative_prod", cumulative_prod, cumulative_prod_p)
