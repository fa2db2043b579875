"""Collocation at Chebyshev points: points, quadrature, differentiation of values by matrices and by transforms.

Formulas: L. N. Trefethen, *Spectral Methods in MATLAB*, SIAM 2000, chapters 6, 8, 12; *Approximation Theory and
Approximation Practice*, SIAM 2013, chapters 2, 19.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import DTypeError
from scisim.core.values import as_dtype, shape
from scisim.fft.spectral import _chebyshev as constants
from scisim.fft.spectral._arguments import axis_of, count_of
from scisim.fft.spectral._chebyshev import UNIT, interval_of, kind_of
from scisim.fft.spectral.series import coefficients, derived, floating, values
from scisim.ops.products import tensordot


def _real(name: str, to: Any) -> np.dtype:
    dt = np.dtype(np.float64) if to is None else as_dtype(name, to)
    if dt not in (np.float32, np.float64):
        raise DTypeError(f"{name}: dtype must be float32 or float64, got {dt}")
    return dt


def chebyshev_points(n: int, /, kind: int = 2, interval: Any = UNIT, dtype: Any = None) -> Any:
    """Chebyshev points of an interval, ascending.

    Parameters
    ----------
    n : int
        At least 1.
    kind : {1, 2}
        Zeros of T_n, within the interval; or the extrema of T_{n-1}, with both ends (for n = 1 the midpoint).
    interval : pair of float
    dtype : dtype, optional
        Real; float64 by default.

    Returns
    -------
    Tensor
        Of shape (n,).

    Raises
    ------
    ArgumentError
        For less than one point, another kind, or an interval that does not go up.
    DTypeError
        For a dtype that is not float32 or float64.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.spectral.chebyshev_points(3, interval=(0.0, 1.0))
    Tensor([0. , 0.5, 1. ])
    """
    n, kind = count_of("chebyshev_points", "n", n), kind_of("chebyshev_points", kind)
    ends = interval_of("chebyshev_points", interval)
    return constants.points(n, kind, ends, _real("chebyshev_points", dtype))


def chebyshev_weights(n: int, /, kind: int = 2, interval: Any = UNIT, dtype: Any = None) -> Any:
    """Weights of quadrature at Chebyshev points: those of Clenshaw and Curtis (kind 2), or of Fejer's first rule (1).

    Parameters
    ----------
    n : int
        At least 1.
    kind : {1, 2}
        Of the points, as for `chebyshev_points`.
    interval : pair of float
    dtype : dtype, optional
        Real; float64 by default.

    Returns
    -------
    Tensor
        Of shape (n,); positive. The rule is exact for polynomials of degree up to n - 1.

    Raises
    ------
    ArgumentError
        For less than one point, another kind, or an interval that does not go up.
    DTypeError
        For a dtype that is not float32 or float64.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.spectral.chebyshev_weights(3) * 3, 12)
    Tensor([1., 4., 1.])
    """
    n, kind = count_of("chebyshev_weights", "n", n), kind_of("chebyshev_weights", kind)
    ends = interval_of("chebyshev_weights", interval)
    return constants.weights(n, kind, ends, _real("chebyshev_weights", dtype))


def chebyshev_matrix(n: int, /, order: int = 1, kind: int = 2, interval: Any = UNIT, dtype: Any = None) -> Any:
    """Matrix that maps values at Chebyshev points to those of a derivative.

    Parameters
    ----------
    n : int
        Number of points, at least 1.
    order : int
        Of the derivative, from 0 on.
    kind : {1, 2}
        Of the points, as for `chebyshev_points`.
    interval : pair of float
    dtype : dtype, optional
        Real; float64 by default.

    Returns
    -------
    Tensor
        Of shape (n, n).

    Raises
    ------
    ArgumentError
        For less than one point, a negative order, another kind, or an interval that does not go up.
    DTypeError
        For a dtype that is not float32 or float64.

    Notes
    -----
    Differences of points are computed as products of sines, and each diagonal is minus the sum of the rest of its row
    [1]_, so that constants have derivative 0 to rounding.

    References
    ----------
    .. [1] R. Baltensperger and M. R. Trummer, "Spectral differencing with a twist", SIAM J. Sci. Comput. 24 (2003)
       1465.

    Examples
    --------
    The boundary value problem u'' = exp(4 x), u(-1) = u(1) = 0 by collocation:

    >>> import scisim as ss
    >>> from scisim.fft import spectral
    >>> x = spectral.chebyshev_points(20)
    >>> inner = spectral.chebyshev_matrix(20, 2)[1:-1, 1:-1]
    >>> u = ss.linalg.solve(inner, ss.exp(4 * x[1:-1]))
    >>> exact = (ss.exp(4 * x) - ss.sinh(4.0) * x - ss.cosh(4.0)) / 16
    >>> float(ss.max(abs(u - exact[1:-1]))) < 1e-12
    True
    """
    n, kind = count_of("chebyshev_matrix", "n", n), kind_of("chebyshev_matrix", kind)
    order = count_of("chebyshev_matrix", "order", order, 0)
    ends = interval_of("chebyshev_matrix", interval)
    return constants.matrix(n, order, kind, ends, _real("chebyshev_matrix", dtype))


def chebyshev_differentiate(x: Any, /, order: int = 1, kind: int = 2, axis: int = -1, interval: Any = UNIT) -> Any:
    """Values of the derivative of the polynomial through values at Chebyshev points, by fast transforms.

    Parameters
    ----------
    x : array_like
        Real or complex values at the points of `chebyshev_points`.
    order : int
        Of the derivative, from 0 on.
    kind : {1, 2}
        Of the points.
    axis : int
    interval : pair of float

    Returns
    -------
    Tensor
        Of the shape of ``x``.

    Raises
    ------
    ArgumentError
        For a negative order, another kind, an axis out of range or without points, or an interval that does not go up.
    ShapeError
        For a scalar.

    Notes
    -----
    The error for analytic functions falls geometrically with the number n of points, down to rounding, which grows as
    eps n^(2 order) at the ends of the interval: about 1e-13 for the first derivative at n = 20, and 1e-10 at n = 1000.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.fft.spectral.chebyshev_points(20)
    >>> float(ss.max(abs(ss.fft.spectral.chebyshev_differentiate(ss.exp(x)) - ss.exp(x)))) < 1e-12
    True
    """
    x = floating("chebyshev_differentiate", x)
    kind, k = kind_of("chebyshev_differentiate", kind), axis_of("chebyshev_differentiate", shape(x), axis)
    a, b = interval_of("chebyshev_differentiate", interval)
    times = count_of("chebyshev_differentiate", "order", order, 0)
    if not times:
        return x
    c = coefficients(x, kind, k)
    for _ in range(times):
        c = derived(c, k, 2.0 / (b - a))
    return values(c, kind, k)


def chebyshev_integrate(x: Any, /, kind: int = 2, axis: int = -1, interval: Any = UNIT) -> Any:
    """Integral over an interval from values at its Chebyshev points, by the rule of Clenshaw and Curtis, or Fejer's.

    Parameters
    ----------
    x : array_like
        Real or complex values at the points of `chebyshev_points`.
    kind : {1, 2}
        Of the points.
    axis : int
    interval : pair of float

    Returns
    -------
    Tensor
        Of the shape of ``x`` less ``axis``.

    Raises
    ------
    ArgumentError
        For another kind, an axis out of range or without points, or an interval that does not go up.
    ShapeError
        For a scalar.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.fft.spectral.chebyshev_points(12, interval=(0.0, ss.pi))
    >>> ss.around(ss.fft.spectral.chebyshev_integrate(ss.sin(x), interval=(0.0, ss.pi)), 10)
    Tensor(2.)
    """
    x = floating("chebyshev_integrate", x)
    k, ends = axis_of("chebyshev_integrate", shape(x), axis), interval_of("chebyshev_integrate", interval)
    w = constants.weights(shape(x)[k], kind_of("chebyshev_integrate", kind), ends, constants.real_dtype(x))
    return tensordot(x, w, ((k + len(shape(x)),), (0,)))
