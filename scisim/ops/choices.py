"""Choices by conditions and positions: select, choose, extract, where elements are not zero, equality of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, ArgumentTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import OPERATIONS, Operation, as_argument, number_or_value, public
from scisim.core.tensor import Tensor, functions, unwrap, wrap
from scisim.core.values import Traced, is_inexact, shape
from scisim.core.values import dtype as dtype_of
from scisim.ops.index import gather_p
from scisim.ops.logic import all_p
from scisim.ops.select import clip, eq, isnan, logical_and, logical_or, ne, remainder, where
from scisim.ops.shape import astype, broadcast, concat_p, moveaxis, normalize_axis, reshape, sequence, stack
from scisim.ops.unknown_sizes import check_size, positions


# --- positions of what is not zero --------------------------------------------------------------------------
def _positions(name: str, x: Any, size: int | None, fill: int) -> Any:
    """Flat positions of what is not zero, filled up to a size."""
    mask = reshape(x if dtype_of(x).kind == "b" else ne(x, 0), (-1,))
    at, there = positions(mask, check_size(name, mask, size))
    return at if size is None else where(there, at, fill)


def flatnonzero(x: Any, size: int | None = None, fill_value: int = 0) -> Any:
    """Positions, in the flattened array, of the elements that are not zero.

    Parameters
    ----------
    x : array_like
    size : int, optional
        So many positions, which makes the shape independent of the values.
    fill_value : int
        What follows where there are fewer.

    Returns
    -------
    Tensor
        A vector of integers, without a derivative.

    Raises
    ------
    TraceError
        In a program that is captured or mapped, without ``size``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.flatnonzero([0.0, 3.0, 0.0, 4.0])
    Tensor([1, 3])
    """
    return _positions("flatnonzero", as_argument(x), size, fill_value)


def argwhere(x: Any, size: int | None = None, fill_value: int = 0) -> Any:
    """Indices of the elements that are not zero, one row for each.

    Parameters
    ----------
    x : array_like
    size : int, optional
        So many rows, which makes the shape independent of the values.
    fill_value : int
        What further rows are filled with.

    Returns
    -------
    Tensor
        Of shape (number, axes of ``x``), of integers, without a derivative.

    Raises
    ------
    TraceError
        In a program that is captured or mapped, without ``size``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.argwhere([[0.0, 3.0], [4.0, 0.0]])
    Tensor([[0, 1],
            [1, 0]])
    """
    x = as_argument(x)
    at = _positions("argwhere", x, size, -1)
    if not shape(x):
        return np.zeros((shape(at)[0], 0), np.intp)
    columns, rest = [], at
    for n in shape(x)[::-1]:
        columns.append(where(eq(at, -1), fill_value, remainder(rest, max(n, 1))))
        rest = rest // max(n, 1)
    return stack(columns[::-1], 1)


def extract(condition: Any, x: Any, size: int | None = None, fill_value: Any = 0) -> Any:
    """The elements for which a condition holds, in a vector.

    Parameters
    ----------
    condition : array_like
        Of as many elements as ``x``.
    x : array_like
    size : int, optional
        So many elements, which makes the shape independent of the values.
    fill_value : float
        What follows where there are fewer.

    Returns
    -------
    Tensor

    Raises
    ------
    TraceError
        When the condition is captured or mapped, without ``size``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.extract([True, False, True], [1.0, 2.0, 3.0])
    Tensor([1., 3.])
    """
    condition, x = as_argument(condition), reshape(as_argument(x), (-1,))
    return _kept("extract", reshape(condition, (-1,)), x, 0, size, fill_value)


def compress(condition: Any, x: Any, axis: int | None = None, size: int | None = None, fill_value: Any = 0) -> Any:
    """The parts along an axis for which a condition holds.

    Parameters
    ----------
    condition : array_like
        A vector, at most as long as the axis.
    x : array_like
    axis : int, optional
        By default the array is flattened first.
    size : int, optional
        So many parts, which makes the shape independent of the values.
    fill_value : float
        What follows where there are fewer.

    Returns
    -------
    Tensor

    Raises
    ------
    TraceError
        When the condition is captured or mapped, without ``size``.
    ShapeError
        For a condition that is no vector.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.compress([True, False], [[1.0, 2.0], [3.0, 4.0]], axis=1)
    Tensor([[1.],
            [3.]])
    """
    condition, x = as_argument(condition), as_argument(x)
    if len(shape(condition)) != 1:
        raise ShapeError(f"compress: the condition must be a vector, got shape {shape(condition)}")
    x, axis = (reshape(x, (-1,)), 0) if axis is None else (x, axis)
    return _kept("compress", condition, x, normalize_axis("compress", axis, len(shape(x))), size, fill_value)


def _kept(name: str, condition: Any, x: Any, k: int, size: int | None, fill_value: Any) -> Any:
    n = shape(x)[k]
    if shape(condition)[0] > n:
        known = isinstance(condition, Traced) or np.any(condition[n:])
        if known:
            raise ShapeError(f"{name}: a condition of length {shape(condition)[0]} for {n} elements")
        condition = condition[:n]
    at = _positions(name, condition, size, n)
    front = moveaxis(x, k, 0)
    if size is not None:  # what fills up stands behind the elements
        filling = np.full((1, *shape(front)[1:]), fill_value, dtype_of(x))
        front = concat_p(front, filling, axis=0)
    return moveaxis(gather_p(front, at), 0, k)


# --- choices ------------------------------------------------------------------------------------------------
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """From arrays, the element of the first whose condition holds.

    Parameters
    ----------
    condlist : sequence of array_like of bool
    choicelist : sequence of array_like
        As many.
    default : array_like
        Where no condition holds.

    Returns
    -------
    Tensor
        Of the broadcast shape. Derivatives follow the choice.

    Raises
    ------
    ArgumentError
        When there are not as many conditions as choices, or none.
    ArgumentTypeError
        For conditions that are no booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.asarray([-2.0, 0.5, 3.0])
    >>> ss.select([x < 0, x > 1], [-x, x * x], 1.0)
    Tensor([2., 1., 9.])
    """
    conditions = [as_argument(c) for c in sequence("select", "condlist", condlist)]
    choices = [as_argument(c) for c in sequence("select", "choicelist", choicelist)]
    if len(conditions) != len(choices) or not choices:
        raise ArgumentError(f"select: {len(conditions)} conditions and {len(choices)} choices; give as many, not none")
    if any(dtype_of(c).kind != "b" for c in conditions):
        raise ArgumentTypeError("select: conditions must be booleans; write x != 0")
    y = number_or_value(default)
    for c, v in zip(conditions[::-1], choices[::-1], strict=True):
        y = where(c, v, y)
    return y


def choose(a: Any, choices: Any, mode: str = "raise") -> Any:
    """From arrays, the elements of those that numbers name.

    Parameters
    ----------
    a : array_like of int
    choices : sequence of array_like
        Broadcast against ``a`` and each other.
    mode : {"raise", "wrap", "clip"}
        What becomes of a number out of range: an error where it is known (and else the last choice), its
        remainder, or the nearest choice.

    Returns
    -------
    Tensor
        Derivatives follow the choice.

    Raises
    ------
    ArgumentError
        For a number out of range, or another mode.
    ArgumentTypeError
        For numbers that are no integers.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.choose([1, 0], [[1.0, 2.0], [3.0, 4.0]])
    Tensor([3., 2.])
    """
    a = as_argument(a)
    items = [as_argument(c) for c in (choices if isinstance(choices, (list, tuple)) else list(wrap(choices)))]
    if dtype_of(a).kind not in "iub" or not items:
        raise ArgumentTypeError(f"choose: takes integers and at least one choice, got dtype {dtype_of(a)}")
    a, n = astype(a, np.int64), len(items)
    if mode not in ("raise", "wrap", "clip"):
        raise ArgumentError(f"choose: mode must be 'raise', 'wrap' or 'clip', got {mode!r}")
    if mode == "raise" and not isinstance(a, Traced) and a.size and not (np.min(a) >= 0 and np.max(a) < n):
        raise ArgumentError(f"choose: numbers from {np.min(a)} to {np.max(a)} for {n} choices; they count from 0")
    a = remainder(a, n) if mode == "wrap" else clip(a, 0, n - 1)
    y = items[-1]
    for k in range(n - 2, -1, -1):
        y = where(eq(a, k), items[k], y)
    return broadcast(y, np.broadcast_shapes(shape(a), shape(y)))


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Tensor:
    """A function given by pieces.

    Parameters
    ----------
    x : array_like
    condlist : array_like of bool, or sequence of them
        Conditions of the shape of ``x``; where several hold, the last one counts.
    funclist : sequence of callable or float
        For each condition a function of arrays, or a constant; one more is for where no condition holds, which
        gives 0 otherwise.
    *args, **kw
        Passed on to the functions.

    Returns
    -------
    Tensor
        Of the shape and dtype of ``x``. Derivatives follow the pieces.

    Raises
    ------
    ArgumentError
        For another number of functions.

    Notes
    -----
    Each function is called with all of ``x``, unlike NumPy's, so that shapes do not depend on values.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.asarray([-2.0, 3.0])
    >>> ss.piecewise(x, [x < 0, x >= 0], [lambda x: -x, lambda x: x**2])
    Tensor([2., 9.])
    """
    x = wrap(as_argument(unwrap(x) if isinstance(x, Tensor) else x))
    several = isinstance(condlist, (list, tuple)) and any(np.ndim(unwrap(c)) for c in condlist)
    several = several or (isinstance(condlist, (list, tuple)) and not x.shape)
    several = several or (not isinstance(condlist, (list, tuple)) and len(shape(unwrap(condlist))) > len(x.shape))
    conditions = [unwrap(c) for c in condlist] if several else [unwrap(condlist)]
    pieces = list(funclist)
    if len(pieces) not in (len(conditions), len(conditions) + 1):
        raise ArgumentError(
            f"piecewise: {len(pieces)} functions for {len(conditions)} conditions; give as many, or one more"
        )
    if len(pieces) > len(conditions):
        held = conditions[0]
        for c in conditions[1:]:
            held = logical_or(held, c)
        conditions.append(where(held, False, True))
    y: Any = np.zeros((), dtype_of(x._v))
    for c, f in zip(conditions, pieces, strict=True):
        v = unwrap(f(x, *args, **kw)) if callable(f) else unwrap(f)
        y = where(c, astype(v, dtype_of(x._v)), y)
    return wrap(broadcast(y, x.shape))


def _along(s: tuple, p: dict) -> tuple:
    return tuple(None if k == p["axis"] else k for k in range(len(s)))


def _further(n: int, p: dict) -> dict:
    return {"axis": p["axis"] + 1}


def lexsort(keys: Any, axis: int = -1) -> Any:
    """Positions that sort by several keys, the last of which counts first.

    Parameters
    ----------
    keys : sequence of array_like, or array_like
        Of one shape.
    axis : int
        Axis of each key along which to sort.

    Returns
    -------
    Tensor
        Of integers, without a derivative; equal elements keep their order.

    Raises
    ------
    ArgumentError
        Without keys.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.lexsort(([3, 1, 2], [0, 1, 0]))
    Tensor([2, 0, 1])
    """
    items = [as_argument(k) for k in (keys if isinstance(keys, (list, tuple)) else list(wrap(as_argument(keys))))]
    items = [unwrap(k) if isinstance(k, Tensor) else k for k in items]
    if not items:
        raise ArgumentError("lexsort: got no keys; give at least one")
    if not shape(items[0]):
        return np.zeros((), np.intp)
    k = normalize_axis("lexsort", axis, len(shape(items[0])))
    return lexsort_p(*items, axis=k)


lexsort_p = Primitive(
    "lexsort",
    lambda *keys, axis: np.lexsort(keys, axis),
    axes=Axes(lambda shapes, p: ([_along(s, p) for s in shapes], _along(shapes[0], p)), _further),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.dtype(np.intp)),
)


# --- equality -----------------------------------------------------------------------------------------------
def _all_equal(a: Any, b: Any, equal_nan: bool) -> Any:
    same = eq(a, b)
    if equal_nan and is_inexact(a) and is_inexact(b):
        same = logical_or(same, logical_and(isnan(a), isnan(b)))
    return all_p(same, axes=tuple(range(len(shape(same)))))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Whether two arrays have the same shape and elements.

    Parameters
    ----------
    a1, a2 : array_like
    equal_nan : bool
        Whether nan equals nan.

    Returns
    -------
    Tensor
        One boolean.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.array_equal([1.0, 2.0], [1.0, 2.0])
    Tensor(True)
    """
    a, b = as_argument(a1), as_argument(a2)
    return np.bool_(False) if shape(a) != shape(b) else _all_equal(a, b, equal_nan)


def array_equiv(a1: Any, a2: Any) -> Any:
    """Whether two arrays broadcast against each other and have the same elements then.

    Parameters
    ----------
    a1, a2 : array_like

    Returns
    -------
    Tensor
        One boolean.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.array_equiv([1.0, 1.0], 1.0)
    Tensor(True)
    """
    a, b = as_argument(a1), as_argument(a2)
    try:
        np.broadcast_shapes(shape(a), shape(b))
    except ValueError:
        return np.bool_(False)
    return _all_equal(a, b, False)


for _f in (flatnonzero, argwhere, extract, compress, select, choose, lexsort, array_equal, array_equiv):
    public(_f.__name__, _f)


def on_tensors(f: Callable) -> Callable:
    """Enters a function that takes and gives tensors by itself, as one that calls functions of users must."""
    OPERATIONS[f.__name__] = Operation(f.__name__, f, f, None, "")
    functions[f.__name__] = f
    return f


on_tensors(piecewise)
