"""Wavenumbers and the arrays made of them: constants, kept from call to call and bounded by bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from scisim.fft.engines.plans import Plans

CONSTANTS = Plans(64 << 20)


def constant(key: Hashable, make: Callable[[], np.ndarray]) -> np.ndarray:
    """The array of that key, which nobody can write into."""

    def made() -> tuple[np.ndarray, int]:
        a = np.ascontiguousarray(make())
        a.flags.writeable = False
        return a, a.nbytes

    return CONSTANTS.get(key, made)


def numbers(n: int, half: bool) -> np.ndarray:
    """Integer wavenumbers of the elements of a spectrum, the Nyquist one of an even full spectrum negative."""
    return np.arange(n // 2 + 1.0) if half else np.fft.fftfreq(n, 1.0 / n).round()


def along(a: np.ndarray, axis: int) -> np.ndarray:
    """A vector along a negative axis, for broadcasting."""
    return a.reshape(a.shape + (1,) * (-axis - 1))


def symbol(n: int, axis: int, order: float, period: float, half: bool, dt: np.dtype) -> np.ndarray:
    """What the derivative of an order multiplies each element of the spectrum by, along a negative axis."""
    key = ("symbol", n, axis, order, period, half, dt.char)
    return constant(key, lambda: along(_symbol(n, order, period, half, dt), axis))


def _symbol(n: int, order: float, period: float, half: bool, dt: np.dtype) -> np.ndarray:
    """(i k)^order; at the Nyquist frequency, which is k and -k at once, the mean of both."""
    k = numbers(n, half) * (2.0 * math.pi / period)
    size = np.zeros(len(k))
    np.power(np.abs(k), order, out=size, where=k != 0)
    if order % 2 == 0:
        return ((-1.0 if order % 4 else 1.0) * size).astype(dt)
    cosine, sine = _direction(order)
    if n % 2 == 0:
        sine = np.where(np.arange(len(k)) == n // 2, 0.0, sine)
    out = np.zeros(len(k), np.result_type(dt, np.complex64))
    out.real, out.imag = size * cosine, size * sine * np.sign(k)
    return out


def _direction(order: float) -> tuple[float, Any]:
    """i^order, exactly where that is i or -i."""
    if order % 1 == 0:
        return 0.0, 1.0 if order % 4 == 1 else -1.0
    angle = math.pi / 2 * (order % 4)
    return math.cos(angle), math.sin(angle)


Grid = tuple[tuple[str, int, int, float], ...]  # of each axis: kind, negative axis, number of points, period or length


def of_squares(name: str, grid: Grid, dt: np.dtype, f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """A function, of that name, of the sums of squares, computed in double precision and kept."""
    return constant((name, grid, dt.char), lambda: f(squares(grid)).astype(dt))


def squares(grid: Grid) -> np.ndarray:
    """The sum of the squares of the wavenumbers of all axes: eigenvalues of minus the Laplacian."""
    total: Any = 0.0
    for kind, axis, n, period in grid:
        total = total + along(_wavenumbers(kind, n, period) ** 2, axis)
    return total


def _wavenumbers(kind: str, n: int, period: float) -> np.ndarray:
    if kind == "dirichlet":
        return np.arange(1.0, n + 1) * (math.pi / period)
    if kind == "neumann":
        return np.arange(float(n)) * (math.pi / period)
    return numbers(n, kind == "half") * (2.0 * math.pi / period)
