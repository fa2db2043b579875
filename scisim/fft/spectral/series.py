"""Chebyshev series on an interval: transforms, derivatives, integrals, values anywhere, collocation.

Formulas: L. N. Trefethen, *Approximation Theory and Approximation Practice*, SIAM 2013, chapters 2, 3, 5, 19;
J. C. Mason and D. C. Handscomb, *Chebyshev Polynomials*, CRC 2003, chapter 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import DTypeError
from scisim.core.public import as_argument
from scisim.core.values import as_dtype, dtype, shape, zeros
from scisim.fft.spectral import _chebyshev as constants
from scisim.fft.spectral._arguments import axis_of, count_of, field, real_of
from scisim.fft.spectral._chebyshev import interval_of, kind_of
from scisim.fft.spectral._constants import along, constant
from scisim.fft.trigonometric import dct
from scisim.ops.index import flip, slice_axis
from scisim.ops.products import tensordot
from scisim.ops.reduce import cumulative_sum_p
from scisim.ops.shape import astype, concat, moveaxis, reshape

UNIT = (-1.0, 1.0)


def _real(name: str, to: Any) -> np.dtype:
    dt = np.dtype(np.float64) if to is None else as_dtype(name, to)
    if dt not in (np.float32, np.float64):
        raise DTypeError(f"{name}: dtype must be float32 or float64, got {dt}")
    return dt


def _floating(name: str, x: Any, argument: str = "x") -> Any:
    """A field of floating-point numbers."""
    x = field(name, x, argument)
    kind = np.result_type(real_of(x), np.complex64) if dtype(x).kind == "c" else real_of(x)
    return astype(x, kind)


# --- constants -----------------------------------------------------------------------------------------------
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


# --- transforms ----------------------------------------------------------------------------------------------
def chebyshev(x: Any, /, kind: int = 2, axis: int = -1) -> Any:
    """Coefficients of the polynomial through values at Chebyshev points.

    Parameters
    ----------
    x : array_like
        Real or complex values at the points of `chebyshev_points`.
    kind : {1, 2}
        Of the points.
    axis : int

    Returns
    -------
    Tensor
        Of the shape of ``x``: the polynomial is the sum of c[k] T_k.

    Raises
    ------
    ArgumentError
        For another kind, or an axis out of range or without points.
    ShapeError
        For a scalar.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.fft.spectral.chebyshev_points(4)
    >>> abs(ss.around(ss.fft.spectral.chebyshev(2 * x**2), 12))
    Tensor([1., 0., 1., 0.])
    """
    x = _floating("chebyshev", x)
    return _coefficients(x, kind_of("chebyshev", kind), axis_of("chebyshev", shape(x), axis))


def _coefficients(x: Any, kind: int, axis: int) -> Any:
    n = shape(x)[axis]
    if n == 1:
        return x
    return dct(x, 2 if kind == 1 else 1, None, axis) * _along(constants.signs, n, kind, False, x, axis)


def inverse_chebyshev(c: Any, /, kind: int = 2, axis: int = -1) -> Any:
    """Values of a Chebyshev series at as many Chebyshev points as it has coefficients; inverts `chebyshev`.

    Parameters
    ----------
    c : array_like
        Real or complex coefficients.
    kind : {1, 2}
        Of the points.
    axis : int

    Returns
    -------
    Tensor
        Of the shape of ``c``.

    Raises
    ------
    ArgumentError
        For another kind, or an axis out of range or without elements.
    ShapeError
        For a scalar.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.around(ss.fft.spectral.inverse_chebyshev([1.0, 1.0, 0.0]), 12)
    Tensor([0., 1., 2.])
    """
    c = _floating("inverse_chebyshev", c, "c")
    return _values(c, kind_of("inverse_chebyshev", kind), axis_of("inverse_chebyshev", shape(c), axis))


def _values(c: Any, kind: int, axis: int) -> Any:
    n = shape(c)[axis]
    if n == 1:
        return c
    return dct(c * _along(constants.signs, n, kind, True, c, axis), 3 if kind == 1 else 1, None, axis)


def _along(make: Any, n: int, kind: int, inverse: bool, x: Any, axis: int) -> Any:
    return along(make(n, kind, inverse, constants.real_dtype(x)), axis)


# --- derivatives and integrals -------------------------------------------------------------------------------
def chebyshev_derivative(c: Any, /, order: int = 1, axis: int = -1, interval: Any = UNIT) -> Any:
    """Coefficients of the derivative of a Chebyshev series.

    Parameters
    ----------
    c : array_like
        Real or complex coefficients.
    order : int
        Of the derivative, from 0 on.
    axis : int
    interval : pair of float
        On which the series is one.

    Returns
    -------
    Tensor
        Of the shape of ``c``, so that its last ``order`` coefficients are 0.

    Raises
    ------
    ArgumentError
        For a negative order, an axis out of range or without elements, or an interval that does not go up.
    ShapeError
        For a scalar.

    Notes
    -----
    The recurrence d[k-1] = d[k+1] + 2 k c[k] is summed from the highest coefficient down.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.spectral.chebyshev_derivative([0.0, 0.0, 0.0, 1.0])
    Tensor([3., 0., 6., 0.])
    """
    c = _floating("chebyshev_derivative", c, "c")
    k = axis_of("chebyshev_derivative", shape(c), axis)
    a, b = interval_of("chebyshev_derivative", interval)
    for _ in range(count_of("chebyshev_derivative", "order", order, 0)):
        c = _derived(c, k, 2.0 / (b - a))
    return c


def _derived(c: Any, axis: int, scale: float) -> Any:
    """d[k] = sum of 2 p c[p] over p = k + 1, k + 3, ...; half of that for k = 0."""
    s, dt = shape(c), constants.real_dtype(c)
    n, at = s[axis], axis + len(s)
    if n == 1:
        return c * 0.0
    key = ("twice", n, axis, scale, dt.char)
    c = c * constant(key, lambda: along(np.arange(n) * (2.0 * scale), axis).astype(dt))
    c = flip(c, at)
    if n % 2:
        c = concat([c, zeros((*s[:at], 1, *s[at + 1 :]), dtype(c))], at)
    pairs = cumulative_sum_p(reshape(c, (*s[:at], (n + 1) // 2, 2, *s[at + 1 :])), axis=at)
    sums = slice_axis(reshape(pairs, (*s[:at], n + n % 2, *s[at + 1 :])), at, 0, n - 1)
    first = slice_axis(sums, at, n - 2, n - 1) * 0.5
    parts = [first, flip(slice_axis(sums, at, 0, n - 2), at)] if n > 2 else [first]
    return concat([*parts, zeros((*s[:at], 1, *s[at + 1 :]), dtype(c))], at)


def chebyshev_integral(c: Any, /, axis: int = -1, interval: Any = UNIT) -> Any:
    """Coefficients of the integral of a Chebyshev series from the lower end of its interval.

    Parameters
    ----------
    c : array_like
        Real or complex coefficients.
    axis : int
    interval : pair of float
        On which the series is one.

    Returns
    -------
    Tensor
        With one coefficient more than ``c``.

    Raises
    ------
    ArgumentError
        For an axis out of range or without elements, or an interval that does not go up.
    ShapeError
        For a scalar.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.spectral.chebyshev_integral([1.0])
    Tensor([1., 1.])
    """
    c = _floating("chebyshev_integral", c, "c")
    s, k = shape(c), axis_of("chebyshev_integral", shape(c), axis)
    a, b = interval_of("chebyshev_integral", interval)
    n, at, dt = s[k], k + len(s), constants.real_dtype(c)
    nothing = zeros((*s[:at], 2, *s[at + 1 :]), dtype(c))
    wide = concat([c * _doubled(n, k, dt), nothing], at)
    key = ("halves", n, k, b - a, dt.char)
    factor = constant(key, lambda: along((b - a) / (4.0 * np.arange(1.0, n + 1)), k).astype(dt))
    rest = (slice_axis(wide, at, 0, n) - slice_axis(wide, at, 2, n + 2)) * factor
    signs = constant(("minus", n, k, dt.char), lambda: along(1.0 - 2.0 * (np.arange(n) % 2), k).astype(dt))
    return concat([tensor_sum(rest * signs, at), rest], at)


def _doubled(n: int, axis: int, dt: np.dtype) -> np.ndarray:
    """2 for the first coefficient, which counts half in recurrences, and 1 for the others."""
    return constant(("doubled", n, axis, dt.char), lambda: along(1.0 + (np.arange(n) == 0), axis).astype(dt))


def tensor_sum(x: Any, axis: int) -> Any:
    """The sum over an axis, which stays with length 1."""
    from scisim.ops.reduce import sum

    return sum(x, axis, True)


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
    x = _floating("chebyshev_differentiate", x)
    kind, k = kind_of("chebyshev_differentiate", kind), axis_of("chebyshev_differentiate", shape(x), axis)
    a, b = interval_of("chebyshev_differentiate", interval)
    times = count_of("chebyshev_differentiate", "order", order, 0)
    if not times:
        return x
    c = _coefficients(x, kind, k)
    for _ in range(times):
        c = _derived(c, k, 2.0 / (b - a))
    return _values(c, kind, k)


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
    x = _floating("chebyshev_integrate", x)
    k, ends = axis_of("chebyshev_integrate", shape(x), axis), interval_of("chebyshev_integrate", interval)
    w = constants.weights(shape(x)[k], kind_of("chebyshev_integrate", kind), ends, constants.real_dtype(x))
    return tensordot(x, w, ((k + len(shape(x)),), (0,)))


# --- values anywhere -----------------------------------------------------------------------------------------
def chebyshev_evaluate(c: Any, x: Any, /, axis: int = -1, interval: Any = UNIT) -> Any:
    """Values of Chebyshev series at any points, by Clenshaw's recurrence.

    Parameters
    ----------
    c : array_like
        Real or complex coefficients.
    x : array_like
        Points of any shape, real or complex; outside of the interval values grow as those of any polynomial.
    axis : int
        Of ``c``.
    interval : pair of float
        On which the series is one.

    Returns
    -------
    Tensor
        Of the shape of ``c`` less ``axis``, followed by that of ``x``.

    Raises
    ------
    ArgumentError
        For an axis out of range or without elements, or an interval that does not go up.
    ShapeError
        For a scalar ``c``.

    Notes
    -----
    C. W. Clenshaw, "A note on the summation of Chebyshev series", Math. Comp. 9 (1955) 118. The error is within
    eps n times the sum of the coefficients' magnitudes inside of the interval, and n times that close to its ends.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.fft.spectral.chebyshev_evaluate([0.0, 0.0, 1.0], [0.0, 0.5, 1.0])
    Tensor([-1. , -0.5,  1. ])
    """
    c, x = _floating("chebyshev_evaluate", c, "c"), as_argument(x)
    if dtype(x).kind not in "biufc":
        raise DTypeError(f"chebyshev_evaluate: x has dtype {dtype(x)}; convert it with astype to float64")
    k = axis_of("chebyshev_evaluate", shape(c), axis)
    a, b = interval_of("chebyshev_evaluate", interval)
    c = moveaxis(c, k, 0)
    c = reshape(c, (*shape(c), *(1,) * len(shape(x))))
    x = x if dtype(x).kind in "fc" else astype(x, np.float64)
    return _clenshaw(c, ((x - a) - (b - x)) / (b - a))


def _clenshaw(c: Any, t: Any) -> Any:
    """The sum of c[k] T_k(t) over the first axis of c."""
    n = shape(c)[0]
    rows = [reshape(slice_axis(c, 0, i, i + 1), shape(c)[1:]) for i in range(n)]
    if n == 1:
        return rows[0] + t * 0.0
    twice = t + t
    above, at = rows[-1] * 0.0, rows[-1]
    for row in rows[-2:0:-1]:
        above, at = at, row + (twice * at - above)
    return rows[0] + (t * at - above)
