"""Rules of quadrature that the derivatives of some special functions are computed with."""

from __future__ import annotations

import functools

import numpy as np


@functools.lru_cache(maxsize=64)
def legendre(n: int, low: float = 0.0, high: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre on an interval.

    By Newton's iteration in extended precision, where there is one: NumPy's are off by some 30 units of rounding.
    """
    x = np.cos(np.pi * (np.arange(n, 0, -1) - np.longdouble(0.25)) / (n + np.longdouble(0.5)))
    for _ in range(8):
        p, slope = _polynomial(n, x)
        x = x - p / slope
    slope = _polynomial(n, x)[1]
    half = np.longdouble(high - low) / 2
    nodes, weights = low + half * (x + 1), 2 * half / ((1 - x * x) * slope * slope)
    return nodes.astype(float), weights.astype(float)


def _polynomial(n: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Legendre's polynomial of degree n and its derivative."""
    before, p = np.ones_like(x), x
    for k in range(2, n + 1):
        before, p = p, ((2 * k - 1) * x * p - (k - 1) * before) / k
    return p, n * (before - x * p) / (1 - x * x)


@functools.lru_cache(maxsize=16)
def half_line(step: float, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights over t > 0 of the double-exponential rule t = exp(pi/2 sinh(u)) (Takahasi and Mori, 1974)."""
    u = np.arange(-reach, reach + step / 2, step)
    t = np.exp(0.5 * np.pi * np.sinh(u))
    return t, step * 0.5 * np.pi * np.cosh(u) * t


@functools.lru_cache(maxsize=16)
def unit(step: float, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes t in (0, 1), 1 - t without cancellation, and weights of the double-exponential rule (tanh-sinh)."""
    u = np.arange(-reach, reach + step / 2, step)
    q = 0.5 * np.pi * np.sinh(u)
    below, above = 1.0 / (1.0 + np.exp(-2.0 * q)), 1.0 / (1.0 + np.exp(2.0 * q))
    return below, above, step * np.pi * np.cosh(u) * below * above
