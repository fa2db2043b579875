"""Exponential integrals, and (exp(x) - 1) / x with its kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.ops._special import cuts
from scisim.ops._special.declare import declare, family, in_double
from scisim.ops._special.quadrature import legendre
from scisim.ops.elementary import exp, sin
from scisim.ops.select import gt, maximum, where

expi = declare(
    "expi",
    cuts.expi,
    [lambda y, x: exp(x) / x],
    "Exponential integral Ei, the principal value of the integral of exp(t) / t up to z",
    "z",
    ("1.0", "1.89511782"),
    singular="infinite at 0",
)
exp1 = declare(
    "exp1",
    sp.exp1,
    [lambda y, x: -exp(-x) / x],
    "Exponential integral E1, the integral of exp(-t) / t from z on",
    "z",
    ("1.0", "0.21938393"),
    singular="infinite at 0",
)


def _expn_slope(y: Any, n: Any, x: Any) -> Any:
    """-E_(n-1), as far as there are orders; E_0 is exp(-x) / x."""
    last = -exp(-x) * (1.0 + x) / (x * x)
    return last if type(n) is int and n < 1 else where(gt(n, 0), -expn(maximum(n - 1, 0), x), last)


expn = declare(
    "expn",
    sp.expn,
    ["the order is an integer", _expn_slope],
    "Exponential integral of order n, the integral of exp(-x t) / t^n over t > 1",
    {"n": "Order, a nonnegative integer.", "x": "Argument, real."},
    ("2, 1.0", "0.14849551"),
    singular="infinite at 0 for orders below 3",
)


@in_double
def _exprel_derivative(x: Any, n: int) -> Any:
    """The integral of t^n exp(x t) over [0, 1]: by quadrature, by parts for large x, gammainc for very negative x."""
    t, w = legendre(40)
    middle = np.abs(x) < n + 8.0
    y = np.sum(w * t**n * np.exp(np.where(middle, x, 0.0)[..., None] * t), axis=-1)
    u = np.where(middle | (x > 0), 1.0, -x)
    below = math.factorial(n) * sp.gammainc(n + 1.0, u) / u ** (n + 1)
    u = np.where(middle | (x < 0), 1.0, x)
    above = (1.0 - np.exp(-u)) / u
    for k in range(1, n + 1):
        above = (1.0 - k * above) / u
    return np.where(middle, y, np.where(x < 0, below, np.exp(u) * above))


exprel_derivative = family("exprel", _exprel_derivative)
exprel = declare(
    "exprel",
    sp.exprel,
    [lambda y, x: exprel_derivative(x, n=1)],
    "Relative error exponential (exp(x) - 1) / x, 1 at 0",
    "x",
    ("0.0", "1."),
)
cosm1 = declare("cosm1", sp.cosm1, [lambda y, x: -sin(x)], "cos(x) - 1, exact near 0", "x", ("1e-10", "-5.e-21"))
exp10 = declare("exp10", sp.exp10, [lambda y, x: y * math.log(10)], "Power of ten", "x", ("2.0", "100."))
