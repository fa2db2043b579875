"""Programs from real numbers through complex ones to a real loss, and the same in real and imaginary parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import scisim as ss


class Pair(NamedTuple):
    """A complex number as two real arrays."""

    re: Any
    im: Any

    def __add__(self, other: Any) -> Pair:  # type: ignore[override]
        other = pair(other)
        return Pair(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Any) -> Pair:
        other = pair(other)
        return Pair(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Any) -> Pair:  # type: ignore[override]
        other = pair(other)
        return Pair(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __truediv__(self, other: Pair) -> Pair:
        q = squared(other)
        return Pair(*(part / q for part in self * other.conj()))

    def conj(self) -> Pair:
        return Pair(self.re, -self.im)

    def at(self, f: Callable) -> Pair:
        """A function that is linear over the reals, of both parts."""
        return Pair(f(self.re), f(self.im))


def pair(z: Any) -> Pair:
    if isinstance(z, Pair):
        return z
    return Pair(np.real(z), np.imag(z)) if np.iscomplexobj(z) else Pair(z, 0.0 * z)


def squared(z: Pair) -> Any:
    return z.re * z.re + z.im * z.im


def turned(angle: Any) -> Pair:
    """exp(i angle)"""
    return Pair(ss.cos(angle), ss.sin(angle))


def product(a: np.ndarray, z: Pair) -> Pair:
    """A constant complex matrix times a vector."""
    return Pair(a.real @ z.re - a.imag @ z.im, a.real @ z.im + a.imag @ z.re)


def dft(n: int) -> np.ndarray:
    return np.exp(-2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)


@dataclass(frozen=True)
class Chain:
    """A real function, the same in real arithmetic (complex arguments as pairs), and arguments."""

    f: Callable
    twin: Callable
    args: tuple


RNG = np.random.default_rng(5)
N = 5
X, Y = RNG.uniform(0.4, 1.6, (2, N))
W = RNG.standard_normal(N)
C, D = (RNG.standard_normal(N) + 1j * RNG.standard_normal(N) for _ in range(2))
A = RNG.standard_normal((N, N)) + 1j * RNG.standard_normal((N, N)) + 4.0 * np.eye(N)
B = RNG.standard_normal((N, N)) - 0.5j
WAVES = np.fft.fftfreq(N) * N
HALF = np.exp(-0.3j * np.arange(N // 2 + 1))


def power_spectrum(x: Any) -> Any:
    return ss.sum(W * ss.abs(ss.fft.fft(x * ss.exp(1j * x))) ** 2)


def power_spectrum_twin(x: Any) -> Any:
    return ss.sum(W * squared(product(dft(N), turned(x) * x)))


def amplitude(x: Any, t: Any) -> Any:
    """A wave that has spread for a time t."""
    psi = x * ss.exp(1j * x * x)
    return ss.sum(W * ss.abs(ss.fft.ifft(ss.fft.fft(psi) * ss.exp(-0.5j * WAVES**2 * t))))


def amplitude_twin(x: Any, t: Any) -> Any:
    spectrum = product(dft(N), turned(x * x) * x) * turned(-0.5 * WAVES**2 * t)
    return ss.sum(W * ss.sqrt(squared(product(np.conj(dft(N)) / N, spectrum))))


def filtered(x: Any) -> Any:
    return ss.sum(W * ss.fft.irfft(ss.fft.rfft(ss.sin(x)) * HALF, n=N) ** 2)


def filtered_twin(x: Any) -> Any:
    whole = np.concatenate([HALF, np.conj(HALF[:0:-1])])
    whole[0] = whole[0].real
    matrix = (np.conj(dft(N)) / N @ (whole[:, None] * dft(N))).real
    return ss.sum(W * (matrix @ ss.sin(x)) ** 2)


def phases(x: Any, y: Any) -> Any:
    return ss.sum(W * ss.angle(ss.exp(1j * y) * (x + 0.5j) + C))


def phases_twin(x: Any, y: Any) -> Any:
    z = turned(y) * Pair(x, 0.5 + 0.0 * x) + C
    return ss.sum(W * ss.atan2(z.im, z.re))


def logarithms(x: Any, y: Any) -> Any:
    z = ss.log(x + 1j * y)
    return ss.sum(W * ss.real(z) + ss.imag(z) ** 2)


def logarithms_twin(x: Any, y: Any) -> Any:
    return ss.sum(W * 0.5 * ss.log(x * x + y * y) + ss.atan2(y, x) ** 2)


def solved(x: Any, t: Any) -> Any:
    z = ss.linalg.solve(A + t * B + ss.linalg.diagonal(ss.diag(x))[:, None] * 1j, C * x)
    return ss.sum(ss.abs(z) ** 2) + ss.sum(W * ss.abs(z))


def solved_twin(x: Any, t: Any) -> Any:
    re, im = A.real + t * B.real + 0.0 * x[:, None], A.imag + t * B.imag + x[:, None]
    block = ss.concat([ss.concat([re, -im], axis=1), ss.concat([im, re], axis=1)])
    z = ss.linalg.solve(block, ss.concat([C.real * x, C.imag * x]))
    q = z[:N] ** 2 + z[N:] ** 2
    return ss.sum(q) + ss.sum(W * ss.sqrt(q))


def frequencies(m: Any) -> Any:
    """Of the eigenvalues of a real matrix."""
    return ss.sum(ss.imag(ss.linalg.eigvals(m)) ** 2) + ss.sum(ss.abs(ss.linalg.eigvals(m)))


def frequencies_twin(m: Any) -> Any:
    trace, det = m[0, 0] + m[1, 1], m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
    return 2.0 * (det - 0.25 * trace * trace) + 2.0 * ss.sqrt(det)


def polar(r: Any, t: Any) -> Any:
    return ss.sum(ss.abs(r * ss.exp(1j * t) - C) ** 3)


def polar_twin(r: Any, t: Any) -> Any:
    return ss.sum(squared(turned(t) * r - C) ** 1.5)


def orbit(x: Any) -> Any:
    """z -> z^2 + c, three times, of which the parameter is real."""
    z, _ = ss.scan(lambda z, _: (z * z + x * (0.1 + 0.2j), None), 0.3j * x + 0.2, None, length=3)
    return ss.sum(ss.abs(z))


def orbit_twin(x: Any) -> Any:
    z = Pair(0.2 + 0.0 * x, 0.3 * x)
    for _ in range(3):
        z = z * z + Pair(0.1 * x, 0.2 * x)
    return ss.sum(ss.sqrt(squared(z)))


def pieces(x: Any) -> Any:
    """Parts taken, joined, chosen and written."""
    z = ss.stack([x + 1j * ss.cos(x), ss.conj(1j * x) * x])
    z = ss.where(np.array([[True], [False]]), z, z * 1j)
    z[0, 1:3] = x[:2] * (1.0 + 2.0j)
    return ss.sum(ss.real(z[0] * ss.conj(z[1])) * W) + ss.sum(ss.imag(ss.cumulative_sum(z, axis=1)) ** 2)


def pieces_twin(x: Any) -> Any:
    re, im = x * 1.0, ss.cos(x) * 1.0
    re[1:3], im[1:3] = x[:2], 2.0 * x[:2]
    below = x * x  # i times -i x^2
    return ss.sum(re * below * W) + ss.sum(ss.cumulative_sum(im) ** 2) + 0.0 * ss.sum(below)


def fitted(z: Any) -> Any:
    return ss.sum(ss.abs(A @ z - C) ** 2)


def fitted_twin(z: Any) -> Any:
    return ss.sum(squared(product(A, z) - C))


def powers(z: Any) -> Any:
    return ss.sum(W * ss.abs(z) ** 1.5) + ss.sum(ss.abs(z * z + 0.5) ** -1.0)


def powers_twin(z: Any) -> Any:
    return ss.sum(W * squared(z) ** 0.75) + ss.sum(squared(z * z + Pair(0.5, 0.0)) ** -0.5)


def mixed(x: Any, z: Any) -> Any:
    return ss.real(ss.sum(z * ss.exp(1j * x)) * ss.conj(ss.sum(D / z)))


def mixed_twin(x: Any, z: Any) -> Any:
    return ((z * turned(x)).at(ss.sum) * (pair(D) / z).at(ss.sum).conj()).re


def normalised(x: Any, z: Any) -> Any:
    u = z / ss.linalg.norm(z)
    return ss.real(ss.vecdot(u, x * C)) + ss.imag(ss.sum(ss.sign(z) * D)) * ss.linalg.norm(x * z)


def normalised_twin(x: Any, z: Any) -> Any:
    n, size = ss.sqrt(ss.sum(squared(z))), ss.sqrt(squared(z))
    overlap = (Pair(z.re / n, z.im / n).conj() * (pair(C) * x)).re
    turn = (Pair(z.re / size, z.im / size) * D).im
    return ss.sum(overlap) + ss.sum(turn) * ss.sqrt(ss.sum(squared(z * x)))


CHAINS = {
    "power spectrum": Chain(power_spectrum, power_spectrum_twin, (X,)),
    "amplitude of a wave": Chain(amplitude, amplitude_twin, (X, np.asarray(0.7))),
    "filter": Chain(filtered, filtered_twin, (X,)),
    "phases": Chain(phases, phases_twin, (X, Y)),
    "logarithms": Chain(logarithms, logarithms_twin, (X, Y)),
    "linear solve": Chain(solved, solved_twin, (X, np.asarray(0.7))),
    "eigenvalues": Chain(frequencies, frequencies_twin, (np.array([[0.3, -1.2], [0.9, 0.5]]),)),
    "polar coordinates": Chain(polar, polar_twin, (X, Y)),
    "iteration": Chain(orbit, orbit_twin, (X,)),
    "parts": Chain(pieces, pieces_twin, (X,)),
    "least squares": Chain(fitted, fitted_twin, (C + D,)),
    "powers of moduli": Chain(powers, powers_twin, (C + 1.0,)),
    "real and complex": Chain(mixed, mixed_twin, (X, C + 1.0)),
    "directions": Chain(normalised, normalised_twin, (X, C + 1.0)),
}
