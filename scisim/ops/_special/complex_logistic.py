"""Values of the logistic function's kin at complex numbers, on the principal branches of their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from scisim.ops.complex_parts import joined, mended
from scisim.ops.complex_values import log1p


def softplus(z: Any) -> Any:
    """log(1 + exp(z)), with e = exp(-abs(x)) and abs(1 + e cis(y))**2 = (1 - e)**2 + 4 e cos(y/2)**2."""
    x, y = np.real(z), np.imag(z)
    e, less, close = np.exp(-np.abs(x)), np.expm1(-np.abs(x)), 2.0 * np.cos(0.5 * y) ** 2
    square = less * less + 2.0 * e * close
    near = square < 0.25
    rest = np.where(near, 0.0, e * (2.0 * np.cos(y) + e))
    size = 0.5 * np.where(near, np.log(np.where(near, square, 1.0)), np.log1p(rest))
    right = x > 0
    angle = np.arctan2(np.where(right, 1.0, e) * np.sin(y), np.where(right, less + close, e * close - less))
    return joined(np.maximum(x, 0.0) + size, angle)


def log_expit(z: Any) -> Any:
    return -softplus(-np.asarray(z))[()]


def logit(z: Any) -> Any:
    """log(z) - log(1 - z); near 1/2 twice atanh(2z - 1)."""
    far = np.log(z) - log1p(-np.asarray(z)[()])
    return mended(far, np.abs(z - 0.5) < 0.25, lambda v: 2.0 * np.arctanh(2.0 * v - 1.0), z)
