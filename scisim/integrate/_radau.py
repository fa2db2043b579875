"""The implicit method Radau IIA of order 5, for stiff problems.

Hairer and Wanner, "Solving Ordinary Differential Equations II", 2nd ed. (1996), IV.8: collocation in three points, of
which the equations are decoupled into one real and one complex system of the size of the state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.integrate._control import MOST, TOO_SMALL, Control, first_step, least_step, rms

ROOT = math.sqrt(6.0)
NODES = np.array([(4 - ROOT) / 10, (4 + ROOT) / 10, 1.0])
MATRIX = np.array([
    [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
    [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
    [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
])  # fmt: skip
ERRORS = np.array([-13 - 7 * ROOT, -13 + 7 * ROOT, -1]) / 3
POLYNOMIAL = np.linalg.inv(NODES[:, None] ** np.arange(1, 4))  # from values at the nodes to coefficients
ITERATIONS = 6
SHRINK = 0.5  # of a step in which the iteration does not converge


def _decoupled() -> tuple[float, complex, np.ndarray, np.ndarray]:
    """Eigenvalues of the inverse of the matrix, real and complex, and the transformations to the decoupled unknowns."""
    values, vectors = np.linalg.eig(np.linalg.inv(MATRIX))
    real, pair = int(np.argmin(np.abs(values.imag))), int(np.argmin(values.imag))
    columns = [vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag]
    basis = np.stack([c / c[-1] if k == 0 else c for k, c in enumerate(columns)], axis=1)
    return float(values[real].real), complex(values[pair]), basis, np.linalg.inv(basis)


REAL, COMPLEX, BASIS, INVERSE = _decoupled()


class Factors:
    """LU factors of a matrix, without the checks that cost more than small systems."""

    def __init__(self, a: np.ndarray) -> None:
        from scipy.linalg import get_lapack_funcs

        factor, self._solve = get_lapack_funcs(("getrf", "getrs"), (a,))
        self.lu, self.pivots, info = factor(a, overwrite_a=True)
        self.good = info == 0

    def solve(self, b: np.ndarray) -> np.ndarray:
        """The solution for a right side."""
        return self._solve(self.lu, self.pivots, b)[0]


def newton_tolerance(control: Control) -> float:
    """How far from its limit the iteration may end, in units of what is allowed."""
    eps = float(np.finfo(control.atol.dtype).eps)
    return max(10 * eps / control.rtol, min(0.03, math.sqrt(control.rtol)))


class RadauSolver:
    """One integration; attributes as those of `ExplicitSolver`."""

    def __init__(self, f: Callable, jacobian: Any, control: Control, y: np.ndarray) -> None:
        self.fun, self.jacobian, self.control, self.nfev, self.nlu = f, jacobian, control, 1, 0
        self.t, self.y, self.f = control.start, y, f(control.start, y)
        self.before, self.record = (self.t, y), np.zeros((3, y.size), y.dtype)
        self.failed_at: float | None = None
        self.h = first_step(self._counted, control, y, self.f, 3)
        self.tolerance = newton_tolerance(control)
        self.J, self.fresh = jacobian(self.t, y), True
        real = y.real.dtype
        self.eye, self.basis, self.inverse = np.eye(y.size, dtype=real), BASIS.astype(real), INVERSE.astype(real)
        self.factors: tuple | None = None
        self.old: tuple | None = None  # size of the last step and its error
        self.polynomial: np.ndarray | None = None
        self._counts()

    def _counts(self) -> None:
        self.njev = self.jacobian.count

    def _counted(self, t: float, y: np.ndarray) -> np.ndarray:
        self.nfev += 1
        return self.fun(t, y)

    def step(self) -> str | None:
        """One accepted step, or why there is none."""
        c = self.control
        least, size = least_step(self.t, c.direction), self.h
        if not least <= size <= c.largest:
            size = min(max(size, least), c.largest)
            self.old = self.factors = None
        rejected = False
        while True:
            if size < least:
                return TOO_SMALL
            t = self.t + size * c.direction
            if c.direction * (t - c.end) > 0:
                t = c.end
            h = t - self.t
            if abs(h) != size:
                self.factors = None
            size = abs(h)
            Z, count, rate = self._stages(h)
            if Z is None:
                size *= SHRINK
                self.factors = None
                continue
            y = self.y + Z[-1]
            error = self._error(Z, y, h, rejected)
            safety = 0.9 * (2 * ITERATIONS + 1) / (2 * ITERATIONS + count)
            if error < 1:
                break
            self.failed_at = None if math.isfinite(error) else t
            size *= max(0.2, safety * self._factor(size, error)) if math.isfinite(error) else SHRINK
            self.factors, rejected = None, True
        self._accept(t, y, Z, h, error, safety, count > 2 and rate > 1e-3)
        return None

    def _stages(self, h: float) -> tuple[Any, int, float]:
        """Increments at the nodes by the simplified Newton method; once more with a new Jacobian if need be."""
        start = np.zeros_like(self.record) if self.polynomial is None else self._predicted(h)
        scale = self.control.scale(np.abs(self.y))
        while True:
            if self.factors is None:
                pair = Factors(REAL / h * self.eye - self.J), Factors(COMPLEX / h * self.eye - self.J)
                self.nlu += 2
                self.factors = pair if pair[0].good and pair[1].good else None
                if self.factors is None:
                    return None, 0, 0.0
            Z, count, rate = self._newton(h, start, scale)
            if Z is not None or self.fresh:
                return Z, count, rate
            self.J, self.fresh, self.factors = self.jacobian(self.t, self.y), True, None
            self._counts()

    def _predicted(self, h: float) -> np.ndarray:
        """The polynomial of the last step, further on."""
        t, y = self.before
        theta = ((self.t - t) + h * NODES[:, None]) / (self.t - t)
        a, b, c = self.polynomial  # type: ignore[misc]
        return (y + ((c * theta + b) * theta + a) * theta - self.y).astype(self.y.dtype)

    def _newton(self, h: float, Z: np.ndarray, scale: np.ndarray) -> tuple[Any, int, float]:
        real, pair = self.factors  # type: ignore[misc]
        W, mr, mc = self.inverse @ Z, REAL / h, COMPLEX / h
        old, rate = None, math.nan
        F = np.empty_like(Z)
        times = [self.t + h * c for c in NODES]
        for count in range(1, ITERATIONS + 1):
            for k in range(3):
                F[k] = self.fun(times[k], self.y + Z[k])
            self.nfev += 3
            G = self.inverse @ F
            dW = np.empty_like(W)
            dW[0] = real.solve(G[0] - mr * W[0])
            self._pair(pair, G, W, mc, dW)
            size = rms((dW / scale).ravel())
            if not math.isfinite(size):
                self.failed_at = times[2]
                return None, count, rate
            rate = size / old if old else math.nan
            if rate >= 1 or rate ** (ITERATIONS - count) / (1 - rate) * size > self.tolerance:
                return None, count, rate
            W = W + dW
            Z = self.basis @ W
            if size == 0 or (rate == rate and rate / (1 - rate) * size < self.tolerance):
                return Z, count, rate
            old = size
        return None, ITERATIONS, rate

    def _pair(self, factors: Factors, G: np.ndarray, W: np.ndarray, m: complex, dW: np.ndarray) -> None:
        """The complex system: two real unknowns, or two complex ones by its conjugate too."""
        if not np.iscomplexobj(W):
            d = factors.solve(G[1] - 1j * G[2] - m * (W[1] - 1j * W[2]))
            dW[1], dW[2] = d.real, -d.imag
            return
        b = np.stack([G[1] - 1j * G[2] - m * (W[1] - 1j * W[2])], 1)
        d = factors.solve(b)[:, 0]
        other = np.linalg.solve(np.conj(m) * self.eye - self.J, G[1] + 1j * G[2] - np.conj(m) * (W[1] + 1j * W[2]))
        dW[1], dW[2] = (d + other) / 2, (other - d) / 2j

    def _error(self, Z: np.ndarray, y: np.ndarray, h: float, rejected: bool) -> float:
        spread, factors = ERRORS.astype(self.y.real.dtype) @ Z / h, self.factors[0]  # type: ignore[index]
        scale = self.control.scale(np.maximum(np.abs(self.y), np.abs(y)))
        error = factors.solve(self.f + spread)
        size = rms(error / scale)
        if rejected and size > 1:
            error = factors.solve(self._counted(self.t, self.y + error) + spread)
            size = rms(error / scale)
        return size

    def _factor(self, size: float, error: float) -> float:
        """Gustafsson's predictive control, from two errors in a row."""
        if error == 0:
            return MOST
        trend = 1.0 if self.old is None or self.old[1] == 0 else size / self.old[0] * (self.old[1] / error) ** 0.25
        return min(1.0, trend) * error**-0.25

    def _accept(
        self, t: float, y: np.ndarray, Z: np.ndarray, h: float, error: float, safety: float, slow: bool
    ) -> None:
        factor = min(MOST, safety * self._factor(abs(h), error))
        f = self._counted(t, y)
        if slow:
            self.J, self.fresh = self.jacobian(t, y), True
            self._counts()
        else:
            self.fresh = self.jacobian.constant is not None
        if not slow and factor < 1.2:
            factor = 1.0
        else:
            self.factors = None
        self.before, self.t, self.y, self.f = (self.t, self.y), t, y, f
        self.old, self.record, self.h = (abs(h), error), Z, abs(h) * factor
        self.polynomial = self.coefficients()

    def coefficients(self) -> np.ndarray:
        """Of the polynomial in theta over the last step."""
        return np.stack([w.astype(self.y.dtype).dot(self.record) for w in POLYNOMIAL])
