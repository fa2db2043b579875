"""Compiled loops: gamma numbers, simplices, triangular numbers."""

import numpy as np

from scisim.ops._random.attempts import BUDGET, attempt_of
from scisim.ops._random.bits_kernels import (
    PIECE,
    UNIFORM,
    compiled,
    draw,
    exp,
    log,
    normal_of,
    normals,
    pairs,
    unit,
)

_U = np.uint64


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
