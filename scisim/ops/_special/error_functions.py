"""The error function and its kin: complements, inverses, Dawson's integral, the Faddeeva function.

All derivatives go back to exp(-x^2), to the function itself, or to those of the scaled complement erfcx, of which
every order is one integral, d^n erfcx(x) = (-1)^n 2^(n+1) / sqrt(pi) times the integral of t^n exp(-t^2 - 2 x t) over
t > 0 (DLMF 7.7.1, 7.18.2): the recurrence that they satisfy loses all digits for large x if it is run upwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.core.values import is_complex
from scisim.ops._special import cuts
from scisim.ops._special.declare import declare, describe, family, in_double, single
from scisim.ops._special.quadrature import legendre
from scisim.ops.arithmetic import div, mul
from scisim.ops.complexes import real
from scisim.ops.elementary import exp
from scisim.ops.select import gt, where

_ROOT_PI = math.sqrt(math.pi)
_FAR = 6.5  # from here on the continued fraction of the integral converges in few terms
_DEPTH = 60


def _integral(x: Any, n: int) -> Any:
    """The n-th derivative of erfcx where Re x >= 0, by quadrature near 0 and by a continued fraction beyond."""
    near = np.abs(x) < _FAR
    t, w = legendre(120, 0.0, 6.5)
    close = np.where(near, x, 0.0)[..., None]
    by_quadrature = (2 / _ROOT_PI) * np.sum(w * (-2 * t) ** n * np.exp(-t * (t + 2 * close)), axis=-1)
    far = np.where(near, 10.0, x)
    ratio = 0.5 * (np.sqrt(far * far + 2.0 * (n + _DEPTH)) - far)
    y = sp.erfcx(far)
    ratios = []
    for k in range(n + _DEPTH, 0, -1):
        ratio = (0.5 * k) / (far + ratio)
        ratios.append(ratio)
    for r in ratios[::-1][:n]:
        y = y * (-2.0 * r)
    return np.where(near, by_quadrature, y)


def _gauss(x: Any, n: int) -> Any:
    """The n-th derivative of exp(x^2), by its recurrence, whose terms have one sign for real x."""
    before, y = 0.0, np.exp(x * x)
    for k in range(n):
        before, y = y, 2.0 * x * y + 2.0 * k * before
    return y


@in_double
def _erfcx_derivative(x: Any, n: int) -> Any:
    low = np.real(x) < 0
    y = _integral(np.where(low, -x, x), n)
    return np.where(low, 2.0 * _gauss(np.where(low, x, 0.0), n) - (-1) ** n * y, y)


def _wofz_derivative(z: Any, n: int) -> Any:
    """w(z) = erfcx(-i z)."""
    return (-1j) ** n * _erfcx_derivative(np.multiply(-1j, z), n=n)


@in_double
def _dawsn_derivative(x: Any, n: int) -> Any:
    if np.iscomplexobj(x):  # from w, the plane being folded so that no exponential is large beside the result
        sign = np.where(np.imag(x) < 0, -1.0, 1.0)
        u = sign * x
        y = 0.5j * _ROOT_PI * (1j**n * _gauss(1j * u, n) - _wofz_derivative(u, n))
        return np.where(sign < 0, (-1.0) ** (n + 1), 1.0) * y
    y = 0.5 * _ROOT_PI * np.imag(_wofz_derivative(np.abs(x).astype(complex), n))
    return np.where(np.signbit(x), (-1.0) ** (n + 1), 1.0) * y


erfcx_derivative = family("erfcx", _erfcx_derivative)
dawsn_derivative = family("dawsn", _dawsn_derivative)
wofz_derivative = family("wofz", lambda z, n: _wofz_derivative(z, n))


def _with_expression(name: str, evaluate: Callable, slope: Callable, text: str, example: tuple) -> Callable:
    """A function that compiled programs have an expression for, if its argument is real."""
    evaluate = single(evaluate)
    number = Primitive(f"special.{name}_complex", evaluate, axes=ELEMENTWISE, partials=[slope])
    prim = Primitive(
        f"special.{name}",
        evaluate,
        axes=ELEMENTWISE,
        partials=[slope],
        scalar=lambda s, x: getattr(s, name)(x),
    )

    def f(z: Any) -> Any:
        return number(z) if is_complex(z) else prim(z)

    describe(name, f, text, "z", example, primitive=prim)
    return f


erf = _with_expression(
    "erf",
    sp.erf,
    lambda y, x: (2 / _ROOT_PI) * exp(-mul(x, x)),
    "Error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to z",
    ("0.5", "0.52049988"),
)
erfc = _with_expression(
    "erfc",
    sp.erfc,
    lambda y, x: (-2 / _ROOT_PI) * exp(-mul(x, x)),
    "Complementary error function 1 - erf(z), exact in the tail",
    ("6.0", "2.15197367e-17"),
)
erfi = declare(
    "erfi",
    sp.erfi,
    [lambda y, x: (2 / _ROOT_PI) * exp(mul(x, x))],
    "Imaginary error function -i erf(i z)",
    "z",
    ("0.5", "0.61495209"),
)
erfcx = declare(
    "erfcx",
    sp.erfcx,
    [lambda y, x: erfcx_derivative(x, n=1)],
    "Scaled complementary error function exp(z^2) erfc(z)",
    "z",
    ("30.0", "0.01879589"),
)
wofz = declare(
    "wofz",
    sp.wofz,
    [lambda y, z: wofz_derivative(z, n=1)],
    "Faddeeva function exp(-z^2) erfc(-i z); its result is complex",
    "z",
    ("1.0", "0.36787944+0.60715771j"),
)
dawsn = declare(
    "dawsn",
    sp.dawsn,
    [lambda y, x: dawsn_derivative(x, n=1)],
    "Dawson's integral exp(-z^2) times the integral of exp(t^2) from 0 to z",
    "z",
    ("1.0", "0.53807951"),
)
erfinv = declare(
    "erfinv",
    sp.erfinv,
    [lambda y, x: (0.5 * _ROOT_PI) * exp(mul(y, y))],
    "Inverse of the error function",
    {"x": "Argument in [-1, 1]."},
    ("0.5", "0.47693628"),
    singular="infinite at -1 and 1",
    pole=True,
)
erfcinv = declare(
    "erfcinv",
    sp.erfcinv,
    [lambda y, x: (-0.5 * _ROOT_PI) * exp(mul(y, y))],
    "Inverse of the complementary error function",
    {"x": "Argument in [0, 2]."},
    ("1e-10", "4.57282497"),
    singular="infinite at 0 and 2",
    pole=True,
)

_ROOT_2PI = math.sqrt(2 * math.pi)
ndtr = declare(
    "ndtr",
    sp.ndtr,
    [lambda y, x: (1 / _ROOT_2PI) * exp(-0.5 * mul(x, x))],
    "Distribution function of the standard normal distribution",
    "z",
    ("1.0", "0.84134475"),
)


def _log_ndtr_slope(y: Any, x: Any) -> Any:
    """The density over the distribution: by erfcx in the lower tail, where both underflow."""
    if is_complex(x):
        return math.sqrt(2 / math.pi) / erfcx(x * -math.sqrt(0.5))
    high = gt(x, 0.0)
    tail = math.sqrt(2 / math.pi) / erfcx(where(high, 0.0, x) * -math.sqrt(0.5))
    u = where(high, x, 0.0)
    return where(high, (1 / _ROOT_2PI) * div(exp(-0.5 * mul(u, u)), ndtr(u)), tail)


log_ndtr = declare(
    "log_ndtr",
    cuts.log_ndtr,
    [_log_ndtr_slope],
    "Logarithm of the distribution function of the standard normal distribution, exact in both tails",
    "z",
    ("-40.0", "-804.60844201"),
)
ndtri = declare(
    "ndtri",
    sp.ndtri,
    [lambda y, p: _ROOT_2PI * exp(0.5 * mul(y, y))],
    "Inverse of the distribution function of the standard normal distribution",
    {"p": "Probability in [0, 1]."},
    ("0.975", "1.95996398"),
    singular="infinite at 0 and 1",
    pole=True,
)
ndtri_exp = declare(
    "ndtri_exp",
    sp.ndtri_exp,
    [lambda y, x: div(1.0, _log_ndtr_slope(None, y))],
    "Inverse of log_ndtr: the quantile of the standard normal distribution at probability exp(x)",
    {"x": "Logarithm of a probability, not positive."},
    ("-100.0", "-13.88847603"),
    singular="infinite at 0",
    pole=True,
)


def voigt_profile(x: Any, sigma: Any, gamma: Any) -> Any:
    """The line shape of a Lorentzian of half-width gamma seen through a Gaussian of deviation sigma > 0."""
    scale = 1.0 / (sigma * math.sqrt(2.0))
    return real(wofz((x + 1j * gamma) * scale)) * scale * (1 / _ROOT_PI)


describe(
    "voigt_profile",
    voigt_profile,
    "Voigt profile: a Lorentzian of half-width gamma seen through a Gaussian of standard deviation sigma",
    {"x": "Argument, real.", "sigma": "Standard deviation, positive.", "gamma": "Half-width, not negative."},
    ("1.0, 0.5, 0.3", "0.17044606"),
)


def _owens_slopes() -> list:
    return [
        lambda y, h, a: (-0.5 / _ROOT_2PI) * exp(-0.5 * mul(h, h)) * erf(h * a * math.sqrt(0.5)),
        lambda y, h, a: (0.5 / math.pi) * exp(-0.5 * mul(h, h) * (1.0 + mul(a, a))) / (1.0 + mul(a, a)),
    ]


owens_t = declare(
    "owens_t",
    sp.owens_t,
    _owens_slopes(),
    "Owen's T: the probability of X > h and 0 < Y < a X for independent standard normal X, Y",
    {"h": "Bound, real.", "a": "Slope, real."},
    ("1.0, 0.5", "0.04306469"),
)
