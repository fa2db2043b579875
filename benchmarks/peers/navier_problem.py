"""What the pseudo-spectral Navier-Stokes programs of all libraries share: the equations, and where they start."""

import resource
from collections.abc import Callable
from typing import Any

import numpy as np

VISCOSITY, DT = 1e-3, 1e-3


def initial(n: int) -> np.ndarray:
    """A random vorticity of large eddies, float64[n, n]."""
    w = np.fft.rfft2(np.random.default_rng(0).normal(size=(n, n)))
    w *= np.exp(-((np.hypot(np.fft.fftfreq(n, 1 / n)[:, None], np.fft.rfftfreq(n, 1 / n)) / 8) ** 2))
    w = np.fft.irfft2(w, s=(n, n))
    return w * (3 / w.std())


def stepper(asarray: Callable, rfft2: Callable, irfft2: Callable, n: int) -> Callable[[Any], Any]:
    """A step of RK4 for the spectrum of the vorticity in 2-d; 5 transforms a right-hand side, two thirds kept.

    The functions are a library's; ``irfft2`` is called with the spectrum alone.
    """
    kx, ky = np.fft.fftfreq(n, 1 / n)[:, None], np.fft.rfftfreq(n, 1 / n)[None, :]
    k2 = kx**2 + ky**2
    inverse = 1 / np.where(k2 == 0, 1, k2)
    inverse[0, 0] = 0
    mask = (np.abs(kx) < n / 3) * (ky < n / 3) * 1.0
    velocity = [1j * ky * inverse, -1j * kx * inverse]
    slopes = [1j * kx * np.ones_like(ky), 1j * ky * np.ones_like(kx)]
    u, v, x, y, mask, friction = (asarray(a) for a in (*velocity, *slopes, mask, VISCOSITY * k2))

    def rate(w: Any) -> Any:
        wind, lift, wx, wy = (irfft2(q * w) for q in (u, v, x, y))
        return -mask * rfft2(wind * wx + lift * wy) - friction * w

    def step(w: Any) -> Any:
        a = rate(w)
        b = rate(w + 0.5 * DT * a)
        c = rate(w + 0.5 * DT * b)
        d = rate(w + DT * c)
        return w + DT / 6 * (a + 2 * b + 2 * c + d)

    return step


def peak_megabytes() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
