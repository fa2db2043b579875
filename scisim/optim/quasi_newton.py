"""Quasi-Newton methods with a line search: L-BFGS, BFGS and its self-scaled forms.

Each has ``init(params) -> state`` and ``update(loss_fn, state, params) -> (params, state, value)``.  The loss must be a
deterministic function of the parameters during an update; between updates it may change (new points), the curvature
that was learned stays.  ``state.status`` says how an update ended (`status_message`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from scisim.core.checks import is_real
from scisim.core.errors import ArgumentError
from scisim.optim.flat import Flat, value_and_slope
from scisim.optim.line_search import Found, Trial, strong_wolfe
from scisim.optim.status import CONVERGED, FOUND, NOT_FINITE
from scisim.optim.trees import Shown


class QuasiNewton(Shown, ABC):
    """The iteration: direction, line search, memory."""

    def __init__(self, iterations: int, c1: float, c2: float, max_evaluations: int, tolerance: float) -> None:
        who = type(self).__name__
        if not (is_real(c1) and is_real(c2) and 0 < c1 < c2 < 1):
            raise ArgumentError(f"{who}: c1 is {c1!r}, c2 {c2!r}; expected 0 < c1 < c2 < 1")
        for name, n in (("iterations", iterations), ("max_evaluations", max_evaluations)):
            if isinstance(n, bool) or not isinstance(n, int) or n < 1:
                raise ArgumentError(f"{who}: {name} is {n!r}; expected an integer of at least 1")
        if not (is_real(tolerance) and tolerance >= 0):
            raise ArgumentError(f"{who}: tolerance is {tolerance!r}; expected a number of at least 0")
        self.iterations, self.c1, self.c2 = iterations, c1, c2
        self.max_evaluations, self.tolerance = max_evaluations, tolerance

    @abstractmethod
    def _direction(self, memory: Any, g: np.ndarray) -> np.ndarray:
        """The direction to search along."""

    @abstractmethod
    def _learn(self, memory: Any, s: np.ndarray, y: np.ndarray, g: np.ndarray, step: float) -> Any:
        """The memory with one more pair of step and change of gradient."""

    @abstractmethod
    def _fresh(self, memory: Any) -> bool:
        """Whether the memory is empty."""

    def _iterate(self, loss_fn: Callable, flat: Flat, memory: Any) -> tuple[np.ndarray, float, Any, int, int, int]:
        """Up to ``iterations`` steps: vector, value, memory, iterations and evaluations made, status."""
        f, x = value_and_slope(loss_fn, flat), flat.vector()
        value, g = f(x)
        done, used, status = 0, 1, FOUND
        for _ in range(self.iterations):
            if np.abs(g).max(initial=0.0) <= self.tolerance:
                status = CONVERGED
                break
            memory, found = self._search(f, memory, x, value, g)
            used, status = used + found.evaluations, found.status
            if found.trial.step == 0:
                break
            new, change = found.trial.extra[0], found.trial.extra[1] - g
            memory = self._learn(memory, new - x, change, g, found.trial.step)
            x, value, g, done = new, found.trial.value, found.trial.extra[1], done + 1
        return x, value, memory, done, used, status

    def _search(self, f: Callable, memory: Any, x: np.ndarray, value: float, g: np.ndarray) -> tuple:
        """Search along the quasi-Newton direction; along the gradient, with the memory cleared, if that fails."""
        d = self._direction(memory, g)
        found = self._along(f, x, value, g, d, self._first(memory, g))
        if found.trial.step == 0 and not self._fresh(memory) and found.status != NOT_FINITE:
            cleared, used = self._cleared(memory), found.evaluations
            d = self._direction(cleared, g)
            found = self._along(f, x, value, g, d, self._first(cleared, g))
            found = found._replace(evaluations=found.evaluations + used)
            memory = memory if found.trial.step == 0 else cleared
        return memory, found

    def _first(self, memory: Any, g: np.ndarray) -> float:
        """1 once there is curvature to go by; before, a step of length at most one."""
        return 1.0 / max(1.0, float(np.linalg.norm(g))) if self._fresh(memory) else 1.0

    @abstractmethod
    def _cleared(self, memory: Any) -> Any:
        """An empty memory."""

    def _along(self, f: Callable, x: np.ndarray, value: float, g: np.ndarray, d: np.ndarray, first: float) -> Found:
        def phi(t: float) -> Trial:
            at = (x + t * d).astype(x.dtype, copy=False)
            v, slope = f(at)
            return Trial(t, v, float(slope @ d), (at, slope))

        start = Trial(0.0, value, float(g @ d), (x, g))
        return strong_wolfe(phi, start, first, self.c1, self.c2, self.max_evaluations)


def curved(s: np.ndarray, y: np.ndarray) -> bool:
    """Whether a pair of step and change says something about curvature beyond rounding and underflow."""
    info = np.finfo(s.dtype)
    rounding = info.eps * float(np.linalg.norm(s)) * float(np.linalg.norm(y))
    return float(s @ y) > max(rounding, float(info.tiny / info.eps))
