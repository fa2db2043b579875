"""Arrays with some elements replaced or combined with others: what NumPy does in place, as functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.public import as_argument, number_or_value, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape
from scisim.ops.arithmetic import mul
from scisim.ops.creation import iota
from scisim.ops.index import index
from scisim.ops.index import index_set as _set
from scisim.ops.segments import segment_max_p, segment_min_p, segment_prod_p
from scisim.ops.select import maximum, minimum
from scisim.ops.shape import astype, normalize_axis, reshape, stretch


def index_set(x: Any, at: Any, values: Any) -> Any:
    """A copy of an array in which ``x[at]`` is replaced.

    Parameters
    ----------
    x : array_like
    at : index
        Whatever an array takes in brackets: integers, slices, arrays, masks, tuples of them.
    values : array_like
        Broadcast to the part; where an index is repeated the last one counts.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``.

    Raises
    ------
    IndexRangeError
        For an index out of range.
    ShapeError
        When the values do not fit the part.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.index_set([1.0, 2.0, 3.0], [0, 2], 9.0)
    Tensor([9., 2., 9.])
    """
    return _set(as_argument(x), at, number_or_value(values))


def index_add(x: Any, at: Any, values: Any) -> Any:
    """A copy of an array in which values are added to ``x[at]``, again for each repeated index.

    Parameters
    ----------
    x : array_like
    at : index
        Whatever an array takes in brackets.
    values : array_like
        Broadcast to the part.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``.

    Raises
    ------
    IndexRangeError
        For an index out of range.
    ShapeError
        When the values do not fit the part.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.index_add([1.0, 2.0, 3.0], [0, 0, 2], 1.0)
    Tensor([3., 2., 4.])
    """
    return _set(as_argument(x), at, number_or_value(values), "add")


def _combined(name: str, x: Any, at: Any, values: Any, prim: Any, combine: Any) -> Any:
    """Values for one place are reduced among themselves, then combined with the element there."""
    x, v = as_argument(x), as_argument(values)
    size = int(np.prod(shape(x), dtype=np.int64))
    places = index(reshape(iota(size), shape(x)), at)
    if not np.can_cast(dtype_of(v), dtype_of(x), "same_kind"):
        raise ArgumentTypeError(f"{name}: values of dtype {dtype_of(v)} do not fit into {dtype_of(x)}; use astype")
    v = stretch(name, astype(v, dtype_of(x)), shape(places))
    reduced = prim(reshape(v, (-1,)), reshape(places, (-1,)), n=size)
    return combine(x, reshape(reduced, shape(x)))


def index_multiply(x: Any, at: Any, values: Any) -> Any:
    """A copy of an array in which ``x[at]`` is multiplied, again for each repeated index.

    Parameters
    ----------
    x : array_like
    at : index
        Whatever an array takes in brackets.
    values : array_like
        Broadcast to the part.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``.

    Raises
    ------
    IndexRangeError
        For an index out of range.
    ShapeError
        When the values do not fit the part.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.index_multiply([1.0, 2.0, 3.0], [0, 0, 2], 2.0)
    Tensor([4., 2., 6.])
    """
    return _combined("index_multiply", x, at, values, segment_prod_p, mul)


def index_max(x: Any, at: Any, values: Any) -> Any:
    """A copy of an array in which ``x[at]`` is the greatest of itself and the values given for it.

    Parameters
    ----------
    x : array_like
        Real.
    at : index
        Whatever an array takes in brackets.
    values : array_like
        Broadcast to the part.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``.

    Raises
    ------
    IndexRangeError
        For an index out of range.
    ShapeError
        When the values do not fit the part.

    Notes
    -----
    Convention: equal numbers share the derivative equally, values first among themselves.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.index_max([1.0, 2.0, 3.0], [0, 0, 2], [5.0, 4.0, 1.0])
    Tensor([5., 2., 3.])
    """
    return _combined("index_max", x, at, values, segment_max_p, maximum)


def index_min(x: Any, at: Any, values: Any) -> Any:
    """A copy of an array in which ``x[at]`` is the least of itself and the values given for it.

    Parameters
    ----------
    x : array_like
        Real.
    at : index
        Whatever an array takes in brackets.
    values : array_like
        Broadcast to the part.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``.

    Raises
    ------
    IndexRangeError
        For an index out of range.
    ShapeError
        When the values do not fit the part.

    Notes
    -----
    Convention: equal numbers share the derivative equally, values first among themselves.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.index_min([1.0, 2.0, 3.0], [0, 0, 2], [5.0, 0.5, 1.0])
    Tensor([0.5, 2. , 1. ])
    """
    return _combined("index_min", x, at, values, segment_min_p, minimum)


def put_along_axis(x: Any, indices: Any, values: Any, axis: int | None = -1, mode: str = "set") -> Any:
    """A copy of an array with elements replaced along an axis, by one index for each place.

    Parameters
    ----------
    x : array_like
    indices : array_like of int
        With as many axes as ``x``; all but one broadcast against those of ``x``.
    values : array_like
        Broadcast to the shape of the indices.
    axis : int, optional
        None flattens the array first, and gives it its shape back.
    mode : {"set", "add"}
        Whether values replace the elements or are added to them.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``.

    Raises
    ------
    ShapeError
        When the numbers of axes differ, or the values do not fit.
    ArgumentError
        For another mode, or an axis or an index out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.put_along_axis([[3.0, 1.0], [2.0, 5.0]], [[1], [0]], 9.0, axis=1)
    Tensor([[3., 9.],
            [9., 5.]])
    """
    x, i = as_argument(x), as_argument(indices)
    if mode not in ("set", "add"):
        raise ArgumentError(f"put_along_axis: mode must be 'set' or 'add', got {mode!r}")
    if axis is None:
        flat = put_along_axis(reshape(x, (-1,)), reshape(i, (-1,)), values, 0, mode)
        return reshape(flat, shape(x))
    s = shape(x)
    if len(s) != len(shape(i)):
        raise ShapeError(
            f"put_along_axis: x of shape {s} and indices of shape {shape(i)} must have as many axes; insert axes of "
            f"length one into the indices"
        )
    k = normalize_axis("put_along_axis", axis, len(s))
    grid = [reshape(iota(n), tuple(n if j == a else 1 for j in range(len(s)))) for a, n in enumerate(s)]
    return _set(x, tuple(i if a == k else g for a, g in enumerate(grid)), number_or_value(values), mode)


def fill_diagonal(x: Any, value: Any, wrap: bool = False) -> Any:
    """A copy of an array with another main diagonal.

    Parameters
    ----------
    x : array_like
        A matrix, or an array with all axes of one length.
    value : array_like
        One value, or one for each element of the diagonal (again from the start where they are fewer).
    wrap : bool
        Whether the diagonal of a tall matrix starts again below its last column.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``.

    Raises
    ------
    ShapeError
        For less than two axes, or more than two that are not of one length.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fill_diagonal(ss.zeros((2, 2)), [1.0, 2.0])
    Tensor([[1., 0.],
            [0., 2.]])
    """
    x, v = as_argument(x), as_argument(value)
    s = shape(x)
    if len(s) < 2 or (len(s) > 2 and len(set(s)) > 1):
        raise ShapeError(f"fill_diagonal: takes a matrix, or axes all of one length; got shape {s}")
    size = int(np.prod(s, dtype=np.int64))
    step = s[1] + 1 if len(s) == 2 else sum(s[0] ** k for k in range(len(s)))
    end = size if len(s) > 2 or wrap else min(size, s[1] * s[1])
    at = np.arange(0, end, step)
    if shape(v) and at.size:
        v = index(reshape(v, (-1,)), np.arange(at.size) % int(np.prod(shape(v))))
    return reshape(_set(reshape(x, (-1,)), at, v), s)


for _f in (index_set, index_add, index_multiply, index_max, index_min, put_along_axis, fill_diagonal):
    public(_f.__name__, _f)
