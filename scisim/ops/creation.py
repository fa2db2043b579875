"""Making arrays: from numbers, from shapes, from ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import whole
from scisim.core.devices import check_device
from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.primitive import Primitive
from scisim.core.public import OPERATIONS, Operation, as_argument, public
from scisim.core.tensor import Tensor, functions
from scisim.core.values import Traced, shape
from scisim.core.values import dtype as dtype_of
from scisim.core.values import zeros as _zeros
from scisim.ops.index import index_set
from scisim.ops.select import eq
from scisim.ops.shape import as_integer, astype, broadcast, lengths, reshape, stretch

Shape = int | tuple[int, ...]


# --- from data ----------------------------------------------------------------------------------------------
def asarray(obj: Any, /, dtype: Any = None, copy: bool | None = None, device: Any = None) -> Tensor:
    """A Tensor of anything array-like.

    Parameters
    ----------
    obj : array_like
        Numbers, nested lists of numbers or Tensors, NumPy arrays, anything with ``__array__``.
    dtype : dtype, optional
        Of the result; by default that of ``obj``.
    copy : bool, optional
        Whether an ndarray is copied. By default it is, since values never change and the caller may go on
        writing into it; with False the caller promises not to. The value of a Tensor is shared; with False the
        Tensor itself is the result.
    device : str, optional

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        For data that are no numbers.
    ArgumentError
        With ``copy=False`` for another dtype than that of the array.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.asarray([1, 2], dtype=ss.float64)
    Tensor([1., 2.])
    """
    check_device("asarray", device)
    if copy is False and dtype is not None and getattr(obj, "dtype", dtype) != dtype:
        raise ArgumentError(f"asarray: dtype {obj.dtype} becomes {dtype} only in a copy; leave copy=False out")
    if copy is False and type(obj) is Tensor:
        return obj  # the same handle, so that assignments to one are seen in the other
    return Tensor(obj, dtype, copy=copy is not False)


def _asarray(obj: Any, /, dtype: Any = None, copy: bool | None = None, device: Any = None) -> Any:
    x = as_argument(obj)
    return x if dtype is None else astype(x, dtype)


asarray.__module__ = "scisim"
OPERATIONS["asarray"] = Operation("asarray", _asarray, asarray, None, "")
functions["asarray"] = asarray


# --- from shapes --------------------------------------------------------------------------------------------
def zeros(shape: Shape, dtype: Any = None, device: Any = None) -> Any:
    """An array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.zeros((2, 2))
    Tensor([[0., 0.],
            [0., 0.]])
    """
    check_device("zeros", device)
    return _zeros(lengths("zeros", shape), np.float64 if dtype is None else dtype)


def ones(shape: Shape, dtype: Any = None, device: Any = None) -> Any:
    """An array of ones.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.ones(3)
    Tensor([1., 1., 1.])
    """
    check_device("ones", device)
    return np.broadcast_to(np.ones((), dtype), lengths("ones", shape))


def full(shape: Shape, fill_value: Any, dtype: Any = None, device: Any = None) -> Any:
    """An array of one value, which may be a differentiated one.

    Parameters
    ----------
    shape : int or tuple of int
    fill_value : array_like
        Broadcasts to the shape.
    dtype : dtype, optional
        By default that of the value.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.full((2,), 7.0)
    Tensor([7., 7.])
    """
    check_device("full", device)
    x = as_argument(fill_value)
    return stretch("full", x if dtype is None else astype(x, dtype), lengths("full", shape))


def empty(shape: Shape, dtype: Any = None, device: Any = None) -> Any:
    """An array for values to come; its elements are zeros.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.empty((2, 3)).shape
    (2, 3)
    """
    check_device("empty", device)
    return _zeros(lengths("empty", shape), np.float64 if dtype is None else dtype)


def _like(name: str, x: Any, dtype: Any, device: Any) -> tuple[tuple[int, ...], Any]:
    check_device(name, device)
    x = as_argument(x)
    return shape(x), dtype_of(x) if dtype is None else dtype


def zeros_like(x: Any, /, dtype: Any = None, device: Any = None) -> Any:
    """Zeros of the shape and dtype of another array.

    Parameters
    ----------
    x : array_like
    dtype : dtype, optional
        By default that of ``x``.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.zeros_like([1, 2])
    Tensor([0, 0])
    """
    return _zeros(*_like("zeros_like", x, dtype, device))


def ones_like(x: Any, /, dtype: Any = None, device: Any = None) -> Any:
    """Ones of the shape and dtype of another array.

    Parameters
    ----------
    x : array_like
    dtype : dtype, optional
        By default that of ``x``.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.ones_like([1.0, 2.0])
    Tensor([1., 1.])
    """
    s, dt = _like("ones_like", x, dtype, device)
    return np.broadcast_to(np.ones((), dt), s)


def full_like(x: Any, /, fill_value: Any, dtype: Any = None, device: Any = None) -> Any:
    """One value in the shape and dtype of another array.

    Parameters
    ----------
    x, fill_value : array_like
    dtype : dtype, optional
        By default that of ``x``.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.full_like([1.0, 2.0], 3)
    Tensor([3., 3.])
    """
    s, dt = _like("full_like", x, dtype, device)
    return stretch("full_like", astype(as_argument(fill_value), dt), s)


def empty_like(x: Any, /, dtype: Any = None, device: Any = None) -> Any:
    """An array for values to come, of the shape and dtype of another; its elements are zeros.

    Parameters
    ----------
    x : array_like
    dtype : dtype, optional
        By default that of ``x``.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.empty_like([1.0, 2.0]).shape
    (2,)
    """
    return _zeros(*_like("empty_like", x, dtype, device))


# --- ranges -------------------------------------------------------------------------------------------------
def _range_length(start: Any, stop: Any, step: Any) -> int:
    n = math.ceil((stop - start) / step)
    return n if n > 0 else 0


# Without operands, so that a graph carries the three numbers and not the array.
iota_p = Primitive(
    "iota",
    lambda start, stop, step, dtype: np.arange(start, stop, step, dtype=dtype),
    axes=whole(),
    infer=lambda avals, p: ShapeDtype((_range_length(p["start"], p["stop"], p["step"]),), p["dtype"]),
    array_api="arange",
)


def iota(n: int, dtype: Any = np.int64) -> Any:
    """0, 1, ..., n - 1."""
    return iota_p(start=0, stop=n, step=1, dtype=np.dtype(dtype))


def _number(name: str, argument: str, x: Any) -> Any:
    if isinstance(x, Traced):
        raise ArgumentTypeError(
            f"{name}: {argument} decides the shape, so it must be a number, not {x!r}; "
            f"use linspace, whose ends may be differentiated"
        )
    if np.ndim(x) or np.asarray(x).dtype.kind not in "iuf":
        raise ArgumentTypeError(f"{name}: {argument} must be a real number, got {x!r}")
    if not np.isfinite(x):
        raise ArgumentError(f"{name}: {argument} must be finite, got {x!r}")
    return x


def arange(start: Any, /, stop: Any = None, step: Any = 1, dtype: Any = None, device: Any = None) -> Any:
    """Numbers from ``start`` up to but without ``stop``, ``step`` apart.

    Parameters
    ----------
    start : number
        With one argument it is ``stop``, and ``start`` is 0.
    stop, step : number
    dtype : dtype, optional
        int64 where all three are integers, else float64.
    device : str, optional

    Returns
    -------
    Tensor
        Of shape (ceil((stop - start) / step),).

    Raises
    ------
    ArgumentTypeError
        For anything but real numbers; use linspace for ends that are differentiated.
    ArgumentError
        For a step of 0.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.arange(1, 7, 2)
    Tensor([1, 3, 5])
    """
    check_device("arange", device)
    if stop is None:
        start, stop = 0, start
    names = ("start", "stop", "step")
    start, stop, step = (_number("arange", n, v) for n, v in zip(names, (start, stop, step), strict=True))
    if step == 0:
        raise ArgumentError("arange: step must not be 0")
    dt = np.arange(start, start + 0 * stop, step).dtype if dtype is None else np.dtype(dtype)
    a, b, h = (v.item() if hasattr(v, "item") else v for v in (start, stop, step))
    return iota_p(start=a, stop=b, step=h, dtype=dt)


def linspace(
    start: Any, stop: Any, /, num: int = 50, dtype: Any = None, endpoint: bool = True, device: Any = None
) -> Any:
    """Numbers at equal distances from ``start`` to ``stop``.

    Parameters
    ----------
    start, stop : array_like
        May be differentiated; arrays give one range for each element, along a new first axis.
    num : int
        How many.
    dtype : dtype, optional
        float64 by default, or the dtype of inexact ends.
    endpoint : bool
        Whether ``stop`` is the last number.
    device : str, optional

    Returns
    -------
    Tensor
        Of shape (num, ...).

    Raises
    ------
    ArgumentError
        For a negative ``num``.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.linspace(0.0, 1.0, 5)
    Tensor([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    check_device("linspace", device)
    (n,) = lengths("linspace", num)
    a, b = as_argument(start) * 1.0, as_argument(stop) * 1.0
    width = b - a
    s = shape(width)
    gaps = n - 1 if endpoint else n
    k = reshape(iota(n, np.zeros((), dtype_of(width)).real.dtype), (n, *(1,) * len(s)))
    y = k * (width / gaps if gaps > 0 else width) + a
    if endpoint and n > 1:  # to the bit, whatever the rounding of the steps
        y = index_set(y, -1, b)
    return y if dtype is None else astype(y, dtype)


def eye(n_rows: int, n_cols: int | None = None, /, k: int = 0, dtype: Any = None, device: Any = None) -> Any:
    """A matrix with ones on one diagonal.

    Parameters
    ----------
    n_rows : int
    n_cols : int, optional
        By default as many as rows.
    k : int
        Which diagonal: 0 is the main one, positive ones lie above it.
    dtype : dtype, optional
        float64 by default.
    device : str, optional

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import scisim as ss
    >>> ss.eye(2, 3, k=1)
    Tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """
    check_device("eye", device)
    n, m = lengths("eye", (n_rows, n_rows if n_cols is None else n_cols))
    place = max(-n, min(m, as_integer("eye", "k", k)))  # beyond the matrix there is nothing, however far
    ones_at = eq(reshape(iota(n), (n, 1)) + place, iota(m))
    return astype(ones_at, np.float64 if dtype is None else dtype)


def meshgrid(*arrays: Any, indexing: str = "xy") -> Any:
    """Coordinates on the grid that vectors span.

    Parameters
    ----------
    *arrays : array_like
        Vectors, or numbers.
    indexing : {"xy", "ij"}
        "ij": axis k follows vector k. "xy": the first two axes are exchanged.

    Returns
    -------
    tuple of Tensor
        One for each vector, each of the shape of the grid.

    Raises
    ------
    ArgumentError
        For another ``indexing``, or arrays with more than one axis.

    Examples
    --------
    >>> import scisim as ss
    >>> x, y = ss.meshgrid([1.0, 2.0], [5.0, 6.0, 7.0], indexing="ij")
    >>> x.shape, y[0]
    ((2, 3), Tensor([5., 6., 7.]))
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing must be 'xy' or 'ij', got {indexing!r}")
    xs = [as_argument(a) for a in arrays]
    for x in xs:
        if len(shape(x)) > 1:
            raise ArgumentError(f"meshgrid: takes vectors, got shape {shape(x)}; use reshape(x, -1)")
    place = list(range(len(xs)))
    if indexing == "xy" and len(xs) > 1:
        place[:2] = [1, 0]
    size = [math.prod(shape(x)) for x in xs]
    grid = tuple(size[place[k]] for k in range(len(xs)))
    axes = [tuple(n if p == k else 1 for k, n in enumerate(grid)) for p in place]
    return tuple(broadcast(reshape(x, s), grid) for x, s in zip(xs, axes, strict=True))


_PUBLIC: dict[Callable, Primitive | None] = {
    zeros: None,
    ones: None,
    full: None,
    empty: None,
    zeros_like: None,
    ones_like: None,
    full_like: None,
    empty_like: None,
    arange: iota_p,
    linspace: None,
    eye: None,
    meshgrid: None,
}
for _f, _p in _PUBLIC.items():
    public(_f.__name__, _f, _p)
