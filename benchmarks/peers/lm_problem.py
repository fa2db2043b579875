"""What the Levenberg-Marquardt steps of all libraries share: the Burgers equation, points and initial weights."""

import math
from itertools import pairwise

import numpy as np

NU = 0.01 / math.pi
LAM = 0.1  # so much damping that the first step from the initial weights is accepted
CHANNELS = 4  # u, u_t, u_x, u_xx


def points(count: int) -> np.ndarray:
    """Columns t in [0, 1] and x in [-1, 1]."""
    return np.random.default_rng(1).uniform([0.0, -1.0], [1.0, 1.0], (count, 2))


def initial(width: int, layers: int) -> list[np.ndarray]:
    """Weights and biases in turn, normal with Glorot's variance and zero."""
    rng, sizes = np.random.default_rng(0), [2] + [width] * layers + [1]
    return [a for m, n in pairwise(sizes) for a in (rng.normal(size=(m, n)) * math.sqrt(2 / (m + n)), np.zeros(n))]


def parameters(width: int, layers: int) -> int:
    return sum(a.size for a in initial(width, layers))


def jacobian_gflop(count: int, width: int, layers: int) -> float:
    """Forward, backward and outer products: a multiply-add each for a channel, point and parameter."""
    return 6e-9 * CHANNELS * count * parameters(width, layers)
