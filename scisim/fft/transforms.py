"""Discrete Fourier transforms along one axis or several: the raw functions, made of the four primitives.

Every transform has a length parameter, which crops the axis or fills it up with zeros, and NumPy's three
norms.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import Traced, dtype, is_complex, shape, zeros
from scisim.fft._primitives import fft_p, ifft_p, irfft_p, rfft_p
from scisim.ops.complexes import conj
from scisim.ops.index import put_p, slice_axis
from scisim.ops.shape import moveaxis, normalize_axis

Axes = int | tuple[int, ...] | None
Lengths = int | tuple[int, ...] | None
_FORWARD = ("fft", "rfft")


# --- checking ----------------------------------------------------------------------------------------------
def _argument(name: str, x: Any) -> Any:
    x = as_argument(x)
    if dtype(x).kind not in "biufc":
        raise DTypeError(f"{name}: x has dtype {dtype(x)}; convert it with astype to float32 or float64")
    if not shape(x):
        raise ShapeError(f"{name}: x is a scalar; a transform needs at least one axis")
    return x


def _real(name: str, x: Any) -> None:
    if is_complex(x):
        raise DTypeError(
            f"{name}: x has dtype {dtype(x)}, but this transform is for real input; "
            f"use {name.replace('r', '', 1)}, or transform real(x) and imag(x)"
        )


def _length(name: str, n: Any) -> int:
    if isinstance(n, Traced) or not isinstance(n, (int, np.integer)) or isinstance(n, bool):
        raise ArgumentTypeError(f"{name}: the length n must be an integer, got {n!r}")
    if n < 1:
        raise ArgumentError(f"{name}: the length must be at least 1, got n={n}")
    return int(n)


def _default_length(name: str, x: Any, axis: int) -> int:
    n = shape(x)[axis]
    if n < 1:
        raise ArgumentError(f"{name}: axis {axis} of shape {shape(x)} is empty; give it a point or more")
    return n


def _real_length(name: str, x: Any, axis: int) -> int:
    m = _default_length(name, x, axis)
    if m == 1:
        raise ArgumentError(
            f"{name}: a spectrum of one element along axis {axis} gives no length by itself, since "
            f"2 * (1 - 1) = 0; say n=1, or the length of the signal"
        )
    return 2 * (m - 1)


def _scale(name: str, norm: str | None, forward: bool, n: int) -> float:
    """The factor beside NumPy's default, in which the inverse carries 1 / n."""
    if norm is None or norm == "backward":
        return 1.0
    if norm == "ortho":
        return 1.0 / math.sqrt(n) if forward else math.sqrt(n)
    if norm == "forward":
        return 1.0 / n if forward else float(n)
    raise ArgumentError(f"{name}: norm must be 'backward', 'ortho' or 'forward', got {norm!r}")


# --- one axis ----------------------------------------------------------------------------------------------
def _resize(x: Any, axis: int, n: int) -> Any:
    """The axis cropped to n elements, or filled up with zeros."""
    have = shape(x)[axis]
    if have == n:
        return x
    if have > n:
        return slice_axis(x, axis, 0, n)
    blank = zeros((*shape(x)[:axis], n, *shape(x)[axis + 1 :]), dtype(x))
    at: list[Any] = [("slice", None, None, None)] * len(shape(x))
    at[axis] = ("slice", 0, have, None)
    return put_p(blank, x, at=tuple(at))


def _along(prim: Primitive, x: Any, axis: int, **params: Any) -> Any:
    """A primitive of the last axis, applied along another one."""
    last = len(shape(x)) - 1
    if axis == last:
        return prim(x, **params)
    return moveaxis(prim(moveaxis(x, axis, last), **params), last, axis)


def _scaled(y: Any, factor: float) -> Any:
    return y if factor == 1.0 else y * factor


def _one(name: str, prim: Primitive, x: Any, n: int | None, axis: int, norm: str | None) -> Any:
    x = _argument(name, x)
    k = normalize_axis(name, axis, len(shape(x)))
    inverse_real = prim is irfft_p
    if prim is rfft_p:
        _real(name, x)
    if n is not None:
        n = _length(name, n)
    else:
        n = _real_length(name, x, k) if inverse_real else _default_length(name, x, k)
    factor = _scale(name, norm, prim.name in _FORWARD, n)
    x = _resize(x, k, n // 2 + 1 if inverse_real else n)
    return _scaled(_along(prim, x, k, **({"n": n} if inverse_real else {})), factor)


def fft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Discrete Fourier transform along one axis: y[k] = sum of x[j] exp(-2 pi i j k / n).

    Parameters
    ----------
    x : array_like
        Real or complex.
    n : int, optional
        Length of the transform: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}
        Whether the factor 1 / n belongs to the inverse, to both as 1 / sqrt(n), or to this transform.

    Returns
    -------
    Tensor
        Complex, of single precision for single-precision input; the axis has length n.

    Raises
    ------
    ArgumentError
        For an axis out of range, a length below 1 or an unknown norm.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.fft([1.0, 0.0, 0.0, 0.0])
    Tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _one("fft", fft_p, x, n, axis, norm)


def ifft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Inverse of `fft` along one axis: x[j] = (1 / n) sum of y[k] exp(2 pi i j k / n).

    Parameters
    ----------
    x : array_like
        Real or complex.
    n : int, optional
        Length of the transform: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}
        As of the forward transform that it inverts.

    Returns
    -------
    Tensor
        Complex; the axis has length n.

    Raises
    ------
    ArgumentError
        For an axis out of range, a length below 1 or an unknown norm.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.ifft([4.0, 0.0, 0.0, 0.0])
    Tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _one("ifft", ifft_p, x, n, axis, norm)


def rfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """The first half of the `fft` of real input; the other half is its conjugate.

    Parameters
    ----------
    x : array_like
        Real.
    n : int, optional
        Length of the transform: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}
        Whether the factor 1 / n belongs to the inverse, to both as 1 / sqrt(n), or to this transform.

    Returns
    -------
    Tensor
        Complex; the axis has length n // 2 + 1.

    Raises
    ------
    DTypeError
        For complex input.
    ArgumentError
        For an axis out of range, a length below 1 or an unknown norm.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.rfft([1.0, 0.0, 0.0, 0.0])
    Tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _one("rfft", rfft_p, x, n, axis, norm)


def irfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Inverse of `rfft`: a real signal from the first half of its spectrum.

    Parameters
    ----------
    x : array_like
        The half spectrum. Imaginary parts at frequency 0 and, for even n, at the Nyquist frequency belong to
        no real signal; they are not read, and their derivatives are 0.
    n : int, optional
        Length of the signal, by default 2 * (m - 1) for m elements, which is even. **Give it for signals of
        odd length**: ``irfft(rfft(x), n=x.shape[-1])`` keeps every length.
    axis : int
    norm : {"backward", "ortho", "forward"}
        As of the forward transform that it inverts.

    Returns
    -------
    Tensor
        Real; the axis has length n.

    Raises
    ------
    ArgumentError
        For an axis out of range, a length below 1 (one element and no n), or an unknown norm.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.asarray([1.0, 2.0, 3.0])
    >>> ss.fft.irfft(ss.fft.rfft(x), n=3)
    Tensor([1., 2., 3.])
    """
    return _one("irfft", irfft_p, x, n, axis, norm)


_OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward"}


def hfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """`fft` of a signal with a real spectrum, from its first half.

    Parameters
    ----------
    x : array_like
        The first half of the signal, whose other half is its conjugate.
    n : int, optional
        Length of the spectrum, by default 2 * (m - 1) for m elements.
    axis : int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Real; the axis has length n.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.hfft([1.0, 0.0, 0.0])
    Tensor([1., 1., 1., 1.])
    """
    return _one("hfft", irfft_p, conj(_argument("hfft", x)), n, axis, _OPPOSITE.get(norm, norm))


def ihfft(x: Any, /, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Any:
    """Inverse of `hfft`: the first half of a signal from its real spectrum.

    Parameters
    ----------
    x : array_like
        Real.
    n : int, optional
        Length of the spectrum: the axis is cropped to it, or filled up with zeros.
    axis : int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex; the axis has length n // 2 + 1.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.ihfft([1.0, 1.0, 1.0, 1.0])
    Tensor([1.-0.j, 0.-0.j, 0.-0.j])
    """
    return conj(_one("ihfft", rfft_p, x, n, axis, _OPPOSITE.get(norm, norm)))


# --- several axes ------------------------------------------------------------------------------------------
def _axes(name: str, x: Any, s: Lengths, axes: Axes) -> tuple[list[int], list[int | None]]:
    """The axes in order, and the length along each."""
    rank = len(shape(x))
    s = (s,) if isinstance(s, (int, np.integer)) else s
    if axes is None:
        axes = tuple(range(rank)) if s is None else tuple(range(rank - len(s), rank))
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    found = [normalize_axis(name, a, rank) for a in axes]
    if not found:
        raise ArgumentError(f"{name}: axes is empty; give at least one axis")
    if len(set(found)) < len(found):
        raise ArgumentError(f"{name}: axes {axes} names an axis twice")
    if s is not None and len(s) != len(found):
        raise ArgumentError(f"{name}: s={s} has {len(s)} lengths for {len(found)} axes; give one an axis")
    return found, [None if n is None or n == -1 else _length(name, n) for n in (s or [None] * len(found))]


def _many(name: str, prim: Primitive, x: Any, axes: list[int], lengths: list, norm: str | None) -> Any:
    factor = 1.0
    for k, given in zip(axes[::-1], lengths[::-1], strict=True):
        n = _default_length(name, x, k) if given is None else given
        factor *= _scale(name, norm, prim is fft_p, n)
        x = _along(prim, _resize(x, k, n), k)
    return _scaled(x, factor)


def fftn(x: Any, /, s: Lengths = None, axes: Axes = None, norm: str | None = "backward") -> Any:
    """`fft` along several axes.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : tuple of int, optional
        Length along each axis; -1 is the axis's own.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, another number of lengths than of axes, a length below 1 or an
        unknown norm.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.fftn(ss.ones((2, 2)))
    Tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    x = _argument("fftn", x)
    return _many("fftn", fft_p, x, *_axes("fftn", x, s, axes), norm)


def ifftn(x: Any, /, s: Lengths = None, axes: Axes = None, norm: str | None = "backward") -> Any:
    """`ifft` along several axes; the inverse of `fftn`.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : tuple of int, optional
        Length along each axis; -1 is the axis's own.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex.

    Raises
    ------
    ArgumentError
        As for `fftn`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.ifftn([[4.0, 0.0], [0.0, 0.0]])
    Tensor([[1.+0.j, 1.+0.j],
            [1.+0.j, 1.+0.j]])
    """
    x = _argument("ifftn", x)
    return _many("ifftn", ifft_p, x, *_axes("ifftn", x, s, axes), norm)


def rfftn(x: Any, /, s: Lengths = None, axes: Axes = None, norm: str | None = "backward") -> Any:
    """`rfft` along the last of several axes, then `fft` along the others.

    Parameters
    ----------
    x : array_like
        Real.
    s : tuple of int, optional
        Length along each axis; -1 is the axis's own.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex; the last of the axes has length s[-1] // 2 + 1.

    Raises
    ------
    DTypeError
        For complex input.
    ArgumentError
        As for `fftn`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.rfftn(ss.ones((2, 2)))
    Tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    x = _argument("rfftn", x)
    _real("rfftn", x)
    found, lengths = _axes("rfftn", x, s, axes)
    y = _one("rfftn", rfft_p, x, lengths[-1], found[-1], norm)
    return _many("rfftn", fft_p, y, found[:-1], lengths[:-1], norm)


def irfftn(x: Any, /, s: Lengths = None, axes: Axes = None, norm: str | None = "backward") -> Any:
    """Inverse of `rfftn`: `ifft` along all of several axes but the last, then `irfft` along that.

    Parameters
    ----------
    x : array_like
        The half spectrum.
    s : tuple of int, optional
        Length of the signal along each axis; -1 is the axis's own, and 2 * (m - 1) along the last of them.
        **Give it for an odd last length**: ``irfftn(rfftn(x), s=x.shape)`` keeps every shape.
    axes : tuple of int, optional
        All by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Real.

    Raises
    ------
    ArgumentError
        As for `fftn`.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.irfftn(ss.fft.rfftn(ss.ones((2, 3))), s=(2, 3))
    Tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    x = _argument("irfftn", x)
    found, lengths = _axes("irfftn", x, s, axes)
    y = _many("irfftn", ifft_p, x, found[:-1], lengths[:-1], norm)
    return _one("irfftn", irfft_p, y, lengths[-1], found[-1], norm)


def fft2(x: Any, /, s: Lengths = None, axes: Axes = (-2, -1), norm: str | None = "backward") -> Any:
    """`fft` along two axes, the last two by default.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : pair of int, optional
        Length along each axis; -1 is the axis's own.
    axes : pair of int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.fft2(ss.ones((2, 2)))[0, 0]
    Tensor(4.+0.j)
    """
    x = _argument("fft2", x)
    return _many("fft2", fft_p, x, *_axes("fft2", x, s, axes), norm)


def ifft2(x: Any, /, s: Lengths = None, axes: Axes = (-2, -1), norm: str | None = "backward") -> Any:
    """`ifft` along two axes, the last two by default.

    Parameters
    ----------
    x : array_like
        Real or complex.
    s : pair of int, optional
        Length along each axis; -1 is the axis's own.
    axes : pair of int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.ifft2(ss.ones((2, 2)))[0, 0]
    Tensor(1.+0.j)
    """
    x = _argument("ifft2", x)
    return _many("ifft2", ifft_p, x, *_axes("ifft2", x, s, axes), norm)
