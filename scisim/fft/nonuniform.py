"""Non-uniform discrete Fourier transforms: sums of waves between points anywhere and modes.

Of up to three dimensions, to a tolerance; with derivatives of every order with respect to strengths or modes, and to
points.
"""

from __future__ import annotations

from typing import Any

from scisim.core.errors import ShapeError
from scisim.core.values import dtype, shape
from scisim.fft._nonuniform import nufft1_p, nufft2_p
from scisim.fft._nonuniform_arguments import (
    DOUBLE,
    arranged,
    coordinates,
    mode_counts,
    numbers,
    restored,
    same_points,
    settings,
    tolerance,
)
from scisim.fft._nonuniform_third import linear3_p
from scisim.ops.shape import astype


def nufft1(
    x: Any, c: Any, n_modes: int | tuple[int, ...], *, isign: int = 1, eps: float = 1e-6, modeord: int = 0
) -> Any:
    """Non-uniform FFT of type 1, from points to modes: f[k] = sum over j of c[j] exp(i s k x[j]).

    Parameters
    ----------
    x : array_like, or tuple of array_like
        Points, of shape (..., m), float32 or float64, anywhere on the line (the period is 2 pi). A tuple of such arrays
        holds the coordinates of points in two or three dimensions.
    c : array_like
        Strengths, of shape (..., m). Leading axes broadcast with those of the points; further ones are transforms at
        the same points, which are sorted once.
    n_modes : int or tuple of int
        Number of modes along each dimension.
    isign : {1, -1}
        The sign s of the exponent.
    eps : float
        Relative error in the 2-norm, for strengths that do not depend on the points: from 0.1 to 1e-14 (float32: 1e-6).
    modeord : {0, 1}
        0: modes ascending from -(n // 2) to (n - 1) // 2; 1: in the order of `fft`, from 0 on, negative ones last.

    Returns
    -------
    Tensor
        Modes, complex, of shape (..., *n_modes).

    Raises
    ------
    DTypeError
        For points that are not real floating-point numbers.
    ShapeError
        For numbers of points, strengths, coordinates and modes that do not fit.
    ArgumentError
        For an eps out of range, points that are not finite, or fewer modes than one.

    Notes
    -----
    Points are spread over a finer grid by a Kaiser-Bessel kernel, which an FFT and a division of the modes undo
    [1]_, [2]_. Derivatives with respect to strengths and points are such transforms again: the gradient of one with
    respect to both is a single transform of type 2 of several rows.

    References
    ----------
    .. [1] A. Dutt, V. Rokhlin, "Fast Fourier transforms for nonequispaced data", SIAM J. Sci. Comput. 14 (1993),
       1368-1393.
    .. [2] A. H. Barnett, J. Magland, L. af Klinteberg, "A parallel nonuniform fast Fourier transform library based on
       an exponential of semicircle kernel", SIAM J. Sci. Comput. 41 (2019), C479-C504.

    Examples
    --------
    >>> import scisim as ss
    >>> f = ss.fft.nufft1(ss.asarray([0.0, 1.0]), ss.asarray([2.0, 1.0]), 5, eps=1e-12)
    >>> bool(ss.max(ss.abs(f - (2 + ss.exp(1j * ss.arange(-2.0, 3.0))))) < 1e-11)
    True
    """
    points, c = numbers("nufft1", "c", c, coordinates("nufft1", "x", x))
    same_points("nufft1", "c", c, points)
    modes = mode_counts("nufft1", n_modes, len(points))
    p = {"modes": modes, "eps": tolerance("nufft1", eps, dtype(points[0])), **settings("nufft1", isign, modeord)}
    (at,), rows, extra, own = arranged("nufft1", [points], c, 1)
    return restored(nufft1_p(at, rows, **p), extra, own, len(modes))


def nufft2(x: Any, f: Any, *, isign: int = -1, eps: float = 1e-6, modeord: int = 0) -> Any:
    """Non-uniform FFT of type 2, from modes to points: c[j] = sum over k of f[k] exp(i s k x[j]).

    Parameters
    ----------
    x : array_like, or tuple of array_like
        Points, of shape (..., m), float32 or float64, anywhere on the line (the period is 2 pi). A tuple of such arrays
        holds the coordinates of points in two or three dimensions.
    f : array_like
        Modes: as many last axes as points have coordinates. Leading axes broadcast with those of the points; further
        ones are transforms at the same points, which are sorted once.
    isign : {1, -1}
        The sign s of the exponent.
    eps : float
        Relative error in the 2-norm, for modes that do not depend on the points: from 0.1 to 1e-14 (float32: 1e-6).
    modeord : {0, 1}
        0: modes ascending from -(n // 2) to (n - 1) // 2; 1: in the order of `fft`, from 0 on, negative ones last.

    Returns
    -------
    Tensor
        Values at the points, complex, of shape (..., m).

    Raises
    ------
    DTypeError
        For points that are not real floating-point numbers.
    ShapeError
        For modes of fewer axes than points have coordinates.
    ArgumentError
        For an eps out of range, points that are not finite, or fewer modes than one.

    Notes
    -----
    The transpose of `nufft1` with the same sign; see there for the method.

    Examples
    --------
    A signal between its samples, and its slope there:

    >>> import scisim as ss
    >>> from scisim import autodiff as ad
    >>> t = 2 * ss.pi * ss.arange(8.0) / 8
    >>> modes = ss.fft.fft(ss.sin(t)) / 8
    >>> signal = lambda x: ss.real(ss.fft.nufft2(x, modes, isign=1, modeord=1, eps=1e-12))
    >>> ad.jvp(signal, (ss.asarray([0.3]),), (ss.asarray([1.0]),))
    (Tensor([0.29552021]), Tensor([0.95533649]))
    """
    points, f = numbers("nufft2", "f", f, coordinates("nufft2", "x", x))
    dims = len(points)
    if len(shape(f)) < dims:
        raise ShapeError(f"nufft2: f has shape {shape(f)}, and x has {dims} coordinates; f needs an axis for each")
    modes = mode_counts("nufft2", shape(f)[len(shape(f)) - dims :], dims)
    p = {"modes": modes, "eps": tolerance("nufft2", eps, dtype(points[0])), **settings("nufft2", isign, modeord)}
    (at,), rows, extra, own = arranged("nufft2", [points], f, dims)
    return restored(nufft2_p(at, rows, **p), extra, own, 1)


def nufft3(x: Any, c: Any, s: Any, *, isign: int = 1, eps: float = 1e-6) -> Any:
    """Non-uniform FFT of type 3, from points to frequencies anywhere: f[k] = sum over j of c[j] exp(i isign s[k] x[j]).

    Parameters
    ----------
    x : array_like, or tuple of array_like
        Points, of shape (..., m), float32 or float64. A tuple of such arrays holds the coordinates of points in two or
        three dimensions.
    c : array_like
        Strengths, of shape (..., m). Leading axes broadcast with those of points and frequencies; further ones are
        transforms between the same.
    s : array_like, or tuple of array_like
        Frequencies, of shape (..., q), any real numbers, with as many coordinates as the points.
    isign : {1, -1}
        The sign of the exponent.
    eps : float
        Relative error in the 2-norm: from 0.1 to 1e-12 (float32: 1e-5).

    Returns
    -------
    Tensor
        Complex, of shape (..., q).

    Raises
    ------
    DTypeError
        For points or frequencies that are not real floating-point numbers.
    ShapeError
        For numbers of points, strengths and coordinates that do not fit.
    ArgumentError
        For an eps out of range, points that are not finite, or both sets so wide that the grid between them is too
        large.

    Notes
    -----
    Time and memory grow with the number of points and with the product of the widths of x and s (in each dimension),
    which is the number of periods between them. Phases s x are products in the precision of the points, whose roundings
    add to the error.

    Examples
    --------
    The spectrum of samples at any times, at any frequencies:

    >>> import scisim as ss
    >>> t = ss.asarray([0.0, 0.7, 1.9])
    >>> f = ss.fft.nufft3(t, ss.asarray([1.0, 1.0, 1.0]), ss.asarray([0.0, 2.5]), isign=-1, eps=1e-10)
    >>> bool(ss.max(ss.abs(f - ss.asarray([3.0, ss.sum(ss.exp(-2.5j * t))]))) < 1e-9)
    True
    """
    points, to = coordinates("nufft3", "x", x), coordinates("nufft3", "s", s)
    if len(points) != len(to):
        raise ShapeError(f"nufft3: x has {len(points)} coordinates and s has {len(to)}; both need as many")
    if len({dtype(points[0]), dtype(to[0])}) > 1:
        points, to = [astype(v, DOUBLE) for v in points], [astype(v, DOUBLE) for v in to]
    points, c = numbers("nufft3", "c", c, points)
    to = [astype(v, dtype(points[0])) for v in to]
    same_points("nufft3", "c", c, points)
    least = 1e-12 if dtype(points[0]) == DOUBLE else 1e-5
    p = {"sign": settings("nufft3", isign, 0)["sign"], "eps": tolerance("nufft3", eps, dtype(points[0]), least)}
    (at, targets), rows, extra, own = arranged("nufft3", [points, to], c, 1)
    return restored(linear3_p(at, rows, targets, turned=False, **p), extra, own, 1)
