"""Complex numbers and Fourier transforms that differentiate.

    python examples/complex_fft.py

1. The derivative of a periodic function by Fourier transform, beside its closed form.
2. The gradient of the energy of a spectrum, beside Parseval's theorem: it points along steepest ascent, 2 n z.
3. The phases of a light field from intensities alone: light passes a lens of unknown phase errors; cameras in front
   of, at, and behind the focus see intensities |fft(field)|^2.  L-BFGS finds the phases, by gradients through the
   transforms.
"""

import argparse

import numpy as np

import scisim as ss
from scisim import autodiff as ad
from scisim import fft, optim
from scisim.distributed import root_print as print


def spectral_error(n):
    """Largest error of the spectral derivative of exp(sin x) on n points."""
    x = ss.linspace(0.0, 2 * ss.pi, n, endpoint=False)
    u = ss.exp(ss.sin(x))
    waves = fft.fftfreq(n, d=1 / n)
    derivative = ss.real(fft.ifft(1j * waves * fft.fft(u)))
    return float(ss.max(ss.abs(derivative - ss.cos(x) * u)))


def gradient_error(n, seed):
    """Largest error of the gradient of sum |fft(z)|^2, which is 2 n z, relative to the largest entry."""
    parts = ss.random.normal(ss.random.key(seed), (2, n))
    z = parts[0] + 1j * parts[1]
    energy = lambda z: ss.sum(ss.abs(fft.fft(z)) ** 2)
    return float(ss.max(ss.abs(ad.grad(energy)(z) - 2 * n * z)) / ss.max(ss.abs(2 * n * z)))


class Lens:
    """A row of n points across a lens, and what cameras see behind it."""

    def __init__(self, n, modes):
        self.s = ss.linspace(-1.0, 1.0, n)
        self.shapes = ss.stack([ss.cos(j * ss.acos(self.s)) for j in range(1, modes + 1)])  # Chebyshev polynomials
        self.focus = ss.asarray([-4.0, 0.0, 4.0])

    def phases(self, coefficients):
        return coefficients @ self.shapes

    def intensities(self, coefficients):
        """What the three cameras see: (3, n)."""
        field = ss.exp(1j * (self.phases(coefficients) + self.focus[:, None] * self.s**2))
        return ss.abs(fft.fft(field, norm="ortho")) ** 2


def recover(lens, seen, modes, steps):
    """Coefficients of the phases from intensities, and the misfit along the way."""
    misfit = ss.jit(lambda c: ss.mean((lens.intensities(c) - seen) ** 2))
    lbfgs, guess = optim.LBFGS(), ss.zeros(modes)
    state, history = lbfgs.init(guess), [float(misfit(guess))]
    for _ in range(steps):
        guess, state, value = lbfgs.update(misfit, state, guess)
        history.append(float(value))
    return guess, history


def arguments():
    parser = argparse.ArgumentParser(description="Complex gradients through Fourier transforms.")
    parser.add_argument("--points", type=int, default=64, help="points of each transform (default: 64)")
    parser.add_argument("--modes", type=int, default=6, help="unknown phase modes of the lens (default: 6)")
    parser.add_argument("--steps", type=int, default=60, help="steps of L-BFGS (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (default: 0)")
    args = parser.parse_args()
    if min(args.points, args.modes) < 1 or min(args.steps, args.seed) < 0:
        parser.error("points and modes must be at least 1, steps and seed at least 0")
    return args


def main():
    args = arguments()
    print(f"spectral derivative of exp(sin x), {args.points} points: error {spectral_error(args.points):.1e}")
    print(f"gradient of the energy of a spectrum: relative error {gradient_error(args.points, args.seed):.1e}")
    lens = Lens(args.points, args.modes)
    truth = 0.6 * ss.random.normal(ss.random.key(args.seed), (args.modes,))
    guess, history = recover(lens, lens.intensities(truth), args.modes, args.steps)
    for step in sorted({0, 10, 20, 40, args.steps} & set(range(len(history)))):
        print(f"  step {step:3d}: misfit of intensities {history[step]:.1e}")
    # The first mode tilts the light, the others bend it; a constant phase could not be seen.
    error = np.max(np.abs((lens.phases(guess) - lens.phases(truth)).numpy()))
    print(f"largest error of the phases: {error:.1e} rad")


if __name__ == "__main__":
    main()
