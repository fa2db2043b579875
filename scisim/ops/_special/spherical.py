"""Spherical Bessel functions, and those whose derivative is one of order 0: sine and cosine integrals.

(2n + 1) f_n' = n f_(n-1) +- (n + 1) f_(n+1) (DLMF 10.51.2, 10.51.5): no division by z, so that the origin is as any
other point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.ops._special.declare import declare, describe, family, in_double, several
from scisim.ops.elementary import cos, cosh, sin

_ORDER = "the order is an integer"


def _ladder(f: Callable, n: Any, z: Any, k: int, low: float, high: float) -> Any:
    """The k-th derivative of f_n by (2n + 1) f_n' = low n f_(n-1) + high (n + 1) f_(n+1)."""
    n = np.asarray(n)
    weights: dict[int, Any] = {0: np.ones(n.shape)}
    for _ in range(k):
        new: dict[int, Any] = {}
        for d, w in weights.items():
            m = n + d
            new[d - 1] = new.get(d - 1, 0.0) + w * low * m / (2 * m + 1)
            new[d + 1] = new.get(d + 1, 0.0) + w * high * (m + 1) / (2 * m + 1)
        weights = new
    total: Any = 0.0
    for d, w in weights.items():
        if np.any(w != 0):  # the weight of a negative order is 0
            total = total + np.where(w == 0, 0.0, w * f(np.maximum(n + d, 0), z))
    return total


def _spherical(name: str, f: Callable, low: float, high: float, text: str, example: tuple) -> Any:
    @in_double
    def evaluate(n: Any, z: Any, k: int) -> Any:
        return _ladder(f, n, z, k, low, high)

    derivative = family(name, evaluate, [_ORDER], by="k")
    prim = declare(
        name,
        _integer_order(name, f),
        [_ORDER, lambda y, n, z: derivative(n, z, k=1)],
        text,
        {"n": "Order, a nonnegative integer.", "z": "Argument, real or complex."},
        example,
    )
    return prim, derivative


def _integer_order(name: str, f: Callable) -> Callable:
    def evaluate(n: Any, z: Any) -> Any:
        y = f(n, z)
        low = np.asarray(z).dtype in (np.float32, np.complex64)
        return y.astype(np.result_type(z)) if low and y.dtype != np.result_type(z) else y

    return evaluate


spherical_jn, spherical_jn_derivative = _spherical(
    "spherical_jn", sp.spherical_jn, 1, -1, "Spherical Bessel function of the first kind", ("1, 2.0", "0.43539777")
)
spherical_yn, spherical_yn_derivative = _spherical(
    "spherical_yn", sp.spherical_yn, 1, -1, "Spherical Bessel function of the second kind", ("1, 2.0", "-0.350612")
)
spherical_in, spherical_in_derivative = _spherical(
    "spherical_in",
    sp.spherical_in,
    1,
    1,
    "Modified spherical Bessel function of the first kind",
    ("1, 2.0", "0.97438274"),
)
spherical_kn, spherical_kn_derivative = _spherical(
    "spherical_kn",
    sp.spherical_kn,
    -1,
    -1,
    "Modified spherical Bessel function of the second kind",
    ("1, 2.0", "0.15943812"),
)


def _sici_jvp(y: Any, args: Any, tangents: Any) -> tuple:
    (x,), (t,) = args, tangents
    return t * spherical_jn(0, x), t * (cos(x) / x)


def _shichi_jvp(y: Any, args: Any, tangents: Any) -> tuple:
    (x,), (t,) = args, tangents
    return t * spherical_in(0, x), t * (cosh(x) / x)


def _fresnel_jvp(y: Any, args: Any, tangents: Any) -> tuple:
    (x,), (t,) = args, tangents
    u = (0.5 * np.pi) * (x * x)
    return t * sin(u), t * cos(u)


_BOTH = "tuple of Tensor"
sici_p = several("sici", sp.sici, 2, _sici_jvp)
shichi_p = several("shichi", sp.shichi, 2, _shichi_jvp)
fresnel_p = several("fresnel", sp.fresnel, 2, _fresnel_jvp)


def sici(z: Any) -> Any:
    """Sine and cosine integrals."""
    return sici_p(z)


def shichi(z: Any) -> Any:
    """Hyperbolic sine and cosine integrals."""
    return shichi_p(z)


def fresnel(z: Any) -> Any:
    """Fresnel integrals."""
    return fresnel_p(z)


describe(
    "sici",
    sici,
    "Sine and cosine integrals (si, ci)",
    "z",
    ("1.0", "(Tensor(0.94608307), Tensor(0.33740392))"),
    primitive=sici_p,
    returns=_BOTH,
    notes="The derivative of ci at 0 is infinite.",
)
describe(
    "shichi",
    shichi,
    "Hyperbolic sine and cosine integrals (shi, chi)",
    "z",
    ("1.0", "(Tensor(1.05725088), Tensor(0.83786694))"),
    primitive=shichi_p,
    returns=_BOTH,
    notes="The derivative of chi at 0 is infinite.",
)
describe(
    "fresnel",
    fresnel,
    "Fresnel integrals (S, C) of sin(pi t^2 / 2) and cos(pi t^2 / 2)",
    "z",
    ("1.0", "(Tensor(0.43825915), Tensor(0.7798934))"),
    primitive=fresnel_p,
    returns=_BOTH,
)
