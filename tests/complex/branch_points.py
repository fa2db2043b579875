"""Points on both sides of branch cuts, and exact values there: those of mpmath, next to a zero of either sign.

A zero part stands for a number so small (2**-3600) that it decides nothing but the side of a cut and the sign of a
zero; a value that grows without bound as it shrinks is infinite.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp

INF, NAN = math.inf, math.nan
PRECISION, NOTHING, LESS = 4200, mp.mpf(2) ** -3600, mp.mpf(2) ** -4000
CERTAIN = mp.mpf(2) ** -1500  # smaller values come from the zeros of an operand: their sign matters
SIZES = (0.5, 1.0, 2.0)
INFINITE = [
    *((INF, 0.0), (-INF, -0.0), (INF, 1.0), (-INF, -2.0), (0.0, INF), (1.0, -INF), (INF, INF), (-INF, INF)),
    *((NAN, 0.0), (NAN, 1.0), (1.0, NAN), (INF, NAN), (NAN, -INF), (NAN, NAN)),
]


def points(dtype: Any) -> list[complex]:
    """60 numbers: zeros, both axes from both sides, all quadrants, the ends of the range, infinities and nan."""
    info = np.finfo(dtype)
    big, small = (1e30, 1e-30) if info.bits == 32 else (1e200, 1e-200)
    largest, least = float(info.max), float(info.smallest_subnormal)
    parts = [(x, y) for x in (0.0, -0.0) for y in (0.0, -0.0)]
    parts += [(s * x, z) for s in (1, -1) for x in SIZES for z in (0.0, -0.0)]
    parts += [(z, s * y) for s in (1, -1) for y in SIZES for z in (0.0, -0.0)]
    parts += [(0.3, 0.7), (-1.3, 2.5), (-0.1, -3.0), (4.0, -1.5), (0.6, 0.8), (-1.0 - 1e-6, 1e-6)]
    parts += [(big, big), (-big, small), (small, -big), (-small, small), (largest, -largest), (-2.0, largest)]
    parts += [(3.0, -least), (least, least), (-1e-9, 1e-9), (30.0, 11.0), (-40.0, -1e-5), (1.0 + 1e-5, -small)]
    numbers = [complex(*np.array(p, info.dtype).tolist()) for p in (*parts, *INFINITE)]
    assert len(numbers) == 60
    return numbers


def exact(f: Callable, *operands: complex) -> tuple[Any, Any]:
    """Real and imaginary part of f at finite numbers, as mpmath's; infinite at a pole."""
    return _exact(f, *[part for z in operands for part in (z.real.hex(), z.imag.hex())])  # which tell -0 from 0


@functools.cache
def _exact(f: Callable, *parts: str) -> tuple[Any, Any]:
    numbers = [float.fromhex(p) for p in parts]
    operands = tuple(complex(*numbers[k : k + 2]) for k in range(0, len(numbers), 2))
    zero = any(part == 0 for z in operands for part in (z.real, z.imag))
    with mp.workprec(PRECISION):
        re, im = _parts(f, operands, NOTHING)
        if zero and max(abs(re), abs(im)) > 200:
            nearer = _parts(f, operands, LESS)
            re, im = (_limit(p, q) for p, q in zip((re, im), nearer, strict=True))
    return re, im


def _parts(f: Callable, operands: tuple, nothing: Any) -> tuple[Any, Any]:
    value = mp.mpmathify(f(*(mp.mpc(_beside(z.real, nothing), _beside(z.imag, nothing)) for z in operands)))
    return mp.re(value), mp.im(value)


def _beside(x: float, nothing: Any) -> Any:
    return mp.mpf(x) if x else nothing * int(math.copysign(1, x))


def _limit(far: Any, near: Any) -> Any:
    return mp.sign(near) * mp.inf if abs(near) > abs(far) * (1 + 1e-3) > 100 else near


def errors(found: complex, exact: tuple[Any, Any], dtype: Any, parts: bool, signs: bool = True) -> float:
    """Distance in units of the last place, of each part or of the modulus; infinite where a sign or infinity is wrong.

    Of a number whose modulus is beyond the range a part that is nothing beside it need only be a number.
    """
    info = np.finfo(dtype)
    least, eps, largest = mp.mpf(float(info.tiny)), mp.mpf(float(info.eps)), mp.mpf(float(info.max))
    whole, worst = max(map(abs, exact)), mp.mpf(0)
    for got, wanted in zip((found.real, found.imag), exact, strict=True):
        if math.isnan(got) or (signs and 0 < abs(wanted) < CERTAIN and math.copysign(1, got) != mp.sign(wanted)):
            return INF
        if whole > largest and not parts and abs(wanted) < 4 * eps * whole:
            continue
        if abs(wanted) > largest * (1 + eps / 4):
            worst = worst if got == math.copysign(INF, wanted) else mp.inf
        else:
            worst = max(worst, abs(got - wanted) / max(abs(wanted) if parts else min(whole, largest), least) / eps)
    return float(worst)
