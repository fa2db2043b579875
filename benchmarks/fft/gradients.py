"""What a gradient of a program with Fourier transforms costs beside its value.

    PYTHONPATH=. python benchmarks/fft/gradients.py

Bars: value_and_grad executes at most twice the transforms of the value, and takes at most 2.2 times as long.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from timing import interleave, summarize

import scisim as ss
from scisim import autodiff as ad
from scisim.fft import _lines, engines

N, BAR = 512, 2.2


def filtered(x: Any) -> Any:
    """The error of a filtered image: two transforms."""
    return ss.mean((ss.fft.irfft2(MASK * ss.fft.rfft2(x), s=x.shape) - 1.0) ** 2)


def propagated(z: Any) -> Any:
    """Split steps of a Schroedinger equation: eight transforms."""
    for _ in range(4):
        z = ss.fft.ifft2(PHASE * ss.fft.fft2(z * ss.exp(0.1j * ss.real(z * ss.conj(z)))))
    return ss.sum(ss.real(z * ss.conj(TARGET)))


def convolved(x: Any) -> Any:
    """A nonlinear convolution along one axis: three transforms."""
    y = ss.fft.rfft(x, axis=0)
    return ss.sum(ss.fft.irfft(y * ss.fft.rfft(ss.tanh(x), axis=0), n=N, axis=0) ** 2)


RNG = np.random.default_rng(0)
MASK = np.exp(-0.01 * np.arange(N // 2 + 1))
PHASE = np.exp(-0.001j * np.add.outer(np.arange(N) ** 2.0, np.arange(N) ** 2.0))
IMAGE = RNG.normal(size=(N, N))
WAVE = IMAGE + 1j * RNG.normal(size=(N, N))
TARGET = np.roll(WAVE, 1)
PROGRAMS = {
    "filtered image": (filtered, IMAGE),
    "split steps": (propagated, WAVE),
    "convolution": (convolved, IMAGE),
}


@contextmanager
def counting() -> Iterator[list[str]]:
    """The transforms that run inside, by the engine's methods; programs made inside do not call the library past it."""
    calls, before = [], (engines.chosen, _lines.by_lines)

    class Counting:
        def __init__(self, engine: Any) -> None:
            self.engine = engine

        def __getattr__(self, name: str) -> Callable:
            calls.append(name)
            return getattr(self.engine, name)

    engines.chosen, _lines.by_lines = (lambda real, size: Counting(before[0](real, size))), (lambda: None)
    try:
        yield calls
    finally:
        engines.chosen, _lines.by_lines = before


def count(f: Callable, x: Any) -> int:
    with counting() as calls:
        f(x)
        calls.clear()
        f(x)
    return len(calls)


def main() -> int:
    missed = 0
    for name, (f, x) in PROGRAMS.items():
        x = ss.asarray(x)
        for how, make in (("eager", lambda g: g), ("compiled", ss.jit)):
            value, both = make(f), make(ad.value_and_grad(f))
            k, executed = count(make(f), x), count(make(ad.value_and_grad(f)), x)
            times = interleave({"value": lambda: value(x), "both": lambda: both(x)}, rounds=9, seconds=0.02)  # noqa: B023
            ratio = summarize([b / v for b, v in zip(times["both"], times["value"], strict=True)])
            missed += executed > 2 * k or ratio.verdict(BAR) == "FAIL"
            milliseconds = 1e3 * summarize(times["value"]).median
            print(
                f"{ratio.verdict(BAR)}: {name}, {how}: {k} transforms, {executed} with the gradient (at most {2 * k}); "
                f"{milliseconds:.2f} ms, {ratio.median:.2f} ± {ratio.half_width:.2f} times with it (at most {BAR})"
            )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
