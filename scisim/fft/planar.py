"""Transforms of real functions of the plane, by NumPy's names."""

from __future__ import annotations

from typing import Any

from scisim.fft.transforms import irfftn, rfftn


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
    return rfftn(x, s, axes, norm)


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
    return irfftn(x, s, axes, norm)
