"""Special functions of complex numbers against mpmath, on both sides of their cuts."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp

import scisim as ss
from scisim import special as sp
from tests.complex.branch_points import errors, points

ROOM = 512  # units of the last place of the modulus: what SciPy's functions keep


def _root(z: Any) -> Any:
    """Of the Bessel functions of half orders."""
    return mp.sqrt(2 / mp.pi) / mp.sqrt(z)


FUNCTIONS: dict[str, tuple[Callable, Callable]] = {
    "erf": (sp.erf, mp.erf),
    "erfc": (sp.erfc, mp.erfc),
    "erfi": (sp.erfi, mp.erfi),
    "erfcx": (sp.erfcx, lambda z: mp.exp(z * z) * mp.erfc(z)),
    "wofz": (sp.wofz, lambda z: mp.exp(-z * z) * mp.erfc(-1j * z)),
    "dawsn": (sp.dawsn, lambda z: mp.sqrt(mp.pi) / 2 * mp.exp(-z * z) * mp.erfi(z)),
    "ndtr": (sp.ndtr, lambda z: mp.erfc(-z / mp.sqrt(2)) / 2),
    "log_ndtr": (sp.log_ndtr, lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2)),
    "gamma": (sp.gamma, mp.gamma),
    "rgamma": (sp.rgamma, mp.rgamma),
    "loggamma": (sp.loggamma, mp.loggamma),
    "digamma": (sp.digamma, mp.digamma),
    "exp1": (sp.exp1, mp.e1),
    "expi": (sp.expi, mp.ei),
    "spence": (sp.spence, lambda z: mp.polylog(2, 1 - z)),
    "lambertw": (sp.lambertw, mp.lambertw),
    "jv": (lambda z: sp.jv(1.5, z), lambda z: _root(z) * (mp.sin(z) / z - mp.cos(z))),
    "iv": (lambda z: sp.iv(0.5, z), lambda z: _root(z) * mp.sinh(z)),
    "yv": (lambda z: sp.yv(0.5, z), lambda z: -_root(z) * mp.cos(z)),
    "hankel1": (lambda z: sp.hankel1(0.5, z), lambda z: -1j * _root(z) * mp.exp(1j * z)),
    "hankel2": (lambda z: sp.hankel2(0.5, z), lambda z: 1j * _root(z) * mp.exp(-1j * z)),
    "airy": (lambda z: sp.airy(z)[0], mp.airyai),
    "hyp0f1": (lambda z: sp.hyp0f1(1.5, z), lambda z: mp.hyp0f1(1.5, z)),
    "xlog1py": (lambda z: sp.xlog1py(0.5, z), lambda z: mp.log(1 + z) / 2),
    "log_expit": (sp.log_expit, lambda z: -mp.log(1 + mp.exp(-z))),
}
POLES = {
    **dict.fromkeys(("gamma", "loggamma", "digamma"), (0, -1, -2)),
    **dict.fromkeys(("exp1", "expi", "yv", "hankel1", "hankel2"), (0,)),
    "xlog1py": (-1,),
}


def ordinary(name: str) -> list[complex]:
    """Points whose values neither overflow nor are poles."""
    sizes = [(z, max(abs(z.real), abs(z.imag))) for z in points(np.complex128)[:46]]
    return [z for z, size in sizes if (1e-12 < size < 20 or z == 0) and z not in POLES.get(name, ())]


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name: str, compiled: bool) -> None:
    f = FUNCTIONS[name][0]
    zs = ordinary(name)
    found = (ss.jit(f) if compiled else f)(ss.asarray(np.array(zs)))
    for z, got in zip(zs, np.asarray(found).tolist(), strict=True):
        error = errors(
            complex(got), reference(name, repr(z.real), repr(z.imag)), np.complex128, parts=False, signs=False
        )
        assert error <= ROOM, (z, got, error)


@functools.cache
def reference(name: str, x: str, y: str) -> tuple[Any, Any]:
    """mpmath's value next to a zero of either sign; what is next to nothing is 0."""
    with mp.workprec(400):
        number = [mp.mpf(float(p)) or mp.mpf(2) ** -250 * int(math.copysign(1, float(p))) for p in (x, y)]
        value = mp.mpmathify(FUNCTIONS[name][1](mp.mpc(*number)))
        return (mp.re(value), mp.im(value)) if abs(value) > 1e-30 else (mp.mpf(0), mp.mpf(0))
