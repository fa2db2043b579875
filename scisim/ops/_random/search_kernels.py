"""Compiled loops: multinomial and hypergeometric counts, numbers of trials, powers."""

import math

import numpy as np

from scisim.ops._random.attempts import BUDGET, attempt_of
from scisim.ops._random.bits_kernels import (
    EXPONENTIAL,
    PIECE,
    ZERO,
    compiled,
    draw_part,
    log,
    pairs,
    unit,
)
from scisim.ops._random.count_kernels import binomial_of, log_binomial, successes_setup

_U = np.uint64


@compiled
def multinomial(keys, n, p, out):
    """Binomial counts of each category among what the ones before have left; out and p end with the categories."""
    count = out.shape[2]
    for k in range(out.shape[0]):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        for j in range(out.shape[1]):
            own = p[k, j if p.shape[1] > 1 else 0]
            left, rest = n[k, j if n.shape[1] > 1 else 0], own.sum()
            for c in range(count):
                share = min(own[c] / rest, 1.0) if rest > 0.0 else 0.0
                share = 1.0 if c == count - 1 else share
                setup = successes_setup(left, min(share, 1.0 - share))
                w0, w1 = attempt_of(j * count + c, 0, k0, k1)
                here = binomial_of(left, share, setup, w0, w1, j * count + c, k0, k1)
                out[k, j, c] = here
                left, rest = left - np.float64(here), rest - own[c]


@compiled
def _log_hypergeometric(k, good, bad, drawn):
    total = good + bad
    p, q = drawn / total, (total - drawn) / total
    if p == 0.0 or q == 0.0:
        return 0.0
    return log_binomial(k, good, p, q) + log_binomial(drawn - k, bad, p, q) - log_binomial(drawn, total, p, q)


@compiled
def _hypergeometric_mode(good, bad, drawn):
    """The likeliest number and its probability; a probability of nan where there is no such distribution."""
    if not (good >= 0.0 and bad >= 0.0 and 0.0 <= drawn <= good + bad):
        return 0.0, np.nan
    k = math.floor((drawn + 1.0) * (good + 1.0) / (good + bad + 2.0))
    k = min(max(k, max(0.0, drawn - bad)), min(drawn, good))
    return k, math.exp(_log_hypergeometric(k, good, bad, drawn))


@compiled
def hypergeometric_of(good, bad, drawn, mode, mass, u):
    """Search from the mode outwards, above and below in turn."""
    if not mass >= 0.0:
        return -1.0
    least, most = max(0.0, drawn - bad), min(drawn, good)
    k = above = below = mode
    up = down = mass
    u -= up
    while u > 0.0 and (above < most or below > least) and (up > 0.0 or down > 0.0):
        if above < most:
            up *= (good - above) * (drawn - above) / ((above + 1.0) * (bad - drawn + above + 1.0))
            above += 1.0
            u -= up
            k = above
        if u > 0.0 and below > least:
            down *= below * (bad - drawn + below) / ((good - below + 1.0) * (drawn - below + 1.0))
            below -= 1.0
            u -= down
            k = below
    return k


@compiled
def hypergeometric(keys, good, bad, drawn, out):
    """Numbers of good ones among those drawn."""
    several = good.shape[1] > 1 or bad.shape[1] > 1 or drawn.shape[1] > 1
    for k in range(out.shape[0] if out.shape[1] else 0):
        g, b, d = good[k, 0], bad[k, 0], drawn[k, 0]
        mode, mass = _hypergeometric_mode(g, b, d)
        for j in range(out.shape[1]):
            if several:
                g, b = good[k, j if good.shape[1] > 1 else 0], bad[k, j if bad.shape[1] > 1 else 0]
                d = drawn[k, j if drawn.shape[1] > 1 else 0]
                mode, mass = _hypergeometric_mode(g, b, d)
            w0, _ = attempt_of(j, 0, _U(keys[k, 0]), _U(keys[k, 1]))
            out[k, j] = np.int64(hypergeometric_of(g, b, d, mode, mass, unit(w0)))


@compiled
def geometric(keys, rate, out):
    """Exponential numbers over their rate, rounded up: 1 at least, and at most what int64 holds."""
    room = np.empty(PIECE)
    n = out.shape[1]
    for k in range(out.shape[0]):
        for first in range(0, n, PIECE):
            part = room[: min(PIECE, n - first)]
            draw_part(_U(keys[k, 0]), _U(keys[k, 1]), EXPONENTIAL, first, part)
            for j in range(part.size):
                own = rate[k, first + j if rate.shape[1] > 1 else 0]
                x = min(max(np.ceil(part[j] / own), 1.0), 9223372036854774784.0)
                out[k, first + j] = np.int64(x) if own >= 0.0 else np.int64(-1)


@compiled
def zipf(keys, a, out):
    """Rejection from the integral: L. Devroye, Non-Uniform Random Variate Generation (1986), page 551."""
    w0, w1 = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint64)
    n = out.shape[1]
    for k in range(out.shape[0]):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        for first in range(0, n, PIECE):
            count = min(PIECE, n - first)
            pairs(w0, w1, first, count, ZERO, k0, k1)
            for j in range(count):
                at = first + j
                power = a[k, at if a.shape[1] > 1 else 0] - 1.0
                out[k, at] = zipf_of(power, w0[j], w1[j], at, k0, k1) if power > 0.0 else -1


@compiled
def zipf_of(power, w0, w1, at, k0, k1):
    b, x = 2.0**power, 1.0
    for attempt in range(BUDGET):
        if attempt:
            w0, w1 = attempt_of(at, attempt, k0, k1)
        size = -log(unit(w0)) / power
        if size > 43.66827237527655:  # the logarithm of 2**63
            continue
        x = math.floor(math.exp(size))
        t = math.exp(power * math.log1p(1.0 / x))
        if unit(w1) * x * (t - 1.0) / (b - 1.0) <= t / b:
            return np.int64(x)
    return np.int64(x)
