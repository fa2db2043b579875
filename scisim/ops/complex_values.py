"""Values of functions of complex numbers where NumPy's lose digits, overflow on the way or forget the side of a cut.

Each takes NumPy's way while no floating-point flag is raised, or while the result is finite, and mends the elements
that need it: ordinary numbers cost what they cost in NumPy.  Values at infinities are those of Annex G of the C
standard (ISO/IEC 9899:2018); of the product it is left to the textbook's formula, as everywhere in numerical libraries.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np

_strictly = np.errstate(all="raise")
_quietly = np.errstate(all="ignore")
_LN2 = math.log(2.0)
# Moduli that are exact to the last digits.
_FAIR = {np.dtype(f): (float(i.tiny / i.eps), float(i.max)) for f in "fd" for i in [np.finfo(f)]}


def of_complex(function: Callable, real: Callable) -> Callable:
    """``function`` of complex numbers, ``real`` of all others."""

    def evaluate(x: Any) -> Any:
        return function(x) if is_complex(x) else real(x)

    return evaluate


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c" if hasattr(x, "dtype") else isinstance(x, complex)


_COMPLEX = {np.dtype(f): np.dtype(c) for f, c in (("f4", "c8"), ("f8", "c16"))}


def joined(re: Any, im: Any) -> Any:
    """Complex numbers of these parts, whatever zeros, infinities and nan they have."""
    kind = _COMPLEX.get(getattr(re, "dtype", None)) or np.result_type(re, np.complex64)
    if not np.ndim(re):
        return kind.type(complex(float(re), float(im)))
    out = np.empty(re.shape, kind)
    out.real, out.imag = re, im
    return out


def all_finite(y: Any) -> bool:
    return cmath.isfinite(np.vdot(y, y))


@_quietly
def mended(y: Any, bad: Any, function: Callable, *operands: Any) -> Any:
    """``y``, but ``function`` of the operands where ``bad`` holds; complex64 is computed in complex128."""
    if not bad.any():
        return y
    out = np.array(y)
    wide = [np.asarray(v, np.result_type(v, np.float64)) for v in operands]
    out[bad] = function(*(np.broadcast_to(v, out.shape)[bad] for v in wide))
    return out[()]


# --- quotients, squares ---------------------------------------------------------------------------------------------
_strict_divide, _strict_square = _strictly(np.divide), _strictly(np.square)


def divide(a: Any, b: Any) -> Any:
    """The quotient, without overflow or underflow on the way; the parts of a real operand are one."""
    if not is_complex(b):
        return _by_real(a, b) if is_complex(a) else np.divide(a, b)
    if not is_complex(a):
        a = _without_imaginary(a, b)
    try:
        y = _strict_divide(a, b)
    except FloatingPointError:
        return _mended_quotient(a, b)
    return y if all_finite(y) else _mended_quotient(a, b)  # infinity beside nan raises no flag


def _by_real(a: Any, b: Any) -> Any:
    if type(a) is np.ndarray and a.flags.c_contiguous and a.ndim and type(b) is float:
        return np.divide(a.view(a.real.dtype), b).view(a.dtype)
    re = np.divide(np.real(a), b)
    if not re.ndim:
        return joined(re, np.divide(np.imag(a), b))
    out = np.empty(re.shape, _COMPLEX.get(re.dtype) or np.result_type(a, b))
    out.real = re
    np.divide(np.imag(a), b, out=out.imag)
    return out


def _without_imaginary(a: Any, b: Any) -> Any:
    """A real number as a complex one; with -0 the zeros of the quotient's imaginary part have the sign of -imag(b)."""
    if not hasattr(a, "dtype"):
        return complex(float(a), -0.0)
    out = np.empty(np.shape(a), np.result_type(a, b, np.complex64))
    out.real, out.imag = a, -0.0
    return out[()]


@_quietly
def _mended_quotient(a: Any, b: Any) -> Any:
    y = np.divide(a, b)
    info = np.finfo(y.dtype)
    large, small = info.max / 8, info.tiny / info.eps
    bad = ~np.isfinite(y) | _outside(a, small, large) | _outside(b, small, large)
    return mended(y, bad, _scaled_quotient, a, b)


def _outside(z: Any, small: float, large: float) -> Any:
    size = np.maximum(np.abs(np.real(z)), np.abs(np.imag(z)))
    return ~((size >= small) & (size <= large))


def _scaled_quotient(a: Any, b: Any) -> Any:
    """The textbook's quotient of numbers scaled by powers of two; of infinities and by zero that of C's Annex G."""
    (p, k), (q, n) = _scaled(a), _scaled(b)
    top, size = _times_conj(p, q), q.real * q.real + q.imag * q.imag
    y = joined(np.ldexp(top.real / size, k - n), np.ldexp(top.imag / size, k - n))
    infinite, pole = _has_infinity(b), np.copysign(np.inf, b.real)
    y = np.where(_has_infinity(a) & np.isfinite(b), _by_parts(_times_conj(_boxed(a), b), np.inf), y)
    nothing = np.where(np.isfinite(a), 0.0, np.nan)
    less = np.where(_outside(a, 0.0, np.finfo(float).max / 8), 0.25, 1.0)  # so that sums do not overflow
    y = np.where(infinite, _by_parts(_times_conj(_by_parts(a, less), _boxed(b)), nothing), y)
    return np.where(b == 0, _by_parts(a, pole), y)


def _times_conj(a: Any, b: Any) -> Any:
    return joined(a.real * b.real + a.imag * b.imag, a.imag * b.real - a.real * b.imag)


def _by_parts(z: Any, factor: Any) -> Any:
    return joined(z.real * factor, z.imag * factor)


def _has_infinity(z: Any) -> Any:
    return np.isinf(z.real) | np.isinf(z.imag)


def _boxed(z: Any) -> Any:
    """1 for an infinite part and 0 for a finite one, with its sign."""
    return joined(*(np.copysign(np.isinf(part) * 1.0, part) for part in (z.real, z.imag)))


def _scaled(z: Any) -> tuple[Any, Any]:
    """z / 2**k with a larger part in [1/2, 1), and k."""
    k = np.frexp(np.fmax(np.abs(z.real), np.abs(z.imag)))[1]
    return joined(np.ldexp(z.real, -k), np.ldexp(z.imag, -k)), k


def square(z: Any) -> Any:
    if not is_complex(z):
        return np.square(z)
    try:
        return _strict_square(z)
    except FloatingPointError:
        return _mended_square(z)


@_quietly
def _mended_square(z: Any) -> Any:
    y = np.square(z)
    return mended(y, ~np.isfinite(y) & np.isfinite(z), _square_of_parts, z)


def _square_of_parts(z: Any) -> Any:
    x, y = z.real / 2, z.imag / 2
    return joined((x + y) * (x - y) * 4.0, 8.0 * x * y)


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


@_quietly
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


@_quietly
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
    s, k = _scaled(z)
    y = np.power(s, n)
    return joined(*(np.ldexp(part, (k * n).astype(int)) for part in (y.real, y.imag)))


def _general_power(z: Any, u: Any, v: Any) -> Any:
    base = np.log(z.astype(np.complex128))
    exponent = joined(_product(u, base.real) - _product(v, base.imag), _product(v, base.real) + _product(u, base.imag))
    return np.exp(exponent)


def _product(a: Any, b: Any) -> Any:
    return np.where((a == 0) | (b == 0), 0.0, a * b)


@_quietly
def cbrt(z: Any) -> Any:
    """The principal root, abs(z)**(1/3) with a third of the angle."""
    size, angle = np.abs(z), np.arctan2(np.imag(z), np.real(z)) / 3.0
    low, high = _FAIR[size.dtype]
    root = np.cbrt(size)
    y = joined(root * np.cos(angle), root * np.sin(angle))
    fair = (size > low) & (size <= high)
    return y if fair.all() else mended(y, ~fair, _cbrt_at_ends, z)


def _cbrt_at_ends(z: Any) -> Any:
    """Scaled by a power of 8; zeros keep their sign, and an infinite number gives the limit along its direction."""
    tiny = np.maximum(np.abs(z.real), np.abs(z.imag)) < 1.0
    scaled = _by_parts(z, np.where(tiny, 2.0**300, 2.0**-3))
    angle = np.arctan2(z.imag, z.real) / 3.0
    root = np.cbrt(np.abs(scaled)) * np.where(tiny, 2.0**-100, 2.0)
    im = np.where(angle == 0, angle, root * np.sin(angle))
    return joined(np.where(np.isnan(angle), root, root * np.cos(angle)), im)


@_quietly
def sign(z: Any) -> Any:
    """z / abs(z), 0 of 0, and the direction of an infinite number."""
    size = np.abs(z)
    low, high = _FAIR[size.dtype]
    y = _by_real(z, size)
    fair = (size > low) & (size <= high)
    return y if fair.all() else mended(y, ~fair, _sign_at_ends, z)


def _sign_at_ends(z: Any) -> Any:
    z, _ = _scaled(np.where(_has_infinity(z), _boxed(z), z))
    return np.where(z == 0, 0.0, _by_real(z, np.where(z == 0, 1.0, np.abs(z))))


# --- sigmoid, sinc --------------------------------------------------------------------------------------------------
@_quietly
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


@_quietly
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
    return _by_parts(_by_parts(divide(sine, _by_parts(z, np.pi)), half), half)
