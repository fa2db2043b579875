"""Explicit stencils in three spellings, for any array library; and the numbers that all libraries share.

heat  2-d, 5 points: u + R2 (sum of neighbours - 4 u)
wave  3-d, eighth order in space, second in time: 2 u - v + R3 laplacian(u)

A spelling takes and gives the fields; `set_interior(a, width, values)` is the library's way to a changed copy.
Interiors agree; what happens at the edges differs: slices keep them, roll wraps around, and pad puts zeros beyond.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

R2, R3 = 0.1, 1e-4
C8 = (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)
WIDTH = {"heat": 1, "wave": 4}

Step = Callable[..., tuple]


def inputs(kind: str, size: int, dtype: str) -> list[np.ndarray]:
    """One field for heat; two for the wave, now and before."""
    rng, shape = np.random.default_rng(0), (size,) * (2 if kind == "heat" else 3)
    return [rng.random(shape).astype(dtype) for _ in range(1 if kind == "heat" else 2)]


def interior_points(kind: str, size: int) -> int:
    """What is counted, whatever a spelling computes at the edges."""
    return (size - 2 * WIDTH[kind]) ** (2 if kind == "heat" else 3)


def interior(kind: str, a: Any) -> Any:
    width = WIDTH[kind]
    return a[(slice(width, -width),) * (2 if kind == "heat" else 3)]


def heat_of(u: Any, neighbours: list) -> Any:
    a, b, c, d = neighbours
    return u + R2 * (a + b + c + d - 4 * u)


def wave_of(u: Any, v: Any, moved: Callable[[int, int], Any]) -> Any:
    """`moved(axis, k)` is u seen k points further along an axis."""
    s = 3 * C8[0] * u
    for k in range(1, 5):
        near = [moved(axis, sign * k) for axis in range(3) for sign in (-1, 1)]
        s = s + C8[k] * (near[0] + near[1] + near[2] + near[3] + near[4] + near[5])
    return 2 * u - v + R3 * s


def shifted(a: Any, width: int, axis: int, k: int) -> Any:
    """The interior of a, moved by k along one axis."""
    at = [slice(width, size - width) for size in a.shape]
    at[axis] = slice(width + k, a.shape[axis] - width + k)
    return a[tuple(at)]


def heat(xp: Any, spelling: str, set_interior: Callable) -> Step:
    around = [(0, -1), (0, 1), (1, -1), (1, 1)]

    def slices(u: Any) -> tuple:
        new = heat_of(u[1:-1, 1:-1], [u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:]])
        return (set_interior(u, 1, new),)

    def roll(u: Any) -> tuple:
        return (heat_of(u, [xp.roll(u, -k, axis=axis) for axis, k in around]),)

    def pad(u: Any) -> tuple:
        p = xp.pad(u, 1)
        return (heat_of(u, [p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]]),)

    return {"slices": slices, "roll": roll, "pad": pad}[spelling]


def wave(xp: Any, spelling: str, set_interior: Callable) -> Step:
    def slices(u: Any, v: Any) -> tuple:
        mid = shifted(u, 4, 0, 0)
        new = wave_of(mid, shifted(v, 4, 0, 0), lambda axis, k: shifted(u, 4, axis, k))
        return set_interior(v, 4, new), u

    def roll(u: Any, v: Any) -> tuple:
        return wave_of(u, v, lambda axis, k: xp.roll(u, -k, axis=axis)), u

    def pad(u: Any, v: Any) -> tuple:
        p = xp.pad(u, 4)
        return wave_of(u, v, lambda axis, k: shifted(p, 4, axis, k)), u

    return {"slices": slices, "roll": roll, "pad": pad}[spelling]


STENCILS = {"heat": heat, "wave": wave}
