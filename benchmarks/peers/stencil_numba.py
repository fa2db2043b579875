"""The stencils of `stencil_forms.py` as loops written by hand for Numba: one step into an array that is there."""

from typing import Any

import numba
import numpy as np
from stencil_forms import C8, R2, R3, inputs, interior


@numba.njit(parallel=True, fastmath=True)
def heat(u, v, r):
    four = u.dtype.type(4)
    for i in numba.prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            v[i, j] = u[i, j] + r * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - four * u[i, j])


@numba.njit(parallel=True, fastmath=True)
def wave(u, v, c, r):
    """What v holds is the field before; it becomes the one after."""
    n0, n1, n2 = u.shape
    two, c0, c1, c2, c3, c4 = c.dtype.type(2), c[0] * c.dtype.type(3), c[1], c[2], c[3], c[4]
    for i in numba.prange(4, n0 - 4):
        for j in range(4, n1 - 4):
            for k in range(4, n2 - 4):
                s = c0 * u[i, j, k]
                s += c1 * (u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k])
                s += c1 * (u[i, j + 1, k] + u[i, j, k - 1] + u[i, j, k + 1])
                s += c2 * (u[i - 2, j, k] + u[i + 2, j, k] + u[i, j - 2, k])
                s += c2 * (u[i, j + 2, k] + u[i, j, k - 2] + u[i, j, k + 2])
                s += c3 * (u[i - 3, j, k] + u[i + 3, j, k] + u[i, j - 3, k])
                s += c3 * (u[i, j + 3, k] + u[i, j, k - 3] + u[i, j, k + 3])
                s += c4 * (u[i - 4, j, k] + u[i + 4, j, k] + u[i, j - 4, k])
                s += c4 * (u[i, j + 4, k] + u[i, j, k - 4] + u[i, j, k + 4])
                v[i, j, k] = two * u[i, j, k] - v[i, j, k] + r * s


def run(kind: str, size: int, dtype: str) -> Any:
    fields, number = inputs(kind, size, dtype), np.dtype(dtype).type
    if kind == "heat":
        u, v = fields[0], fields[0].copy()
        once = lambda target: heat(u, target, number(R2))
    else:
        (u, v), c = fields, np.array(C8, dtype)
        once = lambda target: wave(u, target, c, number(R3))
    start = v.copy()

    def check() -> Any:
        after = start.copy()
        once(after)
        return interior(kind, after)

    return lambda: once(v), check
