"""Explicit Runge-Kutta steps: by trial on arrays, and of a given size on values of any kind."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from scisim.integrate._control import LEAST, MOST, SAFETY, TOO_SMALL, Control, first_step, least_step, rms
from scisim.integrate._tableaux import TABLEAUX, Tableau
from scisim.ops.arithmetic import absolute, sqrt, square
from scisim.ops.reduce import mean
from scisim.ops.select import where
from scisim.ops.shape import astype, stack
from scisim.ops.weighted import weighted_p, weights_of


@cache
def _arrays(name: str, dtype: np.dtype) -> tuple[list, np.ndarray, list, list]:
    """Of a pair, for states of a dtype: weights of the stages with their places and times, of the step, of the errors,
    of the polynomial."""
    tableau = TABLEAUX[name]()
    row, n = lambda w: weights_of(tuple(map(float, w)), dtype), tableau.stages
    later = enumerate(zip(tableau.a, (*tableau.c[1:n], *tableau.c[n:]), strict=True), 1)
    stages = [(k + (k >= n), row(a), c) for k, (a, c) in later]
    return stages, row(tableau.b), list(map(row, tableau.errors)), list(map(row, tableau.dense))


class ExplicitSolver:
    """One integration by an explicit pair, step by step.

    Attributes
    ----------
    t, y, f : time, state and slope
    before : tuple
        Time and state before the last step.
    nfev, njev, nlu : int
    """

    njev = nlu = 0
    record = None  # nothing but its size is needed to repeat a step

    def __init__(self, f: Callable, tableau: Tableau, control: Control, y: np.ndarray) -> None:
        self.fun, self.tableau, self.control, self.nfev = f, tableau, control, 1
        self.t, self.y, self.f = control.start, y, f(control.start, y)
        self.before = (self.t, y)
        self.h = first_step(self._counted, control, y, self.f, tableau.order)
        arrays = _arrays(tableau.name, y.dtype)
        n, K = tableau.stages, np.empty((len(tableau.c) + 1, y.size), y.dtype)
        each = [(k, a.dot, K[:k], c) for k, a, c in arrays[0]]
        self.K, self._stages, self._more = K, each[: n - 1], each[n - 1 :]
        self._sum, self._errors, self._dense = arrays[1].dot, [e.dot for e in arrays[2]], arrays[3]
        self._size, self._rtol = np.abs(y), np.array(control.rtol, control.atol.dtype)
        self.failed_at: float | None = None  # where the function gave nan in the last trial

    def _counted(self, t: float, y: np.ndarray) -> np.ndarray:
        self.nfev += 1
        return self.fun(t, y)

    def step(self) -> str | None:
        """One accepted step, or why there is none."""
        c, n = self.control, self.tableau.stages
        least, exponent = least_step(self.t, c.direction), -1 / (self.tableau.order + 1)
        size, rejected = min(max(self.h, least), c.largest), False
        while True:
            if size < least:
                return TOO_SMALL
            t = self.t + size * c.direction
            if c.direction * (t - c.end) > 0:
                t = c.end
            h = t - self.t
            size = abs(h)
            y, f = self._attempt(t, h)
            self.nfev += n
            grown = np.abs(y)
            error = self._error(grown, h)
            if error < 1:
                factor = MOST if error == 0 else min(MOST, SAFETY * error**exponent)
                self.h = size * (min(1.0, factor) if rejected else factor)
                self.before, self.t, self.y, self.f, self._size = (self.t, self.y), t, y, f, grown
                return None
            self.failed_at = None if math.isfinite(error) else t
            size *= max(LEAST, SAFETY * error**exponent) if error == error else LEAST
            rejected = True

    def _attempt(self, t: float, h: float) -> tuple[np.ndarray, np.ndarray]:
        fun, K, y, start, n = self.fun, self.K, self.y, self.t, self.tableau.stages
        width = np.array(h, self.control.atol.dtype)  # NumPy takes longer for a Python number
        K[0] = self.f
        for k, dot, known, c in self._stages:
            at = dot(known)
            at *= width
            at += y
            K[k] = fun(start + c * h, at)
        new = self._sum(K[:n])
        new *= width
        new += y
        K[n] = f = fun(t, new)
        return new, f

    def _error(self, size: np.ndarray, h: float) -> float:
        """The estimate in units of what is allowed."""
        K = self.K[: self.tableau.stages + 1]
        scale = np.maximum(self._size, size)
        scale *= self._rtol
        scale += self.control.atol
        norms = []
        for dot in self._errors:
            e = dot(K)
            e /= scale
            norms.append(rms(e))
        if len(norms) == 1:
            return norms[0] * abs(h)
        fifth, third = norms
        total = math.sqrt(fifth * fifth + 0.01 * third * third)
        return abs(h) * fifth * fifth / total if total else 0.0

    def coefficients(self) -> np.ndarray:
        """Of the polynomial in theta over the last step."""
        t, y = self.before
        h, K = self.t - t, self.K
        for k, dot, known, c in self._more:
            K[k] = self._counted(t + c * h, y + dot(known) * h)
        return np.stack([np.dot(w, K) for w in self._dense]) * h


def explicit_stages(f: Callable, tableau: Tableau, t: Any, h: Any, end: Any, y: Any, slope: Any) -> tuple[Any, list]:
    """The state at the end of a step of given size, and all stages, the slope at the end included.

    The arithmetic is that of `ExplicitSolver`, in primitives, so that values are equal to the bit.
    """
    ks, width = [slope], width_of(h, y)
    for a, c in zip(tableau.a[: tableau.stages - 1], tableau.c[1:], strict=False):
        ks.append(f(t + c * h, y + weigh(ks, a) * width))
    new = y + weigh(ks, tableau.b) * width
    return new, [*ks, f(end, new)]


def explicit_polynomial(f: Callable, tableau: Tableau, t: Any, h: Any, y: Any, ks: list) -> Any:
    """Coefficients of the polynomial on a step, from its stages."""
    ks, width, n = list(ks), width_of(h, y), tableau.stages
    for a, c in zip(tableau.a[n - 1 :], tableau.c[n:], strict=True):
        ks.append(f(t + c * h, y + weigh(ks, a) * width))
    return stack([weigh(ks, tuple(w)) for w in tableau.dense]) * width


def explicit_error(tableau: Tableau, ks: list, scale: Any, h: Any) -> Any:
    """The estimate of the error in units of what is allowed."""
    norms = [norm(weigh(ks, e) / scale) for e in tableau.errors]
    if len(norms) == 1:
        return norms[0] * absolute(h)
    fifth, third = norms
    total = sqrt(fifth * fifth + 0.01 * third * third)
    return absolute(h) * fifth * fifth / where(total > 0, total, 1.0)


def norm(x: Any) -> Any:
    """Root of the mean of the squares, a value of float64."""
    if x.size == 0:
        return np.float64(0.0)
    return astype(sqrt(mean(square(absolute(x)))), np.float64)


def width_of(h: Any, y: Any) -> Any:
    """The size of a step in the precision of the state."""
    return astype(np.float64(h) if type(h) is float else h, np.zeros((), y.dtype).real.dtype)


def weigh(ks: list, weights: tuple) -> Any:
    """The sum of stages with constant weights."""
    return weighted_p(*ks, weights=tuple(map(float, weights)))
