"""First and second complex derivatives of the functions of the table at ordinary points, eager and compiled."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import scisim as ss
from scisim import complex as sc
from tests.complex.complex_table import TABLE

POINTS = (0.3 + 0.7j, -1.3 + 2.5j, -0.1 - 3.0j, 4.0 - 1.5j, 0.6 + 0.8j, 0.02 - 0.01j)
HOLOMORPHIC = [name for name in TABLE if name not in ("abs", "angle", "sign", "conj")]
EPS = np.finfo(float).eps


@functools.cache
def derivative(name: str, z: complex, n: int) -> Any:
    """By Cauchy's integral on a circle of radius 1e-6, of which 24 points leave an error of 1e-100."""
    with mp.workdps(110):
        radius, center = mp.mpf(10) ** -6, mp.mpc(z)
        turns = [mp.expjpi(mp.mpf(2 * k) / 24) for k in range(24)]
        return sum(TABLE[name].exact(center + radius * t) / t**n for t in turns) / 24 / radius**n * mp.factorial(n)


def lost(name: str, z: complex, n: int) -> Any:
    """What cancels in the derivatives 1 - y*y and 1 + y*y, which are expressed by the value y."""
    return n * abs(TABLE[name].exact(mp.mpc(z))) ** (n + 1) if name in ("tan", "tanh") else 0


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_derivatives(name, n, compiled):
    f = sc.holomorphic(TABLE[name].call, n, check=False)
    found = np.asarray((ss.jit(f) if compiled else f)(ss.asarray(np.array(POINTS))))
    for z, got in zip(POINTS, found.tolist(), strict=True):
        wanted = derivative(name, z, n)
        # A derivative is no better known than the operand: the next one times its rounding error.
        room = 16 * EPS * (abs(wanted) + abs(z * derivative(name, z, n + 1)) + lost(name, z, n)) + 1e-90
        assert abs(mp.mpc(got) - wanted) <= room, (z, got, mp.nstr(wanted, 8), float(abs(mp.mpc(got) - wanted) / room))
