"""Values of functions of complex numbers where NumPy's lose digits, overflow on the way or forget the side of a cut.

Each takes NumPy's way while no floating-point flag is raised, or while the result is finite, and mends the elements
that need it: ordinary numbers cost what they cost in NumPy.  Values at infinities are those of Annex G of the C
standard (ISO/IEC 9899:2018); of the product it is left to the textbook's formula, as everywhere in numerical libraries.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.ops.complex_parts import FAIR, all_finite, joined, mended, quietly, scaled, times_real
from scisim.ops.complex_quotients import divide

_LN2 = math.log(2.0)


# --- exponentials and logarithms ------------------------------------------------------------------------------------
def expm1(z: Any) -> Any:
    y = np.expm1(z)
    if np.ndim(y):
        y.real += 0.0  # of a zero the Array API standard has 0, not -0
    else:
        y = joined(y.real + 0.0, y.imag)
    return y if all_finite(y) else mended(y, ~np.isfinite(y), _expm1_at_ends, z)


def tanh(z: Any) -> Any:
    """NumPy's; at infinity the imaginary part has the sign of that of z, as the Array API standard wants it."""
    y, far = np.tanh(z), np.isinf(np.real(z))
    return mended(y, far & np.isfinite(z.imag), _tanh_at_infinity, z) if far.any() else y


def _tanh_at_infinity(z: Any) -> Any:
    return joined(np.copysign(1.0, z.real), np.copysign(0.0, z.imag))


def tan(z: Any) -> Any:
    """NumPy's; at infinity as -i tanh(iz)."""
    y, far = np.tan(z), np.isinf(np.imag(z))
    return mended(y, far & np.isfinite(z.real), _tan_at_infinity, z) if far.any() else y


def _tan_at_infinity(z: Any) -> Any:
    return joined(np.copysign(0.0, z.real), np.copysign(1.0, z.imag))


def _expm1_at_ends(z: Any) -> Any:
    """exp(z) - 1 where exp(z) is 0 or beyond the range."""
    e = np.exp(z)
    return joined(np.where(z.real == -np.inf, -1.0, e.real), np.where(z.imag == 0, z.imag, e.imag))


@quietly
def exp2(z: Any) -> Any:
    """2**z, by a power of 2 and the angle imag(z) log 2."""
    size, angle = np.exp2(np.real(z)), np.imag(z) * _LN2
    y = joined(size * np.cos(angle), size * np.sin(angle))
    return y if all_finite(y) else mended(y, ~np.isfinite(y), _exp2_at_ends, z)


def _exp2_at_ends(z: Any) -> Any:
    half = np.exp2(z.real / 2)
    whole = np.exp(joined(np.where(np.isfinite(z.real), 0.0, z.real), z.imag * _LN2))
    finite = np.isfinite(z.real)
    re, im = (
        np.where(finite, half * whole.real * half, whole.real),
        np.where(finite, half * whole.imag * half, whole.imag),
    )
    return joined(re, np.where(z.imag == 0, z.imag, im))


@quietly
def log1p(z: Any) -> Any:
    """log(1 + z): half the log1p of abs(1 + z)**2 - 1 = x (x + 2) + y*y, where that is far from -1 and finite."""
    z = np.asarray(z)
    x, y = z.real, z.imag
    right, square = x + 1.0, y * y
    excess = x * (x + 2.0) + square
    if not excess.all():
        excess = np.where((excess == 0) & (y == 0), x, excess)  # with the sign of a zero
    twice, close = np.log1p(excess), excess < -0.75
    lost = False
    if close.any():
        square = right * right + square
        lost = close & (square < 1e-30)
        twice = np.where(close, np.log(np.where(close, square, 1.0)), twice)
    out = joined(0.5 * twice, np.arctan2(y, right))
    return mended(out, ~np.isfinite(out) | lost, _log_of_sum, z) if np.any(lost) or not all_finite(out) else out


def _log_of_sum(z: Any) -> Any:
    return np.log(joined(z.real + 1.0, z.imag))  # a sum with 1 would forget the sign of a zero


# --- powers and roots -----------------------------------------------------------------------------------------------
def power(z: Any, w: Any) -> Any:
    """z**w; 1 where w is 0.  At zeros and infinities of z and w exp(w log z), with zeros that win over infinity."""
    y = np.power(z, w)
    return mended(y, ~np.isfinite(y), _power_at_ends, z, w) if y.dtype.kind == "c" and not all_finite(y) else y


def _power_at_ends(z: Any, w: Any) -> Any:
    u, v = np.real(w), np.imag(w)
    whole = (v == 0) & (np.abs(u) < 100) & (u == np.rint(u)) & np.isfinite(z)
    y = np.where(whole, _integer_power(np.where(whole, z, 1.0), np.where(whole, u, 1.0)), _general_power(z, u, v))
    pole = (z == 0) & ~(u > 0)
    y = np.where(pole, joined(np.where((u < 0) & (v == 0), np.inf, np.nan), np.nan + 0.0 * v), y)
    return np.where((z == 0) & (u > 0), 0.0, np.where((u == 0) & (v == 0), 1.0, y))


def _integer_power(z: Any, n: Any) -> Any:
    s, k = scaled(z)
    y = np.power(s, n)
    return joined(*(np.ldexp(part, (k * n).astype(int)) for part in (y.real, y.imag)))


def _general_power(z: Any, u: Any, v: Any) -> Any:
    base = np.log(z.astype(np.complex128))
    exponent = joined(_product(u, base.real) - _product(v, base.imag), _product(v, base.real) + _product(u, base.imag))
    return np.exp(exponent)


def _product(a: Any, b: Any) -> Any:
    return np.where((a == 0) | (b == 0), 0.0, a * b)


@quietly
def cbrt(z: Any) -> Any:
    """The principal root, abs(z)**(1/3) with a third of the angle."""
    size, angle = np.abs(z), np.arctan2(np.imag(z), np.real(z)) / 3.0
    low, high = FAIR[size.dtype]
    root = np.cbrt(size)
    y = joined(root * np.cos(angle), root * np.sin(angle))
    fair = (size > low) & (size <= high)
    return y if fair.all() else mended(y, ~fair, _cbrt_at_ends, z)


def _cbrt_at_ends(z: Any) -> Any:
    """Scaled by a power of 8; zeros keep their sign, and an infinite number gives the limit along its direction."""
    tiny = np.maximum(np.abs(z.real), np.abs(z.imag)) < 1.0
    scaled = times_real(z, np.where(tiny, 2.0**300, 2.0**-3))
    angle = np.arctan2(z.imag, z.real) / 3.0
    root = np.cbrt(np.abs(scaled)) * np.where(tiny, 2.0**-100, 2.0)
    im = np.where(angle == 0, angle, root * np.sin(angle))
    return joined(np.where(np.isnan(angle), root, root * np.cos(angle)), im)


# --- sigmoid, sinc --------------------------------------------------------------------------------------------------
@quietly
def sigmoid(z: Any) -> Any:
    """1 / (1 + exp(-z)), by e = exp(-abs(x)) and sums of positive numbers.

    abs(1 + e cis(y))**2 = (1 - e)**2 + 4 e cos(y/2)**2.
    """
    x, y = np.real(z), np.imag(z)
    size = np.abs(x)
    e, less, half = np.exp(-size), np.expm1(-size), np.cos(0.5 * y)
    close = 2.0 * half * half
    below = less * less + 2.0 * e * close
    re = np.where(x >= 0, e * close - less, e * (less + close)) / below
    out = joined(re, e * np.sin(y) / below)
    return out if all_finite(out) else mended(out, ~np.isfinite(out), _sigmoid_at_ends, z)


def _sigmoid_at_ends(z: Any) -> Any:
    y = 1.0 / (1.0 + np.exp(-z))
    far = np.abs(z.real) == np.inf
    turn = np.where(np.isfinite(z.imag), np.sin(z.imag), z.imag)
    return np.where(far, joined(np.where(z.real > 0, 1.0, 0.0), np.copysign(0.0, turn)), y)


@quietly
def sinc(z: Any) -> Any:
    """sin(pi z) / (pi z), with multiples of pi taken off before the product."""
    z = np.asarray(z)
    x, w = z.real, z.imag * np.pi
    n = np.rint(x)
    re, im = _sine(x - n, n, np.sinh(w), np.cosh(w))
    below = joined(x * np.pi, w)
    if not below.all():
        below = np.where(below == 0, 1e-300, below)
    y = np.divide(joined(re, im), below)
    size = np.abs(w)
    y = mended(y, size > (300.0 if y.dtype.itemsize == 16 else 40.0), _far_sinc, z)
    near = np.maximum(np.abs(x), size) < 1e-30
    return np.where(near, 1.0, y).astype(y.dtype)[()] if near.any() else y


def _sine(r: Any, n: Any, sinh: Any, cosh: Any) -> tuple[Any, Any]:
    """The parts of sin(pi (n + r) + i w) from the hyperbolic functions of w, for abs(r) of at most 1/2."""
    odd = 1.0 - 2.0 * (n % 2.0)
    return odd * np.sin(np.pi * r) * cosh, odd * np.sin(np.pi * (0.5 - np.abs(r))) * sinh


def _far_sinc(z: Any) -> Any:
    """With the exponential at the end, so that it overflows only with the quotient."""
    n, w = np.rint(z.real), np.pi * z.imag
    half = np.exp(0.5 * np.abs(w))
    sine = joined(*_sine(z.real - n, n, np.copysign(0.5, w), 0.5))
    return times_real(times_real(divide(sine, times_real(z, np.pi)), half), half)
