"""Quotients, squares and signs of complex numbers, without overflow or underflow on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.ops.complex_parts import (
    FAIR,
    all_finite,
    boxed,
    has_infinity,
    is_complex,
    joined,
    mended,
    over_real,
    quietly,
    scaled,
    strictly,
    times_real,
)

_strict_divide, _strict_square = strictly(np.divide), strictly(np.square)


def divide(a: Any, b: Any) -> Any:
    """The quotient, without overflow or underflow on the way; the parts of a real operand are one."""
    if not is_complex(b):
        return over_real(a, b) if is_complex(a) else np.divide(a, b)
    if not is_complex(a):
        a = _without_imaginary(a, b)
    try:
        y = _strict_divide(a, b)
    except FloatingPointError:
        return _mended_quotient(a, b)
    return y if all_finite(y) else _mended_quotient(a, b)  # infinity beside nan raises no flag


def _without_imaginary(a: Any, b: Any) -> Any:
    """A real number as a complex one; with -0 the zeros of the quotient's imaginary part have the sign of -imag(b)."""
    if not hasattr(a, "dtype"):
        return complex(float(a), -0.0)
    out = np.empty(np.shape(a), np.result_type(a, b))
    out.real, out.imag = a, -0.0
    return out[()]


@quietly
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
    (p, k), (q, n) = scaled(a), scaled(b)
    top, size = _times_conj(p, q), q.real * q.real + q.imag * q.imag
    y = joined(np.ldexp(top.real / size, k - n), np.ldexp(top.imag / size, k - n))
    infinite, pole = has_infinity(b), np.copysign(np.inf, b.real)
    y = np.where(has_infinity(a) & np.isfinite(b), times_real(_times_conj(boxed(a), b), np.inf), y)
    nothing = np.where(np.isfinite(a), 0.0, np.nan)
    less = np.where(_outside(a, 0.0, np.finfo(float).max / 8), 0.25, 1.0)  # so that sums do not overflow
    y = np.where(infinite, times_real(_times_conj(times_real(a, less), boxed(b)), nothing), y)
    return np.where(b == 0, times_real(a, pole), y)


def _times_conj(a: Any, b: Any) -> Any:
    return joined(a.real * b.real + a.imag * b.imag, a.imag * b.real - a.real * b.imag)


def square(z: Any) -> Any:
    if not is_complex(z):
        return np.square(z)
    try:
        return _strict_square(z)
    except FloatingPointError:
        return _mended_square(z)


@quietly
def _mended_square(z: Any) -> Any:
    y = np.square(z)
    return mended(y, ~np.isfinite(y) & np.isfinite(z), _square_of_parts, z)


def _square_of_parts(z: Any) -> Any:
    x, y = z.real / 2, z.imag / 2
    return joined((x + y) * (x - y) * 4.0, 8.0 * x * y)


@quietly
def sign(z: Any) -> Any:
    """z / abs(z), 0 of 0, and the direction of an infinite number."""
    size = np.abs(z)
    low, high = FAIR[size.dtype]
    y = over_real(z, size)
    fair = (size > low) & (size <= high)
    return y if fair.all() else mended(y, ~fair, _sign_at_ends, z)


def _sign_at_ends(z: Any) -> Any:
    z, _ = scaled(np.where(has_infinity(z), boxed(z), z))
    return np.where(z == 0, 0.0, over_real(z, np.where(z == 0, 1.0, np.abs(z))))
