"""Trigonometric interpolation of periodic fields: at other numbers of points, and anywhere.

Formulas: L. N. Trefethen, *Spectral Methods in MATLAB*, SIAM 2000, chapter 3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import DTypeError, ShapeError
from scisim.core.public import as_argument
from scisim.core.values import dtype, is_complex, shape
from scisim.fft.nonuniform import nufft2
from scisim.fft.spectral._arguments import (
    PERIOD,
    axes_of,
    count_of,
    each_axis,
    field,
    one_of,
    periods_of,
    real_of,
)
from scisim.fft.spectral._constants import constant, numbers
from scisim.fft.spectral.spectra import resampled, resized_axis
from scisim.fft.transforms import fftn, rfftn
from scisim.ops.complexes import real
from scisim.ops.elementary import cos, sin
from scisim.ops.index import index
from scisim.ops.products import einsum
from scisim.ops.shape import astype, moveaxis, reshape, several

_DIRECT = 1 << 13  # products of points and frequencies from which on fast transforms pay


def resample(x: Any, s: int | tuple[int, ...], /, axes: Any = None) -> Any:
    """The values of periodic functions at another number of equidistant points.

    Parameters
    ----------
    x : array_like
        Real or complex values at equidistant points.
    s : int or tuple of int
        Numbers of points along ``axes``, more or less than there are.
    axes : int or tuple of int, optional
        The last ``len(s)`` by default.

    Returns
    -------
    Tensor
        Real for real input.

    Raises
    ------
    ArgumentError
        For axes out of range, another number of lengths than of axes, or a length below 1.
    ShapeError
        For a scalar.

    Notes
    -----
    Finer values are those of the trigonometric polynomial through the points, in which the Nyquist frequency of an
    even number of points is a cosine. Coarser values are those of the polynomial less its higher frequencies, with no
    aliases of them.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.spectral.resample([1.0, -1.0], 4), 12)
    Tensor([ 1.,  0., -1.,  0.])
    """
    x = field("resample", x)
    items = several(s)
    to = tuple(count_of("resample", "s", n) for n in ((s,) if items is None else items))
    found = axes_of("resample", shape(x), tuple(range(-len(to), 0)) if axes is None else axes)
    ordered = sorted(zip(found, each_axis("resample", "s", to, len(found))))
    found, to = tuple(a for a, _ in ordered), tuple(n for _, n in ordered)
    return resampled(x, found, to, not is_complex(x))


def interpolate(x: Any, points: Any, /, axes: Any = -1, periods: Any = PERIOD, method: str = "auto") -> Any:
    """The trigonometric polynomial through equidistant points, anywhere.

    Parameters
    ----------
    x : array_like
        Real or complex values at the points ``j * period / n``, for j from 0 to n - 1, along each of ``axes``.
    points : array_like
        Real: of any shape for one axis (an integer); of shape (..., d) for a tuple of d axes.
    axes : int or tuple of int
    periods : float or tuple of float
        One for all axes, or one for each.
    method : {"auto", "direct", "nufft"}
        Sums of all frequencies at each point; a non-uniform transform of up to three dimensions, to about 1e-14
        (float32: 1e-6) in the 2-norm; or the latter for many points.

    Returns
    -------
    Tensor
        Of the shape of ``x`` less ``axes``, followed by that of ``points`` (less d). Real if ``x`` is.

    Raises
    ------
    ArgumentError
        For axes out of range or given twice, a period that is not positive, or an unknown method.
    DTypeError
        For points that are not real.
    ShapeError
        For a scalar ``x``, or points that do not have as many coordinates as there are axes.

    Notes
    -----
    The result differentiates with respect to the points, too. The Nyquist frequency of an even number of points is
    that of a cosine, as for `resample`. Rounding errors grow as eps n.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.arange(9) * (2 * ss.pi / 9)
    >>> y = ss.fft.spectral.interpolate(ss.sin(3 * x), [0.1, 0.2])
    >>> float(ss.max(abs(y - ss.sin(ss.asarray([0.3, 0.6]))))) < 1e-14
    True
    """
    x, points = field("interpolate", x), as_argument(points)
    if dtype(points).kind not in "iuf":
        raise DTypeError(f"interpolate: points have dtype {dtype(points)}; they are real numbers")
    found = axes_of("interpolate", shape(x), axes)
    lengths = periods_of("interpolate", periods, len(found))
    points, s = _coordinates(points, axes, len(found))
    points = points * np.asarray([2.0 * math.pi / p for p in lengths], real_of(points))
    x = moveaxis(x, found, tuple(range(-len(found), 0)))
    size = math.prod(shape(x)[-len(found) :]) * shape(points)[0]
    method = one_of("interpolate", "method", method, ("auto", "direct", "nufft"))
    fast = method == "nufft" or (method == "auto" and size >= _DIRECT and len(found) <= 3)
    y = (_fast if fast else _direct)(x, points)
    return reshape(y, (*shape(y)[:-1], *s))


def _coordinates(points: Any, axes: Any, d: int) -> tuple[Any, tuple[int, ...]]:
    """Points of shape (count, d), and the shape that they had."""
    s = shape(points)
    if several(axes) is not None or axes is None:
        if not s or s[-1] != d:
            raise ShapeError(f"interpolate: points have shape {s}; for {d} axes it must be (..., {d})")
        s = s[:-1]
    return reshape(points, (math.prod(s), d)), s


def _direct(x: Any, points: Any) -> Any:
    d, halved = shape(points)[-1], not is_complex(x)
    lengths = shape(x)[-d:]
    axes = tuple(range(-d, 0))
    y = (rfftn if halved else fftn)(x, None, axes, "forward")
    waves = [
        _waves(index(points, (slice(None), i)), n, halved and i == d - 1, real_of(x)) for i, n in enumerate(lengths)
    ]
    letters = "abcdefgh"[:d]
    y = einsum(f"...{letters},{','.join('p' + c for c in letters)}->...p", y, *waves)
    return real(y) if halved else y


def _waves(p: Any, n: int, half: bool, dt: np.dtype) -> Any:
    """exp(i k p) for each point and frequency; in half a spectrum twice that, but for those without a conjugate."""
    k = constant(("numbers", n, half, dt.char), lambda: numbers(n, half).astype(dt))
    even = constant(("even", n, half, dt.char), lambda: _weights(n, half, 1.0).astype(dt))
    odd = constant(("odd", n, half, dt.char), lambda: _weights(n, half, 0.0).astype(dt))
    angle = reshape(astype(p, np.result_type(dtype(p), dt)), (-1, 1)) * k
    return cos(angle) * even + (sin(angle) * odd) * 1j


def _weights(n: int, half: bool, nyquist: float) -> np.ndarray:
    """1, or 2 for elements of half a spectrum that stand for their conjugates too; another at the Nyquist frequency."""
    w = np.full(n // 2 + 1 if half else n, 2.0 if half else 1.0)
    w[0] = 1.0
    if n % 2 == 0:
        w[n // 2] = nyquist
    return w


def _fast(x: Any, points: Any) -> Any:
    d = shape(points)[-1]
    axes = tuple(range(-d, 0))
    y = fftn(x, None, axes, "forward")
    for a in axes:
        n = shape(x)[a]
        y = resized_axis(y, a, n, n + (n % 2 == 0), False)
    single = real_of(x) == np.float32
    at = astype(points, np.result_type(dtype(points), np.float32))
    z = nufft2(
        tuple(index(at, (slice(None), i)) for i in range(d)), y, isign=1, eps=1e-6 if single else 1e-14, modeord=1
    )
    return z if is_complex(x) else real(z)
