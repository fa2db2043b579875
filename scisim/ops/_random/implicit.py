"""Derivatives of samples in the parameters of their distribution, by implicit differentiation.

A sample x with a fixed probability F(x; a) moves with the parameter by dx/da = -F_a / p (Figurnov, Mohamed and Mnih,
"Implicit reparameterization gradients", 2018).  With R_m = -(d/da)^m F / p and D_m = (d/da)^m p / p the family is
closed:

    d R_m / da = R_{m+1} - R_m D_1,    d R_m / dx = -D_m - R_m (log p)_x,    d D_m / da = D_{m+1} - D_m D_1,

so that derivatives of every order need R_m and D_m alone.  Both are coefficients of series in the parameter: those of
p(a + e) / p(a), and moments of p by quadrature in which all terms have one sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import Axes, broadcast_labels
from scisim.core.primitive import Primitive
from scisim.core.values import is_inexact
from scisim.ops.elementary import exp, sin

_ROWS = 2048  # elements at a time: their quadrature nodes stay in cache


def _dtype(avals: Sequence[Any]) -> np.dtype:
    return np.result_type(*(a.dtype for a in avals if is_inexact(a)))


def family(name: str, evaluate: Callable, slopes: Sequence[Callable]) -> Primitive:
    """An elementwise function of two reals with an integer parameter m; ``slopes`` are its derivatives."""

    def on_arrays(a: Any, x: Any, m: int) -> Any:
        out = _dtype([np.asarray(a), np.asarray(x)])
        u, v = np.broadcast_arrays(np.asarray(a, float), np.asarray(x, float))
        y = np.empty(u.shape)
        for first in range(0, u.size, _ROWS):
            part = slice(first, first + _ROWS)
            with np.errstate(all="ignore"):
                y.reshape(-1)[part] = evaluate(u.reshape(-1)[part], v.reshape(-1)[part], m)
        return y.astype(out, copy=False)[()]

    def jvp(y: Any, args: Sequence[Any], tangents: Sequence[Any], m: int) -> Any:
        total = None
        for slope, t in zip(slopes, tangents, strict=True):
            if t is not None:
                term = slope(y, *args, m) * t
                total = term if total is None else total + term
        return total

    return Primitive(
        name,
        on_arrays,
        axes=Axes(lambda shapes, p: broadcast_labels(shapes), broadcasts=True),
        infer=lambda avals, p: ShapeDtype(broadcast_shapes(name, *(a.shape for a in avals)), _dtype(avals)),
        jvp=jvp,
    )


def _product_term(f: Sequence[Any], g: Sequence[Any], k: int) -> Any:
    return sum(f[j] * g[k - j] for j in range(k + 1))


def _exponential_series(c: Sequence[Any], m: int) -> list:
    """Coefficients to order m of exp(sum of c[k] e^k, k >= 1)."""
    g = [np.ones_like(c[1] if m else c[0])]
    for k in range(1, m + 1):
        g.append(sum(j * c[j] * g[k - j] for j in range(1, k + 1)) / k)
    return g


# --- gamma, in the logarithm w of the sample ---------------------------------------------------------------------
def _gamma_ratio_series(a: np.ndarray, w: np.ndarray, m: int) -> list:
    """Coefficients of p(a + e) / p(a) = exp(e w) Gamma(a) / Gamma(a + e)."""
    from scipy.special import polygamma

    c = [np.zeros_like(a)] + [-polygamma(k - 1, a) / math.factorial(k) for k in range(1, m + 1)]
    if m:
        c[1] = c[1] + w
    return _exponential_series(c, m)


@lru_cache(maxsize=2)
def _half_line(wide: bool) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of the trapezoidal rule for (0, inf): doubly exponential, or exponential for many scales."""
    step = 0.125
    x = np.arange(-40.0, 4.75, step) if wide else np.arange(-3.75, 6.0, step)
    s = np.exp(x) if wide else np.exp(x - np.exp(-x))
    return s, step * s * (1.0 if wide else 1.0 + np.exp(-x))


def _gamma_moments(a: np.ndarray, w: np.ndarray, m: int, wide: bool) -> list:
    """Coefficients in e of the tail of p(a + e), over z p(a) and p(a + e) / p(a), signed: the lower tail for z < a."""
    z, nodes = np.exp(w), _half_line(wide)
    a, w, z = a[:, None], w[:, None], z[:, None]
    lower = z < a
    rate = np.where(lower, a - z, np.maximum(z - a + 1.0, 0.0) / z)
    curvature = np.where(lower, np.sqrt(z), np.sqrt(np.maximum(a - 1.0, 0.0)) / z)
    width = 1.0 / np.where(wide, np.where(lower, a, 1.0), rate + curvature)
    s = nodes[0] * width
    ratio = np.log1p(s / z)
    turn = np.where(lower, -s, ratio)
    weight = np.exp(np.where(lower, -a * s - z * np.expm1(-s), (a - 1.0) * ratio - s))
    weight = weight * nodes[1] * width * np.where(lower, -1.0, 1.0 / z)
    return [np.sum(weight * turn**j, axis=1) / math.factorial(j) for j in range(m + 1)]


def _gamma_slope(a: np.ndarray, w: np.ndarray, m: int) -> np.ndarray:
    g = _gamma_ratio_series(a, w, m)
    y = np.empty_like(a)
    narrow = np.minimum(a, np.exp(w)) > 0.3
    for where, wide in ((narrow, False), (~narrow, True)):
        if where.any():
            moments = _gamma_moments(a[where], w[where], m, wide)
            y[where] = _product_term([c[where] for c in g], moments, m) * math.factorial(m)
    return y


gamma_slope = family(
    "random_gamma_slope",
    _gamma_slope,
    [
        lambda y, a, w, m: gamma_slope(a, w, m=m + 1) - y * gamma_ratio(a, w, m=1),
        lambda y, a, w, m: -gamma_ratio(a, w, m=m) - y * (a - exp(w)),
    ],
)
gamma_ratio = family(
    "random_gamma_ratio",
    lambda a, w, m: _gamma_ratio_series(a, w, m)[m] * math.factorial(m),
    [
        lambda y, a, w, m: gamma_ratio(a, w, m=m + 1) - y * gamma_ratio(a, w, m=1),
        lambda y, a, w, m: m * gamma_ratio(a, w, m=m - 1) if m else 0.0 * w,
    ],
)


# --- von Mises ---------------------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def _unit_interval() -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(64)
    return 0.5 * (x + 1.0), 0.5 * w


def _vonmises_ratio_series(kappa: np.ndarray, x: np.ndarray, m: int) -> list:
    """Coefficients of p(kappa + e) / p(kappa): exp(e (cos x - 1)) over the mean of exp(e (cos t - 1))."""
    nodes, weights = _unit_interval()
    kappa = kappa[:, None]
    t = np.minimum(math.pi, 9.0 / np.sqrt(np.maximum(kappa, 1e-300))) * nodes
    fall = -2.0 * np.sin(0.5 * t) ** 2
    mass = np.exp(kappa * fall) * weights
    mass = mass / mass.sum(axis=1, keepdims=True)
    mean = [np.sum(mass * fall**k, axis=1) / math.factorial(k) for k in range(m + 1)]
    own = -2.0 * np.sin(0.5 * x) ** 2
    g: list = []
    for k in range(m + 1):
        g.append(own**k / math.factorial(k) - sum(mean[j] * g[k - j] for j in range(1, k + 1)))
    return g


def _vonmises_slope(kappa: np.ndarray, x: np.ndarray, m: int) -> np.ndarray:
    g = _vonmises_ratio_series(kappa, x, m)
    nodes, weights = _unit_interval()
    size, k = np.abs(x)[:, None], np.maximum(kappa, 1e-300)[:, None]
    reach = 1.6 * (np.sqrt(size * size + 80.0 / k) - size)
    length = np.minimum(math.pi - size, reach)
    s = length * nodes
    fall = -2.0 * np.sin(size + 0.5 * s) * np.sin(0.5 * s)
    weight = np.exp(kappa[:, None] * fall) * weights * length * np.sign(x)[:, None]
    moments = [np.sum(weight * fall**j, axis=1) / math.factorial(j) for j in range(m + 1)]
    return _product_term(g, moments, m) * math.factorial(m)


vonmises_slope = family(
    "random_vonmises_slope",
    _vonmises_slope,
    [
        lambda y, k, x, m: vonmises_slope(k, x, m=m + 1) - y * vonmises_ratio(k, x, m=1),
        lambda y, k, x, m: y * (k * sin(x)) - vonmises_ratio(k, x, m=m),
    ],
)
vonmises_ratio = family(
    "random_vonmises_ratio",
    lambda k, x, m: _vonmises_ratio_series(k, x, m)[m] * math.factorial(m),
    [
        lambda y, k, x, m: vonmises_ratio(k, x, m=m + 1) - y * vonmises_ratio(k, x, m=1),
        lambda y, k, x, m: -m * (sin(x) * vonmises_ratio(k, x, m=m - 1)) if m else 0.0 * x,
    ],
)


# --- Mills' ratio (1 - Phi(y)) / phi(y), for the inverse Gaussian distribution --------------------------------------
def _mills(y: Any) -> Any:
    from scipy.special import erfcx

    return erfcx(np.asarray(y) * np.asarray(math.sqrt(0.5), np.asarray(y).dtype)) * np.asarray(y).dtype.type(
        math.sqrt(0.5 * math.pi)
    )


mills = Primitive(
    "mills_ratio",
    _mills,
    axes=Axes(lambda shapes, p: broadcast_labels(shapes), broadcasts=True),
    infer=lambda avals, p: avals[0],
    jvp=lambda y, args, tangents: (args[0] * y - 1.0) * tangents[0],
)
