"""Zeta functions, with derivatives in the exponent by the summation of Euler and Maclaurin (DLMF 25.11.28)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.ops._special.declare import DERIVATIVES, declare, describe, in_double

_TERMS, _CORRECTIONS = 30, 12


def _product(p: list, q: list) -> list:
    """Of two truncated series in the exponent."""
    return [sum(p[i] * q[k - i] for i in range(k + 1)) for k in range(len(p))]


def _power(base: Any, s: Any, n: int) -> list:
    """The series of base^-(s + h) in h."""
    y, u = base**-s, -np.log(base)
    return [y * u**k / math.factorial(k) for k in range(n + 1)]


def _linear(x: Any, n: int) -> list:
    """The series of x + h."""
    return [x, 1.0, *([0.0] * (n - 1))][: n + 1]


@in_double
def _zeta_derivative(s: Any, q: Any, n: int) -> Any:
    """The n-th derivative of the Hurwitz zeta function in s, for re s > -2, abs(im s) < 30 and q > 0."""
    total = [0.0] * (n + 1)
    for k in range(_TERMS):
        total = [a + b for a, b in zip(total, _power(q + k, s, n), strict=True)]
    at = q + _TERMS
    tail = _power(at, s, n)
    inverse = [(-1.0) ** k / (s - 1.0) ** (k + 1) for k in range(n + 1)]
    total = [a + at * b + 0.5 * c for a, b, c in zip(total, _product(tail, inverse), tail, strict=True)]
    rising = _linear(s, n)
    for k in range(1, _CORRECTIONS + 1):
        weight = sp.bernoulli(2 * k)[-1] / math.factorial(2 * k) * at ** (1.0 - 2 * k)
        total = [a + weight * b for a, b in zip(total, _product(tail, rising), strict=True)]
        rising = _product(_product(rising, _linear(s + 2 * k - 1, n)), _linear(s + 2.0 * k, n))
    held = (np.real(s) > -2.0) & (np.abs(np.imag(s)) < 30.0)
    return np.where(held, math.factorial(n) * total[n], np.nan)


def _slope_in_q(y: Any, s: Any, q: Any, n: int) -> Any:
    """d/dq of the n-th derivative in s of zeta(s, q), whose derivative in q is -s zeta(s + 1, q)."""
    more = zeta_derivative(s + 1.0, q, n=n - 1) if n > 1 else zeta_p(s + 1.0, q)
    return -s * zeta_derivative(s + 1.0, q, n=n) - n * more


zeta_derivative = Primitive(
    "special.zeta_derivative",
    _zeta_derivative,
    axes=ELEMENTWISE,
    partials=[lambda y, s, q, n: zeta_derivative(s, q, n=n + 1), _slope_in_q],
)
DERIVATIVES["zeta"] = zeta_derivative
zeta_p = Primitive(
    "special.zeta",
    sp.zeta,
    axes=ELEMENTWISE,
    partials=[lambda y, s, q: zeta_derivative(s, q, n=1), lambda y, s, q: -s * zeta_p(s + 1.0, q)],
    singular="pole at s = 1; in s nan for s <= -2",
)


def _riemann(s: Any) -> Any:
    return sp.zeta(s)


riemann_p = Primitive(
    "special.riemann_zeta",
    _riemann,
    axes=ELEMENTWISE,
    partials=[lambda y, s: zeta_derivative(s, 1.0, n=1)],
    singular="pole at s = 1; nan for re s <= -2 or abs(im s) >= 30",
)


def zeta(x: Any, q: Any = None) -> Any:
    """The zeta function of Riemann, or that of Hurwitz."""
    return riemann_p(x) if q is None else zeta_p(x, q)


describe(
    "zeta",
    zeta,
    "Zeta function of Riemann, or of Hurwitz: the sum of 1 / (k + q)^x over k = 0, 1, 2, ...",
    {"x": "Exponent, real; that of Riemann's may be complex.", "q": "Shift, positive; 1 by default."},
    ("2.0", "1.64493407"),
    notes="Derivatives with respect to x are computed for re x > -2 and abs(im x) < 30; elsewhere they are nan.",
)
zetac = declare(
    "zetac",
    sp.zetac,
    [lambda y, x: zeta_derivative(x, 1.0, n=1)],
    "Zeta function of Riemann minus 1",
    "x",
    ("2.0", "0.64493407"),
    singular="pole at 1; nan for x <= -2",
)
