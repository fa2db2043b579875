"""Transforms of functions of the plane."""

from __future__ import annotations

from typing import Any

from scisim.fft._primitives import fft_p, irfft_p, rfft_p
from scisim.fft.common import Lengths, several_axes


def fft2(x: Any, /, s: Lengths = None, axes: Any = (-2, -1), norm: str | None = "backward") -> Any:
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
    return several_axes("fft2", fft_p, x, s, axes, False, norm)


def ifft2(x: Any, /, s: Lengths = None, axes: Any = (-2, -1), norm: str | None = "backward") -> Any:
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
    return several_axes("ifft2", fft_p, x, s, axes, True, norm)


def rfft2(x: Any, /, s: Any = None, axes: Any = (-2, -1), norm: str | None = "backward") -> Any:
    """`rfftn` along two axes, the last two by default.

    Parameters
    ----------
    x : array_like
        Real.
    s : pair of int, optional
        Length along each axis.
    axes : pair of int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex; n // 2 + 1 long along the last of the axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.rfft2(ss.ones((2, 2)))[0, 0]
    Tensor(4.+0.j)
    """
    return several_axes("rfft2", rfft_p, x, s, axes, False, norm)


def irfft2(x: Any, /, s: Any = None, axes: Any = (-2, -1), norm: str | None = "backward") -> Any:
    """Inverse of `rfft2`.

    Parameters
    ----------
    x : array_like
        Complex.
    s : pair of int, optional
        Length of the result along each axis; give it for an odd last length.
    axes : pair of int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.irfft2(ss.fft.rfft2(ss.ones((2, 3))), s=(2, 3)).shape
    (2, 3)
    """
    return several_axes("irfft2", irfft_p, x, s, axes, True, norm)


def hfft2(x: Any, /, s: Lengths = None, axes: Any = (-2, -1), norm: str | None = "backward") -> Any:
    """`hfftn` along two axes, the last two by default.

    Parameters
    ----------
    x : array_like
        Complex; the first half, along the last of the axes, of a signal with a real spectrum.
    s : pair of int, optional
        Length of the spectrum along each axis; give it for an odd last length.
    axes : pair of int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Real.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.hfft2(ss.ones((2, 2)))
    Tensor([[4., 0.],
            [0., 0.]])
    """
    return several_axes("hfft2", irfft_p, x, s, axes, False, norm)


def ihfft2(x: Any, /, s: Lengths = None, axes: Any = (-2, -1), norm: str | None = "backward") -> Any:
    """`ihfftn` along two axes, the last two by default; inverse of `hfft2`.

    Parameters
    ----------
    x : array_like
        Real.
    s : pair of int, optional
        Length along each axis.
    axes : pair of int
    norm : {"backward", "ortho", "forward"}

    Returns
    -------
    Tensor
        Complex; n // 2 + 1 long along the last of the axes.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.ihfft2([[4.0, 0.0], [0.0, 0.0]]).shape
    (2, 2)
    """
    return several_axes("ihfft2", rfft_p, x, s, axes, True, norm)
