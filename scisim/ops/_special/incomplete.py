"""Incomplete gamma and beta functions and their inverses.

In the argument they differentiate to densities.  In the parameters there is no closed form: the first derivative is an
integral with a logarithm, computed by quadrature from the end where all terms have one sign.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp

from scisim.core.axes import ELEMENTWISE
from scisim.core.primitive import Primitive
from scisim.ops._special.declare import declare, in_double, refusal
from scisim.ops._special.gamma import digamma
from scisim.ops._special.quadrature import half_line, unit
from scisim.ops.arithmetic import div
from scisim.ops.elementary import log, log1p

_SECOND = "only the first derivative in a parameter is computed"


def _stirling_error(a: Any) -> Any:
    """log gamma(a + 1) - (a + 1/2) log a + a - log(2 pi) / 2, for a > 8."""
    r = 1.0 / (a * a)
    tail = 1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * (691 / 360360 - r * (1 / 156 - r * 3617 / 122400))))
    return (1 / 12 - r * (1 / 360 - r * tail)) / a


def _deviance(u: Any) -> Any:
    """u - log(1 + u), by its series near 0."""
    near = np.abs(u) < 0.1
    w = np.where(near, u, 0.0)
    s = w / (2.0 + w)
    series = 2.0 * s * s * s * sum(s ** (2 * k) / (2 * k + 3) for k in range(8))
    return np.where(near, w * s - series, u - np.log1p(np.where(near, 1.0, u)))


@in_double
def _gamma_density(a: Any, x: Any) -> Any:
    """x^(a-1) exp(-x) / gamma(a), for large a without the cancellation of its logarithm (Loader, 2000)."""
    b = a - 1.0
    big = b > 8.0
    c = np.where(big, b, 10.0)
    far = np.exp(-c * _deviance(x / c - 1.0) - _stirling_error(c)) / np.sqrt(2 * np.pi * c)
    front = sp.rgamma(a)
    return np.where(big, far, np.where(np.equal(front, 0), 0.0, front * x**b * np.exp(-x)))


def _density_slope(y: Any, a: Any, x: Any) -> Any:
    """Densities of neighbouring parameters: right at x = 0, too."""
    return gamma_density(a - 1.0, x) - y


gamma_density = Primitive(
    "special.gamma_density",
    _gamma_density,
    axes=ELEMENTWISE,
    partials=[lambda y, a, x: y * (log(x) - digamma(a)), _density_slope],
)


def _towards_zero(a: Any) -> tuple:
    """Nodes t on (0, 1), their logarithms, and weights with t^(a-1): for small a evenly in s = t^a."""
    s, _, w = unit(1 / 32, 3.3)
    c = np.minimum(a, 1.0)[..., None]
    log_t = np.log(s) / c
    return np.exp(log_t), log_t, w / c * np.exp((a[..., None] - c) * log_t)


@in_double
def _gammainc_in_a(a: Any, x: Any) -> Any:
    """d gammainc(a, x) / da: from 0 to x, or from x to infinity, whichever holds less."""
    a, x = np.broadcast_arrays(a, x)
    log_x, psi, density = np.log(x), sp.digamma(a), _gamma_density(a, x)
    t, log_t, w = _towards_zero(a)
    u = np.where(x < a + 1.0, x, 1.0)[..., None]
    low = density * x * np.sum(w * np.exp(u * (1.0 - t)) * log_t, axis=-1) + sp.gammainc(a, x) * (log_x - psi)
    t, w = half_line(1 / 48, 3.6)
    v = np.where(x < a + 1.0, a + 2.0, x)[..., None]
    rise = np.log1p(t / v)
    tail = density * np.sum(w * np.exp((a[..., None] - 1.0) * rise - t) * rise, axis=-1)
    high = -(tail + sp.gammaincc(a, x) * (log_x - psi))
    return np.where(np.equal(x, 0), 0.0, np.where(x < a + 1.0, low, high))


gammainc_in_a = Primitive(
    "special.gammainc_in_a",
    _gammainc_in_a,
    axes=ELEMENTWISE,
    partials=[
        refusal("gammainc", "a", _SECOND),
        lambda y, a, x: gamma_density(a, x) * (log(x) - digamma(a)),
    ],
)
_A, _X = "Parameter, positive.", "Argument, not negative."
gammainc = declare(
    "gammainc",
    sp.gammainc,
    [lambda y, a, x: gammainc_in_a(a, x), lambda y, a, x: gamma_density(a, x)],
    "Regularized lower incomplete gamma function",
    {"a": _A, "x": _X},
    ("2.0, 1.0", "0.26424112"),
    notes="In a the first derivative is computed, by quadrature; higher ones raise DerivativeError.",
)
gammaincc = declare(
    "gammaincc",
    sp.gammaincc,
    [lambda y, a, x: -gammainc_in_a(a, x), lambda y, a, x: -gamma_density(a, x)],
    "Regularized upper incomplete gamma function, exact in the tail",
    {"a": _A, "x": _X},
    ("2.0, 1.0", "0.73575888"),
    notes="In a the first derivative is computed, by quadrature; higher ones raise DerivativeError.",
)
gammaincinv = declare(
    "gammaincinv",
    sp.gammaincinv,
    [lambda x, a, p: -gammainc_in_a(a, x) / gamma_density(a, x), lambda x, a, p: div(1.0, gamma_density(a, x))],
    "Inverse of gammainc in its argument",
    {"a": _A, "y": "Value in [0, 1]."},
    ("2.0, 0.5", "1.67834699"),
    singular="infinite where the density is 0",
)
gammainccinv = declare(
    "gammainccinv",
    sp.gammainccinv,
    [lambda x, a, p: -gammainc_in_a(a, x) / gamma_density(a, x), lambda x, a, p: -div(1.0, gamma_density(a, x))],
    "Inverse of gammaincc in its argument",
    {"a": _A, "y": "Value in [0, 1]."},
    ("2.0, 0.5", "1.67834699"),
    singular="infinite where the density is 0",
)


# --- beta ----------------------------------------------------------------------------------------------------------
def _log_correction(a: Any, b: Any) -> Any:
    return _stirling_error(a + b) - _stirling_error(a) - _stirling_error(b)


@in_double
def _beta_density(a: Any, b: Any, x: Any) -> Any:
    """x^(a-1) (1-x)^(b-1) / beta(a, b), for large a and b without cancellation (Loader, 2000)."""
    a, b, x = np.broadcast_arrays(a, b, x)
    big = (a > 8.0) & (b > 8.0)
    p, q = np.where(big, a, 10.0), np.where(big, b, 10.0)
    n = p + q
    size = p * _deviance(x * n / p - 1.0) + q * _deviance((1.0 - x) * n / q - 1.0)
    front = np.sqrt(p * q / (2 * np.pi * n)) / (x * (1.0 - x))
    far = front * np.exp(_log_correction(p, q) - size)
    plain = np.exp(sp.xlogy(a - 1.0, x) + sp.xlog1py(b - 1.0, -x)) / sp.beta(a, b)
    return np.where(big & (x > 0) & (x < 1), far, plain)


beta_density = Primitive(
    "special.beta_density",
    _beta_density,
    axes=ELEMENTWISE,
    partials=[
        lambda y, a, b, x: y * (log(x) - digamma(a) + digamma(a + b)),
        lambda y, a, b, x: y * (log1p(-x) - digamma(b) + digamma(a + b)),
        lambda y, a, b, x: y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x)),
    ],
)


def _below(a: Any, b: Any, x: Any, y: Any, turned: bool) -> Any:
    """d/da (or d/db where turned) of betainc(a, b, x), from the integral over [0, x]; y is 1 - x."""
    t, log_t, w = _towards_zero(a)
    log_away = np.log1p(x[..., None] * (1.0 - t) / y[..., None])  # of (1 - t x) / (1 - x)
    weight = w * np.exp((b[..., None] - 1.0) * log_away)
    moment = np.sum(weight * (log_away if turned else log_t), axis=-1)
    density = _beta_density(a, b, x)
    mean = sp.digamma(b if turned else a) - sp.digamma(a + b)
    return density * x * moment + sp.betainc(a, b, x) * (np.log(y if turned else x) - mean)


def _betainc_in(a: Any, b: Any, x: Any, turned: bool) -> Any:
    a, b, x = np.broadcast_arrays(a, b, x)
    ends = np.equal(x, 0) | np.equal(x, 1)
    x = np.where(ends, 0.5, x)
    low = x * (a + b + 2.0) < a + 1.0
    u = np.where(low, _below(a, b, np.where(low, x, 0.1), np.where(low, 1.0 - x, 0.9), turned), 0.0)
    v = _below(b, a, np.where(low, 0.1, 1.0 - x), np.where(low, 0.9, x), not turned)
    return np.where(ends, 0.0, np.where(low, u, -v))


betainc_in_a = Primitive(
    "special.betainc_in_a",
    in_double(lambda a, b, x: _betainc_in(a, b, x, False)),
    axes=ELEMENTWISE,
    partials=[
        refusal("betainc", "a", _SECOND),
        refusal("betainc", "b", _SECOND),
        lambda y, a, b, x: beta_density(a, b, x) * (log(x) - digamma(a) + digamma(a + b)),
    ],
)
betainc_in_b = Primitive(
    "special.betainc_in_b",
    in_double(lambda a, b, x: _betainc_in(a, b, x, True)),
    axes=ELEMENTWISE,
    partials=[
        refusal("betainc", "a", _SECOND),
        refusal("betainc", "b", _SECOND),
        lambda y, a, b, x: beta_density(a, b, x) * (log1p(-x) - digamma(b) + digamma(a + b)),
    ],
)
_B = {"a": _A, "b": _A}
_FIRST = "In a and b the first derivative is computed, by quadrature; higher ones raise DerivativeError."
betainc = declare(
    "betainc",
    sp.betainc,
    [
        lambda y, a, b, x: betainc_in_a(a, b, x),
        lambda y, a, b, x: betainc_in_b(a, b, x),
        lambda y, a, b, x: beta_density(a, b, x),
    ],
    "Regularized incomplete beta function",
    {**_B, "x": "Argument in [0, 1]."},
    ("2.0, 3.0, 0.5", "0.6875"),
    notes=_FIRST,
)
betaincc = declare(
    "betaincc",
    sp.betaincc,
    [
        lambda y, a, b, x: -betainc_in_a(a, b, x),
        lambda y, a, b, x: -betainc_in_b(a, b, x),
        lambda y, a, b, x: -beta_density(a, b, x),
    ],
    "Complement of the regularized incomplete beta function",
    {**_B, "x": "Argument in [0, 1]."},
    ("2.0, 3.0, 0.5", "0.3125"),
    notes=_FIRST,
)
betaincinv = declare(
    "betaincinv",
    sp.betaincinv,
    [
        lambda x, a, b, p: -betainc_in_a(a, b, x) / beta_density(a, b, x),
        lambda x, a, b, p: -betainc_in_b(a, b, x) / beta_density(a, b, x),
        lambda x, a, b, p: div(1.0, beta_density(a, b, x)),
    ],
    "Inverse of betainc in its argument",
    {**_B, "y": "Value in [0, 1]."},
    ("2.0, 3.0, 0.5", "0.38572757"),
    singular="infinite where the density is 0",
)
betainccinv = declare(
    "betainccinv",
    sp.betainccinv,
    [
        lambda x, a, b, p: -betainc_in_a(a, b, x) / beta_density(a, b, x),
        lambda x, a, b, p: -betainc_in_b(a, b, x) / beta_density(a, b, x),
        lambda x, a, b, p: -div(1.0, beta_density(a, b, x)),
    ],
    "Inverse of betaincc in its argument",
    {**_B, "y": "Value in [0, 1]."},
    ("2.0, 3.0, 0.5", "0.38572757"),
    singular="infinite where the density is 0",
)
