"""Distributions of counts; none has a derivative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError
from scisim.core.values import Traced
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape as shape_of
from scisim.ops._random.arguments import (
    DOUBLE,
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    Form,
    integer_dtype,
)
from scisim.ops._random.documents import distribution
from scisim.ops._random.engine import (
    sampler,
)
from scisim.ops._random.gammas import gammas
from scisim.ops.arithmetic import mul, neg, stop
from scisim.ops.elementary import log1p
from scisim.ops.shape import astype, broadcast

_INT64 = np.dtype(np.int64)


poisson_p = sampler("poisson", "poisson", settings=("stream",))
binomial_p = sampler("binomial", "binomial")
geometric_p = sampler("geometric", "geometric")
zipf_p = sampler("zipf", "zipf")
hypergeometric_p = sampler("hypergeometric", "hypergeometric")
_ABOVE_0 = ("a probability above 0", lambda v: (v > 0) & (v <= 1))
_POISSON = Form("poisson", lam=("from 0 to 9.2e18", lambda v: (v >= 0) & (v < 9.2e18)))
_BINOMIAL = Form("binomial", n=NOT_NEGATIVE, p=PROBABILITY)
_GEOMETRIC = Form("geometric", p=_ABOVE_0)
_NEGATIVE_BINOMIAL = Form("negative_binomial", n=POSITIVE, p=_ABOVE_0)
_ZIPF = Form("zipf", a=("above 1", lambda v: v > 1))
_HYPERGEOMETRIC = Form("hypergeometric", ngood=NOT_NEGATIVE, nbad=NOT_NEGATIVE, nsample=NOT_NEGATIVE)


def count(name: str, dtype: Any, counts: Any) -> Any:
    dt = integer_dtype(name, dtype)
    return counts if dt == _INT64 else astype(counts, dt)


_SEARCH = "Sequential search below 10 expected events, else rejection with a budget of 64 attempts an element."


@distribution(
    "Numbers of events where ``lam`` are expected.",
    "ss.random.poisson(ss.random.key(0), 3.0, (3,)).shape",
    "(3,)",
    integer=True,
    notes=_SEARCH + " -1 where lam is none that is possible.",
    lam="Expected number, not negative and below 9.2e18.",
)
def poisson(key: Any, lam: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _POISSON(key, shape, None, lam)
    return count("poisson", dtype, poisson_p(k, *q.whole, shape=q.shape, dtype=_INT64, stream=0))


@distribution(
    "Numbers of successes in ``n`` trials.",
    "ss.random.binomial(ss.random.key(0), 10, 0.3, (3,)).shape",
    "(3,)",
    integer=True,
    notes=_SEARCH + " -1 where n or p is none that is possible.",
    n="Number of trials, not negative; a fraction is cut off.",
    p="Probability of success.",
)
def binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _BINOMIAL(key, shape, None, n, p)
    trials, probability = q.whole
    return count("binomial", dtype, binomial_p(k, floored(trials), probability, shape=q.shape, dtype=_INT64))


def floored(v: Any) -> Any:
    if type(v) in (int, float):
        return float(math.floor(v))
    return v if dtype_of(v).kind in "iu" else astype(astype(v, _INT64), DOUBLE)


@distribution(
    "Numbers of trials up to and with the first success: 1, 2, ...",
    "ss.random.geometric(ss.random.key(0), 0.3, (3,)).shape",
    "(3,)",
    integer=True,
    notes="By inversion; numbers beyond int64 become its greatest.",
    p="Probability of success, positive.",
)
def geometric(key: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _GEOMETRIC(key, shape, None, p)
    p = q.params[0]
    rate = -(math.log1p(-p) if p < 1 else -math.inf) if q.plain else neg(log1p(neg(stop(p))))
    rate = rate if q.plain or not shape_of(rate) else broadcast(rate, q.shape)
    return count("geometric", dtype, geometric_p(k, rate, shape=q.shape, dtype=_INT64))


@distribution(
    "Numbers of failures before the n-th success.",
    "ss.random.negative_binomial(ss.random.key(0), 4, 0.3, (3,)).shape",
    "(3,)",
    integer=True,
    notes="Poisson numbers whose means are gamma numbers.",
    n="Number of successes, positive; need not be an integer.",
    p="Probability of success, positive.",
)
def negative_binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _NEGATIVE_BINOMIAL(key, shape, DOUBLE, n, p)
    successes, probability = q.whole if q.plain else (stop(v) for v in q.whole)
    mean = mul(gammas(k, q, successes), (1.0 - probability) / probability)
    return count("negative_binomial", dtype, poisson_p(k, mean, shape=q.shape, dtype=_INT64, stream=1 << 20))


@distribution(
    "Numbers k = 1, 2, ... with probability proportional to k^-a.",
    "ss.random.zipf(ss.random.key(0), 2.5, (3,)).shape",
    "(3,)",
    integer=True,
    notes="By rejection with a budget of 64 attempts an element; numbers beyond int64 are proposed again.",
    a="Exponent, above 1.",
)
def zipf(key: Any, a: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _ZIPF(key, shape, None, a)
    return count("zipf", dtype, zipf_p(k, *q.whole, shape=q.shape, dtype=_INT64))


@distribution(
    "Numbers of good ones among ``nsample`` that are drawn without replacement.",
    "ss.random.hypergeometric(ss.random.key(0), 20, 30, 10, (3,)).shape",
    "(3,)",
    integer=True,
    notes="By search from the mode, some standard deviations far; -1 where more is drawn than there is.",
    ngood="Number of good ones, not negative.",
    nbad="Number of bad ones, not negative.",
    nsample="Number of draws, at most ngood + nbad.",
)
def hypergeometric(key: Any, ngood: Any, nbad: Any, nsample: Any, shape: Any = None, dtype: Any = None) -> Any:
    k, q = _HYPERGEOMETRIC(key, shape, None, ngood, nbad, nsample)
    good, bad, drawn = q.params
    if not any(isinstance(v, Traced) for v in q.params) and np.any(good + bad < drawn):
        raise ArgumentError("random.hypergeometric: nsample must be at most ngood + nbad; there is no more to draw")
    return count("hypergeometric", dtype, hypergeometric_p(k, *map(floored, q.whole), shape=q.shape, dtype=_INT64))
