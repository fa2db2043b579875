"""Non-uniform discrete Fourier transforms: sums of waves between points anywhere and modes.

Of up to three dimensions, to a tolerance; with derivatives of every order with respect to strengths or modes, and to
points.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.avals import broadcast_shapes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import Traced, dtype, shape
from scisim.fft._nonuniform import nufft1_p, nufft2_p
from scisim.fft._nonuniform_third import linear3_p
from scisim.ops.shape import as_integer, astype, broadcast, concat, permute, reshape, several

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_LEAST = {_SINGLE: 1e-6, _DOUBLE: 1e-14}  # what sums of a dtype reach


# --- arguments -------------------------------------------------------------------------------------------------------
def _is_sequence_of_points(x: Any) -> bool:
    """Whether coordinates are given one by one, and not the numbers of one."""
    return isinstance(x, (tuple, list)) and any(np.ndim(v) if not isinstance(v, Traced) else v.ndim for v in x)


def _coordinates(name: str, argument: str, x: Any) -> list:
    """The coordinates of points, each of shape (..., m) and of one dtype."""
    xs = list(map(as_argument, x)) if _is_sequence_of_points(x) else [as_argument(x)]
    if not 1 <= len(xs) <= 3:
        raise ArgumentError(f"{name}: {argument} has {len(xs)} coordinates; transforms have 1, 2 or 3 dimensions")
    for v in xs:
        if dtype(v) not in _LEAST:
            raise DTypeError(
                f"{name}: {argument} has dtype {dtype(v)}; points are real, of dtype float32 or float64: convert them "
                f"with astype"
            )
    if len({shape(v) for v in xs}) > 1 or not shape(xs[0]):
        raise ShapeError(
            f"{name}: coordinates of shape {' and '.join(str(shape(v)) for v in xs)}; {argument} is an array of shape "
            f"(..., m), or a tuple of such arrays of one shape, one for each dimension"
        )
    kind = _DOUBLE if _DOUBLE in map(dtype, xs) else _SINGLE
    return [astype(v, kind) for v in xs]


def _numbers(name: str, argument: str, v: Any, points: list) -> tuple[list, Any]:
    """Points and the other operand in one precision, the latter complex."""
    v = as_argument(v)
    if dtype(v).kind not in "biufc":
        raise DTypeError(f"{name}: {argument} has dtype {dtype(v)}; convert it with astype to complex128 or complex64")
    double = _DOUBLE in (dtype(points[0]), _real_of(dtype(v)))
    real = _DOUBLE if double else _SINGLE
    return [astype(x, real) for x in points], astype(v, np.result_type(real, np.complex64))


def _real_of(dt: np.dtype) -> np.dtype:
    """The precision that a dtype asks for; integers ask for none."""
    return np.zeros((), dt).real.dtype if dt.kind in "fc" else _SINGLE


def _tolerance(name: str, eps: Any, real: np.dtype, least: float = 0.0) -> float:
    if isinstance(eps, bool) or not isinstance(eps, (int, float, np.floating, np.integer)):
        raise ArgumentTypeError(f"{name}: eps must be a number, such as 1e-6, got {eps!r:.60}")
    least = max(least, _LEAST[real])
    if not eps >= least:
        way = "; convert points and numbers to float64 and complex128 for less" if real == _SINGLE else ""
        raise ArgumentError(f"{name}: eps is {eps!r}; {real} reaches {least:g}{way}")
    if eps >= 1:
        raise ArgumentError(f"{name}: eps is {eps!r}; a relative error is less than 1")
    return float(eps)


def _settings(name: str, isign: Any, modeord: Any) -> dict:
    if as_integer(name, "isign", isign) == 0:
        raise ArgumentError(f"{name}: isign is 0; give 1 for exp(+i k x) or -1 for exp(-i k x)")
    if as_integer(name, "modeord", modeord) not in (0, 1):
        raise ArgumentError(f"{name}: modeord is {modeord!r}; give 0 for ascending modes or 1 for the order of fft")
    return {"sign": 1 if isign > 0 else -1, "centred": modeord == 0}


def _modes(name: str, n_modes: Any, dims: int) -> tuple[int, ...]:
    items = several(n_modes)
    modes = tuple(as_integer(name, "n_modes", n) for n in ((n_modes,) if items is None else items))
    if len(modes) != dims:
        raise ShapeError(
            f"{name}: n_modes={n_modes!r} has {len(modes)} numbers of modes, and x has {dims} coordinates; give one "
            f"for each. Points in several dimensions are a tuple of coordinates, such as (x, y)"
        )
    if min(modes) < 1:
        raise ArgumentError(f"{name}: n_modes={n_modes!r}; there must be at least 1 mode along each dimension")
    return modes


def _arranged(name: str, points: list[list], v: Any, core: int) -> tuple[list, Any, tuple, tuple]:
    """Operands of a primitive, sets of points (*own, d, m) and the others (*own, b, *core), and their leading axes.

    Those of the points are ``own``; further ones of the other operand, ``extra``, are rows at the same points.
    """
    lead, rest = shape(v)[: len(shape(v)) - core], shape(v)[len(shape(v)) - core :]
    of_points = broadcast_shapes(name, *(shape(xs[0])[:-1] for xs in points))
    at = max(len(lead) - len(of_points), 0)
    extra, own = lead[:at], broadcast_shapes(name, lead[at:], of_points)
    v = broadcast(v, (*extra, *own, *rest))
    order = (*range(at, at + len(own)), *range(at), *range(at + len(own), at + len(own) + core))
    v = reshape(permute(v, order), (*own, math.prod(extra), *rest))
    return [_joined(xs, own) for xs in points], v, extra, own


def _joined(xs: list, own: tuple) -> Any:
    """Coordinates as one array (*own, d, m)."""
    m = shape(xs[0])[-1]
    return concat([reshape(broadcast(x, (*own, m)), (*own, 1, m)) for x in xs], len(own))


def _restored(y: Any, extra: tuple, own: tuple, core: int) -> Any:
    """The result of a primitive with the leading axes of its operand."""
    tail = shape(y)[len(shape(y)) - core :]
    y = reshape(y, (*own, *extra, *tail))
    a, b = len(own), len(extra)
    return permute(y, (*range(a, a + b), *range(a), *range(a + b, a + b + core)))


# --- transforms ------------------------------------------------------------------------------------------------------
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
    points, c = _numbers("nufft1", "c", c, _coordinates("nufft1", "x", x))
    _same_points("nufft1", "c", c, points)
    modes = _modes("nufft1", n_modes, len(points))
    p = {"modes": modes, "eps": _tolerance("nufft1", eps, dtype(points[0])), **_settings("nufft1", isign, modeord)}
    (at,), rows, extra, own = _arranged("nufft1", [points], c, 1)
    return _restored(nufft1_p(at, rows, **p), extra, own, len(modes))


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
    points, f = _numbers("nufft2", "f", f, _coordinates("nufft2", "x", x))
    dims = len(points)
    if len(shape(f)) < dims:
        raise ShapeError(f"nufft2: f has shape {shape(f)}, and x has {dims} coordinates; f needs an axis for each")
    modes = _modes("nufft2", shape(f)[len(shape(f)) - dims :], dims)
    p = {"modes": modes, "eps": _tolerance("nufft2", eps, dtype(points[0])), **_settings("nufft2", isign, modeord)}
    (at,), rows, extra, own = _arranged("nufft2", [points], f, dims)
    return _restored(nufft2_p(at, rows, **p), extra, own, 1)


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
    points, to = _coordinates("nufft3", "x", x), _coordinates("nufft3", "s", s)
    if len(points) != len(to):
        raise ShapeError(f"nufft3: x has {len(points)} coordinates and s has {len(to)}; both need as many")
    if len({dtype(points[0]), dtype(to[0])}) > 1:
        points, to = [astype(v, _DOUBLE) for v in points], [astype(v, _DOUBLE) for v in to]
    points, c = _numbers("nufft3", "c", c, points)
    to = [astype(v, dtype(points[0])) for v in to]
    _same_points("nufft3", "c", c, points)
    least = 1e-12 if dtype(points[0]) == _DOUBLE else 1e-5
    p = {"sign": _settings("nufft3", isign, 0)["sign"], "eps": _tolerance("nufft3", eps, dtype(points[0]), least)}
    (at, targets), rows, extra, own = _arranged("nufft3", [points, to], c, 1)
    return _restored(linear3_p(at, rows, targets, turned=False, **p), extra, own, 1)


def _same_points(name: str, argument: str, c: Any, points: list) -> None:
    m = shape(points[0])[-1]
    if not shape(c) or shape(c)[-1] != m:
        raise ShapeError(
            f"{name}: {argument} has shape {shape(c)}, and there are {m} points; the last axis of {argument} has a "
            f"number for each point"
        )
