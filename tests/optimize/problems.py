"""Test problems of J. More, B. Garbow and K. Hillstrom, ACM Trans. Math. Softw. 7 (1981) 17: residuals, a start, and
the sum of squares at the minimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import scisim as ss


class Problem(NamedTuple):
    name: str
    residuals: Callable
    start: list
    minimum: float


def rosenbrock(x):
    return ss.stack([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])


def freudenstein_roth(x):
    a, b = x[0], x[1]
    return ss.stack([-13.0 + a + ((5.0 - b) * b - 2.0) * b, -29.0 + a + ((b + 1.0) * b - 14.0) * b])


def powell_badly_scaled(x):
    return ss.stack([1e4 * x[0] * x[1] - 1.0, ss.exp(-x[0]) + ss.exp(-x[1]) - 1.0001])


def beale(x):
    return ss.stack([y - x[0] * (1.0 - x[1] ** k) for k, y in ((1, 1.5), (2, 2.25), (3, 2.625))])


def helical_valley(x):
    theta = ss.atan2(x[1], x[0]) / (2.0 * np.pi)
    return ss.stack([10.0 * (x[2] - 10.0 * theta), 10.0 * (ss.sqrt(x[0] ** 2 + x[1] ** 2) - 1.0), x[2]])


BARD = np.array([0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39])


def bard(x):
    u = np.arange(1.0, 16.0)
    v, w = 16.0 - u, np.minimum(u, 16.0 - u)
    return BARD - (x[0] + u / (v * x[1] + w * x[2]))


KOWALIK = np.array([0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
RATES = np.array([4.0, 2.0, 1.0, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])


def kowalik_osborne(x):
    u = RATES
    return KOWALIK - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3])


def powell_singular(x):
    return ss.stack(
        [
            x[0] + 10.0 * x[1],
            5.0**0.5 * (x[2] - x[3]),
            (x[1] - 2.0 * x[2]) ** 2,
            10.0**0.5 * (x[0] - x[3]) ** 2,
        ]
    )


def wood(x):
    a, b, c, d = (x[k] for k in range(4))
    return ss.stack(
        [
            10.0 * (b - a * a),
            1.0 - a,
            90.0**0.5 * (d - c * c),
            1.0 - c,
            10.0**0.5 * (b + d - 2.0),
            (b - d) / 10.0**0.5,
        ]
    )


def brown_dennis(x):
    t = np.arange(1.0, 21.0) / 5.0
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


def box(x):
    t = 0.1 * np.arange(1.0, 11.0)
    return ss.exp(-t * x[0]) - ss.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10.0 * t))


def jennrich_sampson(x):
    k = np.arange(1.0, 11.0)
    return 2.0 + 2.0 * k - (ss.exp(k * x[0]) + ss.exp(k * x[1]))


def trigonometric(x):
    n = x.shape[0]
    k = np.arange(1.0, n + 1.0)
    return n - ss.sum(ss.cos(x)) + k * (1.0 - ss.cos(x)) - ss.sin(x)


def discrete_boundary(x):
    n = x.shape[0]
    h = 1.0 / (n + 1)
    t = h * np.arange(1.0, n + 1.0)
    wide = ss.concat([ss.zeros(1), x, ss.zeros(1)])
    return 2.0 * x - wide[:-2] - wide[2:] + 0.5 * h * h * (x + t + 1.0) ** 3


def broyden_tridiagonal(x):
    wide = ss.concat([ss.zeros(1), x, ss.zeros(1)])
    return (3.0 - 2.0 * x) * x - wide[:-2] - 2.0 * wide[2:] + 1.0


N = 8
T = np.arange(1.0, N + 1.0) / (N + 1)
PROBLEMS = [
    Problem("rosenbrock", rosenbrock, [-1.2, 1.0], 0.0),
    Problem("freudenstein_roth", freudenstein_roth, [0.5, -2.0], 48.98425367924),
    Problem("powell_badly_scaled", powell_badly_scaled, [0.0, 1.0], 0.0),
    Problem("beale", beale, [1.0, 1.0], 0.0),
    Problem("jennrich_sampson", jennrich_sampson, [0.3, 0.4], 124.3621823556148),
    Problem("helical_valley", helical_valley, [-1.0, 0.0, 0.0], 0.0),
    Problem("bard", bard, [1.0, 1.0, 1.0], 8.214877306578961e-3),
    Problem("box", box, [0.0, 10.0, 20.0], 0.0),
    Problem("kowalik_osborne", kowalik_osborne, [0.25, 0.39, 0.415, 0.39], 3.075056038492371e-4),
    Problem("powell_singular", powell_singular, [3.0, -1.0, 0.0, 1.0], 0.0),
    Problem("wood", wood, [-3.0, -1.0, -3.0, -1.0], 0.0),
    Problem("brown_dennis", brown_dennis, [25.0, 5.0, -5.0, -1.0], 85822.20162635628),
]
SYSTEMS = [
    Problem("rosenbrock", rosenbrock, [-1.2, 1.0], 0.0),
    Problem("powell_badly_scaled", powell_badly_scaled, [0.0, 1.0], 0.0),
    Problem("helical_valley", helical_valley, [-1.0, 0.0, 0.0], 0.0),
    Problem("trigonometric", trigonometric, [1.0 / 5] * 5, 0.0),
    Problem("discrete_boundary", discrete_boundary, list(T * (T - 1.0)), 0.0),
    Problem("broyden_tridiagonal", broyden_tridiagonal, [-1.0] * N, 0.0),
]
