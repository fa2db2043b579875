"""Spectral operators beside the same written by hand with scipy.fft.

    PYTHONPATH=. python benchmarks/fft/spectral_operators.py

Bars: a derivative takes, eager, at most 1.3 times as long as by hand, and no longer compiled.  Both use one thread.
"""

import os

os.environ.setdefault("SCISIM_NUM_THREADS", "1")

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import scipy.fft
import scipy.signal

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from timing import interleave, summarize

import scisim as ss
from scisim.fft import spectral

BARS = {"eager": 1.3, "compiled": 1.0}
RNG = np.random.default_rng(0)
Case = tuple[str, Callable, Callable, np.ndarray, bool]  # name, ours, by hand, operand, whether there is a bar


def lines(n: int) -> Iterator[Case]:
    """Along one axis of n points."""
    x, k = RNG.normal(size=n), 1j * np.arange(n // 2 + 1)
    k[-1] = 0.0
    z, q = x + 1j * RNG.normal(size=n), 1j * np.fft.fftfreq(n, 1 / n)
    q[n // 2] = 0.0
    yield "derivative", spectral.derivative, lambda: scipy.fft.irfft(scipy.fft.rfft(x) * k, n), x, True
    yield "complex derivative", spectral.derivative, lambda: scipy.fft.ifft(scipy.fft.fft(z) * q), z, True
    yield "resample", lambda v: spectral.resample(v, 2 * n), lambda: scipy.signal.resample(x, 2 * n), x, False
    yield "convolve", lambda v: spectral.convolve(v, x), lambda: scipy.signal.fftconvolve(x, x), x, False


def planes(n: int) -> Iterator[Case]:
    """On a box of n x n points."""
    x, k = RNG.normal(size=(n, n)), np.arange(n // 2 + 1.0)
    square = np.fft.fftfreq(n, 1 / n)[:, None] ** 2 + k**2
    back = np.divide(-1.0, square, out=np.zeros_like(square), where=square > 0)
    odd = 1j * k
    odd[-1] = 0.0

    def gradient() -> np.ndarray:
        first = scipy.fft.irfft(scipy.fft.rfft(x, axis=0) * odd[:, None], n, axis=0)
        return np.stack([first, scipy.fft.irfft(scipy.fft.rfft(x) * odd, n)])

    def times(factor: np.ndarray) -> Callable:
        return lambda: scipy.fft.irfft2(scipy.fft.rfft2(x) * factor, (n, n))

    def walls() -> np.ndarray:
        return scipy.fft.idstn(scipy.fft.dstn(x, 1) * plate, 1)

    plate = -1.0 / np.add.outer(np.arange(1, n + 1) ** 2.0, np.arange(1, n + 1) ** 2.0)
    yield "laplacian", spectral.laplacian, times(-square), x, False
    yield "poisson", spectral.poisson, times(back), x, False
    yield "gradient", spectral.gradient, gradient, x, False
    yield "poisson between walls", lambda v: spectral.poisson(v, bc="dirichlet", periods=np.pi), walls, x, False


def main() -> int:
    missed = 0
    for make, sizes in ((lines, (64, 1024, 65536)), (planes, (32, 128, 512))):
        for n in sizes:
            for name, f, by_hand, operand, judged in make(n):
                x, compiled = ss.asarray(operand), ss.jit(f)
                np.testing.assert_allclose(f(x), by_hand(), atol=1e-9 * np.abs(by_hand()).max())
                calls = {"hand": by_hand, "eager": lambda: f(x), "compiled": lambda: compiled(x)}  # noqa: B023
                times = interleave(calls, rounds=9)
                told = []
                for how, bar in BARS.items():
                    ratio = summarize([t / h for t, h in zip(times[how], times["hand"], strict=True)])
                    verdict = ratio.verdict(bar) if judged else "-"
                    missed += verdict == "FAIL"
                    told.append(f"{how} {ratio.median:.2f} ± {ratio.half_width:.2f} ({verdict})")
                print(f"{name}, {n}: by hand {1e6 * summarize(times['hand']).median:.1f} us; {', '.join(told)}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
