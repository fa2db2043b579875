"""Struve functions: 2 f_v' = f_(v-1) -+ f_(v+1) + (x/2)^v / (sqrt(pi) gamma(v + 3/2)) (DLMF 11.4.25, 11.4.27)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.ops._special.bessel import neighbours
from scisim.ops._special.declare import declare, family, in_double

_ORDER = "there is no closed form in the order of a Struve function"


def _power(u: Any, x: Any, r: int) -> Any:
    """The r-th derivative of (x/2)^u / (sqrt(pi) gamma(u + 3/2))."""
    falling = 2.0**-r * sp.rgamma(u + 1.5) / math.sqrt(math.pi)
    for j in range(r):
        falling = falling * (u - j)
    return np.where(np.equal(falling, 0), 0.0, falling * np.power(np.multiply(0.5, x), np.subtract(u, 1.0 * r)))


def _struve(name: str, f: Callable, sign: float, text: str, result: str) -> Any:
    @in_double
    def evaluate(v: Any, x: Any, n: int) -> Any:
        y = neighbours(f, v, x, n, sign)
        for j in range(n):
            y = y + 0.5 * neighbours(lambda u, x, r=n - 1 - j: _power(u, x, r), v, x, j, sign)
        return y

    derivative = family(name, evaluate, [_ORDER])
    return declare(
        name,
        f,
        [_ORDER, lambda y, v, x: derivative(v, x, n=1)],
        text,
        {"v": "Order, real.", "x": "Argument, real."},
        ("0.5, 2.0", result),
    )


struve = _struve("struve", sp.struve, -1, "Struve function", "0.79897529")
modstruve = _struve("modstruve", sp.modstruve, 1, "Modified Struve function", "1.55840204")
