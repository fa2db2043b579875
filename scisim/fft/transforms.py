"""Discrete Fourier transforms along one axis or several.

Every transform has a length parameter, which crops the axis or fills it up with zeros, and NumPy's three
norms.
"""

from __future__ import annotations

from typing import Any

from scisim.core.errors import ShapeError
from scisim.core.public import as_argument
from scisim.core.values import shape
from scisim.fft._primitives import fft_p, irfft_p, rfft_p
from scisim.fft.common import Axes, Lengths, integer, integers, one_axis, several_axes
from scisim.ops.shape import normalize_axis, several


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
    >>> ss.abs(ss.fft.fft([1.0, 0.0, 0.0, 0.0]))
    Tensor([1., 1., 1., 1.])
    """
    return one_axis("fft", fft_p, x, n, axis, False, norm)


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
    >>> ss.abs(ss.fft.ifft([4.0, 0.0, 0.0, 0.0]))
    Tensor([1., 1., 1., 1.])
    """
    return one_axis("ifft", fft_p, x, n, axis, True, norm)


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
    return one_axis("rfft", rfft_p, x, n, axis, False, norm)


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
    return one_axis("irfft", irfft_p, x, n, axis, True, norm)


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
    return one_axis("hfft", irfft_p, x, n, axis, False, norm)


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
    >>> ss.abs(ss.fft.ihfft([1.0, 1.0, 1.0, 1.0]))
    Tensor([1., 0., 0.])
    """
    return one_axis("ihfft", rfft_p, x, n, axis, True, norm)


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
    return several_axes("fftn", fft_p, x, s, axes, False, norm)


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
    return several_axes("ifftn", fft_p, x, s, axes, True, norm)


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
    return several_axes("rfftn", rfft_p, x, s, axes, False, norm)


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
    return several_axes("irfftn", irfft_p, x, s, axes, True, norm)


def hfftn(x: Any, /, s: Lengths = None, axes: Axes = None, norm: str | None = "backward") -> Any:
    """`fft` of a signal with a real spectrum along several axes, from its half along the last of them.

    Parameters
    ----------
    x : array_like
        Complex; x[-j] = conj(x[j]) in all axes gives the other half.
    s : tuple of int, optional
        Length of the spectrum along each axis; -1 is the axis's own, and 2 * (m - 1) along the last of them.
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
    >>> ss.fft.hfftn(ss.fft.ihfftn([[1.0, 2.0, 3.0]]), s=(1, 3))
    Tensor([[1., 2., 3.]])
    """
    return several_axes("hfftn", irfft_p, x, s, axes, False, norm)


def ihfftn(x: Any, /, s: Lengths = None, axes: Axes = None, norm: str | None = "backward") -> Any:
    """Inverse of `hfftn`: `ifft` of real numbers along several axes, half of it along the last.

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
    >>> ss.fft.ihfftn(ss.ones((2, 2)))
    Tensor([[1.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    return several_axes("ihfftn", rfft_p, x, s, axes, True, norm)


def irfftn_like(x: Any, /, like: Any, axes: Axes = None, norm: str | None = "backward") -> Any:
    """Inverse of ``rfftn(like, axes=axes)`` that keeps the lengths of ``like``, odd ones too.

    Parameters
    ----------
    x : array_like
        The half spectrum.
    like : array_like or tuple of int
        The signal, of which only the shape counts, or that shape.
    axes : int or tuple of int, optional
        All by default.
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Real, with the lengths of ``like`` along ``axes``.

    Raises
    ------
    ArgumentError
        As for `fftn`.
    ShapeError
        If the spectrum has another number of axes than the signal, or along the last of ``axes`` another number of
        elements than n // 2 + 1.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.asarray([1.0, 2.0, 4.0])
    >>> ss.fft.irfft(ss.fft.rfft(x)).shape, ss.fft.irfftn_like(ss.fft.rfft(x), x)
    ((2,), Tensor([1., 2., 4.]))
    """
    x = as_argument(x)
    target = _shape_of(like)
    if len(target) != len(shape(x)):
        raise ShapeError(f"irfftn_like: a spectrum of shape {shape(x)} is not that of a signal of shape {target}")
    along = range(len(target)) if axes is None else integers("irfftn_like", "axes", axes) or ()
    found = [normalize_axis("irfftn_like", a, len(target)) for a in along]
    last = found[-1] if found else -1
    if found and shape(x)[last] != target[last] // 2 + 1:
        raise ShapeError(
            f"irfftn_like: axis {last} of the spectrum has {shape(x)[last]} elements, but a signal of length "
            f"{target[last]} has {target[last] // 2 + 1}; give the axes of the forward transform, in the same order"
        )
    lengths = tuple(target[a] for a in found)
    return several_axes("irfftn_like", irfft_p, x, lengths, tuple(found), True, norm)


def _shape_of(like: Any) -> tuple[int, ...]:
    """A shape itself, or that of an array; a tuple of numbers is a shape."""
    if not isinstance(like, tuple) or any(several(n) is not None for n in like):
        return shape(as_argument(like))
    return tuple(integer("irfftn_like", "each length of like", n) for n in like)
