"""Compiled loops: angles, and times of first passage."""

import math

import numpy as np

from scisim.ops._random.attempts import BUDGET, attempt_of
from scisim.ops._random.bits_kernels import (
    PIECE,
    ZERO,
    compiled,
    log,
    normal_of,
    normals,
    pairs,
    unit,
)

_U = np.uint64


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
