"""Arrays in another order or shape, by NumPy's names: axes exchanged, turned, flattened; diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ShapeError
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops.arrange import diag
from scisim.ops.choices import flatnonzero
from scisim.ops.index import flip
from scisim.ops.select import clip, remainder
from scisim.ops.shape import as_integer, lengths, normalize_axis, permute, reshape, sequence
from scisim.ops.unknown_sizes import known


def transpose(x: Any, axes: Any = None) -> Any:
    """Axes in another order; reversed by default.

    Parameters
    ----------
    x : array_like
    axes : sequence of int, optional
        Which axis of ``x`` each axis of the result is.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        When ``axes`` is no permutation.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.transpose(ss.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """
    x = as_argument(x)
    return permute(x, range(len(shape(x)))[::-1] if axes is None else axes)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged.

    Parameters
    ----------
    x : array_like
    axis1, axis2 : int

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For an axis out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.swapaxes(ss.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    x = as_argument(x)
    rank = len(shape(x))
    order = list(range(rank))
    a, b = normalize_axis("swapaxes", axis1, rank), normalize_axis("swapaxes", axis2, rank)
    order[a], order[b] = order[b], order[a]
    return permute(x, order)


def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    """An axis moved to stand before another; `moveaxis` says it more clearly.

    Parameters
    ----------
    x : array_like
    axis : int
    start : int
        Before which axis.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For an axis out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.rollaxis(ss.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    x = as_argument(x)
    rank = len(shape(x))
    k = normalize_axis("rollaxis", axis, rank)
    to = start + rank if start < 0 else start
    if not 0 <= to <= rank:
        raise ArgumentError(f"rollaxis: start is {start}; expected {-rank} to {rank}")
    order = [j for j in range(rank) if j != k]
    order.insert(to - (k < to), k)
    return permute(x, order)


def ravel(x: Any) -> Any:
    """All elements along one axis, the last axis running fastest.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.ravel([[1.0, 2.0], [3.0, 4.0]])
    Tensor([1., 2., 3., 4.])
    """
    return reshape(as_argument(x), (-1,))


def _with_axes(name: str, x: Any, least: int) -> Any:
    x = as_argument(x)
    if len(shape(x)) < least:
        raise ShapeError(f"{name}: needs at least {least} axes, got shape {shape(x)}")
    return x


def flipud(x: Any) -> Any:
    """Rows in reverse order.

    Parameters
    ----------
    x : array_like
        With at least one axis.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        For an array without axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.flipud([1.0, 2.0, 3.0])
    Tensor([3., 2., 1.])
    """
    return flip(_with_axes("flipud", x, 1), 0)


def fliplr(x: Any) -> Any:
    """Columns in reverse order.

    Parameters
    ----------
    x : array_like
        With at least two axes.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        For less than two axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fliplr([[1.0, 2.0, 3.0]])
    Tensor([[3., 2., 1.]])
    """
    return flip(_with_axes("fliplr", x, 2), 1)


def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """A plane turned by right angles, from the first of its axes towards the second.

    Parameters
    ----------
    x : array_like
        With at least two axes.
    k : int
        By how many right angles.
    axes : pair of int
        The plane.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        For less than two axes.
    ArgumentError
        When the axes are not two different ones.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.rot90([[1.0, 2.0], [3.0, 4.0]])
    Tensor([[2., 4.],
            [1., 3.]])
    """
    x = _with_axes("rot90", x, 2)
    a, b = (normalize_axis("rot90", j, len(shape(x))) for j in axes)
    if a == b:
        raise ArgumentError(f"rot90: axes must be two different ones, got {axes}")
    turns = as_integer("rot90", "k", k) % 4
    if turns == 2:
        return flip(x, (a, b))
    if turns:
        order = list(range(len(shape(x))))
        order[a], order[b] = b, a
        x = permute(flip(x, b), order) if turns == 1 else flip(permute(x, order), b)
    return x


def diagflat(x: Any, k: int = 0) -> Any:
    """A matrix with all elements of an array on a diagonal.

    Parameters
    ----------
    x : array_like
    k : int
        Which diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.diagflat([[1.0], [2.0]])
    Tensor([[1., 0.],
            [0., 2.]])
    """
    return diag(reshape(as_argument(x), (-1,)), k)


# --- indices ------------------------------------------------------------------------------------------------
def ix_(*args: Any) -> Any:
    """Vectors of indices as an open grid: ``x[ix_(rows, columns)]`` is the part where these rows and columns meet.

    Parameters
    ----------
    *args : array_like of int or bool
        A vector for each axis; one of booleans stands for the positions where it holds, and must be known.

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        For anything but vectors.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> x[ss.ix_([0, 1], [0, 2])]
    Tensor([[1., 3.],
            [4., 6.]])
    """
    out = []
    for k, a in enumerate(args):
        a = as_argument(a)
        if len(shape(a)) != 1:
            raise ShapeError(f"ix_: takes vectors, got shape {shape(a)}")
        a = flatnonzero(a) if dtype_of(a).kind == "b" else np.zeros(0, np.intp) if shape(a) == (0,) else a
        out.append(reshape(a, tuple(-1 if j == k else 1 for j in range(len(args)))))
    return tuple(out)


def unravel_index(indices: Any, shape: Any) -> Any:
    """Flat positions as indices along each axis.

    Parameters
    ----------
    indices : array_like of int
    shape : int or tuple of int
        Of the array that the positions are of.

    Returns
    -------
    tuple of Tensor
        One for each axis.

    Raises
    ------
    ArgumentError
        For a position out of range, where it is known.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.unravel_index(5, (2, 3))
    (Tensor(1), Tensor(2))
    """
    at, to = as_argument(indices), lengths("unravel_index", shape)
    size = int(np.prod(to, dtype=np.int64))
    numbers = known(at)
    if numbers is not None and numbers.size and not (numbers.min() >= 0 and numbers.max() < size):
        raise ArgumentError(f"unravel_index: positions must lie from 0 to {size - 1} for shape {to}, got {indices!r}")
    out = []
    for n in to[::-1]:
        out.append(remainder(at, n))
        at = at // n
    return tuple(out[::-1])


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise") -> Any:
    """Indices along each axis as flat positions.

    Parameters
    ----------
    multi_index : sequence of array_like of int
        One for each axis.
    dims : tuple of int
        Shape of the array.
    mode : {"raise", "wrap", "clip"}
        What becomes of an index out of range: an error where it is known, its remainder, or the nearest one.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For an index out of range, or another number of them than of axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.ravel_multi_index(([0, 1], [2, 0]), (2, 3))
    Tensor([2, 3])
    """
    items = [as_argument(i) for i in sequence("ravel_multi_index", "multi_index", multi_index)]
    to = lengths("ravel_multi_index", dims)
    if len(items) != len(to) or mode not in ("raise", "wrap", "clip"):
        raise ArgumentError(
            f"ravel_multi_index: {len(items)} indices for {len(to)} axes, mode {mode!r}; expected as many, and mode "
            f"'raise', 'wrap' or 'clip'"
        )
    total: Any = 0
    for i, n in zip(items, to, strict=True):
        numbers = known(i)
        bad = numbers is not None and numbers.size and not (numbers.min() >= 0 and numbers.max() < n)
        if mode == "raise" and bad:
            raise ArgumentError(f"ravel_multi_index: indices must lie from 0 to {n - 1}, got {i!r}")
        i = remainder(i, n) if mode == "wrap" else clip(i, 0, n - 1) if mode == "clip" else i
        total = total * n + i
    return total


for _f in (
    *(transpose, swapaxes, rollaxis, ravel, flipud, fliplr, rot90, diagflat),
    *(ix_, unravel_index, ravel_multi_index),
):
    public(_f.__name__, _f)
