"""Discrete distributions: integers, truths, counts, categories. None has a derivative."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from scisim.core.avals import ShapeDtype, broadcast_shapes
from scisim.core.errors import ArgumentError, ArgumentTypeError, DTypeError, ShapeError
from scisim.core.primitive import Primitive
from scisim.core.public import as_argument
from scisim.core.values import Traced, as_dtype, is_complex
from scisim.core.values import dtype as dtype_of
from scisim.core.values import shape as shape_of
from scisim.ops._random.arguments import (
    DOUBLE,
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    Form,
    check_key,
    integer_dtype,
    parameter,
)
from scisim.ops._random.documents import distribution
from scisim.ops._random.engine import (
    KEYED,
    compiled_bits,
    compiled_samplers,
    plain,
    rows_of,
    sampler,
    shaped,
    uniform_p,
)
from scisim.ops._random.gammas import gammas
from scisim.ops.arithmetic import mul, neg, stop
from scisim.ops.elementary import log1p
from scisim.ops.extrema import softmax
from scisim.ops.index import index, slice_axis
from scisim.ops.reduce import cumulative_sum
from scisim.ops.reduce import sum as sum_of
from scisim.ops.select import ge, lt, where
from scisim.ops.shape import astype, broadcast, lengths, moveaxis, normalize_axis, reshape

_INT64 = np.dtype(np.int64)


# --- integers --------------------------------------------------------------------------------------------------------
def _integers(key: Any, low: Any, span: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    lead = key.shape[:-1]
    rows = math.prod(lead)
    out = np.empty((rows, math.prod(shape)), np.uint64)
    if out.size:
        tables = [plain(v.reshape(rows, v.size // rows)) for v in (low, span)]
        compiled_bits().integers(rows_of(key), *tables, out)
    return shaped(out.view(np.int64) if dtype == _INT64 else out, key, shape, dtype)


integers_p = Primitive(
    "random_integers",
    _integers,
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), p["dtype"]),
)


def _bound(argument: str, v: Any) -> Any:
    """An integer bound: a Python integer, or a value."""
    if type(v) is int:
        return v
    if isinstance(v, (int, np.integer)) and not isinstance(v, (bool, np.bool)):
        return int(v)
    given, v = v, as_argument(v)
    if dtype_of(v).kind not in "iu":
        raise ArgumentTypeError(f"random.integers: {argument} must be an integer, got {given!r:.60}")
    return int(v) if isinstance(v, np.ndarray) and v.ndim == 0 else v


def _span(low: Any, high: Any, dt: np.dtype) -> tuple[Any, Any]:
    """Bounds as words of 64 bits: the lowest number, and how many there are."""
    if isinstance(low, int) and isinstance(high, int):
        return _plain_span(low, high, dt)
    info = np.iinfo(dt)
    for v in (low, high):
        if isinstance(v, int) and not -(2**63) <= v < 2**64:
            raise ArgumentError(f"random.integers: bounds beside arrays must be within {dt}, got {v}")
    whole = isinstance(low, (int, np.ndarray)) and isinstance(high, (int, np.ndarray))
    if whole and not (np.all(np.less(low, high)) and np.all(np.greater_equal(low, info.min))):
        raise ArgumentError(f"random.integers: needs low < high within {dt}, got low={low!r:.40}, high={high!r:.40}")
    low, high = (np.array(v % 2**64, np.uint64) if isinstance(v, int) else astype(v, np.uint64) for v in (low, high))
    return low, high - low


@lru_cache(maxsize=256)
def _plain_span(low: int, high: int, dt: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    info = np.iinfo(dt)
    if not info.min <= low < high <= info.max + 1:
        raise ArgumentError(f"random.integers: needs low < high within {dt}, got low={low}, high={high}")
    return np.array(low % 2**64, np.uint64), np.array((high - low) % 2**64, np.uint64)


def integers(key: Any, shape: Any, low: Any, high: Any, dtype: Any = None) -> Any:
    """Integers that are uniform from ``low`` up to but without ``high``, without bias.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    low, high : int or array_like of integers
        Bounds, which broadcast against the shape.
    dtype : dtype, optional
        An integer one that holds every number; int64 by default.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key, or a bound no integer.
    ArgumentError
        When the range is empty or exceeds the dtype.
    DTypeError
        When the dtype is none of integers.

    Notes
    -----
    A word that would favour some integers is replaced by one of up to 63 others that belong to the element
    (Lemire, ACM Trans. Model. Comput. Simul. 29 (2019) 3).

    Examples
    --------
    >>> import scisim as ss
    >>> x = ss.random.integers(ss.random.key(0), (100,), 1, 7)
    >>> int(ss.min(x)), int(ss.max(x))
    (1, 6)
    """
    k, s, dt = check_key("integers", key), lengths("random.integers", shape), integer_dtype("integers", dtype)
    bounds = _span(_bound("low", low), _bound("high", high), dt)
    return integers_p(k, *(_fitted("integers", v, s) for v in bounds), shape=s, dtype=dt)


def _fitted(name: str, v: Any, s: tuple[int, ...]) -> Any:
    """A parameter as one number, or of the drawn shape."""
    if shape_of(v) and broadcast_shapes(f"random.{name}", shape_of(v), s) != s:
        raise ShapeError(f"random.{name}: parameters of shape {shape_of(v)} do not broadcast to the drawn shape {s}")
    return broadcast(v, s) if shape_of(v) else v


# --- truths and signs ------------------------------------------------------------------------------------------------
def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Booleans that are true with a given probability.

    Parameters
    ----------
    key : Tensor
        From `key`.
    p : array_like
        Probability of true.
    shape : int or tuple of int, optional
        By default that of ``p``.

    Returns
    -------
    Tensor
        Of booleans, without a derivative.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.bernoulli(ss.random.key(0), 1.0, (2,))
    Tensor([ True,  True])
    """
    k, q = _BERNOULLI(key, shape, None, p)
    return lt(uniform_p(k, shape=q.shape, dtype=DOUBLE), stop(q.params[0]))


def rademacher(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Numbers that are -1 or 1 with equal probability.

    Parameters
    ----------
    key : Tensor
        From `key`.
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default; integers that have a sign are possible too.

    Returns
    -------
    Tensor

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    DTypeError
        For a dtype without negative numbers.

    Examples
    --------
    >>> import scisim as ss
    >>> float(ss.max(abs(ss.random.rademacher(ss.random.key(0), (5,)))))
    1.0
    """
    dt = DOUBLE if dtype is None else as_dtype("random.rademacher", dtype)
    if dt.kind not in "if":
        raise DTypeError(f"random.rademacher: dtype must hold -1 and 1, got {dt}; use a real or signed integer one")
    u = uniform_p(check_key("rademacher", key), shape=lengths("random.rademacher", shape), dtype=DOUBLE)
    return astype(where(lt(u, 0.5), -1.0, 1.0), dt)


# --- counts ----------------------------------------------------------------------------------------------------------
poisson_p = sampler("poisson", "poisson", settings=("stream",))
binomial_p = sampler("binomial", "binomial")
geometric_p = sampler("geometric", "geometric")
zipf_p = sampler("zipf", "zipf")
hypergeometric_p = sampler("hypergeometric", "hypergeometric")
_ABOVE_0 = ("a probability above 0", lambda v: (v > 0) & (v <= 1))
_BERNOULLI = Form("bernoulli", p=PROBABILITY)
_POISSON = Form("poisson", lam=("from 0 to 9.2e18", lambda v: (v >= 0) & (v < 9.2e18)))
_BINOMIAL = Form("binomial", n=NOT_NEGATIVE, p=PROBABILITY)
_GEOMETRIC = Form("geometric", p=_ABOVE_0)
_NEGATIVE_BINOMIAL = Form("negative_binomial", n=POSITIVE, p=_ABOVE_0)
_ZIPF = Form("zipf", a=("above 1", lambda v: v > 1))
_HYPERGEOMETRIC = Form("hypergeometric", ngood=NOT_NEGATIVE, nbad=NOT_NEGATIVE, nsample=NOT_NEGATIVE)


def _count(name: str, dtype: Any, counts: Any) -> Any:
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
    return _count("poisson", dtype, poisson_p(k, *q.whole, shape=q.shape, dtype=_INT64, stream=0))


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
    return _count("binomial", dtype, binomial_p(k, _floor(trials), probability, shape=q.shape, dtype=_INT64))


def _floor(v: Any) -> Any:
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
    return _count("geometric", dtype, geometric_p(k, rate, shape=q.shape, dtype=_INT64))


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
    return _count("negative_binomial", dtype, poisson_p(k, mean, shape=q.shape, dtype=_INT64, stream=1 << 20))


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
    return _count("zipf", dtype, zipf_p(k, *q.whole, shape=q.shape, dtype=_INT64))


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
    return _count("hypergeometric", dtype, hypergeometric_p(k, *map(_floor, q.whole), shape=q.shape, dtype=_INT64))


# --- categories ------------------------------------------------------------------------------------------------------
def _multinomial(key: Any, n: Any, p: Any, shape: tuple[int, ...]) -> Any:
    lead, count = key.shape[:-1], shape[-1]
    rows = math.prod(lead)
    out = np.empty((rows, math.prod(shape[:-1]), count), _INT64)
    if out.size:
        trials = plain(np.asarray(n, np.float64).reshape(rows, -1))
        compiled_samplers().multinomial(
            rows_of(key), trials, plain(np.asarray(p, np.float64).reshape(rows, -1, count)), out
        )
    return out.reshape(lead + shape)


multinomial_p = Primitive(
    "random_multinomial",
    _multinomial,
    axes=KEYED,
    infer=lambda avals, p: ShapeDtype((*avals[0].shape[:-1], *p["shape"]), _INT64),
)


def multinomial(key: Any, n: Any, pvals: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Numbers of trials, of ``n``, that fall into each category.

    Parameters
    ----------
    key : Tensor
        From `key`.
    n : array_like
        Number of trials, not negative.
    pvals : array_like
        Of shape (..., k): probabilities of the categories, or weights proportional to them.
    shape : int or tuple of int, optional
        Of the drawn vectors; by default that to which ``n`` and the leading axes of ``pvals`` broadcast.
    dtype : dtype, optional
        int64 by default.

    Returns
    -------
    Tensor
        Of shape (*shape, k); each vector has sum n. Without a derivative.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ShapeError
        When ``pvals`` is a single number, or shapes do not fit.
    ArgumentError
        When a weight or ``n`` is negative.

    Examples
    --------
    >>> import scisim as ss
    >>> int(ss.sum(ss.random.multinomial(ss.random.key(0), 10, [0.2, 0.3, 0.5])))
    10
    """
    w = as_argument(pvals)
    if not shape_of(w):
        raise ShapeError("random.multinomial: pvals must be a vector or a stack of them, got a single number")
    w = parameter("multinomial", "pvals", w, NOT_NEGATIVE)
    trials = parameter("multinomial", "n", n, NOT_NEGATIVE)
    lead, given = shape_of(w)[:-1], shape_of(trials)
    s = broadcast_shapes("random.multinomial", lead, given) if shape is None else lengths("random.multinomial", shape)
    k = shape_of(w)[-1]
    w = broadcast(w, (*s, k)) if lead else w
    counts = multinomial_p(check_key("multinomial", key), _fitted("multinomial", _floor(trials), s), w, shape=(*s, k))
    return _count("multinomial", dtype, counts)


def categorical(key: Any, logits: Any, axis: int = -1, shape: Any = None) -> Any:
    """Numbers of categories, from the logarithms of their probabilities.

    Parameters
    ----------
    key : Tensor
        From `key`.
    logits : array_like
        Logarithms of weights, along ``axis``.
    axis : int
    shape : int or tuple of int, optional
        To which the other axes of ``logits`` broadcast; theirs by default.

    Returns
    -------
    Tensor
        Of int64, without a derivative.

    Raises
    ------
    ArgumentTypeError
        When ``key`` is no key.
    ShapeError
        When the shapes do not fit.

    Notes
    -----
    By inversion: one uniform number an element is compared with the sums of the probabilities.

    Examples
    --------
    >>> import scisim as ss
    >>> ss.random.categorical(ss.random.key(0), [0.0, -800.0], shape=(3,))
    Tensor([0, 0, 0])
    """
    x = as_argument(logits)
    if not shape_of(x) or is_complex(x):
        raise ShapeError(f"random.categorical: logits must be a real array with an axis of categories, got {x!r:.60}")
    x = moveaxis(x, normalize_axis("random.categorical", axis, len(shape_of(x))), -1)
    lead, k = shape_of(x)[:-1], check_key("categorical", key)
    s = lead if shape is None else lengths("random.categorical", shape)
    _fitted("categorical", index(x, (..., 0)), s)
    total = cumulative_sum(softmax(stop(astype(x, DOUBLE)), axis=-1), axis=-1)
    inner = slice_axis(total, len(lead), 0, shape_of(x)[-1] - 1)  # the last sum is 1 but for rounding
    u = reshape(uniform_p(k, shape=s, dtype=DOUBLE), (*s, 1))
    return sum_of(astype(ge(u, inner), _INT64), axis=-1)
