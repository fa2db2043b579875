"""Reductions of truth, and comparison within tolerances."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.axes import Axes
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.tensor import functions
from scisim.core.values import is_inexact
from scisim.ops.arithmetic import absolute, stop
from scisim.ops.reduce import Axis, reduce_over, reduced_argument, whole_labels
from scisim.ops.select import eq, isfinite, isnan, le, logical_and, logical_or, ne, where
from scisim.ops.shape import reduce_infer, shift_axes, sum_p


def _truth(name: str, ufunc: Any) -> Primitive:
    return Primitive(
        name,
        lambda x, axes: ufunc.reduce(x, axis=axes),
        axes=Axes(whole_labels, shift_axes),
        infer=reduce_infer(lambda dt: np.dtype(bool)),
        array_api=name,
    )


any_p = _truth("any", np.logical_or)
all_p = _truth("all", np.logical_and)


def any(x: Any, /, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether any element along axes is true (not zero).

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to search; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.any([[True, False], [False, False]], axis=1)
    Tensor([ True, False])
    """
    x, axes = reduced_argument("any", x, axis)
    return reduce_over(any_p, x, axes, keepdims)


def all(x: Any, /, axis: Axis = None, keepdims: bool = False) -> Any:
    """Whether all elements along axes are true (not zero).

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to search; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.all([[True, True], [True, False]], axis=1)
    Tensor([ True, False])
    """
    x, axes = reduced_argument("all", x, axis)
    return reduce_over(all_p, x, axes, keepdims)


def count_nonzero(x: Any, /, axis: Axis = None, keepdims: bool = False) -> Any:
    """Number of elements along axes that are not zero.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to count over; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor
        Of integers, without a derivative.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.count_nonzero([0.0, 2.0, 3.0])
    Tensor(2)
    """
    x, axes = reduced_argument("count_nonzero", x, axis)
    if type(x) is np.ndarray:
        if len(axes) == x.ndim and not keepdims:
            return np.intp(np.count_nonzero(x))  # many times as fast as with its axes named
        return np.count_nonzero(x, axis=axes, keepdims=keepdims)
    return reduce_over(sum_p, ne(x, 0), axes, keepdims)


def isclose(a: Any, b: Any, /, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether elements are equal within tolerances: abs(a - b) <= atol + rtol abs(b).

    Parameters
    ----------
    a, b : array_like
        Shapes broadcast against each other.
    rtol, atol : float
        Relative and absolute tolerance.
    equal_nan : bool
        Whether two nans are equal.

    Returns
    -------
    Tensor
        Of booleans.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1])
    Tensor([ True, False])
    """
    a, b = stop(as_argument(a)), stop(as_argument(b))
    finite = logical_and(isfinite(a), isfinite(b))
    near = le(absolute(where(finite, a, 0.0) - where(finite, b, 0.0)), atol + rtol * absolute(b))
    close = where(finite, near, eq(a, b))
    if equal_nan and is_inexact(a) and is_inexact(b):
        close = logical_or(close, logical_and(isnan(a), isnan(b)))
    return close


def allclose(a: Any, b: Any, /, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are equal within tolerances.

    Parameters
    ----------
    a, b : array_like
        Shapes broadcast against each other.
    rtol, atol : float
        Relative and absolute tolerance: abs(a - b) <= atol + rtol abs(b).
    equal_nan : bool
        Whether two nans are equal.

    Returns
    -------
    bool
        A Python boolean, which a captured program cannot know: use all(isclose(a, b)) inside jit.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
    True
    """
    return bool(_all(_isclose(a, b, rtol, atol, equal_nan)))


_PUBLIC: dict[Callable, Primitive | None] = {any: any_p, all: all_p, count_nonzero: None, isclose: None}
for _f, _p in _PUBLIC.items():
    public(_f.__name__, _f, _p)

_all, _isclose = functions["all"], functions["isclose"]
allclose.__module__ = "scisim"
functions["allclose"] = allclose
