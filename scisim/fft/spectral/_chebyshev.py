"""Constants of Chebyshev series: points, weights, matrices; and their arguments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scisim.core.errors import ArgumentError, ArgumentTypeError
from scisim.core.values import Traced, dtype
from scisim.fft.spectral._arguments import one_of
from scisim.fft.spectral._constants import constant
from scisim.ops.shape import several

Interval = tuple[float, float]
UNIT: Interval = (-1.0, 1.0)


def interval_of(name: str, interval: Any) -> Interval:
    """The ends of an interval as numbers."""
    items = several(interval)
    if items is None or len(items) != 2 or any(isinstance(v, Traced) for v in items):
        raise ArgumentTypeError(f"{name}: interval must be a pair of numbers, got {interval!r}")
    if any(isinstance(v, (bool, str)) or np.ndim(v) or np.asarray(v).dtype.kind not in "iuf" for v in items):
        raise ArgumentTypeError(f"{name}: interval must be a pair of real numbers, got {interval!r}")
    a, b = map(float, items)
    if not (math.isfinite(a) and math.isfinite(b) and a < b):
        raise ArgumentError(f"{name}: interval must go up from one finite number to another, got {interval!r}")
    return a, b


def kind_of(name: str, kind: Any) -> int:
    return one_of(name, "kind", kind, (1, 2))


def angles(n: int, kind: int) -> np.ndarray:
    """Angles whose cosines are the points, from -1 to 1."""
    if kind == 1 or n == 1:
        return math.pi * (np.arange(n - 1, -1, -1) + 0.5) / n
    return math.pi * np.arange(n - 1, -1, -1) / (n - 1)


def points(n: int, kind: int, interval: Interval, dt: np.dtype) -> np.ndarray:
    return constant(("points", n, kind, interval, dt.char), lambda: _points(n, kind, interval).astype(dt))


def _points(n: int, kind: int, interval: Interval) -> np.ndarray:
    a, b = interval
    x = np.sin(math.pi / 2 - angles(n, kind))
    x = 0.5 * (x - x[::-1])  # symmetric to the bit
    y = 0.5 * (a + b) + 0.5 * (b - a) * x
    if kind == 2 and n > 1:
        y[0], y[-1] = a, b
    return y


# --- quadrature ----------------------------------------------------------------------------------------------
def moments(n: int) -> np.ndarray:
    """Integrals of T_0, T_1, ... over [-1, 1]."""
    k = np.arange(n)
    return np.where(k % 2 == 0, 2.0 / (1.0 - np.square(k, dtype=float) + (k == 1)), 0.0)


def weights(n: int, kind: int, interval: Interval, dt: np.dtype) -> np.ndarray:
    """Weights of Clenshaw and Curtis (kind 2) or Fejer (1): the transpose of the transform, of the moments."""
    key = ("weights of values", n, kind, interval, dt.char)
    return constant(key, lambda: (_weights(n, kind) * (0.5 * (interval[1] - interval[0]))).astype(dt))


def _weights(n: int, kind: int) -> np.ndarray:
    from scipy.fft import dct

    if n == 1:
        return np.array([2.0])
    m = moments(n)
    if kind == 1:
        return dct(m, 3) / n
    m[[0, -1]] *= 0.5
    w = dct(np.concatenate([[2.0 * m[0]], m[1:-1], [2.0 * m[-1]]]), 1) / (n - 1)
    w[[0, -1]] *= 0.5
    return w


# --- matrices ------------------------------------------------------------------------------------------------
def matrix(n: int, order: int, kind: int, interval: Interval, dt: np.dtype) -> np.ndarray:
    key = ("matrix", n, order, kind, interval, dt.char)
    scale = (2.0 / (interval[1] - interval[0])) ** order
    return constant(key, lambda: (_matrix(n, order, kind) * scale).astype(dt))


def _matrix(n: int, order: int, kind: int) -> np.ndarray:
    """Differentiation of values by the barycentric formula, order after order.

    Differences of points are products of sines, and each diagonal is minus the sum of its row, so that constants have
    derivative 0 (B. D. Welfert, SIAM J. Numer. Anal. 34 (1997) 1640; R. Baltensperger and M. R. Trummer, SIAM J. Sci.
    Comput. 24 (2003) 1465).
    """
    t = angles(n, kind)
    gaps = 2.0 * np.sin(0.5 * (t[:, None] + t)) * np.sin(0.5 * (t - t[:, None]))  # cos t_i - cos t_j
    upper = n - np.arange(n)[:, None] - np.arange(n) <= 1  # the better half: the angles there are small
    gaps = np.where(upper, gaps, -gaps[::-1, ::-1])
    np.fill_diagonal(gaps, 1.0)
    w = barycentric(n, kind)
    ratio = w / w[:, None]
    d = np.eye(n)
    for p in range(1, order + 1):
        d = p / gaps * (ratio * np.diag(d)[:, None] - d)
        np.fill_diagonal(d, 0.0)
        np.fill_diagonal(d, -_row_sums(d))
    return d


def _row_sums(d: np.ndarray) -> np.ndarray:
    return np.array([math.fsum(row) for row in d])


def barycentric(n: int, kind: int) -> np.ndarray:
    """Weights of the barycentric formula, but for a factor."""
    sign = 1.0 - 2.0 * (np.arange(n) % 2)
    if kind == 1:
        return sign * np.sin(angles(n, 1))
    if n > 1:
        sign[[0, -1]] *= 0.5
    return sign


# --- transforms ----------------------------------------------------------------------------------------------
def signs(n: int, kind: int, inverse: bool, dt: np.dtype) -> np.ndarray:
    """What cosine transforms of values in ascending order are multiplied by, or coefficients before them."""
    return constant(("signs", n, kind, inverse, dt.char), lambda: _signs(n, kind, inverse).astype(dt))


def _signs(n: int, kind: int, inverse: bool) -> np.ndarray:
    w = 1.0 - 2.0 * (np.arange(n) % 2)
    last = [0] if kind == 1 else [0, -1]
    if inverse:
        w *= 0.5
        w[last] *= 2.0
        return w
    w /= n if kind == 1 else n - 1
    w[last] *= 0.5
    return w


def real_dtype(x: Any) -> np.dtype:
    """The real dtype of coefficients."""
    return np.zeros((), dtype(x)).real.dtype
