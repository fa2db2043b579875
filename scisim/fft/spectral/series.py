"""Chebyshev series on an interval: transforms, derivatives, integrals, values anywhere.

Formulas: L. N. Trefethen, *Approximation Theory and Approximation Practice*, SIAM 2013, chapters 2, 3, 5, 19;
J. C. Mason and D. C. Handscomb, *Chebyshev Polynomials*, CRC 2003, chapter 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.core.errors import DTypeError
from scisim.core.public import as_argument
from scisim.core.values import dtype, shape, zeros
from scisim.fft.spectral import _chebyshev as constants
from scisim.fft.spectral._arguments import axis_of, count_of, field, real_of
from scisim.fft.spectral._chebyshev import UNIT, interval_of, kind_of
from scisim.fft.spectral._constants import along, constant
from scisim.fft.trigonometric import dct
from scisim.ops.index import flip, slice_axis
from scisim.ops.reduce import cumulative_sum_p
from scisim.ops.reduce import sum as total
from scisim.ops.shape import astype, concat, moveaxis, reshape


def floating(name: str, x: Any, argument: str = "x") -> Any:
    """A field of floating-point numbers."""
    x = field(name, x, argument)
    kind = np.result_type(real_of(x), np.complex64) if dtype(x).kind == "c" else real_of(x)
    return astype(x, kind)


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
    x = floating("chebyshev", x)
    return coefficients(x, kind_of("chebyshev", kind), axis_of("chebyshev", shape(x), axis))


def coefficients(x: Any, kind: int, axis: int) -> Any:
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
    c = floating("inverse_chebyshev", c, "c")
    return values(c, kind_of("inverse_chebyshev", kind), axis_of("inverse_chebyshev", shape(c), axis))


def values(c: Any, kind: int, axis: int) -> Any:
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
    c = floating("chebyshev_derivative", c, "c")
    k = axis_of("chebyshev_derivative", shape(c), axis)
    a, b = interval_of("chebyshev_derivative", interval)
    for _ in range(count_of("chebyshev_derivative", "order", order, 0)):
        c = derived(c, k, 2.0 / (b - a))
    return c


def derived(c: Any, axis: int, scale: float) -> Any:
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
    c = floating("chebyshev_integral", c, "c")
    s, k = shape(c), axis_of("chebyshev_integral", shape(c), axis)
    a, b = interval_of("chebyshev_integral", interval)
    n, at, dt = s[k], k + len(s), constants.real_dtype(c)
    nothing = zeros((*s[:at], 2, *s[at + 1 :]), dtype(c))
    wide = concat([c * _doubled(n, k, dt), nothing], at)
    key = ("halves", n, k, b - a, dt.char)
    factor = constant(key, lambda: along((b - a) / (4.0 * np.arange(1.0, n + 1)), k).astype(dt))
    rest = (slice_axis(wide, at, 0, n) - slice_axis(wide, at, 2, n + 2)) * factor
    signs = constant(("minus", n, k, dt.char), lambda: along(1.0 - 2.0 * (np.arange(n) % 2), k).astype(dt))
    return concat([total(rest * signs, at, True), rest], at)


def _doubled(n: int, axis: int, dt: np.dtype) -> np.ndarray:
    """2 for the first coefficient, which counts half in recurrences, and 1 for the others."""
    return constant(("doubled", n, axis, dt.char), lambda: along(1.0 + (np.arange(n) == 0), axis).astype(dt))


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
    c, x = floating("chebyshev_evaluate", c, "c"), as_argument(x)
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
