"""Numbers of combinations and factorials, continued to real numbers by the gamma function."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.ops._special.declare import describe
from scisim.ops._special.gamma import binom, gamma, poch
from scisim.ops.select import ge, logical_and, logical_not, lt, where


def comb(n: Any, k: Any, repetition: bool = False) -> Any:
    """The number of ways to take k of n things."""
    if repetition:
        return comb(n + k - 1, k)
    valid = logical_and(ge(n, k), logical_and(ge(k, 0), ge(n, 0)))
    return where(valid, binom(1.0 * n, 1.0 * k), 0.0)


def perm(n: Any, k: Any) -> Any:
    """The number of ways to take k of n things in order."""
    valid = logical_and(ge(n, k), logical_and(ge(k, 0), ge(n, 0)))
    k = 1.0 * k
    return where(valid, poch(where(valid, n - k + 1.0, 1.0), where(valid, k, 0.0)), 0.0)


def factorial(n: Any) -> Any:
    """Gamma(n + 1), and 0 for negative n."""
    valid = logical_not(lt(n, 0))  # nan stays nan
    return where(valid, gamma(where(valid, n, 0) + 1.0), 0.0)


_factorial2_p = Primitive(
    "special.factorial2", lambda n: np.asarray(sp.factorial2(n, exact=False), np.float64)[()], axes=ELEMENTWISE
)


def factorial2(n: Any) -> Any:
    """The double factorial of integers."""
    return _factorial2_p(n)


_N, _K = "Number of things; may be real.", "Number of things taken; may be real."
describe(
    "comb",
    comb,
    "Number of combinations of k of n things, 0 unless 0 <= k <= n",
    {"n": _N, "k": _K, "repetition": "Whether a thing may be taken again."},
    ("5, 2", "10."),
    complex=False,
)
describe(
    "perm", perm, "Number of arrangements of k of n things, 0 unless 0 <= k <= n", {"n": _N, "k": _K}, ("5, 2", "20.")
)
describe("factorial", factorial, "Factorial, gamma(n + 1), and 0 for negative n", {"n": _N}, ("5", "120."))
describe(
    "factorial2",
    factorial2,
    "Double factorial n (n - 2) (n - 4) ...",
    {"n": "An integer."},
    ("7", "105."),
    primitive=_factorial2_p,
)
