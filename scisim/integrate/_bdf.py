"""Backward differentiation of orders 1 to 5 with variable steps, for stiff problems.

Shampine and Reichelt, "The MATLAB ODE suite", SIAM J. Sci. Comput. 18 (1997): numerical differentiation formulas in
backward differences of a fixed step, which are transformed when the step changes (Byrne and Hindmarsh, 1975).

All that a step does to the differences is a product with constant matrices: they are what is recorded of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from scisim.autodiff.implicit import implicit_root
from scisim.core.tensor import unwrap, wrap
from scisim.integrate._control import MOST, TOO_SMALL, Control, first_step, least_step, rms
from scisim.integrate._radau import Factors, newton_tolerance
from scisim.ops.select import where
from scisim.ops.shape import astype, reshape

HIGHEST, ROWS, ITERATIONS = 5, 8, 4
KAPPA = np.array([0, -0.1850, -1 / 9, -0.0823, -0.0415, 0])
GAMMA = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, HIGHEST + 1))])
ALPHA = (1 - KAPPA) * GAMMA
CONSTANTS = KAPPA * GAMMA + 1 / np.arange(1, HIGHEST + 2)  # of the local errors


class Formula(NamedTuple):
    """The matrices of one order, for differences by row.

    Attributes
    ----------
    sums : array, shape (2, 8)
        The predicted state, and the part of the equation that is known.
    update : array, shape (8, 8)
        The next differences from these, to which ``added`` times the correction comes.
    polynomial : array, shape (5, 8)
        Coefficients in theta from the next differences.
    """

    sums: np.ndarray
    update: np.ndarray
    added: np.ndarray
    polynomial: np.ndarray


@cache
def formula(order: int, dtype: np.dtype) -> Formula:
    """The matrices of an order."""
    sums = np.zeros((2, ROWS))
    sums[0, : order + 1] = 1
    sums[1, 1 : order + 1] = GAMMA[1 : order + 1] / ALPHA[order]
    update, added = np.eye(ROWS), np.zeros(ROWS)
    update[order + 2, order + 1] = -1
    update[order + 2, order + 2] = update[order + 1, order + 1] = 0
    added[order + 1 : order + 3] = 1
    for k in reversed(range(order + 1)):
        update[k] += update[k + 1]
        added[k] += added[k + 1]
    polynomial, p = np.zeros((HIGHEST, ROWS)), np.array([1.0])
    for k in range(order):  # the product of (theta - 1 + i) / (i + 1)
        p = np.convolve(p, np.array([k - 1.0, 1.0]) / (k + 1))
        polynomial[: k + 1, k + 1] = p[1:]
    return Formula(*(m.astype(dtype) for m in (sums, update, added, polynomial)))


def _rescaling(order: int, factor: float) -> np.ndarray:
    """The transposed transformation of differences to a step ``factor`` times as long."""
    out = np.eye(ROWS)
    both = [_interpolation(order, f) for f in (factor, 1.0)]
    out[: order + 1, : order + 1] = both[0] @ both[1]
    return out


def _interpolation(order: int, factor: float) -> np.ndarray:
    i, j = np.arange(1, order + 1)[:, None], np.arange(1, order + 1)
    m = np.zeros((order + 1, order + 1))
    m[1:, 1:] = (i - 1 - factor * j) / i
    m[0] = 1
    return np.cumprod(m, axis=0)


class BDFSolver:
    """One integration; attributes as those of `ExplicitSolver`."""

    def __init__(self, f: Callable, jacobian: Any, control: Control, y: np.ndarray) -> None:
        self.fun, self.jacobian, self.control, self.nfev, self.nlu = f, jacobian, control, 1, 0
        self.t, self.y, self.f = control.start, y, f(control.start, y)
        self.before = (self.t, y)
        self.failed_at: float | None = None
        self.h = first_step(self._counted, control, y, self.f, 1)
        self.real = y.real.dtype
        self.D = np.zeros((ROWS, y.size), y.dtype)
        self.D[0], self.D[1] = y, self.f
        self.T = np.diag([1.0, self.h * control.direction, *np.ones(ROWS - 2)])
        self.tolerance = newton_tolerance(control)
        self.order, self.equal, self.eye = 1, 0, np.eye(y.size, dtype=self.real)
        self.J = jacobian(self.t, y)
        self.factors: Factors | None = None
        self.njev = jacobian.count
        self.record: tuple = ()

    def _counted(self, t: float, y: np.ndarray) -> np.ndarray:
        self.nfev += 1
        return self.fun(t, y)

    def _transformation(self) -> np.ndarray:
        return np.ascontiguousarray(self.T.T, self.real)

    def _change(self, order: int, factor: float) -> None:
        """Another size of the step."""
        self.T = self.T @ _rescaling(order, factor)
        self.equal = 0

    def step(self) -> str | None:
        """One accepted step, or why there is none."""
        c, order = self.control, self.order
        least = least_step(self.t, c.direction)
        for limit in (c.largest, least):
            if (self.h > limit) is (limit is c.largest) and self.h != limit:
                self._change(order, limit / self.h)
                self.h, self.factors = limit, None
        fresh = self.jacobian.constant is not None
        while True:
            if self.h < least:
                return TOO_SMALL
            t = self.t + self.h * c.direction
            if c.direction * (t - c.end) > 0:
                t = c.end
                self._change(order, abs(t - self.t) / self.h)
                self.factors = None
            h = t - self.t
            self.h = abs(h)
            D = self._transformation() @ self.D
            predicted, known = formula(order, self.real).sums @ D
            d, count, fresh = self._corrected(t, predicted, known, float(h / ALPHA[order]), fresh)
            if d is None:
                self._change(order, 0.5)
                self.h, self.factors = self.h * 0.5, None
                continue
            safety = 0.9 * (2 * ITERATIONS + 1) / (2 * ITERATIONS + count)
            scale = c.scale(np.abs(predicted + d))
            error = rms(float(CONSTANTS[order]) * d / scale)
            if error <= 1:
                break
            factor = max(0.2, safety * error ** (-1 / (order + 1)))
            self.h *= factor
            self._change(order, factor)
        self._accept(t, h, D, d, scale, error, safety)
        return None

    def _corrected(self, t: float, y: np.ndarray, known: np.ndarray, c: float, fresh: bool) -> tuple[Any, int, bool]:
        """The correction of the predicted state; once more with a new Jacobian if need be."""
        scale = self.control.scale(np.abs(y))
        while True:
            if self.factors is None:
                self.factors = Factors(self.eye - c * self.J)
                self.nlu += 1
            d, count = self._newton(t, y, known, c, scale) if self.factors.good else (None, 0)
            if d is not None or fresh:
                return d, count, fresh
            self.J, self.factors, fresh = self.jacobian(t, y), None, True
            self.njev = self.jacobian.count

    def _newton(self, t: float, y: np.ndarray, known: np.ndarray, c: float, scale: np.ndarray) -> tuple[Any, int]:
        d, old, rate = np.zeros_like(y), None, math.nan
        for count in range(1, ITERATIONS + 1):
            f = self._counted(t, y + d)
            step = self.factors.solve(c * f - known - d)  # type: ignore[union-attr]
            size = rms(step / scale)
            if not math.isfinite(size):
                self.failed_at = t
                return None, count
            rate = size / old if old else math.nan
            if rate >= 1 or rate ** (ITERATIONS - count + 1) / (1 - rate) * size > self.tolerance:
                return None, count
            d = d + step
            if size == 0 or (rate == rate and rate / (1 - rate) * size < self.tolerance):
                return d, count
            old = size
        return None, ITERATIONS

    def _accept(
        self, t: float, h: float, D: np.ndarray, d: np.ndarray, scale: Any, error: float, safety: float
    ) -> None:
        order, form = self.order, formula(self.order, self.real)
        self.record = (self._transformation(), order, d, h)
        self.D = form.update @ D + form.added[:, None] * d
        self.T, self.failed_at = np.eye(ROWS), None
        self.before, self.t, self.y = (self.t, self.y), t, self.D[0].copy()
        self._polynomial = form.polynomial
        self.equal += 1
        if self.equal < order + 1:
            return
        lower = rms(float(CONSTANTS[order - 1]) * self.D[order] / scale) if order > 1 else math.inf
        higher = rms(float(CONSTANTS[order + 1]) * self.D[order + 2] / scale) if order < HIGHEST else math.inf
        with np.errstate(divide="ignore"):
            factors = np.array([lower, error, higher]) ** (-1 / np.arange(order, order + 3))
        self.order += int(np.argmax(factors)) - 1
        factor = min(MOST, safety * float(np.max(factors)))
        self._change(self.order, factor)
        self.h, self.factors = self.h * factor, None

    def coefficients(self) -> np.ndarray:
        """Of the polynomial in theta over the last step."""
        return self._polynomial @ self.D


def stacked(records: list, real: Any) -> tuple:
    """What was recorded, by kind and stacked over the steps: see `repeated`."""
    changes, orders, corrections, sizes = zip(*records, strict=True)
    forms = [formula(k, real) for k in orders]
    first = np.arange(len(records)) == 0
    kinds = (np.stack(part) for part in zip(*forms, strict=True))
    return first, np.array(sizes), np.stack(changes), ALPHA[list(orders)], np.stack(corrections), *kinds


def repeated(f: Callable, D: Any, t: Any, end: Any, record: tuple, dense: bool) -> tuple[Any, Any]:
    """The step from ``t`` to ``end`` once more on values of any kind: the next differences, and the polynomial."""
    first, size, change, alpha, correction, sums, update, added, polynomial = record
    h = end - t
    stretch = where(first, h / size, 1.0)  # the first difference is the slope times the step
    rows = where(np.arange(ROWS)[:, None] == 1, astype(stretch, update.dtype), update.dtype.type(1))
    D = change @ (D * rows)
    both = sums @ D
    predicted, known, c = both[0], both[1], astype(h / alpha, update.dtype)

    def residual(d: Any) -> Any:
        v = unwrap(d)
        return wrap(c * f(end, predicted + v) - known - v)

    d = unwrap(implicit_root(residual, lambda g, d: d)(wrap(correction)))
    D = update @ D + reshape(added, (ROWS, 1)) * d
    return D, polynomial @ D if dense else None
