"""The gamma function and what is made of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.errors import ArgumentError
from scisim.ops._special.declare import declare, describe, in_double
from scisim.ops.complexes import real
from scisim.ops.elementary import cos, sin
from scisim.ops.select import eq, floor, logical_and, logical_not, logical_or, lt, where

# B_2k / (2k), of the series of digamma at infinity (DLMF 5.11.2).
_BERNOULLI = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160, 43867 / 14364]
_SHIFT = 16.0  # the series is used from this real part on,
_LEFT = -64.0  # and the reflection up to this one


def _series_at_infinity(n: int, z: Any) -> Any:
    """The n-th derivative of digamma, n > 0, by its asymptotic series."""
    y = math.factorial(n - 1) * z**-n + 0.5 * math.factorial(n) * z ** -(n + 1)
    for k, b in enumerate(_BERNOULLI, 1):
        y = y + b * (math.factorial(2 * k + n - 1) / math.factorial(2 * k - 1)) * z ** -(2 * k + n)
    return -y if n % 2 == 0 else y


def _cotangents(n: int, z: Any) -> Any:
    """The n-th derivative of pi cot(pi z), n > 0: 1 + c^2 times a polynomial in the cotangent c = -cot'/(1 + c^2)."""
    square = np.polynomial.Polynomial([1.0, 0.0, 1.0])
    p = np.polynomial.Polynomial([-1.0])
    for _ in range(n - 1):
        p = -(p * square).deriv()
    below = np.imag(z) < 0
    w = np.exp(2j * np.pi * np.where(below, -z, z))
    c = np.where(below, -1.0, 1.0) * 1j * (w + 1.0) / (w - 1.0)
    return np.pi ** (n + 1) * p(c) * (-4.0 * w / (w - 1.0) ** 2)


def _complex_polygamma(n: int, z: Any) -> Any:
    """By steps up to where the series serves, from far on the left by reflection (DLMF 5.15.5, 5.15.6)."""
    left = np.real(z) < _LEFT
    u = np.where(left, 1.0 - z, z)
    y = np.zeros_like(u)
    top = _SHIFT + n
    for _ in range(int(np.max(np.where(np.isfinite(u), top - np.real(u), 0.0), initial=0.0)) + 1):
        low = np.real(u) < top
        y = y + np.where(low, np.where(low, u, 1.0) ** -(n + 1.0), 0.0)
        u = np.where(low, u + 1.0, u)
    y = (-1) ** (n + 1) * math.factorial(n) * y + _series_at_infinity(n, u)
    return np.where(left, (-1) ** n * y - _cotangents(n, np.where(left, z, 0.5)), y)


@in_double
def _polygamma(n: Any, x: Any) -> Any:
    if np.iscomplexobj(x):
        orders = np.unique(np.asarray(n)).tolist()
        y = np.empty(np.broadcast(n, x).shape, complex)
        for k in orders:
            y = np.where(np.equal(n, k), sp.digamma(x) if k == 0 else _complex_polygamma(int(k), x), y)
        return y
    return np.where(np.equal(n, 0), sp.digamma(x), (-1.0) ** (n + 1.0) * sp.gamma(n + 1.0) * sp.zeta(n + 1.0, x))


digamma = declare(
    "digamma",
    sp.digamma,
    [lambda y, x: polygamma(1, x)],
    "Logarithmic derivative of the gamma function",
    "z",
    ("1.0", "-0.57721566"),
    singular="poles at 0, -1, -2, ...",
)
polygamma = declare(
    "polygamma",
    _polygamma,
    ["the order counts derivatives, and is an integer", lambda y, n, x: polygamma(n + 1, x)],
    "Derivative of order n of digamma",
    {"n": "Order, a nonnegative integer.", "x": "Argument, real or complex."},
    ("1, 1.0", "1.64493407"),
    singular="poles at 0, -1, -2, ...",
)
describe("psi", digamma, "Logarithmic derivative of the gamma function", "z", ("1.0", "-0.57721566"), primitive=digamma)
gamma = declare(
    "gamma",
    sp.gamma,
    [lambda y, x: y * digamma(x)],
    "Gamma function",
    "z",
    ("5.0", "24."),
    singular="poles at 0, -1, -2, ...",
)
gammaln = declare(
    "gammaln",
    sp.gammaln,
    [lambda y, x: digamma(x)],
    "Logarithm of the absolute value of the gamma function",
    "x",
    ("100.0", "359.13420537"),
    singular="infinite at 0, -1, -2, ...",
)
describe(
    "lgamma",
    gammaln,
    "Logarithm of the absolute value of the gamma function, another name of gammaln",
    "x",
    ("100.0", "359.13420537"),
    primitive=gammaln,
)
loggamma = declare(
    "loggamma",
    sp.loggamma,
    [lambda y, x: digamma(x)],
    "Principal branch of the logarithm of the gamma function; nan for negative real numbers",
    "z",
    ("3.0", "0.69314718"),
    singular="infinite at 0, -1, -2, ...",
)
gammasgn = declare("gammasgn", sp.gammasgn, [None], "Sign of the gamma function", "x", ("-0.5", "-1."))


def _rgamma_slope(y: Any, x: Any) -> Any:
    """-digamma(x) / gamma(x); on the left by 1/gamma(x) = gamma(1 - x) sin(pi x) / pi, which has no pole."""
    low = lt(real(x), 0.5)
    u = where(low, x, 0.0)
    v = where(low, 1.0, x)
    k = floor(real(u) + 0.5)  # sin(pi x) and cos(pi x) without the rounding of pi x
    t = math.pi * (u - k)
    sign = 1.0 - 2.0 * (k - 2.0 * floor(0.5 * k))
    left = gamma(1.0 - u) * (cos(t) - digamma(1.0 - u) * sin(t) * (1 / math.pi)) * sign
    return where(low, left, -rgamma(v) * digamma(v))


rgamma = declare(
    "rgamma", sp.rgamma, [_rgamma_slope], "Reciprocal of the gamma function, 0 at its poles", "z", ("4.0", "0.16666667")
)


def multigammaln(a: Any, d: Any) -> Any:
    """The logarithm of the multivariate gamma function of dimension d."""
    if not isinstance(d, (int, np.integer)) or d < 1:
        raise ArgumentError(f"multigammaln: d is the dimension, a positive integer; got {d!r}")
    y = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(int(d)):
        y = gammaln(a - 0.5 * j) + y
    return y


describe(
    "multigammaln",
    multigammaln,
    "Logarithm of the multivariate gamma function",
    {"a": "Argument, real, greater than (d - 1) / 2.", "d": "Dimension, a positive integer."},
    ("3.0, 2", "1.55019499"),
)


def _ratio_slope(y: Any, a: Any, b: Any) -> Any:
    """y (digamma(a) - digamma(b))."""
    return y * (digamma(a) - digamma(b))


poch = declare(
    "poch",
    sp.poch,
    [lambda y, x, m: _ratio_slope(y, x + m, x), lambda y, x, m: y * digamma(x + m)],
    "Pochhammer symbol gamma(x + m) / gamma(x)",
    {"x": "Argument, real.", "m": "Number of factors, real."},
    ("3.0, 2.0", "12."),
    singular="nan where x + m is 0, -1, -2, ...",
)
beta = declare(
    "beta",
    sp.beta,
    [lambda y, a, b: _ratio_slope(y, a, a + b), lambda y, a, b: _ratio_slope(y, b, a + b)],
    "Beta function gamma(a) gamma(b) / gamma(a + b)",
    "a b",
    ("2.0, 3.0", "0.08333333"),
    singular="nan at poles of a gamma function",
)
betaln = declare(
    "betaln",
    sp.betaln,
    [lambda y, a, b: digamma(a) - digamma(a + b), lambda y, a, b: digamma(b) - digamma(a + b)],
    "Logarithm of the absolute value of the beta function",
    "a b",
    ("2.0, 3.0", "-2.48490665"),
    singular="infinite or nan at poles of a gamma function",
)


def _binomial_slope(y: Any, n: Any, k: Any, of: str) -> Any:
    """By digamma; where n - k + 1 or k + 1 is 0, -1, ... by the reciprocals, which have no poles there."""
    p, q, r = n + 1.0, k + 1.0, n - k + 1.0
    off = _is_pole(q), _is_pole(r)
    regular = logical_not(logical_or(*off))
    qs, rs = where(regular, q, 1.0), where(regular, r, 1.0)
    if of == "n":
        plain = digamma(p) - digamma(rs)
        special = gamma(p) * rgamma(q) * (digamma(p) * rgamma(r) + _rgamma_slope(None, r))
    else:
        plain = digamma(rs) - digamma(qs)
        special = gamma(p) * (_rgamma_slope(None, q) * rgamma(r) - rgamma(q) * _rgamma_slope(None, r))
    return where(regular, y * plain, special)


def _is_pole(x: Any) -> Any:
    return logical_and(lt(x, 0.5), eq(x, floor(x)))


binom = declare(
    "binom",
    sp.binom,
    [lambda y, n, k: _binomial_slope(y, n, k, "n"), lambda y, n, k: _binomial_slope(y, n, k, "k")],
    "Binomial coefficient of real numbers",
    {"n": "Number of things, real.", "k": "Number of things taken, real."},
    ("5.0, 2.0", "10."),
)
