"""Compiled samplers by rejection and by inversion, each element from blocks of its own.

Attempt t of element i reads the block of counter (i, stream + t), so that no element depends on another one; after
`BUDGET` attempts the last proposal is taken, which at an acceptance of 2/3 and more happens to one element in 10**30.
"""

import math

import numpy as np

from scisim.ops._random.bits_kernels import (
    EXPONENTIAL,
    LOW,
    PIECE,
    S32,
    SAMPLE,
    UNIFORM,
    ZERO,
    block,
    compiled,
    draw,
    draw_part,
    exp,
    log,
    normal_of,
    normals,
    pairs,
    unit,
)

_U = np.uint64
BUDGET = 64
STREAM = 1 << 20  # counters from one stream of an element to the next
# log n! - log(sqrt(2 pi n) (n / e)^n) for n = 1, ..., 15, to 17 digits.
_REMAINDER = np.array(
    [
        0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093, 0.016644691189821193,
        0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.009255462182712733, 0.00833056343336287,
        0.007573675487951841, 0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
    ]
)  # fmt: skip


@compiled
def attempt_of(at, third, k0, k1):
    """The two words of one attempt."""
    i = _U(at)
    return block(i & LOW, i >> S32, _U(third), SAMPLE, k0, k1)


# --- gamma: Marsaglia and Tsang, ACM Trans. Math. Software 26 (2000) 363 --------------------------------------------
@compiled
def _accepts(x, v, d, u):
    """The exact test of a proposal d v."""
    return v > 0.0 and log(u) < 0.5 * x * x + d * (1.0 - v + log(v))


@compiled
def _retried(d, x, word, at, stream, k0, k1):
    """The v of the first proposal that is accepted, the first one being drawn already."""
    c, v = 1.0 / np.sqrt(9.0 * d), 1.0
    for attempt in range(BUDGET):
        if attempt:
            w0, word = attempt_of(at, stream + attempt, k0, k1)
            x = normal_of(w0)
        t = 1.0 + c * x
        v = t * t * t
        if _accepts(x, v, d, unit(word)):
            break
    return max(v, 0.0)


@compiled
def _proposed(d, x, word, v):
    """v of the proposals that the cheap test accepts, and 0 in the place of the others."""
    one = d.size == 1
    c0 = 1.0 / np.sqrt(9.0 * d[0])
    for j in range(v.size):
        c = c0 if one else 1.0 / np.sqrt(9.0 * d[j])
        t = 1.0 + c * x[j]
        square = x[j] * x[j]
        passed = unit(word[j]) < 1.0 - 0.0331 * square * square
        v[j] = t * t * t if passed and t > 0.0 else 0.0


@compiled
def _scaled(d, v, logarithm):
    """d v, or its logarithm."""
    one = d.size == 1
    for j in range(v.size):
        v[j] *= d[0 if one else j]
    if logarithm:
        for j in range(v.size):
            v[j] = log(v[j])


@compiled
def _boosted(a, word, v, logarithm):
    """Numbers of shape a from those of shape a + 1, where a < 1: times u^(1/a)."""
    one = a.size == 1
    power = np.empty(v.size)
    for j in range(v.size):
        shape = a[0 if one else j]
        power[j] = log(unit(word[j])) / shape if shape < 1.0 else 0.0
    if logarithm:
        for j in range(v.size):
            v[j] += power[j]
    else:
        for j in range(v.size):
            v[j] *= exp(power[j])


@compiled
def _improper(a, v, logarithm):
    """Shapes that are none give nan, 0 or infinity."""
    for j in range(v.size):
        shape = a[0 if a.size == 1 else j]
        if not 0.0 < shape < np.inf:
            none = np.nan if not shape >= 0.0 else shape
            v[j] = np.log(none) if logarithm else none


@compiled
def gamma(keys, a, logarithm, stream, out):
    """Piece by piece: all first proposals, the few that are refused one by one, then all results."""
    w0, w1, x = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint64), np.empty(PIECE)
    room = np.empty(PIECE)
    n = out.shape[1]
    for k in range(out.shape[0]):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        for first in range(0, n, PIECE):
            v = out[k, first : min(first + PIECE, n)]
            own = a[k, first : first + v.size] if a.shape[1] > 1 else a[k]
            d, proper, small = room[: own.size], 0, 0
            for j in range(own.size):
                d[j] = (own[j] if own[j] >= 1.0 else own[j] + 1.0) - 1.0 / 3.0
                proper += 0.0 < own[j] < np.inf
                small += own[j] < 1.0
            pairs(w0, w1, first, v.size, _U(stream), k0, k1)
            normals(w0, x[: v.size])
            _proposed(d, x, w1, v)
            for j in range(v.size):
                if v[j] == 0.0:
                    v[j] = _retried(d[j if d.size > 1 else 0], x[j], w1[j], first + j, stream, k0, k1)
            _scaled(d, v, logarithm)
            if small:
                pairs(w0, w1, first, v.size, _U(stream + BUDGET), k0, k1)
                _boosted(own, w0, v, logarithm)
            if proper < own.size:
                _improper(own, v, logarithm)


@compiled
def simplex(w, out):
    """exp(w) over its sum, row by row; the exponentials of all rows together."""
    for k in range(w.shape[0]):
        top = -np.inf
        for j in range(w.shape[1]):
            top = max(top, w[k, j])
        for j in range(w.shape[1]):
            out[k, j] = w[k, j] - top
    flat = out.reshape(-1)
    for i in range(flat.size):
        flat[i] = exp(flat[i])
    for k in range(w.shape[0]):
        total = 0.0
        for j in range(w.shape[1]):
            total += out[k, j]
        for j in range(w.shape[1]):
            out[k, j] /= total


@compiled
def triangular(keys, left, mode, right, out):
    """By inversion."""
    for k in range(out.shape[0]):
        draw(keys[k : k + 1], UNIFORM, out[k : k + 1])
        for j in range(out.shape[1]):
            low, top = left[k, j if left.shape[1] > 1 else 0], mode[k, j if mode.shape[1] > 1 else 0]
            high = right[k, j if right.shape[1] > 1 else 0]
            u, width = out[k, j], high - low
            below = low + np.sqrt(u * (width * (top - low)))
            above = high - np.sqrt((1.0 - u) * (width * (high - top)))
            x = below if u * width < top - low else above
            out[k, j] = x if low <= top <= high else np.nan


# --- counts ---------------------------------------------------------------------------------------------------------
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
def _log_binomial(k, n, p, q):
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
def _successes_setup(n, p):
    """Constants of the search, or of rejection: W. Hoermann, J. Statist. Comput. Simul. 46 (1993) 101, BTRS."""
    if not n * p >= 10.0:
        return math.exp(n * math.log1p(-p)), 0.0, 0.0, 0.0, 0.0
    sigma = np.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * sigma
    a = -0.0873 + 0.0248 * b + 0.01 * p
    return b, a, 0.92 - 4.2 / b, (2.83 + 5.1 / b) * sigma, _log_binomial(math.floor((n + 1.0) * p), n, p, 1.0 - p)


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
        if 0.0 <= k <= n and log(v * alpha / (a / (us * us) + b)) <= _log_binomial(k, n, p, 1.0 - p) - highest:
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
        setup = _successes_setup(trials, min(own, 1.0 - own))
        for first in range(0, total, PIECE):
            count = min(PIECE, total - first)
            pairs(w0, w1, first, count, ZERO, k0, k1)
            for j in range(count):
                at = first + j
                if several:
                    trials, own = n[k, at if n.shape[1] > 1 else 0], p[k, at if p.shape[1] > 1 else 0]
                    setup = _successes_setup(trials, min(own, 1.0 - own))
                out[k, at] = binomial_of(trials, own, setup, w0[j], w1[j], at, k0, k1)


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
                setup = _successes_setup(left, min(share, 1.0 - share))
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
    return _log_binomial(k, good, p, q) + _log_binomial(drawn - k, bad, p, q) - _log_binomial(drawn, total, p, q)


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


# --- directions and times -------------------------------------------------------------------------------------------
@compiled
def vonmises_of(kappa, w0, w1, at, k0, k1):
    """The angle from the mean: Best and Fisher, Applied Statistics 28 (1979) 152; normal from 10**8 on."""
    if not kappa >= 0.0:
        return np.nan
    if kappa > 1e8:
        return normal_of(w0) / np.sqrt(kappa)
    tau = 1.0 + np.sqrt(1.0 + 4.0 * kappa * kappa)
    rho = 2.0 * kappa / (tau + np.sqrt(2.0 * tau))  # the same as (tau - sqrt(2 tau)) / (2 kappa), and 0 at kappa = 0
    gap = (1.0 - rho) * (1.0 - rho) / (2.0 * rho) if rho > 1e-9 else np.inf  # r - 1
    for attempt in range(BUDGET):
        if attempt:
            w0, w1 = attempt_of(at, attempt, k0, k1)
        turn = math.pi * unit(w0)
        sign = 1.0 if w1 & _U(1) else -1.0
        if gap == np.inf:
            return sign * turn
        half = math.sin(0.5 * turn)
        miss = 2.0 * half * half * gap / (gap + 2.0 * (1.0 - half * half))  # 1 - cos of the angle
        y, v = kappa * (gap + miss), unit(w1)
        if y * (2.0 - y) > v or log(y / v) + 1.0 >= y:
            return sign * 2.0 * math.asin(np.sqrt(min(0.5 * miss, 1.0)))
    return 0.0


@compiled
def vonmises(keys, kappa, out):
    """Angles from the mean."""
    w0, w1 = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint64)
    n = out.shape[1]
    for k in range(out.shape[0]):
        k0, k1 = _U(keys[k, 0]), _U(keys[k, 1])
        for first in range(0, n, PIECE):
            count = min(PIECE, n - first)
            pairs(w0, w1, first, count, ZERO, k0, k1)
            for j in range(count):
                own = kappa[k, first + j if kappa.shape[1] > 1 else 0]
                out[k, first + j] = vonmises_of(own, w0[j], w1[j], first + j, k0, k1)


@compiled
def wald(keys, mean, scale, out):
    """Michael, Schucany and Haas, The American Statistician 30 (1976) 88, with the roots in stable form."""
    w0, w1, z = np.empty(PIECE, np.uint64), np.empty(PIECE, np.uint64), np.empty(PIECE)
    n = out.shape[1]
    for k in range(out.shape[0]):
        for first in range(0, n, PIECE):
            part = out[k, first : min(first + PIECE, n)]
            pairs(w0, w1, first, part.size, ZERO, _U(keys[k, 0]), _U(keys[k, 1]))
            normals(w0, z[: part.size])
            m = mean[k, first : first + part.size] if mean.shape[1] > 1 else mean[k]
            s = scale[k, first : first + part.size] if scale.shape[1] > 1 else scale[k]
            step, stride = min(m.size - 1, 1), min(s.size - 1, 1)
            for j in range(part.size):
                part[j] = _passage(m[j * step], s[j * stride], z[j], unit(w1[j]))


@compiled
def _passage(mean, scale, z, u):
    t = 0.5 * mean * z * z / scale
    root = 1.0 / (1.0 + t + np.sqrt(t * (t + 2.0)))
    x = mean * (root if u * (1.0 + root) <= 1.0 else 1.0 / root)
    return x if mean > 0.0 and scale > 0.0 else np.nan
