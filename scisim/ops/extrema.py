"""Extrema, their positions, and the sums of exponentials that are soft extrema."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.axes import Axes
from scisim.core.errors import DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import dtype as dtype_of
from scisim.core.values import is_complex, shape, zeros_like
from scisim.ops.arithmetic import pin, stop
from scisim.ops.complexes import real
from scisim.ops.elementary import exp, log
from scisim.ops.reduce import Axis, count_over, keep_axes, reduce_over, reduced_argument, whole_labels
from scisim.ops.select import clip, eq, isnan, logical_or, where
from scisim.ops.shape import astype, normalize_axes, normalize_axis, reduce_infer, reshape, shift_axes, sum_p


def check_choice(name: str, x: Any, axes: tuple[int, ...]) -> None:
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; reduce abs(z), real(z) or imag(z) instead")
    if not count_over(x, axes):
        raise ShapeError(
            f"{name}: nothing to choose from: an array of shape {shape(x)} is empty along axis {axes}; "
            f"check the array's size first"
        )


# --- extrema ------------------------------------------------------------------------------------------------
def _extremum_jvp(y: Any, args: list, tangents: list, axes: tuple[int, ...]) -> Any:
    """The tangent of the chosen element: of a nan if there is one, the mean where several are equal."""
    (x,), (t,) = args, tangents
    if t is None:
        return None
    chosen = logical_or(eq(x, keep_axes(y, axes, x)), isnan(x))
    return sum_p(where(chosen, t, 0.0), axes=axes) / astype(sum_p(chosen, axes=axes), dtype_of(x))


def _extremum(name: str, ufunc: Any) -> Primitive:
    return Primitive(
        name,
        lambda x, axes: ufunc.reduce(x, axis=axes),
        axes=Axes(whole_labels, shift_axes),
        infer=reduce_infer(),
        jvp=_extremum_jvp,
        convention="ties split the derivative equally",
        singular="only the chosen elements get through",
        array_api=name,
    )


max_p = _extremum("max", np.maximum)
min_p = _extremum("min", np.minimum)


def max(x: Any, /, axis: Axis = None, keepdims: bool = False) -> Any:
    """Greatest element along axes; nan if any is nan.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int or tuple of int, optional
        Axes to choose from; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Notes
    -----
    Convention: equal elements share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.max([[1.0, 5.0], [3.0, 4.0]], axis=1)
    Tensor([5., 4.])
    """
    x, axes = reduced_argument("max", x, axis)
    check_choice("max", x, axes)
    return reduce_over(max_p, x, axes, keepdims)


def min(x: Any, /, axis: Axis = None, keepdims: bool = False) -> Any:
    """Least element along axes; nan if any is nan.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int or tuple of int, optional
        Axes to choose from; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Notes
    -----
    Convention: equal elements share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.min([[1.0, 5.0], [3.0, 4.0]], axis=1)
    Tensor([1., 3.])
    """
    x, axes = reduced_argument("min", x, axis)
    check_choice("min", x, axes)
    return reduce_over(min_p, x, axes, keepdims)


# --- positions and truth ------------------------------------------------------------------------------------
def _position(name: str, evaluate: Any) -> Primitive:
    return Primitive(
        name,
        lambda x, axes: evaluate(x, axis=axes[0]),
        axes=Axes(whole_labels, shift_axes),
        infer=reduce_infer(lambda dt: np.dtype(np.intp)),
        array_api=name,
    )


argmax_p = _position("argmax", np.argmax)
argmin_p = _position("argmin", np.argmin)


def _place(prim: Primitive, x: Any, axis: int | None, keepdims: bool) -> Any:
    x = as_argument(x)
    check_choice(prim.name, x, normalize_axes(prim.name, axis, len(shape(x))))
    if axis is None:
        at = prim(reshape(x, (-1,)), axes=(0,))
        return reshape(at, (1,) * len(shape(x))) if keepdims else at
    return reduce_over(prim, x, (normalize_axis(prim.name, axis, len(shape(x))),), keepdims)


def argmax(x: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    """Position of the greatest element; the first of equal ones.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int, optional
        Axis to search; by default the array is flattened first.
    keepdims : bool
        Whether the searched axes stay, with length one.

    Returns
    -------
    Tensor
        Of integers, without a derivative.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.argmax([1.0, 5.0, 3.0])
    Tensor(1)
    """
    return _place(argmax_p, x, axis, keepdims)


def argmin(x: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    """Position of the least element; the first of equal ones.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int, optional
        Axis to search; by default the array is flattened first.
    keepdims : bool
        Whether the searched axes stay, with length one.

    Returns
    -------
    Tensor
        Of integers, without a derivative.

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ShapeError
        Where there is nothing to choose from.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.argmin([[1.0, 5.0], [3.0, 2.0]], axis=1)
    Tensor([0, 1])
    """
    return _place(argmin_p, x, axis, keepdims)


# --- exponentials -------------------------------------------------------------------------------------------
def _finite(m: Any) -> Any:
    """Infinities as the greatest finite numbers: less those nothing becomes nan, and nothing overflows."""
    dt = dtype_of(m)
    big = float(np.finfo(dt).max) if dt.kind == "f" else 3e38
    return clip(m, -big, big)


def _endless(x: Any, top: Any, axes: tuple[int, ...]) -> Any:
    """The greatest element for where it is infinite; of complex numbers, complex linear in those that are."""
    if not is_complex(x):
        return top
    own = astype(eq(stop(real(x)), math.inf), dtype_of(top))
    shares = own / clip(reduce_over(sum_p, own, axes, True), 1.0, math.inf)
    return pin(reduce_over(sum_p, pin(x, zeros_like(x)) * shares, axes, True), top + 0j)


def logsumexp(x: Any, /, axis: Axis = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along axes, without overflow.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes to reduce; all of them by default.
    keepdims : bool
        Whether reduced axes stay, with length one.

    Returns
    -------
    Tensor

    Raises
    ------
    ShapeError
        Where there is nothing to sum.

    Notes
    -----
    Where all elements are -inf the value is -inf and the gradient 0, by convention.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.logsumexp([1000.0, 1000.0])
    Tensor(1000.69314718)
    """
    x, axes = reduced_argument("logsumexp", x, axis)
    check_choice("logsumexp", real(x), axes)
    top = reduce_over(max_p, real(x), axes, True)
    base = stop(_finite(top))
    s = reduce_over(sum_p, exp(x - base), axes, True)
    nothing = eq(s, 0)
    y = where(nothing, -math.inf, log(where(nothing, 1.0, s)) + base)
    # Infinite elements count alone, and share the derivative as those of max do.
    y = where(eq(top, math.inf), _endless(x, top, axes), y)
    return y if keepdims else reshape(y, tuple(n for k, n in enumerate(shape(x)) if k not in axes))


def softmax(x: Any, /, axis: Axis = -1) -> Any:
    """exp(x) / sum(exp(x)) along axes, without overflow.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes over which the result sums to one: the last by default; None is all of them.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        Where there is nothing to sum.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.softmax([0.0, 0.0])
    Tensor([0.5, 0.5])
    """
    x, axes = reduced_argument("softmax", x, axis)
    check_choice("softmax", real(x), axes)
    e = exp(x - _finite(reduce_over(max_p, stop(real(x)), axes, True)))
    return e / reduce_over(sum_p, e, axes, True)


def log_softmax(x: Any, /, axis: Axis = -1) -> Any:
    """Logarithm of softmax, exact where softmax underflows.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        Axes over which exp(result) sums to one: the last by default; None is all of them.

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ShapeError
        Where there is nothing to sum.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.log_softmax([0.0, 1000.0])
    Tensor([-1000.,     0.])
    """
    x, axes = reduced_argument("log_softmax", x, axis)
    return x - logsumexp(x, axes, keepdims=True)


_PUBLIC: dict[Callable, Primitive | None] = {
    max: max_p,
    min: min_p,
    argmax: argmax_p,
    argmin: argmin_p,
    logsumexp: None,
    softmax: None,
    log_softmax: None,
}
for _f, _p in _PUBLIC.items():
    public(_f.__name__, _f, _p)
