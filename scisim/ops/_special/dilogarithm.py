"""Spence's function, and what has log(1 + u) / u as a factor, whose derivatives are smooth at u = 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.ops._special.declare import declare, describe, family, in_double
from scisim.ops._special.quadrature import legendre
from scisim.ops.elementary import exp, expm1


@in_double
def _log_quotient(u: Any, n: int) -> Any:
    """The n-th derivative of log(1 + u) / u: an integral over t of (-1)^n n! t^n / (1 + u t)^(n+1) on [0, 1]."""
    near = np.abs(u) < 0.5
    t, w = legendre(40)
    v = np.where(near, u, 0.0)[..., None]
    small = (-1.0) ** n * math.factorial(n) * np.sum(w * t**n / (1.0 + v * t) ** (n + 1), axis=-1)
    v = np.where(near, 1.0, u)
    large = np.log1p(v) / v
    for k in range(1, n + 1):
        large = ((-1.0) ** (k - 1) * math.factorial(k - 1) / (1.0 + v) ** k - k * large) / v
    return np.where(near, small, large)


log_quotient = family("log_quotient", _log_quotient)
spence = declare(
    "spence",
    sp.spence,
    [lambda y, z: -log_quotient(z - 1.0, n=0)],
    "Spence's function, the dilogarithm of 1 - z",
    "z",
    ("0.5", "0.58224053"),
)


def inv_boxcox(y: Any, lmbda: Any) -> Any:
    """(1 + lmbda y)^(1 / lmbda)."""
    return exp(y * log_quotient(lmbda * y, n=0))


def inv_boxcox1p(y: Any, lmbda: Any) -> Any:
    """(1 + lmbda y)^(1 / lmbda) - 1."""
    return expm1(y * log_quotient(lmbda * y, n=0))


_OPERANDS = {"y": "Transformed value, real.", "lmbda": "Exponent, real; 0 is the exponential function."}
describe("inv_boxcox", inv_boxcox, "Inverse of boxcox, (1 + lmbda y)^(1 / lmbda)", _OPERANDS, ("1.0, 0.5", "2.25"))
describe("inv_boxcox1p", inv_boxcox1p, "Inverse of boxcox1p", _OPERANDS, ("1.0, 0.5", "1.25"))
