"""Arrays joined and taken apart: stacks, blocks, parts, insertion and deletion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError, TraceError
from scisim.core.public import as_argument, public
from scisim.core.values import Traced, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops.arrange import tile
from scisim.ops.index import gather_p, slice_axis
from scisim.ops.shape import (
    as_integer,
    astype,
    broadcast,
    concat,
    lengths,
    moveaxis,
    normalize_axes,
    normalize_axis,
    reshape,
    sequence,
)
from scisim.ops.unknown_sizes import known


# --- more axes ----------------------------------------------------------------------------------------------
def _one(x: Any) -> Any:
    return x if shape(x) else reshape(x, (1,))


def _two(x: Any) -> Any:
    s = shape(x)
    return x if len(s) > 1 else reshape(x, (1, *s) if s else (1, 1))


def _three(x: Any) -> Any:
    s = shape(x)
    if len(s) > 2:
        return x
    return reshape(x, (*s, 1) if len(s) == 2 else (1, *s, 1) if s else (1, 1, 1))


def _each(f: Any, arrays: tuple) -> Any:
    out = tuple(f(as_argument(a)) for a in arrays)
    return out[0] if len(out) == 1 else out


def atleast_1d(*arrays: Any) -> Any:
    """Arrays with at least one axis.

    Parameters
    ----------
    *arrays : array_like

    Returns
    -------
    Tensor or tuple of Tensor
        One for each argument.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.atleast_1d(3.0)
    Tensor([3.])
    """
    return _each(_one, arrays)


def atleast_2d(*arrays: Any) -> Any:
    """Arrays with at least two axes; a vector becomes a row.

    Parameters
    ----------
    *arrays : array_like

    Returns
    -------
    Tensor or tuple of Tensor
        One for each argument.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.atleast_2d([3.0, 4.0])
    Tensor([[3., 4.]])
    """
    return _each(_two, arrays)


def atleast_3d(*arrays: Any) -> Any:
    """Arrays with at least three axes: (n,) becomes (1, n, 1), and (n, m) becomes (n, m, 1).

    Parameters
    ----------
    *arrays : array_like

    Returns
    -------
    Tensor or tuple of Tensor
        One for each argument.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.atleast_3d([3.0, 4.0]).shape
    (1, 2, 1)
    """
    return _each(_three, arrays)


# --- stacks -------------------------------------------------------------------------------------------------
def _cast(arrays: list, dtype: Any) -> list:
    return arrays if dtype is None else [astype(a, dtype) for a in arrays]


def _joined(name: str, form: Any, arrays: Any, axis: int, dtype: Any) -> Any:
    xs = [form(as_argument(a)) for a in sequence(name, "arrays", arrays)]
    if not xs:
        raise ArgumentError(f"{name}: got no arrays; give at least one")
    return concat(_cast(xs, dtype), axis)


def hstack(arrays: Any, dtype: Any = None) -> Any:
    """Arrays side by side: joined along the second axis, vectors along their only one.

    Parameters
    ----------
    arrays : sequence of array_like
    dtype : dtype, optional
        Of the result.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the other axes differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.hstack([[1.0], [2.0, 3.0]])
    Tensor([1., 2., 3.])
    """
    xs = [_one(as_argument(a)) for a in sequence("hstack", "arrays", arrays)]
    return _joined("hstack", lambda x: x, xs, 0 if xs and len(shape(xs[0])) == 1 else 1, dtype)


def vstack(arrays: Any, dtype: Any = None) -> Any:
    """Arrays on top of each other: joined along the first axis, vectors as rows.

    Parameters
    ----------
    arrays : sequence of array_like
    dtype : dtype, optional
        Of the result.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the other axes differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.vstack([[1.0, 2.0], [3.0, 4.0]])
    Tensor([[1., 2.],
            [3., 4.]])
    """
    return _joined("vstack", _two, arrays, 0, dtype)


def dstack(arrays: Any, dtype: Any = None) -> Any:
    """Arrays behind each other: joined along the third axis.

    Parameters
    ----------
    arrays : sequence of array_like
    dtype : dtype, optional
        Of the result.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the other axes differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.dstack([[1.0, 2.0], [3.0, 4.0]])
    Tensor([[[1., 3.],
             [2., 4.]]])
    """
    return _joined("dstack", _three, arrays, 2, dtype)


def column_stack(arrays: Any) -> Any:
    """Vectors as the columns of a matrix; matrices side by side.

    Parameters
    ----------
    arrays : sequence of array_like

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the numbers of rows differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.column_stack([[1.0, 2.0], [3.0, 4.0]])
    Tensor([[1., 3.],
            [2., 4.]])
    """
    return _joined("column_stack", lambda x: x if len(shape(x)) > 1 else reshape(x, (-1, 1)), arrays, 1, None)


def block(arrays: Any) -> Any:
    """An array put together of nested lists of blocks: the innermost lists along the last axis, and so on outwards.

    Parameters
    ----------
    arrays : nested list of array_like
        All lists of one level are equally deep.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For lists that are empty, or not equally deep.
    ShapeError
        When blocks do not fit each other.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.block([[ss.eye(2), ss.zeros((2, 1))], [ss.ones((1, 2)), 5.0]])
    Tensor([[1., 0., 0.],
            [0., 1., 0.],
            [1., 1., 5.]])
    """
    depth = _depth(arrays)
    rank = max(depth, max(len(shape(x)) for x in _leaves(arrays)))
    return _block(arrays, depth, rank, rank - depth)


def _depth(x: Any) -> int:
    if not isinstance(x, list):
        return 0
    depths = {_depth(i) for i in x}
    if len(depths) != 1:
        raise ArgumentError("block: lists must be equally deep, and none empty")
    return 1 + depths.pop()


def _leaves(x: Any) -> list:
    return [v for i in x for v in _leaves(i)] if isinstance(x, list) else [as_argument(x)]


def _block(x: Any, depth: int, rank: int, axis: int) -> Any:
    if not isinstance(x, list):
        v = as_argument(x)
        return reshape(v, (1,) * (rank - len(shape(v))) + shape(v))
    return concat([_block(i, depth - 1, rank, axis + 1) for i in x], axis)


def append(x: Any, values: Any, axis: int | None = None) -> Any:
    """An array with others behind it.

    Parameters
    ----------
    x, values : array_like
    axis : int, optional
        By default both are flattened first.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        When the other axes differ.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.append([1.0, 2.0], 3.0)
    Tensor([1., 2., 3.])
    """
    return concat([as_argument(x), as_argument(values)], axis)


# --- parts --------------------------------------------------------------------------------------------------
def _cuts(name: str, given: Any, n: int, equal: bool) -> list[int]:
    if isinstance(given, Traced):
        raise ArgumentTypeError(f"{name}: where to cut decides shapes, so it must be known, not {given!r}")
    if np.ndim(given):
        return [min(max(as_integer(name, "a position", c), 0) if c >= 0 else max(n + c, 0), n) for c in given]
    parts = as_integer(name, "indices_or_sections", given)
    if parts < 1 or (equal and n % parts):
        raise ShapeError(
            f"{name}: an axis of length {n} does not divide into {parts} equal parts; array_split allows unequal ones"
        )
    longer, length = n % parts, n // parts
    return [k * length + min(k, longer) for k in range(1, parts)]


def _split(name: str, x: Any, given: Any, axis: int, equal: bool) -> tuple:
    x = as_argument(x)
    k = normalize_axis(name, axis, len(shape(x)))
    n = shape(x)[k]
    cuts = _cuts(name, given, n, equal)
    return tuple(slice_axis(x, k, a, max(a, b)) for a, b in zip([0, *cuts], [*cuts, n], strict=True))


def split(x: Any, /, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts of an array along one axis.

    Parameters
    ----------
    x : array_like
    indices_or_sections : int or sequence of int
        Number of equal parts, or the positions at which parts begin.
    axis : int

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        When the axis does not divide into so many equal parts.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.split([1.0, 2.0, 3.0, 4.0], 2)
    (Tensor([1., 2.]), Tensor([3., 4.]))
    """
    return _split("split", x, indices_or_sections, axis, True)


def array_split(x: Any, /, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts of an array along one axis, as equal as they can be.

    Parameters
    ----------
    x : array_like
    indices_or_sections : int or sequence of int
        Number of parts, of which the first may be longer by one; or the positions at which parts begin.
    axis : int

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        For less than one part.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.array_split([1.0, 2.0, 3.0], 2)
    (Tensor([1., 2.]), Tensor([3.]))
    """
    return _split("array_split", x, indices_or_sections, axis, False)


def hsplit(x: Any, /, indices_or_sections: Any) -> Any:
    """Parts of an array from left to right: along the second axis, of a vector along its only one.

    Parameters
    ----------
    x : array_like
    indices_or_sections : int or sequence of int
        Number of equal parts, or the positions at which parts begin.

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        When the axis does not divide into so many equal parts.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.hsplit([1.0, 2.0], 2)
    (Tensor([1.]), Tensor([2.]))
    """
    return _split("hsplit", x, indices_or_sections, 0 if len(shape(as_argument(x))) == 1 else 1, True)


def vsplit(x: Any, /, indices_or_sections: Any) -> Any:
    """Parts of an array from top to bottom: along the first of at least two axes.

    Parameters
    ----------
    x : array_like
    indices_or_sections : int or sequence of int
        Number of equal parts, or the positions at which parts begin.

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        When the axis does not divide into so many equal parts, or there is only one.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.vsplit([[1.0], [2.0]], 2)
    (Tensor([[1.]]), Tensor([[2.]]))
    """
    return _split("vsplit", _deep("vsplit", x, 2), indices_or_sections, 0, True)


def dsplit(x: Any, /, indices_or_sections: Any) -> Any:
    """Parts of an array from front to back: along the third axis.

    Parameters
    ----------
    x : array_like
    indices_or_sections : int or sequence of int
        Number of equal parts, or the positions at which parts begin.

    Returns
    -------
    tuple of Tensor

    Raises
    ------
    ShapeError
        When the axis does not divide into so many equal parts, or there are less than three.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.dsplit([[[1.0, 2.0]]], 2)
    (Tensor([[[1.]]]), Tensor([[[2.]]]))
    """
    return _split("dsplit", _deep("dsplit", x, 3), indices_or_sections, 2, True)


def _deep(name: str, x: Any, least: int) -> Any:
    x = as_argument(x)
    if len(shape(x)) < least:
        raise ShapeError(f"{name}: needs at least {least} axes, got shape {shape(x)}")
    return x


# --- insertion, deletion, repetition ------------------------------------------------------------------------
def _positions(name: str, obj: Any, n: int, most: int) -> np.ndarray:
    """Positions along an axis, from an integer, a slice, a list or a mask."""
    if isinstance(obj, Traced):
        raise ArgumentTypeError(f"{name}: positions decide the shape, so they must be known, not {obj!r}")
    at = np.arange(n)[obj] if isinstance(obj, slice) else np.asarray(obj)
    at = np.flatnonzero(at) if at.dtype.kind == "b" else at if at.size else at.astype(np.int64)
    if at.dtype.kind not in "iu" or (at.size and not (at.min() >= -n and at.max() <= most)):
        raise ArgumentError(f"{name}: positions must be integers from {-n} to {most}, got {obj!r}")
    return np.where(at < 0, at + n, at)


def insert(x: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """An array with values put in before positions along an axis.

    Parameters
    ----------
    x : array_like
    obj : int, slice, or sequence of int or bool
        Positions in ``x``.
    values : array_like
        Broadcast to the inserted part; for one position it may have several elements along the axis.
    axis : int, optional
        By default the array is flattened first.

    Returns
    -------
    Tensor
        Of the dtype of ``x``.

    Raises
    ------
    ArgumentError
        For a position out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.insert([1.0, 2.0, 3.0], 1, 9.0)
    Tensor([1., 9., 2., 3.])
    """
    x, v = as_argument(x), astype(as_argument(values), dtype_of(as_argument(x)))
    x, axis = (reshape(x, (-1,)), 0) if axis is None else (x, axis)
    k = normalize_axis("insert", axis, len(shape(x)))
    n = shape(x)[k]
    at = _positions("insert", obj, n, n)
    rest = (*shape(x)[:k], *shape(x)[k + 1 :])
    v = _ones_in_front(v, len(shape(x)))
    if at.size == 1:  # as many as the values have along the axis
        v = moveaxis(v, 0, k) if at.ndim == 0 else v
        v = broadcast(v, (*rest[:k], shape(v)[k], *rest[k:]))
        return concat([slice_axis(x, k, 0, int(at.reshape(()))), v, slice_axis(x, k, int(at.reshape(())), n)], k)
    v = broadcast(v, (*rest[:k], at.size, *rest[k:]))
    order = np.argsort(np.concatenate([np.arange(n), at - 0.5]), kind="stable")
    return moveaxis(gather_p(moveaxis(concat([x, v], k), k, 0), order), 0, k)


def _ones_in_front(v: Any, rank: int) -> Any:
    return reshape(v, (1,) * (rank - len(shape(v))) + shape(v))


def delete(x: Any, obj: Any, axis: int | None = None) -> Any:
    """An array without the elements at some positions along an axis.

    Parameters
    ----------
    x : array_like
    obj : int, slice, or sequence of int or bool
        Positions to leave out.
    axis : int, optional
        By default the array is flattened first.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentError
        For a position out of range.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.delete([1.0, 2.0, 3.0], 1)
    Tensor([1., 3.])
    """
    x = as_argument(x)
    x, axis = (reshape(x, (-1,)), 0) if axis is None else (x, axis)
    k = normalize_axis("delete", axis, len(shape(x)))
    n = shape(x)[k]
    keep = np.ones(n, bool)
    keep[_positions("delete", obj, n, n - 1)] = False
    return moveaxis(gather_p(moveaxis(x, k, 0), np.flatnonzero(keep)), 0, k)


def resize(x: Any, new_shape: Any) -> Any:
    """The elements in another shape, cut off or again from the start as often as it takes.

    Parameters
    ----------
    x : array_like
    new_shape : int or tuple of int

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.resize([1.0, 2.0, 3.0], (2, 2))
    Tensor([[1., 2.],
            [3., 1.]])
    """
    x, to = reshape(as_argument(x), (-1,)), lengths("resize", new_shape)
    size, n = math.prod(to), shape(x)[0]
    if not n and size:
        return np.zeros(to, dtype_of(x))
    return reshape(slice_axis(tile(x, -(-size // n)), 0, 0, size) if n else x, to)


def trim_zeros(x: Any, trim: str = "fb", axis: Any = None) -> Any:
    """An array without the zeros at its ends.

    Parameters
    ----------
    x : array_like
        Its values decide the shape, so it must be known: not captured or mapped.
    trim : {"fb", "f", "b"}
        Whether in front, at the back, or both.
    axis : int or tuple of int, optional
        Axes to trim; all of them by default.

    Returns
    -------
    Tensor

    Raises
    ------
    TraceError
        In a program that is captured or mapped.
    ArgumentError
        For another ``trim``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.trim_zeros([0.0, 1.0, 0.0, 2.0, 0.0])
    Tensor([1., 0., 2.])
    """
    x = as_argument(x)
    if not trim or set(trim.lower()) - set("fb"):
        raise ArgumentError(f"trim_zeros: trim must be made of 'f' and 'b', got {trim!r}")
    v = known(x)
    if v is None:
        raise TraceError(f"trim_zeros: the values of {x!r} decide the shape and are not known here; trim it outside")
    found = np.argwhere(v)
    for k in normalize_axes("trim_zeros", axis, len(shape(x))):
        n = shape(x)[k]
        low = int(found[:, k].min()) if len(found) else n
        high = int(found[:, k].max()) + 1 if len(found) else n
        start = low if "f" in trim.lower() else 0
        stop = high if "b" in trim.lower() else n
        x = slice_axis(x, k, start, max(start, stop) if len(found) else start)
    return x


for _f in (
    *(atleast_1d, atleast_2d, atleast_3d, hstack, vstack, dstack, column_stack, block, append),
    *(split, array_split, hsplit, vsplit, dsplit, insert, delete, resize, trim_zeros),
):
    public(_f.__name__, _f)
