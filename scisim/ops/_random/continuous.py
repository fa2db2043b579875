"""Continuous distributions that are functions of one uniform, normal or exponential number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.axes import Axes, broadcast_labels
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.ops._random.arguments import (
    ANY,
    DOUBLE,
    NOT_NEGATIVE,
    POSITIVE,
    SINGLE,
    Form,
    Request,
    check_key,
    float_dtype,
    is_number,
    shape_tuple,
)
from scisim.ops._random.documents import distribution
from scisim.ops._random.engine import drawn, exponential_p, laplace_p, logistic_p, normal_p, sample, sampler, uniform_p
from scisim.ops.arithmetic import add, mul, neg, sqrt
from scisim.ops.elementary import exp, expm1, log, tan
from scisim.ops.index import slice_axis
from scisim.ops.select import lt, where
from scisim.ops.shape import astype, reshape


# --- uniform and normal, whose parameters come last ----------------------------------------------------------------
def uniform(key: Any, shape: Any = (), dtype: Any = None, low: Any = 0.0, high: Any = 1.0) -> Any:
    """Numbers that are uniform between bounds.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    dtype : dtype, optional
        A real floating-point one; float64 by default.
    low, high : array_like
        The bounds, which may be differentiated and broadcast against the shape. The upper one is reached by
        rounding alone, and never where it is 1 and the lower one 0.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    DTypeError
        For another dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.random.uniform(ss.random.key(0), (1000,), low=-1.0)
    >>> bool(ss.all((x >= -1.0) & (x < 1.0)))
    True
    """
    dt = float_dtype("uniform", dtype)
    part = DOUBLE if dt is DOUBLE else SINGLE
    u = drawn(uniform_p, check_key("uniform", key), shape_tuple("uniform", shape), part)
    u = u if dt == u.dtype else astype(u, dt)
    if is_number(low, 0) and is_number(high, 1):
        return u
    low, high = (v if isinstance(v, (int, float)) else as_argument(v) for v in (low, high))
    return add(mul(u, high - low), low)


def normal(key: Any, shape: Any = (), dtype: Any = None, mean: Any = 0.0, std: Any = 1.0) -> Any:
    """Normally distributed numbers.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    dtype : dtype, optional
        A floating-point one; float64 by default. Complex numbers have independent parts of variance 1/2 each.
    mean, std : array_like
        Mean and standard deviation, which may be differentiated and broadcast against the shape.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    DTypeError
        For another dtype.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.normal(ss.random.key(0), (2, 3)).shape
    (2, 3)
    """
    dt = float_dtype("normal", dtype, real=False)
    k, s = check_key("normal", key), shape_tuple("normal", shape)
    if dt.kind == "c":
        z = _complex_normal(k, s, np.zeros((), dt).real.dtype)
    else:
        z = drawn(normal_p, k, s, DOUBLE if dt is DOUBLE else SINGLE)
        z = z if z.dtype == dt else astype(z, dt)
    if is_number(mean, 0) and is_number(std, 1):
        return z
    mean, std = (v if isinstance(v, (int, float)) else as_argument(v) for v in (mean, std))
    return add(mul(z, std), mean)


def _complex_normal(key: Any, s: tuple[int, ...], part: np.dtype) -> Any:
    z = normal_p(key, shape=(*s, 2), dtype=part)
    re, im = (reshape(slice_axis(z, len(s), k, k + 1), s) for k in (0, 1))
    return (re + im * 1j) * math.sqrt(0.5)


# --- location and scale --------------------------------------------------------------------------------------------
def _located(q: Request, x: Any, loc: Any, scale: Any) -> Any:
    if q.bare:
        return x
    x = x if is_number(scale, 1) else mul(x, scale)
    return q.cast(x if is_number(loc, 0) else add(x, loc))


_AT: dict[str, Any] = {"loc": "Location.", "scale": "Scale, not negative."}


_EXPONENTIAL = Form("exponential", scale=NOT_NEGATIVE)
_LAPLACE = Form("laplace", loc=ANY, scale=NOT_NEGATIVE)
_LOGISTIC = Form("logistic", loc=ANY, scale=NOT_NEGATIVE)
_GUMBEL = Form("gumbel", loc=ANY, scale=NOT_NEGATIVE)
_CAUCHY = Form("cauchy", loc=ANY, scale=NOT_NEGATIVE)
_LOGNORMAL = Form("lognormal", mean=ANY, sigma=NOT_NEGATIVE)
_RAYLEIGH = Form("rayleigh", scale=NOT_NEGATIVE)
_WEIBULL, _PARETO = Form("weibull", a=POSITIVE), Form("pareto", a=POSITIVE)
_TRIANGULAR = Form("triangular", left=ANY, mode=ANY, right=ANY)
_TRUNCATED = Form("truncated_normal", lower=ANY, upper=ANY)


@distribution(
    "Numbers of density exp(-x / scale) / scale, x >= 0.",
    "ss.random.exponential(ss.random.key(0), 2.0, (3,)).shape",
    "(3,)",
    scale="Mean, not negative.",
)
def exponential(key: Any, scale: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _EXPONENTIAL(key, shape, dtype, scale)
    return _located(q, drawn(exponential_p, k, q.shape, q.drawn), 0, q.params[0])


@distribution(
    "Numbers of density exp(-abs(x - loc) / scale) / (2 scale).",
    "ss.random.laplace(ss.random.key(0), 1.0, 2.0, (3,)).shape",
    "(3,)",
    **_AT,
)
def laplace(key: Any, loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _LAPLACE(key, shape, dtype, loc, scale)
    return _located(q, drawn(laplace_p, k, q.shape, q.drawn), *q.params)


@distribution(
    "Numbers whose distribution function is 1 / (1 + exp(-(x - loc) / scale)).",
    "ss.random.logistic(ss.random.key(0), 1.0, 2.0, (3,)).shape",
    "(3,)",
    **_AT,
)
def logistic(key: Any, loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _LOGISTIC(key, shape, dtype, loc, scale)
    return _located(q, drawn(logistic_p, k, q.shape, q.drawn), *q.params)


@distribution(
    "Numbers whose distribution function is exp(-exp(-(x - loc) / scale)): of Gumbel's distribution of maxima.",
    "ss.random.gumbel(ss.random.key(0), 1.0, 2.0, (3,)).shape",
    "(3,)",
    **_AT,
)
def gumbel(key: Any, loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _GUMBEL(key, shape, dtype, loc, scale)
    return _located(q, neg(log(drawn(exponential_p, k, q.shape, q.drawn))), *q.params)


@distribution(
    "Numbers of density 1 / (pi scale (1 + ((x - loc) / scale)^2)); they have no mean.",
    "ss.random.cauchy(ss.random.key(0), 1.0, 2.0, (3,)).shape",
    "(3,)",
    **_AT,
)
def cauchy(key: Any, loc: Any = 0.0, scale: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _CAUCHY(key, shape, dtype, loc, scale)
    u = uniform_p(k, shape=q.shape, dtype=DOUBLE)
    x = tan(mul(add(u, 2.0**-54 - 0.5), math.pi))  # the middle of each interval, so that no end is met
    return _located(q, x if q.drawn == DOUBLE else astype(x, q.drawn), *q.params)


@distribution(
    "Numbers whose logarithm is normal.",
    "ss.random.lognormal(ss.random.key(0), 1.0, 0.5, (3,)).shape",
    "(3,)",
    mean="Mean of the logarithm.",
    sigma="Standard deviation of the logarithm, not negative.",
)
def lognormal(key: Any, mean: Any = 0.0, sigma: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _LOGNORMAL(key, shape, dtype, mean, sigma)
    return exp(_located(q, drawn(normal_p, k, q.shape, q.drawn), *q.params))


@distribution(
    "Numbers of density x exp(-(x / scale)^2 / 2) / scale^2: lengths of vectors of two normal components.",
    "ss.random.rayleigh(ss.random.key(0), 2.0, (3,)).shape",
    "(3,)",
    scale="Standard deviation of the components, not negative.",
)
def rayleigh(key: Any, scale: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _RAYLEIGH(key, shape, dtype, scale)
    x = sqrt(mul(drawn(exponential_p, k, q.shape, q.drawn), 2.0))
    return _located(q, x, 0, q.params[0])


# --- powers of exponential numbers -----------------------------------------------------------------------------------
@distribution(
    "Numbers of density a x^(a - 1) exp(-x^a), x >= 0.",
    "ss.random.weibull(ss.random.key(0), 2.0, (3,)).shape",
    "(3,)",
    a="Shape, positive.",
)
def weibull(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _WEIBULL(key, shape, dtype, a)
    return q.cast(drawn(exponential_p, k, q.shape, q.drawn) ** (1.0 / q.params[0]))


@distribution(
    "Numbers of density a / (1 + x)^(a + 1), x >= 0: of Pareto's distribution of the second kind, as in NumPy.",
    "ss.random.pareto(ss.random.key(0), 3.0, (3,)).shape",
    "(3,)",
    notes="Add 1 and multiply by the least value for the distribution of the first kind.",
    a="Shape, positive.",
)
def pareto(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _PARETO(key, shape, dtype, a)
    return q.cast(expm1(drawn(exponential_p, k, q.shape, q.drawn) / q.params[0]))


# --- between bounds --------------------------------------------------------------------------------------------------
def _triangle_slopes(y: Any, low: Any, top: Any, high: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Which side of the mode; the sample's distances from the bounds over the lengths that belong to it, halved."""
    rising = lt(y, top)
    below = 0.5 * (y - low) / where(rising, top - low, 1.0)
    above = 0.5 * (high - y) / where(rising, 1.0, high - top)
    width = high - low
    return rising, below, above, 0.5 * (y - low) / width, 0.5 * (high - y) / width


def _left_slope(y: Any, low: Any, top: Any, high: Any) -> Any:
    rising, below, _, near, far = _triangle_slopes(y, low, top, high)
    return where(rising, 1.0 - near - below, far)


def _mode_slope(y: Any, low: Any, top: Any, high: Any) -> Any:
    rising, below, above, _, _ = _triangle_slopes(y, low, top, high)
    return where(rising, below, above)


def _right_slope(y: Any, low: Any, top: Any, high: Any) -> Any:
    rising, _, above, near, far = _triangle_slopes(y, low, top, high)
    return where(rising, near, 1.0 - far - above)


triangular_p = sampler("triangular", "triangular", [_left_slope, _mode_slope, _right_slope])


@distribution(
    "Numbers whose density rises linearly from ``left`` to ``mode`` and falls to ``right``.",
    "ss.random.triangular(ss.random.key(0), 0.0, 0.3, 1.0, (3,)).shape",
    "(3,)",
    left="Lower bound.",
    mode="Where the density is greatest.",
    right="Upper bound; where left <= mode <= right does not hold, samples are nan.",
)
def triangular(key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _TRIANGULAR(key, shape, dtype, left, mode, right)
    return q.cast(sample(triangular_p, k, q, *q.whole))


def _truncated(u: Any, a: Any, b: Any) -> Any:
    """The quantile of the smaller one of both tails."""
    from scipy.special import log_ndtr, ndtri_exp

    dt = np.result_type(*(v for v in (u, a, b) if hasattr(v, "dtype")))
    u, a, b = (np.asarray(v, np.float64) for v in (u, a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        lower = np.logaddexp(np.log1p(-u) + log_ndtr(a), np.log(u) + log_ndtr(b))
        upper = np.logaddexp(np.log1p(-u) + log_ndtr(-a), np.log(u) + log_ndtr(-b))
        x = np.where(lower < upper, ndtri_exp(np.minimum(lower, 0.0)), -ndtri_exp(np.minimum(upper, 0.0)))
        return np.where(a <= b, np.clip(x, a, np.maximum(a, b)), np.nan).astype(dt)[()]


def _truncated_jvp(x: Any, args: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """phi(x) dx = (1 - u) phi(a) da + u phi(b) db."""
    u, a, b = args
    total = None
    for share, bound, t in ((1.0 - u, a, tangents[1]), (u, b, tangents[2])):
        if t is not None:
            term = share * exp(mul(x - bound, x + bound) * 0.5) * t
            total = term if total is None else total + term
    return total


truncated_normal_p = Primitive(
    "truncated_normal_quantile",
    _truncated,
    axes=Axes(lambda shapes, p: broadcast_labels(shapes), broadcasts=True),
    infer=lambda avals, p: ShapeDtype(
        broadcast_shapes("truncated_normal", *(v.shape for v in avals)), np.result_type(*(v.dtype for v in avals))
    ),
    jvp=_truncated_jvp,
)


@distribution(
    "Standard normal numbers given that they lie between bounds.",
    "ss.random.truncated_normal(ss.random.key(0), 8.0, 9.0, (3,)).shape",
    "(3,)",
    notes="By the inverse distribution function, from the tail that is smaller. Where lower > upper, samples are nan.",
    lower="Lower bound; may be -inf.",
    upper="Upper bound; may be inf.",
)
def truncated_normal(key: Any, lower: Any, upper: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _TRUNCATED(key, shape, dtype, lower, upper)
    a, b = (
        v.astype(q.drawn) if isinstance(v, np.ndarray) else q.drawn.type(v) if type(v) in (int, float) else v
        for v in q.params
    )
    return q.cast(truncated_normal_p(drawn(uniform_p, k, q.shape, q.drawn), a, b))
