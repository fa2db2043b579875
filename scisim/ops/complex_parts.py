"""Parts of complex arrays: joining them, and mending those elements of a result that need care."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np

strictly = np.errstate(all="raise")
quietly = np.errstate(all="ignore")
# Moduli that are exact to the last digits.
FAIR = {np.dtype(f): (float(i.tiny / i.eps), float(i.max)) for f in "fd" for i in [np.finfo(f)]}


def of_complex(function: Callable, real: Callable) -> Callable:
    """``function`` of complex numbers, ``real`` of all others."""

    def evaluate(x: Any) -> Any:
        return function(x) if is_complex(x) else real(x)

    return evaluate


def is_complex(x: Any) -> bool:
    return x.dtype.kind == "c" if hasattr(x, "dtype") else isinstance(x, complex)


COMPLEX: dict[Any, Any] = {np.dtype(f): np.dtype(c) for f, c in (("f4", "c8"), ("f8", "c16"))}


def joined(re: Any, im: Any) -> Any:
    """Complex numbers of these parts, whatever zeros, infinities and nan they have."""
    kind = COMPLEX.get(getattr(re, "dtype", None)) or np.result_type(re, np.complex64)
    if not np.ndim(re):
        return kind.type(complex(float(re), float(im)))
    out = np.empty(re.shape, kind)
    out.real, out.imag = re, im
    return out


def all_finite(y: Any) -> bool:
    return cmath.isfinite(np.vdot(y, y))


@quietly
def mended(y: Any, bad: Any, function: Callable, *operands: Any) -> Any:
    """``y``, but ``function`` of the operands where ``bad`` holds; complex64 is computed in complex128."""
    if not bad.any():
        return y
    out = np.array(y)
    wide = [np.asarray(v, np.result_type(v, np.float64)) for v in operands]
    out[bad] = function(*(np.broadcast_to(v, out.shape)[bad] for v in wide))
    return out[()]


def times_real(z: Any, factor: Any) -> Any:
    return joined(z.real * factor, z.imag * factor)


def over_real(a: Any, b: Any) -> Any:
    """By parts, with the bits of NumPy's quotient: the parts times 1 / b, where that is an ordinary number."""
    kind = np.result_type(a, b)  # the quotient of halves is complex too, and no complex number has halves
    real = kind.type(0).real.dtype.type
    re, im, b = np.real(a), np.imag(a), real(b) if np.ndim(b) == 0 else np.asarray(b, real)
    with np.errstate(all="ignore"):
        factor, low, high = np.abs(real(1) / b), *FAIR[np.dtype(real)]
    fair = (factor >= low) & (factor <= high)
    if np.all(fair):
        return _parts(np.multiply, re, im, real(1) / b, kind)
    by_factor = np.errstate(all="ignore")(_parts)(np.multiply, re, im, real(1) / np.where(fair, b, 1), kind)
    return np.where(fair, by_factor, _parts(np.divide, re, im, b, kind))[()]


def _parts(f: Any, re: Any, im: Any, b: Any, kind: np.dtype) -> Any:
    s = np.broadcast_shapes(np.shape(re), np.shape(b))
    out = np.empty(s, kind)
    f(re, b, out=out.real, casting="same_kind")
    f(im, b, out=out.imag, casting="same_kind")
    return out if s else out[()]


def has_infinity(z: Any) -> Any:
    return np.isinf(z.real) | np.isinf(z.imag)


def boxed(z: Any) -> Any:
    """1 for an infinite part and 0 for a finite one, with its sign."""
    return joined(*(np.copysign(np.isinf(part) * 1.0, part) for part in (z.real, z.imag)))


def scaled(z: Any) -> tuple[Any, Any]:
    """z / 2**k with a larger part in [1/2, 1), and k."""
    k = np.frexp(np.fmax(np.abs(z.real), np.abs(z.imag)))[1]
    return joined(np.ldexp(z.real, -k), np.ldexp(z.imag, -k)), k
