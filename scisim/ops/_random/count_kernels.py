"""Compiled loops: numbers of events and of successes."""

import math

import numpy as np

from scisim.ops._random.attempts import BUDGET, attempt_of
from scisim.ops._random.bits_kernels import (
    PIECE,
    ZERO,
    compiled,
    log,
    pairs,
    unit,
)

_U = np.uint64
# log n! - log(sqrt(2 pi n) (n / e)^n) for n = 1, ..., 15, to 17 digits.
_REMAINDER = np.array(
    [
        0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093, 0.016644691189821193,
        0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.009255462182712733, 0.00833056343336287,
        0.007573675487951841, 0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
    ]
)  # fmt: skip


@compiled
def _remainder(n):
    """Of Stirling's formula: log n! - log(sqrt(2 pi n) (n / e)^n)."""
    if n < 16.0:
        return _REMAINDER[int(n)]
    s = 1.0 / (n * n)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / n


@compiled
def _deviance(x, mean):
    """x log(x / mean) + mean - x without cancellation near x = mean."""
    d = x - mean
    if abs(d) >= 0.1 * (x + mean):
        return x * log(x / mean) + mean - x
    v = d / (x + mean)  # log(x / mean) = 2 atanh(v)
    square, power, total = v * v, v, 0.0
    for k in range(1, 12):
        power *= square
        total += power / (2 * k + 1)
    return d * v + 2.0 * x * total


@compiled
def _log_poisson(k, mean):
    if k == 0.0:
        return -mean
    return -_deviance(k, mean) - _remainder(k) - 0.5 * log(2.0 * math.pi * k)


@compiled
def log_binomial(k, n, p, q):
    if k == 0.0:
        return n * math.log1p(-p)
    if k == n:
        return n * log(p)
    spread = _remainder(n) - _remainder(k) - _remainder(n - k)
    return spread - _deviance(k, n * p) - _deviance(n - k, n * q) + 0.5 * log(n / (2.0 * math.pi * k * (n - k)))


@compiled
def _few_events(mean, start, u):
    k, p = 0, start
    while u > p and k < 1000:
        u -= p
        k += 1
        p *= mean / k
    return k


@compiled
def _events_setup(mean):
    """Constants of the search below a mean of 10; above those of transformed rejection: W. Hoermann, Insurance:
    Mathematics and Economics 12 (1993) 39, algorithm PTRS."""
    if not mean >= 10.0:
        return math.exp(-mean), 0.0, 0.0, 0.0
    b = 0.931 + 2.53 * np.sqrt(mean)
    return b, -0.059 + 0.02483 * b, 1.1239 + 1.1328 / (b - 3.4), 0.9277 - 3.6224 / (b - 2.0)


@compiled
def _many_events(mean, setup, w0, w1, at, stream, k0, k1):
    b, a, inverse, squeeze = setup
    k = mean
    for attempt in range(BUDGET):
        if attempt:
            w0, w1 = attempt_of(at, stream + attempt, k0, k1)
        u, v = unit(w0) - 0.5, unit(w1)
        us = 0.5 - abs(u)
        k = math.floor((2.0 * a / us + b) * u + mean + 0.43)
        if us >= 0.07 and v <= squeeze:
            break
        if k < 0.0 or (us < 0.013 and v > us):
            continue
        if log(v * inverse / (a / (us * us) + b)) <= _log_poisson(k, mean):
            break
    return np.int64(max(k, 0.0))


@compiled
def poisson_of(mean, setup, w0, w1, at, stream, k0, k1):
    """A number of events, the first words being drawn already."""
    if not 0.0 <= mean < 9.2e18:
        return np.int64(-1)
    if mean < 10.0:
        return np.int64(_few_events(mean, setup[0], unit(w0)))
    return _many_events(mean, setup, w0, w1, at, stream, k0, k1)


@compiled
def poisson(keys, mean, stream, out):
    """Sequential search below a mean of 10, rejection above."""
    w0, w1 = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint64)
    n = out.shape[1]
    for k in range(out.shape[0] if n else 0):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        setup = _events_setup(mean[k, 0])
        for first in range(0, n, PIECE):
            count = min(PIECE, n - first)
            pairs(w0, w1, first, count, _U(stream), k0, k1)
            for j in range(count):
                m = mean[k, first + j if mean.shape[1] > 1 else 0]
                if mean.shape[1] > 1:
                    setup = _events_setup(m)
                out[k, first + j] = poisson_of(m, setup, w0[j], w1[j], first + j, stream, k0, k1)


@compiled
def _few_successes(n, p, mass, u):
    odds, k = p / (1.0 - p), 0.0
    while u > mass and k < n and k < 1000.0:
        u -= mass
        mass *= odds * (n - k) / (k + 1.0)
        k += 1.0
    return k


@compiled
def successes_setup(n, p):
    """Constants of the search, or of rejection: W. Hoermann, J. Statist. Comput. Simul. 46 (1993) 101, BTRS."""
    if not n * p >= 10.0:
        return math.exp(n * math.log1p(-p)), 0.0, 0.0, 0.0, 0.0
    sigma = np.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sigma
    a = -0.0873 + 0.0248 * b + 0.01 * p
    return b, a, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * sigma, log_binomial(math.floor((n + 1.0) * p), n, p, 1.0 - p)


@compiled
def _many_successes(n, p, setup, w0, w1, at, k0, k1):
    """Transformed rejection."""
    b, a, squeeze, alpha, highest = setup
    k = n * p
    for attempt in range(BUDGET):
        if attempt:
            w0, w1 = attempt_of(at, attempt, k0, k1)
        u, v = unit(w0) - 0.5, unit(w1)
        us = 0.5 - abs(u)
        k = math.floor((2.0 * a / us + b) * u + n * p + 0.5)
        if us >= 0.07 and v <= squeeze:
            break
        if 0.0 <= k <= n and log(v * alpha / (a / (us * us) + b)) <= log_binomial(k, n, p, 1.0 - p) - highest:
            break
    return min(max(k, 0.0), n)


@compiled
def binomial_of(n, p, setup, w0, w1, at, k0, k1):
    """Sequential search below 10 expected successes (or failures), rejection above."""
    if not (n >= 0.0 and 0.0 <= p <= 1.0):
        return np.int64(-1)
    less = min(p, 1.0 - p)
    if n * less < 10.0:
        k = _few_successes(n, less, setup[0], unit(w0))
    else:
        k = _many_successes(n, less, setup, w0, w1, at, k0, k1)
    return np.int64(k if p <= 0.5 else n - k)


@compiled
def binomial(keys, n, p, out):
    """Numbers of successes."""
    w0, w1 = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint64)
    several, total = n.shape[1] > 1 or p.shape[1] > 1, out.shape[1]
    for k in range(out.shape[0] if total else 0):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        trials, own = n[k, 0], p[k, 0]
        setup = successes_setup(trials, min(own, 1.0 - own))
        for first in range(0, total, PIECE):
            count = min(PIECE, total - first)
            pairs(w0, w1, first, count, ZERO, k0, k1)
            for j in range(count):
                at = first + j
                if several:
                    trials, own = n[k, at if n.shape[1] > 1 else 0], p[k, at if p.shape[1] > 1 else 0]
                    setup = successes_setup(trials, min(own, 1.0 - own))
                out[k, at] = binomial_of(trials, own, setup, w0[j], w1[j], at, k0, k1)
