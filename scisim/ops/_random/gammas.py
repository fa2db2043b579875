"""Gamma numbers, and what is made of them; angles and first passage times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.axes import leading
from scisim.core.errors import ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import shape as shape_of
from scisim.ops._random.arguments import ANY, DOUBLE, NOT_NEGATIVE, POSITIVE, Form, Request, is_number
from scisim.ops._random.documents import distribution
from scisim.ops._random.engine import compiled_samplers, normal_p, plain, sample, sampler
from scisim.ops._random.implicit import gamma_slope, mills, vonmises_slope
from scisim.ops.arithmetic import add, mul, sqrt
from scisim.ops.elementary import log, sigmoid
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import eq, remainder, where
from scisim.ops.shape import lengths

STREAM = 1 << 20  # counters apart: another independent number for the same element


def _gamma_slope(z: Any, a: Any) -> Any:
    """Of a number that has underflowed to zero, zero."""
    gone = eq(z, 0)
    return where(gone, 0.0, z * gamma_slope(a, log(where(gone, 1.0, z)), m=1))


gamma_p = sampler("gamma", "gamma", [_gamma_slope], ("logarithm", "stream"))
loggamma_p = sampler("loggamma", "gamma", [lambda w, a: gamma_slope(a, w, m=1)], ("logarithm", "stream"))


def gammas(k: Any, q: Request, a: Any, stream: int = 0) -> Any:
    """Gamma numbers of the request's shape."""
    return sample(gamma_p, k, q, a, logarithm=False, stream=stream * STREAM)


def loggammas(k: Any, q: Request, a: Any, stream: int = 0) -> Any:
    """Their logarithms, which do not underflow."""
    return sample(loggamma_p, k, q, a, logarithm=True, stream=stream * STREAM)


_GAMMA = Form("gamma", a=NOT_NEGATIVE, scale=NOT_NEGATIVE)
_LOGGAMMA, _CHISQUARE = Form("loggamma", a=NOT_NEGATIVE), Form("chisquare", df=POSITIVE)
_BETA = Form("beta", a=POSITIVE, b=POSITIVE)
_F, _T = Form("f", dfnum=POSITIVE, dfden=POSITIVE), Form("t", df=POSITIVE)
_DIRICHLET = Form("dirichlet", alpha=POSITIVE)
_VONMISES = Form("vonmises", mu=ANY, kappa=NOT_NEGATIVE)
_WALD = Form("wald", mean=POSITIVE, scale=POSITIVE)
_BUDGET = "By rejection; each element has a budget of 64 attempts, which one in 10**30 exceeds (the last one is taken)."


@distribution(
    "Numbers of density x^(a - 1) exp(-x / scale) / (Gamma(a) scale^a).",
    "ss.random.gamma(ss.random.key(0), 2.5, shape=(3,)).shape",
    "(3,)",
    notes=_BUDGET + "\nThe derivative in ``a`` is implicit, of any order; for tiny ``a`` use `loggamma`.",
    a="Shape, not negative.",
    scale="Scale, not negative.",
)
def gamma(key: Any, a: Any, scale: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _GAMMA(key, shape, dtype, a, scale)
    x = gammas(k, q, q.whole[0])
    return q.cast(x if is_number(scale, 1) else mul(x, q.params[1]))


@distribution(
    "Logarithms of gamma numbers, which do not underflow for small ``a``.",
    "ss.random.loggamma(ss.random.key(0), 1e-6, (3,)).shape",
    "(3,)",
    notes=_BUDGET,
    a="Shape, not negative.",
)
def loggamma(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _LOGGAMMA(key, shape, dtype, a)
    return q.cast(loggammas(k, q, q.whole[0]))


@distribution(
    "Sums of the squares of df standard normal numbers.",
    "ss.random.chisquare(ss.random.key(0), 3.0, (3,)).shape",
    "(3,)",
    notes=_BUDGET,
    df="Degrees of freedom, positive.",
)
def chisquare(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _CHISQUARE(key, shape, dtype, df)
    return q.cast(mul(gammas(k, q, q.whole[0] * 0.5), 2.0))


@distribution(
    "Numbers of density x^(a - 1) (1 - x)^(b - 1) / B(a, b).",
    "ss.random.beta(ss.random.key(0), 2.0, 3.0, (3,)).shape",
    "(3,)",
    notes=_BUDGET,
    a="First exponent, positive.",
    b="Second exponent, positive.",
)
def beta(key: Any, a: Any, b: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _BETA(key, shape, dtype, a, b)
    first, second = q.whole
    return q.cast(sigmoid(loggammas(k, q, first) - loggammas(k, q, second, 1)))


@distribution(
    "Quotients of the mean squares of dfnum and of dfden standard normal numbers.",
    "ss.random.f(ss.random.key(0), 3.0, 8.0, (3,)).shape",
    "(3,)",
    notes=_BUDGET,
    dfnum="Degrees of freedom of the numerator, positive.",
    dfden="Degrees of freedom of the denominator, positive.",
)
def f(key: Any, dfnum: Any, dfden: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _F(key, shape, dtype, dfnum, dfden)
    n, d = q.whole
    return q.cast((gammas(k, q, n * 0.5) * d) / (gammas(k, q, d * 0.5, 1) * n))


@distribution(
    "Numbers of Student's distribution: normal ones over the root of a mean of df squares.",
    "ss.random.t(ss.random.key(0), 3.0, (3,)).shape",
    "(3,)",
    notes=_BUDGET,
    df="Degrees of freedom, positive.",
)
def t(key: Any, df: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _T(key, shape, dtype, df)
    half = q.whole[0] * 0.5
    return q.cast(sample(normal_p, k, q) * sqrt(half / gammas(k, q, half)))


def _simplex(w: Any) -> Any:
    out = np.empty(w.shape)
    rows = plain(w.astype(DOUBLE, copy=False).reshape(-1, w.shape[-1]))
    compiled_samplers().simplex(rows, out.reshape(rows.shape))
    return out.astype(w.dtype, copy=False)


def _simplex_jvp(x: Any, args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    t = x * tangents[0]
    return t - x * sum_of(t, axis=-1, keepdims=True)


simplex_p = Primitive(
    "random_simplex", _simplex, axes=leading(1), infer=lambda avals, p: avals[0], jvp=_simplex_jvp
)  # exp(w) over its sum along the last axis


def dirichlet(key: Any, alpha: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Vectors of positive numbers of sum 1, of density proportional to the product of x_i^(alpha_i - 1).

    Parameters
    ----------
    key : Tensor
        From `key`.
    alpha : array_like
        Of shape (..., k), positive.
    shape : int or tuple of int, optional
        Of the drawn vectors, to which the leading axes of ``alpha`` broadcast; theirs by default.
    dtype : dtype, optional

    Returns
    -------
    Tensor
        Of shape (*shape, k).

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ShapeError
        When ``alpha`` is a single number, or does not fit ``shape``.
    ArgumentError
        When an element of ``alpha`` is not positive.

    Notes
    -----
    Differentiable in ``alpha``.  From gamma numbers by their logarithms, so that small ``alpha`` give no nan.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.dirichlet(ss.random.key(0), [1.0, 2.0, 3.0], (4,)).shape
    (4, 3)
    """
    a = as_argument(alpha)
    if not shape_of(a):
        raise ShapeError("random.dirichlet: alpha must be a vector or a stack of them, got a single number")
    lead = shape_of(a)[:-1] if shape is None else lengths("random.dirichlet", shape)
    k, q = _DIRICHLET(key, (*lead, shape_of(a)[-1]), dtype, a)
    return q.cast(simplex_p(loggammas(k, q, q.whole[0])))


# --- angles and times ------------------------------------------------------------------------------------------------
vonmises_p = sampler("vonmises", "vonmises", [lambda x, kappa: vonmises_slope(kappa, x, m=1)])


@distribution(
    "Angles in [-pi, pi] of density exp(kappa cos(x - mu)) / (2 pi I_0(kappa)).",
    "ss.random.vonmises(ss.random.key(0), 0.0, 2.0, (3,)).shape",
    "(3,)",
    notes=_BUDGET + "\nFrom kappa = 10**8 on normal numbers. The derivative in ``kappa`` is implicit, of any order.",
    mu="Mean direction, radians.",
    kappa="Concentration, not negative.",
)
def vonmises(key: Any, mu: Any, kappa: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _VONMISES(key, shape, dtype, mu, kappa)
    x = sample(vonmises_p, k, q, q.whole[1])
    if is_number(mu, 0):
        return q.cast(x)
    return q.cast(add(remainder(add(x, q.params[0]) + math.pi, 2.0 * math.pi), -math.pi))


def _wald_mean_slope(x: Any, mean: Any, scale: Any) -> Any:
    """From F = Phi(a) + exp(2 scale / mean) Phi(-b), of which phi(a) = exp(2 scale / mean) phi(b)."""
    b = sqrt(scale / x) * (x / mean + 1.0)
    return (2.0 * scale / (mean * mean)) * sqrt(x * x * x / scale) * mills(b)


def _wald_scale_slope(x: Any, mean: Any, scale: Any) -> Any:
    """Samples scale with both parameters."""
    return (x - mean * _wald_mean_slope(x, mean, scale)) / scale


wald_p = sampler("wald", "wald", [_wald_mean_slope, _wald_scale_slope])


@distribution(
    "Times at which Brownian motion with drift first passes a level: inverse Gaussian numbers.",
    "ss.random.wald(ss.random.key(0), 1.0, 2.0, (3,)).shape",
    "(3,)",
    notes="The density is sqrt(scale / (2 pi x^3)) exp(-scale (x - mean)^2 / (2 mean^2 x)).",
    mean="Mean, positive.",
    scale="Scale, positive.",
)
def wald(key: Any, mean: Any, scale: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _WALD(key, shape, dtype, mean, scale)
    return q.cast(sample(wald_p, k, q, *q.whole))
