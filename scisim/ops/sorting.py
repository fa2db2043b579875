"""Order: sorting, positions in sorted arrays, elements by position, differences of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_complex, shape
from scisim.ops.creation import iota
from scisim.ops.index import index, slice_axis
from scisim.ops.select import ne
from scisim.ops.shape import broadcast, concat, normalize_axis, reshape


# --- sorting -----------------------------------------------------------------------------------------------
def _argsort(x: Any, axis: int, descending: bool) -> np.ndarray:
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # Reversed twice, so that equal elements keep their order.
    back = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.asarray(x).shape[axis] - 1 - np.flip(back, axis)


def along_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    """Every axis but one is a batch axis."""
    labels = tuple(None if k == p["axis"] else k for k in range(len(shapes[0])))
    return [labels], labels


argsort_p = Primitive(
    "argsort",
    _argsort,
    axes=Axes(along_labels, lambda n, p: {**p, "axis": p["axis"] + 1}),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.dtype(np.intp)),
    array_api="argsort",
)


def sorted_values(x: Any, axis: int) -> np.ndarray:
    """The numbers in ascending order, to the bit as a stable sort gives them, which NumPy's fastest sort is not."""
    y = np.sort(x, axis=axis)
    if y.dtype.kind in "fc" and _zeros_differ(y):  # 0 and -0 are equal, and keep their order
        return np.sort(x, axis=axis, kind="stable")
    return y


def _zeros_differ(y: np.ndarray) -> bool:
    zeros = y[y == 0]
    if not zeros.size:
        return False
    parts = (zeros.real, zeros.imag) if y.dtype.kind == "c" else (zeros,)
    return any(np.signbit(p).any() and not np.signbit(p).all() for p in parts)


def _sort(x: Any, axis: int, descending: bool) -> np.ndarray:
    y = sorted_values(x, axis)
    return np.flip(y, axis) if descending else y


sort_p = Primitive(
    "sort",
    _sort,
    axes=argsort_p.axes,
    infer=lambda avals, p: avals[0],
    jvp=lambda y, args, tangents, **p: take_along_axis(tangents[0], argsort_p(args[0], **p), p["axis"]),
    array_api="sort",
)


def _sortable(name: str, x: Any, axis: int | None) -> tuple[Any, int]:
    x = as_argument(x)
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; sort by abs(z), real(z) or imag(z) instead")
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    return x, normalize_axis(name, axis, len(shape(x)))


def argsort(x: Any, /, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Any:
    """Positions of the elements in their order.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int, optional
        Axis to sort along; None flattens the array first.
    descending : bool
        Whether the greatest comes first.
    stable : bool
        Equal elements always keep their order; the parameter is there for the Array API.

    Returns
    -------
    Tensor
        Of integers, without a derivative. A nan counts as the greatest.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ArgumentError
        For an axis out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.argsort([3.0, 1.0, 2.0])
    Tensor([1, 2, 0])
    """
    x, k = _sortable("argsort", x, axis)
    return argsort_p(x, axis=k, descending=bool(descending))


def sort(x: Any, /, axis: int | None = -1, descending: bool = False, stable: bool = True) -> Any:
    """The elements in their order.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int, optional
        Axis to sort along; None flattens the array first.
    descending : bool
        Whether the greatest comes first.
    stable : bool
        Equal elements always keep their order; the parameter is there for the Array API.

    Returns
    -------
    Tensor
        A nan counts as the greatest. Derivatives follow the elements.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ArgumentError
        For an axis out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.sort([3.0, 1.0, 2.0], descending=True)
    Tensor([3., 2., 1.])
    """
    x, k = _sortable("sort", x, axis)
    return sort_p(x, axis=k, descending=bool(descending))


# --- elements by position ----------------------------------------------------------------------------------
def _integers(name: str, indices: Any) -> Any:
    i = as_argument(indices)
    if dtype_of(i).kind not in "iu":
        raise ArgumentTypeError(f"{name}: indices must be integers, got dtype {dtype_of(i)}")
    return i


def take_along_axis(x: Any, indices: Any, /, axis: int = -1) -> Any:
    """Elements chosen along an axis, by one index for each place; the inverse of argsort, argmax and argmin.

    Parameters
    ----------
    x : array_like
    indices : array_like of int
        With as many axes as ``x``; all but one broadcast against those of ``x``.
    axis : int

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the numbers of axes differ.
    ArgumentError
        For an axis or an index out of range.
    ArgumentTypeError
        For indices that are no integers.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.take_along_axis([[3.0, 1.0], [2.0, 5.0]], [[1], [0]], axis=1)
    Tensor([[1.],
            [2.]])
    """
    x, i = as_argument(x), _integers("take_along_axis", indices)
    s = shape(x)
    if len(s) != len(shape(i)):
        raise ShapeError(
            f"take_along_axis: x of shape {s} and indices of shape {shape(i)} must have as many axes; "
            f"insert axes of length one into the indices"
        )
    k = normalize_axis("take_along_axis", axis, len(s))
    grid = [reshape(iota(n), tuple(n if j == a else 1 for j in range(len(s)))) for a, n in enumerate(s)]
    return index(x, tuple(i if a == k else g for a, g in enumerate(grid)))


def take(x: Any, indices: Any, /, axis: int | None = None) -> Any:
    """Elements, rows or columns by their positions along an axis.

    Parameters
    ----------
    x : array_like
    indices : array_like of int
    axis : int, optional
        By default the array is flattened first.

    Returns
    -------
    Tensor
        The axes of ``indices`` take the place of the axis.

    Raises
    ------
    ArgumentError
        For an axis or an index out of range.
    ArgumentTypeError
        For indices that are no integers.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.take([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [2, 0], axis=1)
    Tensor([[3., 1.],
            [6., 4.]])
    """
    x, i = as_argument(x), _integers("take", indices)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    k = normalize_axis("take", axis, len(shape(x)))
    if type(x) is np.ndarray is type(i):
        try:
            return x.take(i, axis=k)
        except IndexError:
            pass  # the general way says what is wrong
    return index(x, (*(slice(None),) * k, i))


# --- positions in sorted arrays ----------------------------------------------------------------------------
def _searchsorted(a: Any, v: Any, side: Any) -> np.ndarray:
    """Each stack of vectors in its own stack of points."""
    lead = a.shape[:-1]
    if not lead:
        return np.searchsorted(a, v, side=side)
    rows = [np.searchsorted(a[i], v[i], side=side) for i in np.ndindex(lead)]
    return np.reshape(rows, v.shape).astype(np.intp)


def _searchsorted_labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    lead = tuple(range(len(shapes[0]) - 1))
    return [(*lead, None), (*lead, "v")], (*lead, "v")


def _searchsorted_batch(trace: Any, prim: Primitive, vals: list, mapped: list, p: dict) -> Any:
    a, v = vals
    if not mapped[0] and len(shape(a)) == 1:  # one set of points: all vectors are looked up together
        return reshape(prim(a, reshape(v, (-1,)), **p), shape(v))
    return prim(*(x if m else trace.spread(x) for x, m in zip(vals, mapped, strict=True)), **p)


searchsorted_p = Primitive(
    "searchsorted",
    _searchsorted,
    axes=Axes(_searchsorted_labels),
    infer=lambda avals, p: ShapeDtype(avals[1].shape, np.dtype(np.intp)),
    batch=_searchsorted_batch,
    array_api="searchsorted",
)


def searchsorted(x1: Any, x2: Any, /, side: str = "left", sorter: Any = None) -> Any:
    """Where elements belong in a sorted vector, so that it stays sorted.

    Parameters
    ----------
    x1 : array_like
        A vector in ascending order.
    x2 : array_like
        The elements, of any shape.
    side : {"left", "right"}
        Before or behind equal elements.
    sorter : array_like of int, optional
        Positions that bring ``x1`` into ascending order, as argsort gives them.

    Returns
    -------
    Tensor
        Of integers from 0 to the length of ``x1``, of the shape of ``x2``; without a derivative.

    Raises
    ------
    ShapeError
        When ``x1`` is not a vector.
    DTypeError
        For complex numbers, which have no order.
    ArgumentError
        For another ``side``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.searchsorted([1.0, 2.0, 3.0], [0.5, 2.0, 9.0])
    Tensor([0, 1, 3])
    """
    a, v = as_argument(x1), as_argument(x2)
    if len(shape(a)) != 1:
        raise ShapeError(f"searchsorted: x1 must be a vector, got shape {shape(a)}; use vmap for a stack")
    if is_complex(a) or is_complex(v):
        raise DTypeError("searchsorted: complex numbers have no order; search for abs(z), real(z) or imag(z)")
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side must be 'left' or 'right', got {side!r}")
    if sorter is not None:
        a = take(a, sorter)
    return reshape(searchsorted_p(a, reshape(v, (-1,)), side=side), shape(v))


# --- differences -------------------------------------------------------------------------------------------
def _edge(x: Any, like: Any, k: int) -> Any:
    """What is put before or behind an array: an array, or a number for an edge of length one."""
    x = as_argument(x)
    return broadcast(x, tuple(1 if j == k else n for j, n in enumerate(shape(like)))) if not shape(x) else x


def diff(x: Any, /, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours, x[i + 1] - x[i].

    Parameters
    ----------
    x : array_like
    n : int
        How often differences are taken.
    axis : int
    prepend, append : array_like, optional
        Put before and behind the array first.

    Returns
    -------
    Tensor
        Shorter by ``n`` along the axis; of booleans: whether neighbours differ.

    Raises
    ------
    ArgumentError
        For a negative ``n`` or an axis out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.diff([1.0, 4.0, 9.0])
    Tensor([3., 5.])
    """
    x = as_argument(x)
    if n < 0:
        raise ArgumentError(f"diff: n must not be negative, got {n}")
    k = normalize_axis("diff", axis, len(shape(x)))
    before = [] if prepend is None else [_edge(prepend, x, k)]
    after = [] if append is None else [_edge(append, x, k)]
    x = concat([*before, x, *after], k) if before or after else x
    for _ in range(n):
        a, b = slice_axis(x, k, None, -1), slice_axis(x, k, 1, None)
        x = ne(a, b) if dtype_of(x).kind == "b" else b - a
    return x


_PUBLIC: dict[Callable, Primitive | None] = {
    argsort: argsort_p,
    sort: None,
    take_along_axis: None,
    take: None,
    searchsorted: searchsorted_p,
    diff: None,
}
for _f, _p in _PUBLIC.items():
    public(_f.__name__, _f, _p)
