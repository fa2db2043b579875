"""Values on the lower side of branch cuts, where SciPy's functions do not look at the sign of a zero."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.ops.complex_parts import is_complex, joined, mended
from scisim.ops.complex_values import log1p


def both_sides(f: Callable, mirror: Callable | None = None) -> Callable:
    """``f`` with f(conj z) = conj(mirror(z)) where the imaginary part is -0; ``mirror`` is f itself unless given."""
    mirror = mirror or f

    @functools.wraps(f)
    def evaluate(*args: Any) -> Any:
        y = f(*args)
        if not is_complex(args[-1]):
            return y
        part = np.imag(args[-1])
        below = np.equal(part, 0) & np.signbit(part)
        if not below.any():
            return y
        other = mirror(*args[:-1], np.conj(args[-1]))
        if isinstance(y, tuple):
            return tuple(np.where(below, np.conj(q), p)[()] for p, q in zip(y, other, strict=True))
        return np.where(below, np.conj(other), y)[()]

    return evaluate


def expi(z: Any) -> Any:
    """Ei, with +-i pi on the two sides of the negative axis."""
    y = sp.expi(z)
    if not is_complex(z):
        return y
    on_cut = (np.real(z) < 0) & (np.imag(z) == 0)
    return joined(np.real(y), np.where(on_cut, np.copysign(np.pi, np.imag(z)), np.imag(y))) if on_cut.any() else y


def log_ndtr(z: Any) -> Any:
    """Of complex numbers on the right by the logarithm of 1 - ndtr(-z), which does not cancel."""
    y = sp.log_ndtr(z)
    if not is_complex(z):
        return y
    return mended(y, np.asarray(np.real(z) > 0), lambda v: log1p(-sp.ndtr(-v)), z)
