"""Frequencies of the elements of a spectrum, and its order from negative to positive ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.devices import check_device
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import Traced, as_dtype, dtype, shape
from scisim.fft.common import check_size, integer
from scisim.ops.creation import iota_p
from scisim.ops.index import roll
from scisim.ops.shape import astype, concat, normalize_axes, reshape


def _range(start: int, stop: int) -> Any:
    return iota_p(start=start, stop=stop, step=1, dtype=as_argument(0).dtype)


def _times(name: str, order: Any, n: int, d: Any, to: Any) -> Any:
    """The order divided by n d, in the precision of d or that asked for."""
    try:
        spacing = as_argument(d)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{name}: d, the distance of the points, {error}") from None
    if shape(spacing):
        raise ShapeError(
            f"{name}: d, the distance of the points, must be one number, got shape {shape(spacing)}; use vmap for "
            f"several of them"
        )
    if not isinstance(spacing, Traced) and np.any(np.equal(spacing, 0)):
        raise ArgumentError(f"{name}: d, the distance of the points, must not be 0")
    step = 1.0 / (n * spacing)
    y = astype(order, dtype(step)) * step
    if to is None:
        return y
    if as_dtype(name, to).kind != "f":
        raise DTypeError(f"{name}: frequencies are real numbers, got dtype {to}; use float32 or float64")
    return astype(y, to)


def _points(name: str, n: Any) -> int:
    n = integer(name, "n", n)
    if n < 1:
        raise ArgumentError(f"{name}: n must be at least 1, got {n}")
    check_size(name, (n,))
    return n


def fftfreq(n: int, /, d: Any = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """Frequencies of the elements of an `fft`, in cycles per unit of ``d``.

    Parameters
    ----------
    n : int
        Number of points.
    d : float
        Distance between points.
    dtype : dtype, optional
        Real; by default that of ``d``.
    device : str, optional

    Returns
    -------
    Tensor
        Of shape (n,): 0, 1, ..., then the negative ones, divided by n d.

    Raises
    ------
    ArgumentError
        For less than one point.
    DTypeError
        For a dtype that is not real.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.fftfreq(4, d=0.25)
    Tensor([ 0.,  1., -2., -1.])
    """
    check_device("fftfreq", device)
    n = _points("fftfreq", n)
    order = concat([_range(0, (n - 1) // 2 + 1), _range(-(n // 2), 0)])
    return _times("fftfreq", order, n, d, dtype)


def rfftfreq(n: int, /, d: Any = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """Frequencies of the elements of an `rfft`, in cycles per unit of ``d``.

    Parameters
    ----------
    n : int
        Number of points of the signal.
    d : float
        Distance between points.
    dtype : dtype, optional
        Real; by default that of ``d``.
    device : str, optional

    Returns
    -------
    Tensor
        Of shape (n // 2 + 1,).

    Raises
    ------
    ArgumentError
        For less than one point.
    DTypeError
        For a dtype that is not real.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.rfftfreq(4, d=0.25)
    Tensor([0., 1., 2.])
    """
    check_device("rfftfreq", device)
    n = _points("rfftfreq", n)
    return _times("rfftfreq", _range(0, n // 2 + 1), n, d, dtype)


def _shifted(name: str, x: Any, axes: Any, sign: int) -> Any:
    x = as_argument(x)
    found = normalize_axes(name, axes, len(shape(x)))
    halves = [shape(x)[k] // 2 * sign for k in found]
    return roll(x, halves, found) if found else reshape(x, shape(x))


def fftshift(x: Any, /, axes: Any = None) -> Any:
    """A spectrum in the order of its frequencies, with frequency 0 in the middle.

    Parameters
    ----------
    x : array_like
    axes : int or tuple of int, optional
        All by default.

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
    >>> ss.fft.fftshift(ss.fft.fftfreq(4, d=0.25))
    Tensor([-2., -1.,  0.,  1.])
    """
    return _shifted("fftshift", x, axes, 1)


def ifftshift(x: Any, /, axes: Any = None) -> Any:
    """Inverse of `fftshift`, for odd lengths too.

    Parameters
    ----------
    x : array_like
    axes : int or tuple of int, optional
        All by default.

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
    >>> ss.fft.ifftshift([-2.0, -1.0, 0.0, 1.0])
    Tensor([ 0.,  1., -2., -1.])
    """
    return _shifted("ifftshift", x, axes, -1)
