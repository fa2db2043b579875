"""Sums, products and extrema of the elements up to each one."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype
from scisim.core.axes import Axes
from scisim.core.errors import ArgumentError, DTypeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument, public
from scisim.core.values import is_complex, shape
from scisim.ops.cumulative import cumulative_prod
from scisim.ops.reduce import cumulative_sum
from scisim.ops.shape import normalize_axis, reshape
from scisim.ops.sorting import take_along_axis


def cumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Sums of the elements up to each one.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        By default the array is flattened first.
    dtype : dtype, optional
        Of the sums; by default that of ``x``, and int64 for booleans and short integers.

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
    >>> ss.cumsum([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  3.,  6., 10.])
    """
    x = as_argument(x)
    return cumulative_sum(reshape(x, (-1,)) if axis is None else x, axis=axis, dtype=dtype)


def cumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Products of the elements up to each one; their derivatives of every order hold at zeros too.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        By default the array is flattened first.
    dtype : dtype, optional
        Of the products; by default that of ``x``, and int64 for booleans and short integers.

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
    >>> ss.cumprod([[1.0, 2.0], [3.0, 4.0]])
    Tensor([ 1.,  2.,  6., 24.])
    """
    x = as_argument(x)
    return cumulative_prod(reshape(x, (-1,)) if axis is None else x, axis=axis, dtype=dtype)


# --- running extrema ----------------------------------------------------------------------------------------
def _labels(shapes: tuple, p: dict) -> tuple[list, tuple]:
    labels = tuple(None if k == p["axis"] else k for k in range(len(shapes[0])))
    return [labels], labels


def _lift(n: int, p: dict) -> dict:
    return {**p, "axis": p["axis"] + 1}


def _holder(x: Any, axis: int, largest: bool, last: bool) -> np.ndarray:
    """Position of the first or last of the elements that are the extremum up to each place; of a nan once met."""
    if not x.shape[axis]:
        return np.zeros(x.shape, np.intp)
    y = np.moveaxis(np.asarray(x), axis, -1)
    best = (np.maximum if largest else np.minimum).accumulate(y, axis=-1)
    new = np.ones(y.shape, bool)
    if last:
        new[..., 1:] = (y == best)[..., 1:]
    else:
        new[..., 1:] = best[..., 1:] != best[..., :-1]
    lost = np.isnan(best)
    new[..., 1:][lost[..., :-1]] = False
    at = np.maximum.accumulate(np.where(new, np.arange(y.shape[-1]), 0), axis=-1)
    return np.moveaxis(at, -1, axis)


holder_p = Primitive(
    "extremum_position",
    _holder,
    axes=Axes(_labels, _lift),
    infer=lambda avals, p: ShapeDtype(avals[0].shape, np.dtype(np.intp)),
)


def _running(name: str, ufunc: Any, largest: bool) -> Primitive:
    def jvp(y: Any, args: list, tangents: list, axis: int) -> Any:
        (x,), (t,) = args, tangents
        if t is None:
            return None
        first, last = (holder_p(x, axis=axis, largest=largest, last=b) for b in (False, True))
        return 0.5 * (take_along_axis(t, first, axis) + take_along_axis(t, last, axis))

    return Primitive(
        name,
        lambda x, axis: ufunc.accumulate(x, axis=axis),
        axes=Axes(_labels, _lift),
        infer=lambda avals, p: avals[0],
        jvp=jvp,
        convention="of equal elements the first and the last share the derivative equally",
        singular="only the chosen elements get through",
    )


cummax_p = _running("cummax", np.maximum, True)
cummin_p = _running("cummin", np.minimum, False)


def _accumulated(name: str, prim: Primitive, x: Any, axis: int) -> Any:
    x = as_argument(x)
    if is_complex(x):
        raise DTypeError(f"{name}: complex numbers have no order; use abs(z), real(z) or imag(z) instead")
    if not shape(x):
        raise ArgumentError(f"{name}: x is a single number; give an array with an axis to run along")
    return prim(x, axis=normalize_axis(name, axis, len(shape(x))))


def cummax(x: Any, axis: int = -1) -> Any:
    """Greatest of the elements up to each one; nan from the first nan on.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ArgumentError
        For an axis out of range.

    Notes
    -----
    Convention: of equal elements the first and the last share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.cummax([1.0, 3.0, 2.0])
    Tensor([1., 3., 3.])
    """
    return _accumulated("cummax", cummax_p, x, axis)


def cummin(x: Any, axis: int = -1) -> Any:
    """Least of the elements up to each one; nan from the first nan on.

    Parameters
    ----------
    x : array_like
        Real.
    axis : int

    Returns
    -------
    Tensor

    Raises
    ------
    DTypeError
        For complex numbers, which have no order.
    ArgumentError
        For an axis out of range.

    Notes
    -----
    Convention: of equal elements the first and the last share the derivative equally.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.cummin([3.0, 1.0, 2.0])
    Tensor([3., 1., 1.])
    """
    return _accumulated("cummin", cummin_p, x, axis)


for _f, _p in {cumsum: None, cumprod: None, cummax: cummax_p, cummin: cummin_p}.items():
    public(_f.__name__, _f, _p)
