"""Arrays made from arrays: repeated, padded, split, triangles and diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import broadcast_shapes
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.public import as_argument, public
from scisim.core.values import Traced, shape
from scisim.core.values import dtype as dtype_of
from scisim.core.values import zeros as _zeros
from scisim.ops.arithmetic import mul
from scisim.ops.creation import iota
from scisim.ops.index import gather_p, index_set, slice_axis
from scisim.ops.select import ge, le, where
from scisim.ops.shape import (
    as_integer,
    astype,
    broadcast,
    moveaxis,
    normalize_axis,
    reshape,
    several,
    stack,
    sum_p,
)


# --- triangles and diagonals --------------------------------------------------------------------------
def _triangle(name: str, keep: Any, x: Any, k: int) -> Any:
    x = as_argument(x)
    if len(shape(x)) < 2:
        raise ShapeError(f"{name}: needs at least two axes, got shape {shape(x)}")
    n, m = shape(x)[-2:]
    mask = keep(iota(m) - reshape(iota(n), (n, 1)), int(k))
    return where(mask, x, np.zeros((), dtype_of(x)))


def tril(x: Any, /, k: int = 0) -> Any:
    """The lower triangle of matrices, zeros elsewhere.

    Parameters
    ----------
    x : array_like
        Of shape (..., n, m).
    k : int
        The last diagonal that is kept: 0 is the main one, positive ones lie above it.

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
    >>> ss.tril([[1.0, 2.0], [3.0, 4.0]])
    Tensor([[1., 0.],
            [3., 4.]])
    """
    return _triangle("tril", le, x, k)


def triu(x: Any, /, k: int = 0) -> Any:
    """The upper triangle of matrices, zeros elsewhere.

    Parameters
    ----------
    x : array_like
        Of shape (..., n, m).
    k : int
        The first diagonal that is kept: 0 is the main one, positive ones lie above it.

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
    >>> ss.triu([[1.0, 2.0], [3.0, 4.0]])
    Tensor([[1., 2.],
            [0., 4.]])
    """
    return _triangle("triu", ge, x, k)


def _diagonal_indices(k: int, length: int) -> tuple[Any, Any]:
    start = iota(length)
    return (start, start + k) if k >= 0 else (start - k, start)


def diagonal(x: Any, /, offset: int = 0) -> Any:
    """A diagonal of matrices.

    Parameters
    ----------
    x : array_like
        Of shape (..., n, m).
    offset : int
        Which diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    Tensor
        Of shape (..., length of the diagonal).

    Raises
    ------
    ShapeError
        For less than two axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.diagonal([[1.0, 2.0], [3.0, 4.0]])
    Tensor([1., 4.])
    """
    x = as_argument(x)
    rank = len(shape(x))
    if rank < 2:
        raise ShapeError(f"diagonal: needs at least two axes, got shape {shape(x)}")
    n, m = shape(x)[-2:]
    length = min(n, m - offset) if offset >= 0 else min(n + offset, m)
    rows, columns = _diagonal_indices(int(offset), max(length, 0))
    return moveaxis(gather_p(moveaxis(x, [rank - 2, rank - 1], [0, 1]), rows, columns), 0, -1)


def diag(x: Any, /, k: int = 0) -> Any:
    """A matrix with a vector on a diagonal, or a diagonal of a matrix.

    Parameters
    ----------
    x : array_like
        A vector or a matrix.
    k : int
        Which diagonal: 0 is the main one, positive ones lie above it.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        For anything but a vector or a matrix.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.diag([1.0, 2.0])
    Tensor([[1., 0.],
            [0., 2.]])
    """
    x = as_argument(x)
    if len(shape(x)) == 2:
        return diagonal(x, k)
    if len(shape(x)) != 1:
        raise ShapeError(f"diag: takes a vector or a matrix, got shape {shape(x)}; diagonal takes stacks")
    n = shape(x)[0] + abs(k)
    return index_set(_zeros((n, n), dtype_of(x)), _diagonal_indices(int(k), shape(x)[0]), x)


def trace(x: Any, /, offset: int = 0, dtype: Any = None) -> Any:
    """Sum of a diagonal of matrices.

    Parameters
    ----------
    x : array_like
        Of shape (..., n, m).
    offset : int
        Which diagonal: 0 is the main one, positive ones lie above it.
    dtype : dtype, optional
        Of the sum; by default that of ``x``, and int64 for booleans and short integers.

    Returns
    -------
    Tensor
        Of shape (...).

    Raises
    ------
    ShapeError
        For less than two axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.trace([[1.0, 2.0], [3.0, 4.0]])
    Tensor(5.)
    """
    d = diagonal(x, offset)
    y = sum_p(d if dtype is None else astype(d, dtype), axes=(len(shape(d)) - 1,))
    return y if dtype is None else astype(y, dtype)


# --- repetition and padding -----------------------------------------------------------------------------
def tile(x: Any, repetitions: int | tuple[int, ...], /) -> Any:
    """An array put together of copies of another.

    Parameters
    ----------
    x : array_like
    repetitions : int or tuple of int
        Copies along each axis, counted from the last; more of them than axes make new axes in front.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For a negative count.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.tile([1.0, 2.0], 2)
    Tensor([1., 2., 1., 2.])
    """
    x = as_argument(x)
    items = several(repetitions)
    reps = tuple(as_integer("tile", "repetitions", r) for r in ((repetitions,) if items is None else items))
    if any(r < 0 for r in reps):
        raise ArgumentError(f"tile: repetitions must not be negative, got {repetitions}")
    rank = max(len(reps), len(shape(x)))
    s = (1,) * (rank - len(shape(x))) + shape(x)
    reps = (1,) * (rank - len(reps)) + reps
    pairs = tuple(v for n in s for v in (1, n))
    copies = tuple(v for r, n in zip(reps, s, strict=True) for v in (r, n))
    return reshape(broadcast(reshape(x, pairs), copies), tuple(r * n for r, n in zip(reps, s, strict=True)))


def repeat(x: Any, repeats: Any, /, axis: int | None = None) -> Any:
    """Each element repeated in its place.

    Parameters
    ----------
    x : array_like
    repeats : int or array_like of int
        How often; one number, or one for each element along the axis.
    axis : int, optional
        By default the array is flattened first.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For a negative count.
    ShapeError
        When there is another number of counts than of elements.
    ArgumentTypeError
        When a count is a value of a transformation, on which the shape would depend.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.repeat([1.0, 2.0], 2)
    Tensor([1., 1., 2., 2.])
    """
    x = as_argument(x)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    k = normalize_axis("repeat", axis, len(shape(x)))
    counts = _counts(repeats, shape(x)[k])
    if counts.ndim == 0:
        at = (*shape(x)[: k + 1], 1, *shape(x)[k + 1 :])
        to = (*shape(x)[: k + 1], int(counts), *shape(x)[k + 1 :])
        out = (*shape(x)[:k], shape(x)[k] * int(counts), *shape(x)[k + 1 :])
        return reshape(broadcast(reshape(x, at), to), out)
    chosen = np.repeat(np.arange(shape(x)[k]), counts)
    return moveaxis(gather_p(moveaxis(x, k, 0), chosen), 0, k)


def _counts(repeats: Any, n: int) -> np.ndarray:
    if isinstance(repeats, Traced):
        raise ArgumentTypeError(f"repeat: repeats decides the shape, so it must be known, not {repeats!r}")
    counts = np.asarray(repeats)
    if counts.dtype.kind not in "iu":
        raise ArgumentTypeError(f"repeat: repeats must be integers, got dtype {counts.dtype}")
    if np.any(counts < 0):
        raise ArgumentError(f"repeat: repeats must not be negative, got {repeats}")
    if counts.size == 1:
        return counts.reshape(())
    if counts.shape != (n,):
        raise ShapeError(f"repeat: {counts.size} counts for {n} elements along the axis; give one or {n}")
    return counts


# --- several arrays -------------------------------------------------------------------------------------
def broadcast_arrays(*arrays: Any) -> Any:
    """Arrays stretched to their common shape.

    Parameters
    ----------
    *arrays : array_like

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        When the shapes do not broadcast.

    Examples
    --------
    >>> import scisim as ss
    >>> a, b = ss.broadcast_arrays([1.0, 2.0], [[3.0], [4.0]])
    >>> a.shape, b.shape
    ((2, 2), (2, 2))
    """
    xs = [as_argument(a) for a in arrays]
    to = broadcast_shapes("broadcast_arrays", *map(shape, xs))
    return tuple(broadcast(x, to) for x in xs)


def kron(a: Any, b: Any, /) -> Any:
    """Kronecker product: blocks of ``b``, each multiplied by one element of ``a``.

    Parameters
    ----------
    a, b : array_like
        The one with fewer axes gets axes of length one in front.

    Returns
    -------
    Tensor
        Each length is the product of the two lengths.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.kron([1.0, 2.0], [1.0, 1.0])
    Tensor([1., 1., 2., 2.])
    """
    a, b = as_argument(a), as_argument(b)
    rank = max(len(shape(a)), len(shape(b)))
    s, t = ((1,) * (rank - len(shape(v))) + shape(v) for v in (a, b))
    left = reshape(a, tuple(v for n in s for v in (n, 1)))
    right = reshape(b, tuple(v for n in t for v in (1, n)))
    return reshape(mul(left, right), tuple(n * m for n, m in zip(s, t, strict=True)))


def cross(x1: Any, x2: Any, /, axis: int = -1) -> Any:
    """Cross product of vectors with three components.

    Parameters
    ----------
    x1, x2 : array_like
        Broadcast against each other, with length 3 along the axis.
    axis : int

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        For another length than 3.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    Tensor([0., 0., 1.])
    """
    a, b = broadcast_arrays(x1, x2)
    k = normalize_axis("cross", axis, len(shape(a)))
    if shape(a)[k] != 3:
        raise ShapeError(f"cross: needs three components along axis {axis}, got shape {shape(a)}")
    (a0, a1, a2), (b0, b1, b2) = _components(a, k), _components(b, k)
    return stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], k)


def _components(x: Any, k: int) -> tuple[Any, ...]:
    rest = (*shape(x)[:k], *shape(x)[k + 1 :])
    return tuple(reshape(slice_axis(x, k, j, j + 1), rest) for j in range(3))


for _f in (
    tril,
    triu,
    diagonal,
    diag,
    trace,
    tile,
    repeat,
    broadcast_arrays,
    kron,
    cross,
):
    public(_f.__name__, _f)
